"""Learned kernels, and what fitted models say of the terms of a kernel."""
