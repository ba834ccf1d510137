"""Gradients as weighted sums: d/dθ Σ W_ij k_ij, tile by tile, without an n × n × p array."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mercer.aliases import Prepared, RawSamples
from mercer.errors import NotDifferentiableError, ShapeError
from mercer.gram.fill import map_tiles
from mercer.gram.tile import Pair

if TYPE_CHECKING:
    from mercer.kernels.base import Derivative, Kernel, WeightedSum

__all__: list[str] = []

Bounds = tuple[int, int]  # the first row, or column, of a tile, and the one after its last


def gradient(kernel: Kernel, X: RawSamples, W: ArrayLike, Y: RawSamples = None) -> dict[str, Any]:
    """d/dθ Σ W_ij k(x_i, y_j): one entry per continuous parameter, shaped like the parameter."""
    x, y, _ = kernel._prepare_both(X, Y)
    try:
        weights = np.asarray(W, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError("W", type(W).__name__, "must be a matrix of numbers") from None
    if weights.shape != (len(x), len(y)):
        rule = f"must have the shape of the Gram matrix, {(len(x), len(y))}"
        raise ShapeError("W", f"array of shape {weights.shape}", rule)
    return gradient_between(kernel, x, y, weights)


def gradient_between(
    kernel: Kernel, x: Prepared, y: Prepared, weights: np.ndarray
) -> dict[str, Any]:
    """`gradient` for prepared samples; the matrix is symmetric where they are the same."""
    # A scalar parameter that is an integer still has a real derivative.
    params = kernel.continuous_params()
    totals = {name: np.zeros(np.shape(value)) for name, value in params.items()}
    missing = dict.fromkeys(totals)
    for name, place, value in _weighted_sums(kernel, x, y, weights):
        totals[name][() if place is None else place] += value
        missing.pop(name, None)
    if missing:
        rule = f"has no derivative: {kernel} yields none"
        remedy = "yield it in tile_derivatives, or declare the parameter without continuous=True"
        raise NotDifferentiableError("gradient", next(iter(missing)), rule, remedy)
    return {name: total[()] for name, total in totals.items()}


def _weighted_sums(
    kernel: Kernel, x: Prepared, y: Prepared, weights: np.ndarray
) -> Iterator[WeightedSum]:
    """The weighted derivatives of all tiles; of two that mirror each other only one is visited."""
    symmetric = x is y

    def visit(pair: Pair, rows: Bounds, cols: Bounds) -> list[WeightedSum]:
        tile = np.ascontiguousarray(weights[slice(*rows), slice(*cols)])
        if symmetric and rows != cols:
            tile = tile + weights[slice(*cols), slice(*rows)].T
        return list(kernel.weighted_derivatives(pair, tile))

    sums = map_tiles(kernel, x, y, visit, symmetric, "gradient")
    return itertools.chain.from_iterable(sums)


def input_gradient(kernel: Kernel, X: RawSamples, W: ArrayLike, Y: RawSamples = None) -> np.ndarray:
    """d/dx_i Σ_j W_ij k(x_i, y_j), one row per x."""
    x, y, _ = kernel._prepare_both(X, Y)
    weights = np.asarray(W, dtype=np.float64)
    if weights.ndim == 1:
        weights = weights[None]
    if weights.shape not in [(len(x), len(y)), (1, len(y))]:
        rule = f"must have the shape of the Gram matrix, {(len(x), len(y))}, or of a row of it"
        raise ShapeError("W", f"array of shape {np.shape(W)}", rule)
    return input_gradients_between(kernel, x, y, weights[None])[0]


def input_gradients_between(
    kernel: Kernel, x: Prepared, y: Prepared, weights: np.ndarray
) -> np.ndarray:
    """The gradients in x of several functions, for prepared samples: (functions, n, features).

    ``weights`` has the shape (functions, n, m), or (functions, 1, m).
    """
    every_row = weights.shape[1] == 1

    def visit(pair: Pair, rows: Bounds, cols: Bounds) -> tuple[Bounds, np.ndarray]:
        shown = slice(None) if every_row else slice(*rows)
        return rows, kernel.tile_input_gradients(pair, weights[:, shown, slice(*cols)])

    parts: dict[Bounds, np.ndarray] = {}
    for rows, part in map_tiles(kernel, x, y, visit, False, "gradient"):
        parts[rows] = parts[rows] + part if rows in parts else part
    return np.concatenate(list(parts.values()), axis=1)


def jacobian(kernel: Kernel, X: RawSamples, Y: RawSamples = None) -> list[Derivative]:
    """The whole dK/dθ for every scalar of every continuous parameter."""
    x, y, _ = kernel._prepare_both(X, Y)

    def visit(pair: Pair, rows: Bounds, cols: Bounds) -> tuple[Bounds, Bounds, list[Derivative]]:
        tiles = kernel.tile_derivatives(pair)
        return rows, cols, [(name, place, np.array(tile)) for name, place, tile in tiles]

    matrices: dict[Any, np.ndarray] = {}
    for rows, cols, tiles in map_tiles(kernel, x, y, visit, False, "derivatives"):
        for name, place, tile in tiles:
            matrix = matrices.setdefault((name, place), np.empty((len(x), len(y))))
            matrix[slice(*rows), slice(*cols)] = tile
    return [(name, place, matrix) for (name, place), matrix in matrices.items()]
