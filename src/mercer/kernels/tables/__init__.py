"""Kernels on tables: categories, mixed columns, missing values."""
