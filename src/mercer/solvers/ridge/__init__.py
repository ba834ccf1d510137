"""Regularised linear systems."""
