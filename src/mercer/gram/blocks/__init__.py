"""Sources of rows: data that are read block by block, and never held as a whole."""
