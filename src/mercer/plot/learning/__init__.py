"""Displays of learned kernels."""
