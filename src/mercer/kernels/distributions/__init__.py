"""Kernels on probability distributions and on bags of samples."""
