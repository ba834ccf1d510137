"""Weights of several Gram matrices of the same samples."""
