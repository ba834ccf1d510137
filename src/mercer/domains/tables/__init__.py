"""Data tables: columns, categories and missing values."""
