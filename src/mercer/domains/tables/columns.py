"""Data tables as columns of Python values, and the missing values among them.

A missing value is None, NaN, what pandas writes for either, or a marker that the user names.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from mercer.aliases import Frame, RawSamples
from mercer.domains.base import Anything, Batch, Domain, Samples, in_order_of
from mercer.domains.vectors.domain import VECTORS
from mercer.domains.vectors.misfits import NEVER_A_VALUE, frame_columns
from mercer.errors import EmptyInputError, InputTypeError, ShapeError, WidthError

Markers = tuple[Hashable, ...]
Row = tuple[Any, ...]


def missing_values(column: Iterable[object], markers: Markers = ()) -> np.ndarray:
    """A boolean array that is true where a value of the column is missing."""
    values = list(column)
    missing = _absent_values(values)
    if markers:
        known = zip(missing.tolist(), values, strict=True)
        missing[:] = [is_missing or value in markers for is_missing, value in known]
    return missing


def _absent_values(values: list[Any]) -> np.ndarray:
    """Where values are missing by their type: most columns hold no type that could be missing."""
    kinds = set(map(type, values))
    empty = {kind for kind in kinds if kind.__name__ in NEVER_A_VALUE}
    floats = {kind for kind in kinds if issubclass(kind, (float, np.floating))}
    if not empty and not floats:
        return np.zeros(len(values), dtype=bool)
    if floats == kinds:
        return np.isnan(np.array(values, dtype=float))
    return np.array([type(v) in empty or (type(v) in floats and v != v) for v in values])


def missing_cells(columns: Iterable[Iterable[object]], markers: Markers = ()) -> np.ndarray:
    """A boolean array, one row for each row of the table, true where a value is missing."""
    return np.column_stack([missing_values(column, markers) for column in columns])


def rows_with_missing(
    columns: list[list[Any]], markers: Markers = ()
) -> Iterator[tuple[Row, list[int]]]:
    """The rows of a table, each with the columns in which its value is missing."""
    rows = zip(*columns, strict=True)
    for row, missing in zip(rows, missing_cells(columns, markers), strict=True):
        yield row, np.flatnonzero(missing).tolist()


def present_values(column: Sequence[Any] | np.ndarray, markers: Markers = ()) -> list[Any]:
    """The values of a column that are not missing."""
    missing = missing_values(column, markers).tolist()
    return [value for value, is_missing in zip(column, missing, strict=True) if not is_missing]


def table_columns(batch: Batch) -> tuple[list[list[Any]], list[str]]:
    """The columns of a data frame, an array or a list of rows, as lists, and their names."""
    raw: RawSamples = in_order_of(batch.raw, None if batch.like is None else batch.like.names)
    if hasattr(raw, "columns"):
        columns = _frame_columns(raw, batch.argument)
        names = [str(name) for name in raw.columns]
    else:
        columns = [column.tolist() for column in _rectangular(raw, batch.argument).T]
        names = [f"column {k}" for k in range(len(columns))]
    if not columns[0]:
        raise EmptyInputError(batch.argument, "a table", "has no rows", "give at least one row")
    return columns, names


def _frame_columns(frame: Frame, side: str) -> list[list[Any]]:
    """The columns of a data frame that has some."""
    if not len(frame.columns):
        raise WidthError(side, "a table", "has no columns")
    return frame_columns(frame)


def _rectangular(raw: RawSamples, side: str) -> np.ndarray:
    """An array, a sparse matrix or a list of rows as an array of two axes."""
    array = _as_array(raw, side)
    if array.size == 0 and array.ndim == 1:
        raise EmptyInputError(side, raw, "is empty", "give at least one row")
    if array.ndim != 2 or array.shape[1] == 0:
        remedy = "give rows of equal length, or a data frame"
        raise ShapeError(side, f"array of shape {array.shape}", "is not a table", remedy)
    return array


def _as_array(raw: RawSamples, side: str) -> np.ndarray:
    if hasattr(raw, "toarray"):
        return raw.toarray()
    if hasattr(raw, "dtype"):
        return np.asarray(raw)
    try:
        return _array_of_rows(raw)
    except InputTypeError:
        raise
    except ValueError as error:
        rule = f"is not a rectangular table ({error})"
        raise ShapeError(side, type(raw).__name__, rule) from None


def _array_of_rows(rows: RawSamples) -> np.ndarray:
    """A list of rows as an array of objects: NumPy would turn numbers beside text into text."""
    if not isinstance(rows, Sequence) or not rows:
        return np.asarray(rows)
    if any(isinstance(row, (set, frozenset)) for row in rows):
        rule = "holds sets, whose elements have no order, where rows are expected"
        raise InputTypeError("X", rows, rule, "use Jaccard, or another kernel of sets")
    if isinstance(rows[0], str) or not hasattr(rows[0], "__len__"):
        return np.asarray(rows)
    return objects_array([list(row) for row in rows])


def objects_array(rows: Sequence[Sequence[Any]]) -> np.ndarray:
    """Rows of equal length as a two-dimensional array of the objects themselves."""
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise ValueError(f"rows of {min(lengths)} to {max(lengths)} values")
    array = np.empty((len(rows), lengths.pop()), dtype=object)
    for i, row in enumerate(rows):
        array[i] = row
    return array


class Tables(Domain):
    """Columns, by name or position, each block read by a kernel of its own."""

    name = "tables"
    accepts = frozenset({"matrix"})

    def encode(self, batch: Batch) -> Samples:
        """The rows as they are: the kernel of each block checks its own columns."""
        return Anything().encode(batch)

    def sample(self, n_samples: int, n_features: int, rng: np.random.Generator) -> RawSamples:
        return VECTORS.sample(n_samples, n_features, rng)


TABLES = Tables()
