"""Kernel expressions as blocks, their proofs, and the kernels to build them from."""
