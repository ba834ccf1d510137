"""Samples that are no rows of numbers: their kernels, and how those are learned and mixed."""
