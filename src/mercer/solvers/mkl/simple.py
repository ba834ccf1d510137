"""SimpleMKL: weights of the largest margin of a support vector machine.

The objective J(w) = Σ max over β of tᵀβ − ½ βᵀ(Σ w_k K_k)β, over all problems, is convex in the
weights, whose sum is 1. Its gradient follows from the solution: ∂J/∂w_k = −½ Σ βᵀK_kβ.

References
----------
Rakotomamonjy, Bach, Canu and Grandvalet, SimpleMKL, Journal of Machine Learning Research 9 (2008)
2491-2521.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from mercer.solvers.margin.dual import Bounds, DualProblem
from mercer.solvers.margin.smo import solve_dual
from mercer.solvers.mkl.grams import Grams, as_grams
from mercer.solvers.mkl.learned import Callback, Weights, descend

_TOL = 1e-5  # the gap in the optimality conditions of each support vector machine


@dataclasses.dataclass
class Problem:
    """The dual problem of two classes: samples, signs, and bounds of coefficients."""

    rows: np.ndarray
    sign: np.ndarray
    bounds: Bounds
    beta: np.ndarray  # of the last solution, where the next one begins


class SimpleObjective:
    """J and its gradient; each evaluation begins at the solutions of the one before.

    Parameters
    ----------
    Ks : Grams or array-like of shape (m, n, n)
        The Gram matrices; each is divided by the mean of its diagonal.
    labels : ndarray of shape (n,)
        Class numbers; a problem for every two classes.
    limit : ndarray of shape (n,)
        The bound C w of the coefficient of each sample.
    """

    def __init__(
        self, Ks: Grams | Sequence[np.ndarray], labels: np.ndarray, limit: np.ndarray
    ) -> None:
        self.grams = as_grams(Ks)
        self.problems: list[Problem] = []
        n_classes = int(labels.max()) + 1
        for first in range(n_classes):
            for second in range(first + 1, n_classes):
                rows = np.flatnonzero((labels == first) | (labels == second))
                sign = np.where(labels[rows] == first, 1.0, -1.0)
                most = (limit[rows] * sign)[None]
                bounds = Bounds(np.minimum(most, 0.0), np.maximum(most, 0.0))
                self.problems.append(Problem(rows, sign, bounds, np.zeros_like(most)))

    def __call__(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        K = self.grams.combine(weights, whole=True)
        value, slopes = 0.0, np.zeros(len(self.grams))
        for problem in self.problems:
            part = K
            if len(problem.rows) < len(K):
                part = K[np.ix_(problem.rows, problem.rows)]
            start = problem.beta.copy()
            solution = solve_dual(
                part, DualProblem(problem.sign[None], problem.bounds, start, tol=_TOL)
            )
            problem.beta = solution.beta
            value -= solution.objective
            beta = np.zeros(len(K))
            beta[problem.rows] = solution.beta[0]
            slopes -= 0.5 * self.grams.quadratic(beta)
        return value, slopes


def duality_gap(weights: np.ndarray, slopes: np.ndarray) -> float:
    """How far J is above its minimum at most: the largest slope against the mean slope."""
    return float(-slopes.min() + weights @ slopes)


def simple(
    Ks: Grams | Sequence[np.ndarray],
    labels: np.ndarray,
    limit: np.ndarray,
    callback: Callback | None = None,
) -> Weights:
    """Weights of sum 1 that minimize J; parameters as for `SimpleObjective`.

    The gap between J and the bound from its dual problem is the residual.
    """
    objective = SimpleObjective(Ks, labels, limit)
    grams = objective.grams
    start = np.full(len(grams), 1.0 / len(grams))
    weights = descend(objective, grams, 1.0, start, callback)
    weights.alpha = None
    weights.residual = duality_gap(weights.shares, objective(weights.shares)[1])
    return weights
