"""Kinds of samples, and how raw objects are checked and encoded to arrays, once for all kernels."""
