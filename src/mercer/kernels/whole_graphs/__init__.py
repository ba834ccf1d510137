"""Kernels between whole graphs."""
