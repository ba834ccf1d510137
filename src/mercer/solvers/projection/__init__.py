"""Canonical correlations and independent components."""
