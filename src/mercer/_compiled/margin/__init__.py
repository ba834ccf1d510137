"""Sequential minimal optimization."""
