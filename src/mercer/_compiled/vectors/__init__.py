"""Tiles of kernels on vectors."""
