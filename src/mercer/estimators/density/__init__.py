"""Density estimation, nearest neighbors and novelty detection."""
