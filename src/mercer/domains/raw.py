"""Raw collections of samples, their rows and columns: arrays, data frames, lists."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from numbers import Number
from typing import Any

import numpy as np

from mercer.aliases import Columns, Index, RawSamples
from mercer.errors import InputTypeError, ShapeError, WidthError


def raw_length(raw: RawSamples) -> int:
    """The number of samples in a raw collection."""
    if isinstance(raw, (str, bytes)):
        rule = "is one text, not a collection of samples"
        raise InputTypeError("X", raw, rule, "give a list: [X]")
    shape = getattr(raw, "shape", None)
    if shape:
        return int(shape[0])
    try:
        return len(raw)
    except TypeError:
        rule, remedy = "is not a collection of samples", "give an array, a data frame or a list"
        raise InputTypeError("X", type(raw).__name__, rule, remedy) from None


def are_objects(raw: RawSamples) -> bool:
    """Whether samples are texts, sets, graphs, series, ..., rather than rows of numbers."""
    if hasattr(raw, "columns") or hasattr(raw, "toarray"):
        return False
    if hasattr(raw, "to_numpy"):
        raw = raw.to_numpy()
    if isinstance(raw, np.ndarray):
        if raw.dtype != np.dtype(object):
            return raw.dtype.kind in "US" or raw.ndim > 2
    elif not isinstance(raw, (list, tuple)):
        return False
    first = next((sample for sample in raw if sample is not None), None)
    if first is None or _is_cell(first):
        return False
    return not _is_row(first) or len({_width(sample) for sample in raw}) > 1


def _is_row(sample: object) -> bool:
    """Whether it is a sequence that begins with a number, or an empty one."""
    if hasattr(sample, "__array__"):
        sample = np.asarray(sample)
        if sample.ndim != 1:
            return False
    elif isinstance(sample, (str, bytes)) or not isinstance(sample, Sequence):
        return False
    return len(sample) == 0 or _is_cell(sample[0])


def _is_cell(value: object) -> bool:
    """Whether it is a number, or stands for one that is missing."""
    return value is None or isinstance(value, (Number, np.bool_))


def _width(sample: Any) -> int:
    """The length of a row; -1 of what has none."""
    try:
        return len(sample)
    except TypeError:
        return -1


def dense_numbers(values: Any) -> np.ndarray:
    """An array of numbers, also of a sparse matrix; what pandas calls NA is NaN."""
    if hasattr(values, "toarray"):
        values = values.toarray()
    try:
        return np.asarray(values, dtype=np.float64)
    except TypeError:
        if not hasattr(values, "iloc"):
            raise
        return values.to_numpy(dtype=object, na_value=np.nan).astype(np.float64)


def pick_rows(raw: RawSamples, rows: Index) -> RawSamples:
    """Rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(raw, "iloc"):
        return raw.iloc[rows]
    if hasattr(raw, "shape") or hasattr(raw, "schema"):
        return raw[rows]
    return [raw[i] for i in rows]


def only_column(raw: RawSamples, argument: str, kind: str) -> RawSamples:
    """The column of a data frame that has one; anything else is returned unchanged."""
    if not hasattr(raw, "columns"):
        return raw
    check_one_column(len(raw.columns), argument, kind)
    return raw[raw.columns[0]]


def check_one_column(n_columns: int, argument: str, kind: str) -> None:
    """Refuse a table where one column of samples of this kind is expected."""
    if n_columns != 1:
        rule = f"has {n_columns} columns, where one of {kind} is expected"
        raise InputTypeError(argument, "a table", rule, "name one: k.on('column')")


def as_list(raw: RawSamples, argument: str, kind: str, remedy: str) -> list[Any]:
    """The samples of a series, an array, a list or a data frame of one column as a list."""
    raw = only_column(raw, argument, kind)
    if hasattr(raw, "to_list"):
        return raw.to_list()
    if isinstance(raw, np.ndarray) and raw.ndim > 0:
        return raw.tolist() if raw.ndim == 1 else list(raw)
    if isinstance(raw, (list, tuple, range)):
        return list(raw)
    raise InputTypeError(argument, type(raw).__name__, f"is not a collection of {kind}", remedy)


def starts_of(sizes: np.ndarray) -> np.ndarray:
    """Where consecutive parts of these sizes begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def own_copy(raw: RawSamples) -> RawSamples:
    """A copy of the samples, which later changes to the caller's collection do not reach."""
    if isinstance(raw, (list, tuple)):
        return _copied_objects(raw, raw[:])
    if isinstance(raw, np.ndarray) and raw.dtype == np.dtype(object):
        return _copied_objects(raw, raw.copy())
    if hasattr(raw, "clone"):
        return raw.clone()
    return raw.copy() if hasattr(raw, "copy") else raw


def _copied_objects(raw: RawSamples, shallow: RawSamples) -> RawSamples:
    """A deep copy, or a shallow one where the objects cannot change or cannot be copied."""
    if len(raw) == 0 or isinstance(raw[0], (str, bytes, Number)):
        return shallow
    try:
        return copy.deepcopy(raw)
    except Exception:
        return shallow


def in_order_of(raw: RawSamples, names: list[Any] | None) -> RawSamples:
    """The columns of a data frame in the order of these names.

    Samples that are not a data frame, or have their columns in this order, are returned unchanged.
    """
    if names is None or not hasattr(raw, "columns"):
        return raw
    if list(raw.columns) == names or len(set(names)) < len(names):
        return raw
    return select_columns(raw, names)


def select_columns(raw: RawSamples, columns: Columns) -> RawSamples:
    """Columns by position (arrays, sparse matrices) or by name (data frames)."""
    several = [columns] if isinstance(columns, (str, int, np.integer)) else columns
    if hasattr(raw, "columns"):
        return _frame_columns(raw, several)
    array = raw if hasattr(raw, "tocsr") else _rectangle(raw)
    if array.ndim != 2:
        rule = f"need a table, but X has {array.ndim} axis"
        raise WidthError("columns", columns, rule, "give a 2-D array")
    return _array_columns(array, several)


def _frame_columns(frame: RawSamples, columns: Columns) -> RawSamples:
    present = list(frame.columns)
    if isinstance(columns, slice):
        columns = _sliced(present, columns)
    names = [_column_name(column, present) for column in columns]
    _check_columns(names, present)
    return frame[names]


def _sliced(present: list[Hashable], columns: slice) -> list[Hashable]:
    """The columns of a slice, at least one."""
    chosen = present[columns]
    if not chosen:
        rule = f"are none of the {len(present)} columns of X"
        raise WidthError("columns", columns, rule, "give a table that has them")
    return chosen


def _check_columns(names: list[Hashable], present: list[Hashable]) -> None:
    absent = [name for name in names if name not in present]
    if absent:
        raise WidthError("columns", absent, f"are not in the table, which has {present}")
    repeated = [name for name in names if present.count(name) > 1]
    if repeated:
        raise WidthError("columns", repeated[0], "is the name of two columns", "give each its own")


def _column_name(column: Hashable, present: list[Hashable]) -> Hashable:
    """The name of a column; a number that is no name is a position."""
    if not isinstance(column, (int, np.integer)) or column in present:
        return column
    if not -len(present) <= column < len(present):
        return column
    return present[column]


def _rectangle(raw: RawSamples) -> RawSamples:
    """Rows of any values as an array."""
    try:
        array = np.asarray(raw)
    except ValueError as error:
        raise ShapeError("X", type(raw).__name__, f"is not a rectangular table ({error})") from None
    if array.dtype.kind in "US" and not hasattr(raw, "dtype"):
        return np.array(raw, dtype=object)  # NumPy has turned numbers beside text into text
    return array


def _array_columns(array: RawSamples, columns: Columns) -> RawSamples:
    n_columns = array.shape[1]
    if isinstance(columns, slice):
        _sliced(list(range(n_columns)), columns)
        return array[:, columns]
    absent = [c for c in columns if isinstance(c, str) or not -n_columns <= c < n_columns]
    if absent:
        rule = f"are not among the {n_columns} columns of X"
        raise WidthError("columns", absent, rule, "use positions, or give a data frame")
    return array[:, list(columns)]
