"""Displays of tests of hypotheses."""
