"""Conformal quantiles: of n scores the ⌈(1 − α)(n + 1)⌉-th smallest, where there is one."""

from __future__ import annotations

import math

import numpy as np

from mercer.errors import ParameterError
from mercer.params import is_real

_ROUNDING = 1e-9  # of (1 − α)(n + 1), which is meant to be a whole number where it nearly is


def check_coverage(coverage: float) -> None:
    """Raise a `ParameterError` for a coverage that is not strictly between 0 and 1."""
    if not is_real(coverage) or not 0.0 < coverage < 1.0:
        rule = "must lie strictly between 0 and 1"
        raise ParameterError("coverage", coverage, rule, "give a share, such as 0.9")


def fewest(coverage: float) -> int:
    """The smallest number of calibration rows with which a coverage can be reached.

    Examples
    --------
    >>> from mercer.estimators.conformal.quantiles import fewest
    >>> fewest(0.9), fewest(0.99)
    (9, 99)
    """
    return max(1, math.ceil(coverage / (1.0 - coverage) - _ROUNDING))


def check_enough(coverage: float, count: int, whose: str = "") -> None:
    """Raise a `ParameterError` for a coverage that so few calibration rows cannot give."""
    check_coverage(coverage)
    needed = fewest(coverage)
    if count < needed:
        rule = f"is too high for {count} calibration rows{whose}: it needs at least {needed}"
        raise ParameterError("coverage", coverage, rule, "lower it, or fit on more rows")


def rank(coverage: float, count: int) -> int:
    """⌈(1 − α)(n + 1)⌉, the place of the conformal quantile among n scores, from 1 to n."""
    return max(1, math.ceil(coverage * (count + 1) - _ROUNDING))


def conformal_quantile(scores: np.ndarray, coverage: float) -> float:
    """The conformal quantile of scores that count alike."""
    place = rank(coverage, len(scores))
    return float(np.partition(scores, place - 1)[place - 1])


def inner_quantiles(
    low: np.ndarray, high: np.ndarray, coverage: float
) -> tuple[np.ndarray, np.ndarray]:
    """The ⌊α(n + 1)⌋-th smallest of each row of ``low``, the ⌈(1 − α)(n + 1)⌉-th of ``high``."""
    n = low.shape[1]
    place = rank(coverage, n)
    lower = np.partition(low, n - place, axis=1)[:, n - place]
    return lower, np.partition(high, place - 1, axis=1)[:, place - 1]


def weighted_quantiles(
    scores: np.ndarray, weights: np.ndarray, own: np.ndarray, coverage: float
) -> np.ndarray:
    """Conformal quantiles of weighted scores, one for each new sample.

    A new sample has a weight of its own, which stands at +∞: the quantile is the least s with
    Σ_{s_i ≤ s} w_i ≥ (1 − α)(Σ w_i + w), or ∞.

    Parameters
    ----------
    scores, weights : ndarray of shape (n,)
        The scores of calibration rows and their weights.
    own : ndarray of shape (m,)
        The weights of the new samples.
    coverage : float
        1 − α.
    """
    order = np.argsort(scores, kind="stable")
    totals = np.cumsum(weights[order])
    wanted = coverage * (weights.sum() + own)
    places = np.searchsorted(totals, wanted * (1.0 - _ROUNDING), side="left")
    return np.append(scores[order], np.inf)[places]
