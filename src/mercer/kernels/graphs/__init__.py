"""Kernels on the nodes of a graph."""
