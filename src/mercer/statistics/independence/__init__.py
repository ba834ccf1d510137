"""Tests of independence: of two views of the same samples, of several, and given a third."""
