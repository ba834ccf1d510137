"""``mercer fit`` on many rows: files that are read block by block, and a model on centers."""
