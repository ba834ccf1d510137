"""Which points of two series a sum over alignments puts together."""

from __future__ import annotations

import numpy as np

__all__: list[str] = []


def alignment_shares(similarities: np.ndarray) -> np.ndarray:
    """The share of all alignments, each counted by Π κ, that pass through every pair of points."""
    with np.errstate(divide="ignore"):
        logs = np.log(similarities)
    before = _sums(logs)
    after = _sums(logs[::-1, ::-1])[::-1, ::-1]
    whole = before[-1, -1]
    if not np.isfinite(whole):
        return np.zeros(similarities.shape)
    with np.errstate(invalid="ignore"):
        shares = np.exp(before + after - logs - whole)
    return np.where(similarities > 0, shares, 0.0)


def _sums(logs: np.ndarray) -> np.ndarray:
    """Logarithms of the sums over all alignments up to every pair of points."""
    m, n = logs.shape
    sums = np.full((m + 1, n + 1), -np.inf)
    sums[0, 0] = 0.0
    for i, j in np.ndindex(m, n):
        near = np.logaddexp(sums[i, j], np.logaddexp(sums[i, j + 1], sums[i + 1, j]))
        sums[i + 1, j + 1] = near + logs[i, j]
    return sums[1:, 1:]
