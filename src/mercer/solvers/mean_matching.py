"""The quadratic program of kernel mean matching, by a primal-dual interior point method.

Minimize ½ βᵀKβ − κᵀβ subject to 0 ≤ β ≤ B and low ≤ Σβ ≤ high. Every constraint is written as a
slack s ≥ 0 with a multiplier u ≥ 0; Newton steps lead to the points where all products s u are
equal, and this value is lowered to zero.

References
----------
Nocedal and Wright, Numerical Optimization, 2006, section 16.6.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy import linalg

from mercer.linalg.solution import Solution

_CENTERING = 0.1  # the products s u that a step aims at, as a share of their mean
_TO_BOUND = 0.99  # the share of the way to the nearest bound that a step may take


@dataclasses.dataclass(kw_only=True)
class MatchedMeans(Solution):
    """The weights β; the residual is the duality gap relative to the size of the objective."""

    weights: np.ndarray


class _Constraints:
    """The slacks of the two bounds of every weight, and of the two bounds of their sum."""

    def __init__(self, bound: float, low: float, high: float) -> None:
        self.bound, self.low, self.high = bound, low, high

    def slacks(self, beta: np.ndarray) -> np.ndarray:
        total = beta.sum()
        return np.concatenate([beta, self.bound - beta, [total - self.low, self.high - total]])

    @staticmethod
    def changes(step: np.ndarray) -> np.ndarray:
        """How the slacks change with the weights."""
        total = step.sum()
        return np.concatenate([step, -step, [total, -total]])

    @staticmethod
    def pull(multipliers: np.ndarray) -> np.ndarray:
        """The transpose: how multipliers push the weights."""
        n = (len(multipliers) - 2) // 2
        return multipliers[:n] - multipliers[n:-2] + (multipliers[-2] - multipliers[-1])


def match_means(
    K: np.ndarray,
    kappa: np.ndarray,
    bound: float,
    low: float,
    high: float,
    *,
    tol: float = 1e-9,
    limit: int = 100,
) -> MatchedMeans:
    """Solve the program, with one Cholesky factor in every step.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        A positive semi-definite matrix.
    kappa : ndarray of shape (n,)
        The linear term κ.
    bound : float
        B, the largest weight.
    low, high : float
        The bounds of the sum; low < high, low < n B and high > 0.
    tol : float, default=1e-9
        The duality gap, relative to the size of the objective, at which the iteration ends.
    limit : int, default=100
        The largest number of steps.
    """
    n = len(kappa)
    constraints = _Constraints(bound, low, high)
    middle = (max(low, 0.0) + min(high, n * bound)) / (2.0 * n)
    beta = np.full(n, middle)
    slacks = constraints.slacks(beta)
    scale = max(1.0, float(np.abs(kappa).max()))
    multipliers = scale / np.maximum(slacks / slacks.max(), 1e-3)
    solution = MatchedMeans(converged=False, reason="step limit", weights=beta)
    for solution.iterations in range(1, limit + 1):
        gradient = K @ beta - kappa
        size = 1.0 + abs(float(beta @ gradient)) + abs(float(kappa @ beta))
        residual = gradient - constraints.pull(multipliers)
        solution.residual = float(slacks @ multipliers) / size
        if solution.residual < tol and np.abs(residual).max() < tol * scale:
            solution.converged, solution.reason = True, "converged"
            break
        target = _CENTERING * float(slacks @ multipliers) / len(slacks)
        ratio = multipliers / slacks
        H = K + (ratio[-2] + ratio[-1])
        H[np.diag_indices(n)] += ratio[:n] + ratio[n:-2]
        step = linalg.solve(
            H, constraints.pull(target / slacks) - gradient, assume_a="pos", overwrite_a=True
        )
        change = constraints.changes(step)
        change_of_multipliers = (target - multipliers * change) / slacks - multipliers
        length = min(_longest(slacks, change), _longest(multipliers, change_of_multipliers))
        beta = beta + length * step
        multipliers = multipliers + length * change_of_multipliers
        slacks = constraints.slacks(beta)
    solution.weights = beta
    return solution


def _longest(values: np.ndarray, change: np.ndarray) -> float:
    """The longest step, at most 1, that leaves all values positive."""
    falling = change < 0
    if not falling.any():
        return 1.0
    return min(1.0, _TO_BOUND * float((-values[falling] / change[falling]).min()))
