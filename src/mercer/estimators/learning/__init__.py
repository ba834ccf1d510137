"""Functions that learn a kernel from samples and targets, and what they learn it by."""
