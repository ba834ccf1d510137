"""EasyMKL: weights from the nearest points of the convex hulls of two classes.

References
----------
Aiolli and Donini, EasyMKL: a scalable multiple kernel learning algorithm, Neurocomputing 169 (2015)
215-224.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.solvers.margin.dual import Bounds, Callback, DualProblem
from mercer.solvers.margin.smo import solve_dual
from mercer.solvers.mkl.grams import Grams, as_grams
from mercer.solvers.mkl.learned import Weights, at_once

_TOL = 1e-4  # the gap in the optimality conditions, in units of the margin


def easy_objective(
    Ks: Grams | Sequence[np.ndarray],
    sign: np.ndarray,
    gamma: np.ndarray,
    lam: float = 0.1,
    weight: np.ndarray | None = None,
) -> float:
    """(1 − λ) γᵀY (ΣK_k) Yγ + λ Σ γ²/w: the squared distance of points of the two hulls.

    Parameters
    ----------
    Ks : Grams or array-like of shape (m, n, n)
        The Gram matrices; each is divided by the mean of its diagonal.
    sign : ndarray of shape (n,)
        1 for one class and −1 for the other.
    gamma : ndarray of shape (n,)
        Coefficients >= 0 of the samples, with the sum 1 in each class.
    lam : float, default=0.1
        λ, between 0 and 1.
    weight : ndarray of shape (n,) or None
        The weights w of the samples; None for 1.
    """
    grams = as_grams(Ks, read_once=True)
    beta = sign * gamma
    squares = gamma**2 if weight is None else gamma**2 / weight
    return (1.0 - lam) * float(grams.quadratic(beta).sum()) + lam * float(squares.sum())


def easy(
    Ks: Grams | Sequence[np.ndarray],
    signs: np.ndarray,
    lam: float = 0.1,
    weight: np.ndarray | None = None,
    callback: Callback | None = None,
) -> Weights:
    """Weights in proportion to the squared distances that each matrix sees between nearest points.

    The nearest points are those of the sum of all matrices, regularized by λ. They need one
    solution of a support vector machine without slack, and no iteration over weights.

    Parameters
    ----------
    Ks : Grams or array-like of shape (m, n, n)
        The Gram matrices.
    signs : ndarray of shape (n, problems)
        1 for one class and −1 for the other, a column per problem; the weights of several problems
        are averaged.
    lam : float, default=0.1
        λ, between 0 and 1: at 1 the nearest points are the means of the classes.
    weight : ndarray of shape (n,) or None
        The weights of the samples, which divide λ; None for 1.
    callback : callable or None
        Called with the number of steps and the objective; True asks to stop.
    """
    grams = as_grams(Ks, read_once=True)
    K = grams.combine(np.full(len(grams), 1.0 - lam), whole=True)
    K[np.diag_indices_from(K)] += lam if weight is None else lam / weight
    shares = np.zeros(len(grams))
    value, iterations, converged = 0.0, 0, True
    for sign in signs.T:
        gamma, steps, done = nearest_points(K, np.ascontiguousarray(sign), callback)
        distances = np.maximum(grams.quadratic(sign * gamma), 0.0)
        shares += distances / distances.sum()
        squares = gamma**2 if weight is None else gamma**2 / weight
        value += (1.0 - lam) * float(distances.sum()) + lam * float(squares.sum())
        iterations, converged = iterations + steps, converged and done
    weights = at_once(grams, shares, value)
    weights.iterations, weights.converged = iterations, converged
    return weights


def nearest_points(
    K: np.ndarray, sign: np.ndarray, callback: Callback | None = None
) -> tuple[np.ndarray, int, bool]:
    """Coefficients γ >= 0, of the sum 1 in each class, of the nearest points of the hulls.

    They are those of the support vector machine without slack, divided by their sum.
    """
    huge = np.full((1, len(sign)), np.inf)
    bounds = Bounds(np.where(sign > 0, 0.0, -huge), np.where(sign > 0, huge, 0.0))
    problem = DualProblem(sign[None], bounds, np.zeros_like(huge), tol=_TOL, callback=callback)
    solution = solve_dual(K, problem)
    gamma = np.abs(solution.beta[0])
    for side in (sign > 0, sign < 0):
        gamma[side] /= gamma[side].sum()
    return gamma, solution.iterations, solution.converged
