"""Relevance vector machines."""
