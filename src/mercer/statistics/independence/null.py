"""Null distributions of Σ_ij K̃_ij L̃_ij: permutations, a Gamma distribution, and sums of χ².

References
----------
F. Kazi-Aoual, S. Hitier, R. Sabatier and J.-D. Lebreton (1995). Refined approximations to
permutation tests for multivariate inference. Computational Statistics & Data Analysis 20, 643-656.

A. Gretton, K. Fukumizu, C. H. Teo, L. Song, B. Schölkopf and A. J. Smola (2008). A kernel
statistical test of independence. Advances in Neural Information Processing Systems 20, 585-592.

K. Zhang, J. Peters, D. Janzing and B. Schölkopf (2011). Kernel-based conditional independence test
and application in causal discovery. Uncertainty in Artificial Intelligence, 804-813.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mercer import _compiled
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.statistics.independence.views import Centered
from mercer.statistics.permutations import row_permutations

_BLOCK = 2**22  # entries of the permutations that are drawn at a time
_LEAST_EIGENVALUE = 1e-5  # of the largest: smaller ones change no quantile
_DRAWS = 5000  # of a sum of χ² variables
_SMALLEST = 1e-300  # a p-value is never 0


def cross_sum(K: Centered, L: Centered, order: np.ndarray) -> float:
    """Σ_ij K̃_ij L̃_π(i)π(j), which is ‖AᵀB_π‖² for factors A and B."""
    if not K.factor and not L.factor:
        return float(_compiled.permuted.permuted_sum(K.array, L.array, order))
    if K.factor and L.factor:
        return float(np.sum((K.array.T @ L.array[order]) ** 2))
    if K.factor:  # K̃ = AAᵀ: Σ_c a_cᵀ L̃_π a_c, with the rows of A permuted back
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return cross_sum(L, K, back)
    moved = L.array[order]
    return float(np.sum(moved * (K.array @ moved)))


def permuted_sums(
    value: Callable[[np.ndarray], float],
    n: int,
    count: int,
    rng: np.random.Generator,
    groups: np.ndarray | None = None,
) -> np.ndarray:
    """The value of each of ``count`` permutations of n rows, whatever the number of threads."""
    parts = []
    for orders in _drawn(n, count, rng, groups):
        parts.append(values_of(value, orders))
    return np.concatenate(parts)


def values_of(value: Callable[[np.ndarray], float], orders: np.ndarray) -> np.ndarray:
    """A function of each of several orders, on all threads."""
    out = np.empty(len(orders))

    def task(number: int, work: Workspace) -> None:
        work.serial_blas()
        out[number] = value(orders[number])

    run(len(orders), task, "permutations")
    return out


def _drawn(
    n: int, count: int, rng: np.random.Generator, groups: np.ndarray | None
) -> Iterator[np.ndarray]:
    """Permutations, some at a time; how many does not change them but for groups."""
    step = max(1, _BLOCK // n)
    for start in range(0, count, step):
        yield row_permutations(n, min(step, count - start), rng, groups)


# -- formulas --------------------------------------------------------------------------------------


def permutation_moments(K: np.ndarray, L: np.ndarray) -> tuple[float, float]:
    """Mean and variance of Σ_ij K̃_ij L̃_π(i)π(j) over all permutations π, for n ≥ 4.

    Both matrices are centered and symmetric (Kazi-Aoual et al. 1995).
    """
    n = len(K)
    (t1, s1, d1), (t2, s2, d2) = _sums(K), _sums(L)
    mean = t1 * t2 / (n - 1)
    spread = ((n - 1) * s1 - t1**2) * ((n - 1) * s2 - t2**2)
    first = 2.0 * spread / ((n - 1) ** 2 * (n + 1) * (n - 2))
    diagonal = _diagonal_term(n, t1, s1, d1) * _diagonal_term(n, t2, s2, d2)
    second = diagonal / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return mean, first + second


def _sums(K: np.ndarray) -> tuple[float, float, float]:
    """The trace of K, that of K², and the sum of the squares of the diagonal."""
    diagonal = np.diagonal(K)
    return float(diagonal.sum()), float(np.sum(K * K)), float(np.sum(diagonal**2))


def _diagonal_term(n: int, trace: float, squares: float, diagonal: float) -> float:
    return n * (n + 1) * diagonal - (n - 1) * (trace**2 + 2 * squares)


def gamma_pvalue(statistic: float, mean: float, variance: float) -> float:
    """How often a Gamma variable of this mean and variance exceeds a statistic."""
    from scipy.special import gammaincc

    if mean <= 0 or variance <= 0:
        return 1.0
    shape, scale = mean**2 / variance, variance / mean
    return max(float(gammaincc(shape, max(statistic, 0.0) / scale)), _SMALLEST)


def leading_eigenvalues(K: np.ndarray) -> np.ndarray:
    """The eigenvalues of a positive semi-definite matrix that are not tiny, from the largest."""
    from scipy.linalg import eigvalsh

    values = eigvalsh(K)[::-1]
    return values[values > _LEAST_EIGENVALUE * max(float(values[0]), 0.0)]


def chi_squares(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draws of Σ_i w_i z_i² with standard normal z_i; many weights are drawn in parts."""
    out = np.zeros(_DRAWS)
    step = max(1, _BLOCK // _DRAWS)
    for start in range(0, len(weights), step):
        part = weights[start : start + step]
        out += rng.chisquare(1.0, (_DRAWS, len(part))) @ part
    return out
