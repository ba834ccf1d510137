"""Sparse Bayesian learning: relevance vector machines."""
