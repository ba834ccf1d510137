"""The nearest training samples in feature space, as tiles pass by."""

from __future__ import annotations

import numpy as np

from mercer import _compiled
from mercer.aliases import RawSamples
from mercer.estimators.common.base import Expansion


def nearest(
    expansion: Expansion,
    X: RawSamples,
    left: np.ndarray,
    squares: np.ndarray,
    count: int,
    skip: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Squared distances and places of the ``count`` nearest; ``left`` and ``squares`` are k(x, x), ``skip[i]`` is left out for sample i."""
    squared = np.full((len(left), count), np.inf)
    found = np.zeros((len(left), count), dtype=np.int64)

    def visit(tile: np.ndarray, rows: tuple[int, int], cols: tuple[int, int]) -> None:
        a, b = rows
        part = squares[cols[0] : cols[1]]
        _compiled.nearest.update(
            tile, left[a:b], part, cols[0], skip[a:b], squared[a:b], found[a:b]
        )

    expansion.visit(X, visit)
    return squared, found
