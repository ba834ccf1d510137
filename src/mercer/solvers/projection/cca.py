"""Regularized canonical correlations of several views, each a factor of its Gram matrix."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
from scipy import linalg

from mercer.linalg.products import product

_RANK = 1e-12  # of a factor's largest squared singular value: smaller directions are rounding error


@dataclasses.dataclass(frozen=True)
class View:
    """The singular value decomposition G = U diag(s) Vᵀ of a factor, without its null space.

    ``share`` says how much of each direction the penalty c leaves: s²/(s² + c).
    """

    U: np.ndarray
    s: np.ndarray
    V: np.ndarray
    share: np.ndarray


def decompose(G: np.ndarray, penalty: float) -> View:
    """Decompose a centered n × r factor of a Gram matrix under the penalty c = nκ/2.

    The r × r matrix GᵀG is enough, with three products in all, where directions that are too small
    for its precision lie far below the penalty; otherwise the singular value decomposition is
    computed.
    """
    if G.shape[1] == 0:
        return View(G, np.empty(0), np.empty((0, 0)), np.empty(0))
    squares, V = linalg.eigh(product(G.T, G), check_finite=False)
    squares, V = squares[::-1], V[:, ::-1]
    if penalty > 1e-6 * squares[0]:
        keep = squares > 1e-8 * penalty
        s, V = np.sqrt(squares[keep]), np.asfortranarray(V[:, keep])
        return View(product(G, V / s), s, V, s**2 / (s**2 + penalty))
    U, s, Vt = linalg.svd(G, full_matrices=False, overwrite_a=True, check_finite=False)
    keep = s**2 > _RANK * float(s[0] ** 2)
    U, s, Vt = U[:, keep], s[keep], Vt[keep]
    return View(U, s, Vt.T, s**2 / (s**2 + penalty))


def correlate(views: list[View], count: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """The canonical correlations, the largest first, and coefficients of U·share for each view.

    The correlations of two views are singular values. Those of m views are (λ − 1)/(m − 1), with λ
    the largest eigenvalues of the matrix of all correlations, which is the same for two views.
    """
    if len(views) == 2:
        left, values, right = linalg.svd(_correlations(*views), full_matrices=False)
        return np.clip(values[:count], 0.0, 1.0), [left[:, :count], right[:count].T]
    edges = np.cumsum([0, *(len(view.s) for view in views)]).tolist()
    blocks = [slice(*ends) for ends in itertools.pairwise(edges)]
    R = np.eye(edges[-1])
    for i, j in itertools.combinations(range(len(views)), 2):
        across = _correlations(views[i], views[j])
        R[blocks[i], blocks[j]] = across
        R[blocks[j], blocks[i]] = across.T
    count = min(count, len(R))
    values, Y = linalg.eigh(R, subset_by_index=[len(R) - count, len(R) - 1])
    values, Y = values[::-1], Y[:, ::-1]
    correlations = (values - 1.0) / (len(views) - 1)
    return np.clip(correlations, 0.0, 1.0), [Y[block] for block in blocks]


def _correlations(a: View, b: View) -> np.ndarray:
    """Regularized correlations between the directions of two views."""
    return product(a.U.T, b.U) * a.share[:, None] * b.share
