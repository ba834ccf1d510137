"""Vectors: rows of numbers, dense or sparse."""
