"""Regularized linear systems."""
