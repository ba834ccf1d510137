"""Gradients as weighted sums: d/dθ Σ W_ij k_ij, tile by tile, without an n × n × p array."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.aliases import Prepared, RawSamples
from mercer.errors import NotDifferentiableError, ShapeError
from mercer.gram.fill import map_tiles
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel

__all__: list[str] = []


def gradient(kernel: Kernel, X: RawSamples, W: Any, Y: RawSamples = None) -> dict[str, Any]:
    """One entry per continuous parameter, shaped like the parameter."""
    x, y, _ = kernel._sides(X, Y)
    try:
        weights = np.asarray(W, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError("W", type(W).__name__, "must be a matrix of numbers") from None
    if weights.shape != (len(x), len(y)):
        raise ShapeError(
            "W",
            f"array of shape {weights.shape}",
            f"must have the shape of the Gram matrix, {(len(x), len(y))}",
        )
    return gradient_between(kernel, x, y, weights)


def gradient_between(
    kernel: Kernel, x: Prepared, y: Prepared, weights: np.ndarray
) -> dict[str, Any]:
    """`gradient` for prepared samples; the matrix is symmetric where they are the same."""
    symmetric = x is y

    def visit(
        pair: Pair, rows: tuple[int, int], cols: tuple[int, int]
    ) -> list[tuple[str, Any, float]]:
        tile = np.ascontiguousarray(weights[rows[0] : rows[1], cols[0] : cols[1]])
        if symmetric and rows != cols:
            tile = tile + weights[cols[0] : cols[1], rows[0] : rows[1]].T
        return list(kernel.weighted_derivatives(pair, tile))

    # a scalar parameter that is an integer still has a real derivative
    found: dict[str, Any] = {
        name: np.zeros(np.shape(value)) for name, value in kernel.continuous_params().items()
    }
    told: set[str] = set()
    for sums in map_tiles(kernel, x, y, visit, symmetric, "gradient"):
        for name, index, value in sums:
            found[name][() if index is None else index] += value
            told.add(name)
    silent = [name for name in found if name not in told]
    if silent:
        remedy = "yield it in tile_derivatives, or declare the parameter without continuous=True"
        raise NotDifferentiableError(
            "gradient", silent[0], f"has no derivative: {kernel} yields none", remedy
        )
    return {name: value[()] if value.ndim == 0 else value for name, value in found.items()}


def jacobian(
    kernel: Kernel, X: RawSamples, Y: RawSamples = None
) -> list[tuple[str, Any, np.ndarray]]:
    """The whole dK/dθ for every scalar of every continuous parameter, for those who want the array."""
    x, y, _ = kernel._sides(X, Y)
    found: dict[tuple[str, Any], np.ndarray] = {}

    def visit(pair: Pair, rows: tuple[int, int], cols: tuple[int, int]) -> Any:
        return (
            rows,
            cols,
            [(name, index, np.array(d)) for name, index, d in kernel.tile_derivatives(pair)],
        )

    for rows, cols, tiles in map_tiles(kernel, x, y, visit, False, "derivatives"):
        for name, index, tile in tiles:
            found.setdefault((name, index), np.empty((len(x), len(y))))[
                rows[0] : rows[1], cols[0] : cols[1]
            ] = tile
    return [(name, index, matrix) for (name, index), matrix in found.items()]
