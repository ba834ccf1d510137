"""Kernels on strings."""
