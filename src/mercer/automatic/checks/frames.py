"""Kinds of input: data frames of several libraries, tables of numbers, lists of rows."""

from __future__ import annotations

import numpy as np

from mercer.aliases import Frame, RawSamples
from mercer.domains.base import raw_length
from mercer.domains.structures.graph_forms import known_by_attribute
from mercer.errors import ABSENT, InputError, InputTypeError, MissingDependencyError


def as_pandas(frame: Frame) -> Frame:
    """A pandas data frame with the same columns; polars' own conversion would need pyarrow."""
    if hasattr(frame, "iloc"):
        return frame
    try:
        import pandas as pd
    except ImportError:
        rule, remedy = "is needed for data frames, and is not installed", "pip install pandas"
        raise MissingDependencyError("pandas", ABSENT, rule, remedy) from None
    return pd.DataFrame({name: frame[name].to_list() for name in frame.columns})


def unwrapped(X: RawSamples) -> RawSamples:
    """The cells of a single column as a list, if they are samples of their own, such as series."""
    if hasattr(X, "columns") and len(X.columns) == 1:
        cells = as_pandas(X).iloc[:, 0]
        return cells.to_list() if _holds_samples(cells) else X
    if getattr(X, "ndim", 2) == 1 and hasattr(X, "iloc") and X.dtype.kind == "O":
        return X.to_list()
    return X


def check_cells(frame: Frame) -> None:
    """Refuse a table with a column of series, trees or graphs."""
    for name in frame.columns:
        cells = frame[name]
        if getattr(cells, "ndim", 1) == 1 and _holds_samples(cells):
            kind = type(cells.dropna().iloc[0]).__name__
            rule = "holds series, trees or graphs, which a table of several columns cannot"
            remedy = f"give them alone: list(X[{name!r}]), or leave the column out"
            raise InputTypeError(f"column {name!r}", f"cells of type {kind}", rule, remedy)


def _holds_samples(cells: Frame) -> bool:
    """Whether the first value of a column is neither a number nor a date, a text or a set."""
    if cells.dtype.kind != "O":
        return False
    present = cells.dropna()
    if not len(present):
        return False
    first = present.iloc[0]
    if isinstance(first, (str, bytes, set, frozenset)):
        return False
    return hasattr(first, "__len__") or known_by_attribute(first)


def ordered_levels(frame: Frame) -> dict[object, list[object]]:
    """The levels of every column of ordered categories, from the first to the last."""
    return {
        name: list(frame[name].dtype.categories)
        for name in frame.columns
        if getattr(getattr(frame[name], "dtype", None), "ordered", False)
    }


def as_ranks(frame: Frame, levels: dict[object, list[object]]) -> Frame:
    """The table with ranks 0, 1, ... for ordered categories; NaN for what is none of the levels."""
    ranks = {}
    for name, order in levels.items():
        if name not in frame.columns:  # it is left out
            continue
        known = {level: float(rank) for rank, level in enumerate(order)}
        ranks[name] = [known.get(value, np.nan) for value in frame[name]]
    return frame.assign(**{str(name): values for name, values in ranks.items()})


def typical_value(column: Frame) -> object:
    """The median of a numeric column, the most frequent value of any other, as a Python value."""
    if column.dtype.kind in "iuf":
        value = column.median()
    elif isinstance(column.iloc[0], (set, frozenset)):
        return frozenset()
    else:
        value = column.mode().iloc[0]
    if hasattr(value, "item"):
        return value.item()
    return value


def as_collection(X: RawSamples) -> RawSamples:
    """The samples, which must not be none at all; array-likes without a length as arrays."""
    if not hasattr(X, "__len__") and hasattr(X, "__array__"):
        X = np.asarray(X)
    if getattr(X, "ndim", 2) != 1 and raw_length(X) == 0:
        raise InputError("X", "0 sample(s)", "is empty: a minimum of 1 is required")
    return X


def are_digits(X: np.ndarray) -> bool:
    """Whether an array of strings holds numbers only."""
    try:
        X.astype(np.float64)
    except ValueError:
        return False
    return True


def is_list_of_rows(X: RawSamples) -> bool:
    """Whether the samples are a list of rows; strings and sets are samples, not rows."""
    if not isinstance(X, (list, tuple)) or len(X) == 0:
        return False
    return all(isinstance(row, (list, tuple)) for row in X)


def is_list_of_vectors(X: RawSamples) -> bool:
    """Whether the samples are a list of arrays of one axis and one length, which are rows."""
    if not isinstance(X, (list, tuple)) or not all(isinstance(row, np.ndarray) for row in X):
        return False
    shapes = {row.shape for row in X}
    return len(shapes) == 1 and len(shapes.pop()) == 1


def is_numeric_table(X: RawSamples) -> bool:
    """Whether the samples are a table of numbers, which scikit-learn's input checks can judge.

    Arrays of three axes or more count as well, so that the checks refuse them.
    """
    if hasattr(X, "tocsr"):
        return True
    if isinstance(X, np.ndarray):
        is_object_table = X.dtype.kind == "O" and X.ndim == 2
        return X.dtype.kind in "biufc" or (X.ndim != 1 and not is_object_table)
    if not is_list_of_rows(X):
        return False
    return all(isinstance(value, (int, float)) for row in X for value in row)
