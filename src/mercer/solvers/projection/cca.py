"""Canonical correlations of several views, each given by a tall factor of its centred Gram matrix."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy import linalg

from mercer.linalg.products import product

_RANK = 1e-12  # of a factor's largest singular value squared: smaller directions are rounding


@dataclasses.dataclass(frozen=True)
class View:
    """G = U diag(s) Vᵀ without its rounding, and how far the penalty lets each direction through."""

    U: np.ndarray
    s: np.ndarray
    V: np.ndarray
    share: np.ndarray  # s²/(s² + c)


def view(G: np.ndarray, penalty: float) -> View:
    """For a centred n × r factor and the penalty c = nκ/2.

    By the r × r matrix GᵀG, three products in all, where directions too small for its precision are far below the penalty; else by the SVD.
    """
    if G.shape[1] == 0:
        return View(G, np.empty(0), np.empty((0, 0)), np.empty(0))
    squares, V = linalg.eigh(product(G.T, G), check_finite=False)
    squares, V = squares[::-1], V[:, ::-1]
    if penalty > 1e-6 * squares[0]:
        keep = squares > 1e-8 * penalty
        s, V = np.sqrt(squares[keep]), np.asfortranarray(V[:, keep])
        return View(product(G, V / s), s, V, s**2 / (s**2 + penalty))
    U, s, Vt = linalg.svd(G, full_matrices=False, check_finite=False)
    keep = s**2 > _RANK * float(s[0] ** 2)
    U, s, Vt = U[:, keep], s[keep], Vt[keep]
    return View(U, s, Vt.T, s**2 / (s**2 + penalty))


def correlate(views: list[View], count: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Correlations, the largest first, and for each view the coefficients of U·share whose sums are the variates.

    Of two views these are singular values; of m, (λ − 1)/(m − 1) with λ the largest eigenvalues of the matrix of all correlations, which
    for two is the same.
    """
    if len(views) == 2:
        a, b = views
        C = product(a.U.T, b.U) * a.share[:, None] * b.share
        left, values, right = linalg.svd(C, full_matrices=False)
        return np.clip(values[:count], 0.0, 1.0), [left[:, :count], right[:count].T]
    sizes = np.cumsum([0, *(len(v.s) for v in views)])
    R = np.eye(sizes[-1])
    for i, a in enumerate(views):
        for j in range(i + 1, len(views)):
            b = views[j]
            block = product(a.U.T, b.U) * a.share[:, None] * b.share
            R[sizes[i] : sizes[i + 1], sizes[j] : sizes[j + 1]] = block
            R[sizes[j] : sizes[j + 1], sizes[i] : sizes[i + 1]] = block.T
    count = min(count, len(R))
    values, Y = linalg.eigh(R, subset_by_index=[len(R) - count, len(R) - 1])
    values, Y = values[::-1], Y[:, ::-1]
    parts = [Y[sizes[i] : sizes[i + 1]] for i in range(len(views))]
    return np.clip((values - 1.0) / (len(views) - 1), 0.0, 1.0), parts
