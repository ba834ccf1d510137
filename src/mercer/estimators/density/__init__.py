"""Density estimation, nearest neighbours and novelty detection."""
