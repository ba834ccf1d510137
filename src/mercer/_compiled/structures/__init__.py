"""Loops over graphs, trees and series."""
