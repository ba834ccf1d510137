"""Tests of hypotheses by kernels, on samples of any kind, and samples thinned to few points."""
