"""Evidence of Gaussian processes: exact, with inducing points, and by Laplace's approximation."""
