"""Recursions over two strings."""
