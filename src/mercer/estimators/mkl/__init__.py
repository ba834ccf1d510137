"""Learners that learn the weights of several kernels."""
