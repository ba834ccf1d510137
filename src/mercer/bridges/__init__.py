"""Kernels of other libraries as mercer kernels, and mercer kernels for other libraries."""
