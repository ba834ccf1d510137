"""Search for a kernel over the algebra of kernels."""
