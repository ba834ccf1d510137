"""Structured samples: whole graphs, trees and series."""
