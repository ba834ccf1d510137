"""Columns of a table as scores: numbers that kernels with a length scale per column can compare.

Numbers become bounded robust scores or normal scores of their ranks, with the median where a value
is missing and an indicator beside them; categories become indicators, which share one length scale;
dates are numbers, and points on the circles of the year, the week and the day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import raw_length
from mercer.domains.raw import dense_numbers
from mercer.domains.tables.columns import Markers, missing_values
from mercer.errors import InputTypeError
from mercer.kernels.combine.column_maps import ColumnMap, ranks, squash
from mercer.kernels.functions import FUNCTIONS
from mercer.kernels.separable.terms import Columns, Separation
from mercer.kernels.tables.columns import days
from mercer.proposals.tables import TableColumn
from mercer.state import State, storable

KINDS: dict[str, ColumnMap] = {"squash": squash, "ranks": ranks}
_NAMES = {"squash": "scaled_columns", "ranks": "ranks_of_columns"}  # in expressions and proofs
_MOST_LEVELS = 60  # of a category that have indicators of their own, the most frequent ones
_INDICATOR = 0.7  # the value of an indicator, which makes it vary about as much as a score does


@storable
class TableScores:
    """A fitted map from the rows of a table to scores.

    Parameters
    ----------
    columns : list of TableColumn
        What each column of the table was taken for.
    missing : tuple
        Values that mark a missing value beside None and NaN.
    kind : {"squash", "ranks"}
        How numbers become scores.
    """

    stored: ClassVar[State] = State(
        plain=("columns", "missing", "kind", "map_", "levels_", "gaps_", "owners_"),
        finite=("medians_", "tied"),
    )

    def __init__(self, columns: list[TableColumn], missing: Markers, kind: str) -> None:
        self.columns, self.missing, self.kind = columns, missing, kind

    @property
    def __name__(self) -> str:
        return _NAMES[self.kind]

    @property
    def injective(self) -> bool:
        """Whether different rows always have different scores, which cannot be known."""
        return False

    @property
    def titles(self) -> list[str]:
        """What each score is, in words: its column, that its value is missing, or its cycle."""
        titles = list(map(str, self.owners_))
        first = sum(column.kind != "category" for column in self.columns)
        place = first + len(self.gaps_)
        for gap in range(first, place):
            titles[gap] += " missing"
        for column in self.columns:
            for name, _ in column.cycles:
                titles[place : place + 2] = [f"{column.name} in the {name.partition('_')[0]}"] * 2
                place += 2
            if column.kind == "category":
                place += _n_indicators(self.levels_[column.name])
        return titles

    def fit(self, X: RawSamples) -> TableScores:
        """Learn medians, scales and the levels of categories from the rows of a table."""
        numbers = self._numbers(X)
        gaps = np.isnan(numbers)
        self.medians_ = np.zeros(numbers.shape[1])
        known = ~gaps.all(axis=0)
        self.medians_[known] = np.nanmedian(numbers[:, known], axis=0)
        self.gaps_ = np.flatnonzero(gaps.any(axis=0)).tolist()
        self.map_: ColumnMap | None = None
        if numbers.shape[1]:
            self.map_ = KINDS[self.kind].fit(numbers)
        self.levels_ = {
            column.name: _levels(self._values(X, column), self.missing)
            for column in self.columns
            if column.kind == "category"
        }
        self.owners_, self.tied = self._layout()
        return self

    def __call__(self, X: RawSamples) -> np.ndarray:
        """The scores of all rows, an array of floats."""
        numbers = self._numbers(X)
        gaps = np.isnan(numbers)
        parts = [np.empty((raw_length(X), 0))]
        if self.map_ is not None:
            parts.append(self.map_(np.where(gaps, self.medians_, numbers)))
        parts.append(gaps[:, self.gaps_].astype(float))
        for column in self.columns:
            parts += self._cycles(X, column)
            if column.kind == "category":
                values = self._values(X, column)
                parts.append(_indicators(values, self.levels_[column.name], self.missing))
        return np.ascontiguousarray(np.hstack(parts))

    def separated(self, warp: Any, columns: Columns) -> Separation:
        """The form of a kernel of scores, each of which belongs to one column of the table."""
        places = [list(columns).index(owner) for owner in self.owners_]
        inner = warp.kernel.separation(range(len(places)))
        return inner.mapped(lambda factor: type(warp)(factor, self), places)

    def _layout(self) -> tuple[list[Any], np.ndarray]:
        """The column of the table that each score belongs to, and which scores share a scale."""
        numeric = [column.name for column in self.columns if column.kind != "category"]
        owners = [*numeric, *(numeric[position] for position in self.gaps_)]
        tied = list(range(len(owners)))
        for column in self.columns:
            widths = [2] * len(column.cycles)
            if column.kind == "category":
                widths = [_n_indicators(self.levels_[column.name])]
            for width in widths:
                owners += [column.name] * width
                tied += [max(tied, default=-1) + 1] * width
        return owners, np.array(tied, dtype=int)

    def _numbers(self, X: RawSamples) -> np.ndarray:
        """The columns of numbers and dates, with NaN where a value is missing."""
        if isinstance(X, np.ndarray) and X.dtype.kind in "biuf":
            return dense_numbers(X[:, [column.name for column in self.columns]])
        chosen = [column for column in self.columns if column.kind != "category"]
        numbers = np.full((raw_length(X), len(chosen)), np.nan)
        for position, column in enumerate(chosen):
            values = self._values(X, column)
            is_missing = missing_values(values, self.missing)
            if column.kind == "date":
                numbers[:, position] = days([[value] for value in values])[:, 0]
            else:
                rows = np.flatnonzero(~is_missing)
                numbers[rows, position] = _as_numbers(values, rows.tolist(), column)
        return numbers

    def _cycles(self, X: RawSamples, column: TableColumn) -> list[np.ndarray]:
        """Points on the circles that dates pass through; the center where a date is missing."""
        rows = [[value] for value in self._values(X, column)] if column.cycles else []
        circles = [FUNCTIONS[name].function(rows) for name, _ in column.cycles]
        return [np.nan_to_num(np.asarray(points, dtype=float)) for points in circles]

    def _values(self, X: RawSamples, column: TableColumn) -> Sequence[Any]:
        """The values of one column, as Python objects."""
        if hasattr(X, "columns"):
            return X[column.name].tolist()
        if isinstance(X, np.ndarray):
            return X[:, column.name].tolist()
        return [row[column.name] for row in X]


def _as_numbers(values: Sequence[Any], rows: list[int], column: TableColumn) -> np.ndarray:
    """Some values of a column of numbers; an error that names the first that is none."""
    try:
        return np.array([values[row] for row in rows], dtype=float)
    except (TypeError, ValueError):
        row = next(row for row in rows if not _is_number(values[row]))
    where = f"X[{row}], {column.name!r}"
    rule = "is not a number, as the values of this column were in the fit"
    raise InputTypeError(where, values[row], rule, "correct it, or make it a missing value: None")


def _is_number(value: object) -> bool:
    try:
        np.array(value, dtype=float)
    except (TypeError, ValueError):
        return False
    return True


def _levels(values: Sequence[Any], missing: Markers) -> list[Hashable]:
    """The most frequent values of a category; a missing value is the level None."""
    is_missing = missing_values(values, missing).tolist()
    counts = Counter(None if gap else value for value, gap in zip(values, is_missing, strict=True))
    return [level for level, _ in counts.most_common(_MOST_LEVELS)]


def _n_indicators(levels: list[Hashable]) -> int:
    """Two levels have one indicator, which separates them."""
    return 1 if len(levels) == 2 else len(levels)


def _indicators(values: Sequence[Any], levels: list[Hashable], missing: Markers) -> np.ndarray:
    """A column for each level; rows of a level that is not known have none."""
    is_missing = missing_values(values, missing).tolist()
    places = {level: place for place, level in enumerate(levels)}
    codes = [
        places.get(None if gap else value, -1)
        for value, gap in zip(values, is_missing, strict=True)
    ]
    if len(levels) == 2:
        return 2.0 * _INDICATOR * (np.array(codes)[:, None] == 0)
    return _INDICATOR * (np.array(codes)[:, None] == np.arange(len(levels)))
