"""Kernels and their parameters proposed from data."""
