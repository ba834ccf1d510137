"""What an estimator says everywhere on a plane of two columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.errors import InputTypeError


def matrix(X: RawSamples) -> np.ndarray:
    """The columns as numbers, or an error that says what else can be drawn."""
    try:
        values = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 2:
        raise InputTypeError(
            "X", type(X).__name__, "has no columns of numbers to be drawn on", 'use on="components"'
        )
    return values


def name(names: Any, column: int) -> str:
    return f"column {column}" if names is None else str(names[column])


def over_plane(
    predict: Callable[[Any], Any],
    X: RawSamples,
    points: np.ndarray,
    chosen: tuple[int, int],
    resolution: int,
    margin: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values along both columns and the predictions on their grid, in the order of columns that the estimator knows."""
    wide = margin * np.ptp(points, axis=0)
    low, high = points.min(axis=0) - wide, points.max(axis=0) + wide
    across, along = (np.linspace(low[at], high[at], resolution) for at in (0, 1))
    Z = np.empty((resolution * resolution, 2))
    Z[:, chosen[0]], Z[:, chosen[1]] = (part.ravel() for part in np.meshgrid(across, along))
    # a frame like X, of either library, for an estimator that was fitted on one
    table = (
        type(X)({name: Z[:, at] for at, name in enumerate(X.columns)})
        if hasattr(X, "columns")
        else Z
    )
    found = np.asarray(predict(table))
    return across, along, found.reshape(resolution, resolution, *found.shape[1:])
