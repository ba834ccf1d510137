"""Displays of the contributions of columns to predictions."""
