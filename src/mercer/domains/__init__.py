"""What a sample is, and how raw objects become flat arrays, once."""
