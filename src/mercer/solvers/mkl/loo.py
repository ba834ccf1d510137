"""Weights by the squared error of ridge regression on samples that are left out, in closed form.

With G = (λI + Σ w_k K_k)⁻¹ and a = G y, the errors of the samples B of a fold, left out together,
are G_BB⁻¹ a_B; of one sample they are a_i / G_ii.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from scipy import linalg
from scipy.linalg import blas

from mercer import _compiled
from mercer.linalg.products import product
from mercer.solvers.gp.evidence import evidence as factored
from mercer.solvers.mkl.alignment import alignment
from mercer.solvers.mkl.evidence import evidence
from mercer.solvers.mkl.grams import Grams, as_grams
from mercer.solvers.mkl.learned import Callback, Objective, Weights, descend
from mercer.solvers.mkl.starts import descend_from_several

Folds = list[np.ndarray] | None  # the samples that are left out together; None for one at a time


def solve_left_out(
    K: np.ndarray, Y: np.ndarray, folds: Folds = None
) -> tuple[np.ndarray, np.ndarray] | None:
    """(I + K)⁻¹Y, and the errors on samples that are left out.

    Of K, in units of the penalty, the lower triangle is read; it is overwritten. None where I + K
    is not positive definite.
    """
    inverse, a = _inverse(K, Y)
    if inverse is None:
        return None
    if folds is None:
        return a, a / inverse.diagonal()[:, None]
    return a, _errors_of_folds(inverse, a, folds)


def loo_objective(
    Ks: Grams | Sequence[np.ndarray], Y: np.ndarray, weights: np.ndarray, folds: Folds = None
) -> tuple[float, np.ndarray]:
    """The mean squared error of samples left out, and its gradient.

    Parameters
    ----------
    Ks : Grams or array-like of shape (m, n, n)
        The Gram matrices; each is divided by the mean of its diagonal.
    Y : ndarray of shape (n, targets)
        The targets.
    weights : ndarray of shape (m,)
        The weights of the divided matrices, in units of the penalty.
    folds : list of ndarray or None
        The samples that are left out together; None for one at a time.

    Returns
    -------
    tuple of float and ndarray of shape (m,)
        The value and the gradient. The value is infinite where the matrix is not positive definite.
    """
    grams = as_grams(Ks)
    inverse, a = _inverse(grams.combine(weights), Y)
    if inverse is None:
        return np.inf, np.zeros(len(grams))
    if folds is None:
        value, W = _singly(inverse, a)
    else:
        value, W = _by_folds(inverse, a, folds)
    return value / Y.size, grams.inner(W) / Y.size


def loo(
    Ks: Grams | Sequence[np.ndarray],
    Y: np.ndarray,
    alpha: float | None = None,
    start: np.ndarray | None = None,
    folds: Folds = None,
    callback: Callback | None = None,
) -> Weights:
    """Weights and penalty that minimize the squared error of samples left out.

    Parameters
    ----------
    Ks : Grams or array-like of shape (m, n, n)
        The Gram matrices.
    Y : ndarray of shape (n, targets)
        The targets, with the mean 0 and not constant.
    alpha : float or None
        The penalty in units of the sum of the weights; None to learn it.
    start : ndarray of shape (m,) or None
        Weights to begin with, in units of the penalty; by default those of the average.
    folds : list of ndarray or None
        The samples that are left out together; None for one at a time.
    callback : callable or None
        Called with the number of evaluations and the objective; True asks to stop.
    """
    grams = as_grams(Ks)

    if start is None:
        weights = _from_several(grams, Y, alpha, folds, callback)
    else:
        objective = functools.partial(log_loo_objective, grams, Y, folds)
        weights = descend(objective, grams, alpha, start, callback)
    weights.value = float(np.exp(2.0 * weights.value / Y.size))
    weights.values = np.exp(2.0 * weights.values / Y.size)
    return weights


def _from_several(
    grams: Grams, Y: np.ndarray, alpha: float | None, folds: Folds, callback: Callback | None
) -> Weights:
    """Weights learned from equal ones, and from those by alignment and by evidence."""

    def objective_of(some: Grams, rows: np.ndarray) -> Objective:
        return functools.partial(log_loo_objective, some, Y[rows], _folds_among(folds, rows))

    def shares_of(some: Grams, rows: np.ndarray) -> list[np.ndarray]:
        return [alignment(some, Y[rows]).shares, evidence(some, Y[rows], alpha).shares]

    return descend_from_several(objective_of, shares_of, grams, Y, alpha, callback)


def _folds_among(folds: Folds, rows: np.ndarray) -> Folds:
    """The folds of some samples, by their places among them."""
    if folds is None:
        return None
    places = [np.flatnonzero(np.isin(rows, fold)) for fold in folds]
    return [fold for fold in places if len(fold)]


def log_loo_objective(
    grams: Grams, Y: np.ndarray, folds: Folds, weights: np.ndarray
) -> tuple[float, np.ndarray]:
    """½ n log of the error, and its gradient: changes are as large as those of a likelihood."""
    value, gradient = loo_objective(grams, Y, weights, folds)
    half = 0.5 * Y.size
    if value <= 0.0:
        return -np.inf, gradient
    return half * float(np.log(value)), half * gradient / value


def _inverse(K: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """G = (I + K)⁻¹ and G Y; K is overwritten."""
    factor = factored(K, 1.0, Y)
    if factor is None:
        return None, Y
    upper, _ = linalg.lapack.dpotri(factor.upper, lower=0)
    _compiled.storage.mirror(upper)
    return upper.T, factor.alpha


def _singly(inverse: np.ndarray, a: np.ndarray) -> tuple[float, np.ndarray]:
    """The sum of squares r = a/g, with g the diagonal of G, and W with Σ W∘dK its change.

    From dG = −G dK G follows W = G diag(2 Σ a²/g³) G − (G p) aᵀ, p = 2 a/g².
    """
    g = inverse.diagonal().copy()[:, None]
    slopes = 2.0 * a / g**2
    root = np.sqrt((slopes * a / g).sum(axis=1))
    scaled = np.asfortranarray((inverse * root).T)
    W = blas.dsyrk(1.0, scaled, trans=1, lower=0)
    W = _subtract_outer(W, product(inverse, slopes), a)
    return float(np.sum((a / g) ** 2)), W


def _errors_of_folds(inverse: np.ndarray, a: np.ndarray, folds: list[np.ndarray]) -> np.ndarray:
    errors = np.empty_like(a)
    for fold in folds:
        errors[fold] = linalg.solve(inverse[np.ix_(fold, fold)], a[fold], assume_a="pos")
    return errors


def _by_folds(
    inverse: np.ndarray, a: np.ndarray, folds: list[np.ndarray]
) -> tuple[float, np.ndarray]:
    """The sum of squares of r_B = G_BB⁻¹ a_B, and W with Σ W∘dK its change.

    With s_B = 2 G_BB⁻¹ r_B it is Σ_B (G s_B)(G r_B)ᵀ − (G s) aᵀ.
    """
    errors, slopes = np.empty_like(a), np.empty_like(a)
    left, right = [], []
    for fold in folds:
        block = linalg.cho_factor(inverse[np.ix_(fold, fold)], check_finite=False)
        errors[fold] = linalg.cho_solve(block, a[fold], check_finite=False)
        slopes[fold] = 2.0 * linalg.cho_solve(block, errors[fold], check_finite=False)
        rows = inverse[fold]
        left.append(product(rows.T, slopes[fold]))
        right.append(product(rows.T, errors[fold]))
    # all rows of a fold's columns: Σ_B G_:B s_B is G s
    left.append(-product(inverse, slopes))
    right.append(a)
    zero = np.zeros(inverse.shape, order="F")
    W = _subtract_outer(zero, -np.hstack(left), np.hstack(right))
    return float(np.sum(errors**2)), W


def _subtract_outer(W: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """W − ½ (left rightᵀ + right leftᵀ), the upper triangle of W in Fortran order; transposed."""
    left, right = np.asfortranarray(left), np.asfortranarray(right)
    W = blas.dsyr2k(-0.5, left, right, 1.0, W, lower=0, overwrite_c=1)
    return np.asarray(W.T)
