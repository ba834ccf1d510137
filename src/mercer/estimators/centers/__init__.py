"""Learners on some of the rows, the centers: data from any source, problems and reports."""
