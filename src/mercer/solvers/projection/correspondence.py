"""Principal inertias of correspondence analysis: eigenvalues of the standardized residuals."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy import linalg

from mercer.aliases import SparseMatrix
from mercer.linalg.lanczos import block_size, leading
from mercer.linalg.solution import Solution

_MANY = 3000  # categories beyond which only the leading eigenvalues are computed


@dataclasses.dataclass
class Inertias(Solution):
    """Eigenvalues of SᵀS, the largest first, with unit eigenvectors as columns."""

    values: np.ndarray
    vectors: np.ndarray
    sum_of_squares: float  # of all eigenvalues
    complete: bool  # whether all eigenvalues were computed
    solver: str


class _Residuals:
    """SᵀS of the standardized residuals: AᵀA − √c√cᵀ for a sparse A, never stored."""

    def __init__(self, A: SparseMatrix, root: np.ndarray) -> None:
        self.A = A
        self.root = root

    def __matmul__(self, U: np.ndarray) -> np.ndarray:
        return self.A.T @ (self.A @ U) - self.root[:, None] * (self.root @ U)


def principal_inertias(A: SparseMatrix, root: np.ndarray, count: int) -> Inertias:
    """The eigenvalues of SᵀS = AᵀA − √c√cᵀ; only the ``count`` largest if there are many."""
    n = len(root)
    if n <= _MANY:
        B = (A.T @ A).toarray()
        B -= np.outer(root, root)
        values, V = linalg.eigh(B)
        values, V = values[::-1], V[:, ::-1]
        squares = float((values**2).sum())
        return Inertias(values, V, squares, True, f"dense eigenvalues, {n} x {n}")
    start = np.random.RandomState(0).standard_normal((n, block_size(count)))
    top = leading(_Residuals(A, root), start, count)
    products = A.T @ A
    # √c is an eigenvector of AᵀA, with eigenvalue 1
    squares = float((products.data**2).sum()) - 1.0
    solver = f"block Lanczos, {top.iterations} passes"
    return Inertias(top.values, top.vectors, squares, False, solver, residual=top.residual)
