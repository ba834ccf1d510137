"""Linear algebra below kernels and solvers: products, conjugate gradients, Lanczos, Cholesky."""
