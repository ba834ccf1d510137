"""Weights by the marginal likelihood of a Gaussian process.

The targets have the covariance s² (λI + Σ w_k K_k), with a scale s of each target that is maximized
in closed form. So the likelihood depends on the ratios w/λ alone, as predictions do.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from mercer.solvers.gp.evidence import evidence as factored
from mercer.solvers.mkl.alignment import alignment
from mercer.solvers.mkl.grams import Grams, as_grams
from mercer.solvers.mkl.learned import Callback, Objective, Weights, descend
from mercer.solvers.mkl.starts import descend_from_several


def evidence_objective(
    Ks: Grams | Sequence[np.ndarray], Y: np.ndarray, weights: np.ndarray
) -> tuple[float, np.ndarray]:
    """The negative log marginal likelihood of weights in units of the noise, and its gradient.

    Parameters
    ----------
    Ks : Grams or array-like of shape (m, n, n)
        The Gram matrices; each is divided by the mean of its diagonal.
    Y : ndarray of shape (n, targets)
        The targets, with the mean 0; their likelihoods are multiplied.
    weights : ndarray of shape (m,)
        The weights of the divided matrices, in units of the noise variance.

    Returns
    -------
    tuple of float and ndarray of shape (m,)
        The value, with the best scale of each target, and the gradient. The value is infinite
        where the matrix is not positive definite.
    """
    grams = as_grams(Ks)
    n = len(Y)
    factor = factored(grams.combine(weights), 1.0, Y)
    if factor is None:
        return np.inf, np.zeros(len(grams))
    size = np.einsum("ij,ij->j", Y, factor.alpha)  # n s²
    likelihood = factor.values + 0.5 * size  # of the determinant alone
    value = float(np.sum(0.5 * n * (np.log(size / n) + 1.0) - likelihood))
    factor.alpha = factor.alpha * np.sqrt(n / size)
    return value, -grams.inner(factor.weights(), doubled=True)


def evidence(
    Ks: Grams | Sequence[np.ndarray],
    Y: np.ndarray,
    alpha: float | None = None,
    start: np.ndarray | None = None,
    callback: Callback | None = None,
) -> Weights:
    """Weights and noise that maximize the marginal likelihood.

    Parameters
    ----------
    Ks : Grams or array-like of shape (m, n, n)
        The Gram matrices.
    Y : ndarray of shape (n, targets)
        The targets, with the mean 0 and not constant.
    alpha : float or None
        The noise variance in units of the sum of the weights; None to learn it.
    start : ndarray of shape (m,) or None
        Weights to begin with, in units of the noise; by default those of the average.
    callback : callable or None
        Called with the number of evaluations and the objective; True asks to stop.
    """
    grams = as_grams(Ks)

    if start is not None:
        objective = functools.partial(evidence_objective, grams, Y)
        return descend(objective, grams, alpha, start, callback)

    def objective_of(some: Grams, rows: np.ndarray) -> Objective:
        return functools.partial(evidence_objective, some, Y[rows])

    def shares_of(some: Grams, rows: np.ndarray) -> list[np.ndarray]:
        return [alignment(some, Y[rows]).shares]

    return descend_from_several(objective_of, shares_of, grams, Y, alpha, callback)
