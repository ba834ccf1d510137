"""Kernels on ordered, labeled trees."""
