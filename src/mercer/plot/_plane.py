"""The predictions of an estimator on a grid over a plane of two columns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.aliases import Columns, RawSamples
from mercer.errors import InputTypeError, ParameterError

Grid = tuple[np.ndarray, np.ndarray, np.ndarray]  # values along both columns, and predictions


def matrix(X: RawSamples) -> np.ndarray:
    """The columns as numbers, or an error that says what else can be drawn."""
    try:
        values = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 2:
        rule = "has no columns of numbers to be drawn on"
        raise InputTypeError("X", type(X).__name__, rule, 'use on="components"')
    return values


def column_names(X: RawSamples, columns: tuple[int, int]) -> tuple[str, str]:
    """The names of two columns, for the axes: those of a frame, or their numbers."""
    first, second = columns
    names: Columns = getattr(X, "columns", None)
    if names is None:
        return f"column {first}", f"column {second}"
    return str(names[first]), str(names[second])


def check_resolution(resolution: int) -> None:
    """Refuse a grid that has no area."""
    if resolution < 2:
        rule = "must be at least 2 points in each direction"
        raise ParameterError("resolution", resolution, rule)


def over_plane(
    predict: Callable[[RawSamples], object],
    X: RawSamples,
    points: np.ndarray,
    columns: tuple[int, int],
    resolution: int,
    margin: float,
) -> Grid:
    """Values along both columns, and the predictions on their grid.

    ``points`` are the two columns in the order of drawing; the estimator gets them in its own.
    """
    reach = margin * np.ptp(points, axis=0)
    low = points.min(axis=0) - reach
    high = points.max(axis=0) + reach
    across = np.linspace(low[0], high[0], resolution)
    along = np.linspace(low[1], high[1], resolution)
    Z = np.empty((resolution * resolution, 2))
    Z[:, columns] = np.stack(np.meshgrid(across, along), axis=-1).reshape(-1, 2)
    values = np.asarray(predict(_like(X, Z)))
    return across, along, values.reshape(resolution, resolution, *values.shape[1:])


def _like(X: RawSamples, Z: np.ndarray) -> RawSamples:
    """A frame like X, of either library, for an estimator that was fitted on one; or the array."""
    if not hasattr(X, "columns"):
        return Z
    return type(X)({name: Z[:, at] for at, name in enumerate(X.columns)})


def extent(grid: Grid) -> tuple[float, float, float, float]:
    """The limits of a grid along both columns, as Matplotlib's imshow takes them."""
    across, along, _ = grid
    return across[0], across[-1], along[0], along[-1]
