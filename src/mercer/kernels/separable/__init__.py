"""Kernels as sums of products over columns, the form that exact explanations need."""
