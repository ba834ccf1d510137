"""Looks at a table before anything is learned from it: counts, columns to leave out, leaks."""
