"""Weights by centered alignment with the targets.

References
----------
Cortes, Mohri and Rostamizadeh, Algorithms for learning kernels based on centered alignment, Journal
of Machine Learning Research 13 (2012) 795-828.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from mercer.solvers.mkl.grams import Grams, as_grams
from mercer.solvers.mkl.learned import Weights, at_once

_SINGULAR = 1e-12  # relative to the largest eigenvalue


def alignment_objective(
    Ks: Grams | Sequence[np.ndarray],
    Y: np.ndarray,
    weights: np.ndarray,
    root: np.ndarray | None = None,
) -> float:
    """The centered alignment of Σ w_k K_k with Y Yᵀ, between 0 and 1.

    Parameters
    ----------
    Ks : Grams or array-like of shape (m, n, n)
        The Gram matrices; each is divided by the mean of its diagonal.
    Y : ndarray of shape (n, targets)
        The targets.
    weights : ndarray of shape (m,)
        The weights of the divided matrices.
    root : ndarray of shape (n,) or None
        The roots of the weights of the samples, which the matrices and the targets are multiplied
        by already; None for weights 1.
    """
    grams = as_grams(Ks)
    M, a, norm = _inner_products(grams, Y, root)
    return float(weights @ a / np.sqrt(weights @ M @ weights) / norm)


def alignment(
    Ks: Grams | Sequence[np.ndarray], Y: np.ndarray, root: np.ndarray | None = None
) -> Weights:
    """Weights >= 0 of the largest centered alignment with Y Yᵀ; parameters as for the objective.

    They minimize wᵀMw − 2 wᵀa, where M holds the inner products of the centered matrices and a
    those with Y Yᵀ: least squares with weights >= 0 on the root of M.
    """
    grams = as_grams(Ks)
    M, a, norm = _inner_products(grams, Y, root)
    size = np.sqrt(np.maximum(M.diagonal(), 0.0))
    size[size == 0.0] = 1.0
    values, Q = np.linalg.eigh(M / np.outer(size, size))
    kept = values > _SINGULAR * values[-1]
    half = np.sqrt(values[kept])
    w = nnls(half[:, None] * Q[:, kept].T, (Q[:, kept].T @ (a / size)) / half)[0] / size
    if not w.any():  # no matrix is aligned with the targets
        w = np.ones(len(grams))
    value = float(w @ a / np.sqrt(w @ M @ w) / norm)
    return at_once(grams, w, value)


def _inner_products(
    grams: Grams, Y: np.ndarray, root: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, float]:
    """Inner products of the centered matrices with each other and with Y Yᵀ, and its norm.

    Centering takes away the direction q of the weights' roots: P K P with P = I − q qᵀ.
    """
    q = np.ones(grams.n) if root is None else root
    q = q / np.linalg.norm(q)
    images = grams.times(q)
    along = images @ q
    M = grams.products() - 2.0 * images @ images.T + np.outer(along, along)
    Y = Y - np.outer(q, q @ Y)
    a = grams.inner(Y @ Y.T)
    return M, a, float(np.linalg.norm(Y.T @ Y)) or 1.0
