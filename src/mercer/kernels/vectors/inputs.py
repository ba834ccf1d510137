"""Sums over differences of rows, of which derivatives in the samples are made."""

from __future__ import annotations

import numpy as np

from mercer.aliases import Prepared
from mercer.gram.tile import Pair

__all__: list[str] = []


def tile_rows(pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """The rows of both sides of a tile as dense arrays."""
    return _some_rows(pair.x, pair.rows), _some_rows(pair.y, pair.cols)


def _some_rows(samples: Prepared, rows: slice) -> np.ndarray:
    taken = samples.x[rows]
    return taken.toarray() if samples.sparse else taken


def weighted_differences(pair: Pair, factors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Σ_j weights_ij factors_ij (x_i − y_j) over one tile, of each function.

    The shapes are those of `Kernel.tile_input_gradients`.
    """
    pair.work.serial_blas()
    x, y = tile_rows(pair)
    center = x.mean(axis=0)  # far from the origin the difference of the two sums would be lost
    x, y = x - center, y - center
    if weights.shape[1] > 1:
        factors = factors * weights
        return factors.sum(axis=2)[:, :, None] * x - factors @ y
    # The weights go to the rows of y: one product for all functions.
    shared = weights[:, 0].T
    weighted = (shared[:, :, None] * y[:, None]).reshape(len(y), -1)
    moved = (factors @ weighted).reshape(len(x), shared.shape[1], -1)
    differences = (factors @ shared)[:, :, None] * x[:, None] - moved
    return differences.transpose(1, 0, 2)


def weighted_signs(pair: Pair, factors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Σ_j weights_ij factors_ij sign(x_i − y_j) over one tile, column by column."""
    pair.work.serial_blas()
    x, y = tile_rows(pair)
    out = np.empty((len(weights), *x.shape))
    for column in range(x.shape[1]):
        left, right = x[:, column, None], y[None, :, column]
        signs = np.where(left > right, factors, 0.0) - np.where(left < right, factors, 0.0)
        if weights.shape[1] > 1:
            out[:, :, column] = np.einsum("ij,tij->ti", signs, weights)
        else:
            out[:, :, column] = weights[:, 0] @ signs.T
    return out
