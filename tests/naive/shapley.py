"""Shapley values and interactions by their definitions, over all coalitions of columns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Game = dict[tuple[bool, ...], Any]


def mixed_rows(row: Any, background: Any, known: tuple[bool, ...]) -> Any:
    """The background with the known columns of the row."""
    if not hasattr(background, "iloc"):
        return np.where(known, row, background)
    table = background.copy().astype(object)
    for at, name in enumerate(background.columns):
        if known[at]:
            table[name] = [row[name]] * len(table)
    return table.astype(dict(background.dtypes))


def game(function: Callable[[Any], np.ndarray], row: Any, background: Any) -> Game:
    """The mean over the background for every set of known columns."""
    coalitions = itertools.product([False, True], repeat=background.shape[1])
    return {
        known: np.mean(np.asarray(function(mixed_rows(row, background, known))), axis=0)
        for known in coalitions
    }


def _with(known: tuple[bool, ...], *columns: int) -> tuple[bool, ...]:
    return tuple(had or at in columns for at, had in enumerate(known))


def shapley(function: Callable[[Any], np.ndarray], rows: Any, background: Any) -> np.ndarray:
    """Values of shape (rows, columns[, outputs])."""
    d = background.shape[1]
    found = []
    for i in range(len(rows)):
        v = game(function, rows.iloc[i] if hasattr(rows, "iloc") else rows[i], background)
        values = []
        for j in range(d):
            value: Any = 0.0
            for known in v:
                if not known[j]:
                    size = sum(known)
                    weight = math.factorial(size) * math.factorial(d - size - 1)
                    value += weight / math.factorial(d) * (v[_with(known, j)] - v[known])
            values.append(value)
        found.append(values)
    return np.array(found)


def interaction(v: Game, i: int, j: int) -> Any:
    """The Shapley interaction index of two columns (Grabisch and Roubens, 1999)."""
    d = len(next(iter(v)))
    total: Any = 0.0
    for known in v:
        if not known[i] and not known[j]:
            size = sum(known)
            weight = math.factorial(size) * math.factorial(d - size - 2) / math.factorial(d - 1)
            gain = v[_with(known, i, j)] - v[_with(known, i)] - v[_with(known, j)] + v[known]
            total += weight * gain
    return total
