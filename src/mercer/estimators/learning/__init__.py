"""Functions that learn kernels from samples and targets."""
