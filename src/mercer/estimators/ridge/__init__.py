"""Ridge regression and least-squares classification."""
