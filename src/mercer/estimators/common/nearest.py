"""The nearest training samples in feature space, found while tiles are computed."""

from __future__ import annotations

import numpy as np

from mercer import _compiled
from mercer.aliases import RawSamples
from mercer.estimators.common.expansion import Expansion
from mercer.gram.fill import Range


def nearest(
    expansion: Expansion,
    X: RawSamples,
    squares: np.ndarray,
    training_squares: np.ndarray,
    count: int,
    skip: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Squared distances and positions of the ``count`` nearest training samples.

    ``squares`` and ``training_squares`` are k(x, x); ``skip[i]`` is left out for sample i.
    """
    distances = np.full((len(squares), count), np.inf)
    positions = np.zeros((len(squares), count), dtype=np.int64)

    def update(tile: np.ndarray, rows: Range, cols: Range) -> None:
        part = slice(*rows)
        _compiled.nearest.update(
            tile,
            squares[part],
            training_squares[slice(*cols)],
            cols[0],
            skip[part],
            distances[part],
            positions[part],
        )

    expansion.visit(X, update)
    return distances, positions
