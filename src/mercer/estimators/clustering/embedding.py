"""The spectral embedding of a graph, and its extension to new samples by Nyström's formula."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.exceptions import ConvergenceWarning

from mercer.aliases import SparseMatrix
from mercer.errors import warn
from mercer.estimators.common.signs import sign_flips
from mercer.gram.matrix import Matrix
from mercer.gram.stored import Stored
from mercer.linalg.lanczos import block_size
from mercer.solvers.clustering.laplacian import Smooth, smoothest, smoothest_sparse


def smooth_functions(
    weights: Matrix | SparseMatrix,
    degree: np.ndarray,
    count: int,
    rng: np.random.RandomState,
    tol: float,
) -> Smooth:
    """The first eigenvectors of the normalised Laplacian."""
    if sparse.issparse(weights):
        smooth = smoothest_sparse(weights, degree, count, rng, tol)
    else:
        n = len(degree)
        start = rng.standard_normal((n, min(n, block_size(count))))
        smooth = smoothest(weights, degree, count, start, tol)
    if isinstance(weights, Stored) and smooth.parts > 1:
        # only as many parts as eigenvalues were computed are known so far
        parts = connected_components(sparse.csr_array(weights.array > 0))[0]
        smooth.parts = max(smooth.parts, parts)
    if smooth.residual > max(1e-6, tol):
        residual = f"no convergence: relative residual {smooth.residual:.2g}"
        reason = f"the eigenvalues {smooth.values} may be too near each other"
        warn(f"{residual}; {reason}", ConvergenceWarning)
    return smooth


def embedding(vectors: np.ndarray, degree: np.ndarray) -> np.ndarray:
    """D^{-1/2} times the eigenvectors, with signs that reproduce."""
    linked = degree > 0
    root = np.where(linked, 1.0 / np.sqrt(np.where(linked, degree, 1.0)), 1.0)
    coordinates = vectors * root[:, None]
    return coordinates * sign_flips(coordinates)


def nystrom(sums: np.ndarray, degree: np.ndarray, eigenvalues: np.ndarray) -> np.ndarray:
    """Σ w(x, x_i) u_i/(d(x)(1 − λ)) from the sums; 0 for a sample without any link."""
    mean = sums / np.where(degree > 0, degree, 1.0)
    shrunk = 1.0 - eigenvalues  # eigenvalues of D⁻¹W
    known = np.abs(shrunk) > 1e-12
    return np.where(known, mean / np.where(known, shrunk, 1.0), 0.0)
