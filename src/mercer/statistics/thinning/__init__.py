"""Few points that stand for a sample."""
