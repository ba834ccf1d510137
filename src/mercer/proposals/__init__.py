"""Kernels proposed from the data: which kind the samples are, and what suits them."""
