"""Kernels between series and between curves."""
