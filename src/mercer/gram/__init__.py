"""Gram matrices: one interface, three forms, one place that plans, and the engine that fills tiles.

A kernel is known here only by `tile`, `leaves` and `diagonal`.
"""
