"""Columns of numbers along which the rows of any table can be split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.domains.raw import dense_numbers
from mercer.domains.tables.columns import missing_values, present_values, table_columns
from mercer.kernels.combine.column_maps import Squash, squash
from mercer.state import State, storable

_CATEGORIES = 20  # of a column, the most frequent ones
_SPARSE = 200  # columns of a sparse matrix, those with most entries


def is_array_of_numbers(X: RawSamples) -> bool:
    """Whether samples are an array or a sparse matrix of numbers, rather than a table."""
    if hasattr(X, "columns"):
        return False
    if hasattr(X, "tocsr"):
        return True
    try:
        return np.asarray(X).dtype.kind in "biufc"
    except (TypeError, ValueError):  # rows of different lengths
        return False


@storable
class RoutingColumns:
    """Numbers as bounded robust scores, categories as indicators; a missing value is 0."""

    stored: ClassVar[State] = State(plain=("scores", "categories", "chosen"))

    def __init__(self, X: RawSamples) -> None:
        self.chosen = _dense_columns(X)
        self.categories: list[list[Hashable] | None] = []  # of every column; None of numbers
        if not is_array_of_numbers(X):
            self.categories = [_categories(column) for column in table_columns(Batch(X))[0]]
        numbers = self._numbers(X)
        self.scores: Squash | None = squash.fit(numbers) if numbers.shape[1] else None

    def _numbers(self, X: RawSamples) -> np.ndarray:
        """The columns of numbers, with NaN where a value is missing."""
        if not self.categories:
            return dense_numbers(X if self.chosen is None else X.tocsc()[:, self.chosen])
        columns = table_columns(Batch(X))[0]
        chosen = zip(columns, self.categories, strict=True)
        numbers = [_as_numbers(column) for column, known in chosen if known is None]
        return np.column_stack(numbers) if numbers else np.empty((len(columns[0]), 0))

    def tied(self) -> list[list[int]]:
        """The positions of the indicators of each column of categories."""
        start = self.categories.count(None)
        groups = []
        for known in self.categories:
            if known is not None:
                groups.append(list(range(start, start + len(known))))
                start += len(known)
        return groups

    def __call__(self, X: RawSamples) -> np.ndarray:
        """The rows as numbers."""
        parts = []
        if self.scores is not None:
            parts.append(np.nan_to_num(self.scores(self._numbers(X)), nan=0.0))
        columns = table_columns(Batch(X))[0] if self.categories else []
        for column, known in zip(columns, self.categories, strict=True):
            if known is not None:
                parts.append(_indicators(column, known))
        return np.ascontiguousarray(np.column_stack(parts))


def _dense_columns(X: RawSamples) -> np.ndarray | None:
    """The columns of a wide sparse matrix that have most entries; None of what is not wide."""
    if not hasattr(X, "tocsr") or X.shape[1] <= _SPARSE:
        return None
    entries = np.bincount(X.tocsr().indices, minlength=X.shape[1])
    return np.sort(np.argsort(-entries, kind="stable")[:_SPARSE])


def _categories(column: list[Any]) -> list[Hashable] | None:
    """The most frequent values of a column; None of a column of numbers."""
    present = present_values(column)
    if all(isinstance(value, (Real, np.bool_)) for value in present):
        return None
    counts = Counter(map(str, present))
    return [value for value, _ in counts.most_common(_CATEGORIES)]


def _as_numbers(column: list[Any]) -> np.ndarray:
    missing = missing_values(column)
    known = zip(column, missing.tolist(), strict=True)
    return np.array([np.nan if is_missing else float(value) for value, is_missing in known])


def _indicators(column: list[Any], known: list[Hashable]) -> np.ndarray:
    places = {value: place for place, value in enumerate(known)}
    out = np.zeros((len(column), len(known)))
    for row, value in enumerate(column):
        place = places.get(str(value))
        if place is not None:
            out[row, place] = 1.0
    return out
