"""Maps of columns that are neither numbers nor categories: dates, times, texts and sets."""

from __future__ import annotations

import datetime
import re
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.domains.tables.columns import missing_cells, missing_values, table_columns
from mercer.errors import InputTypeError
from mercer.kernels.functions import register_function

__all__: list[str] = []

DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?")
CYCLES = {"year_cycle": 365.25, "week_cycle": 7.0, "day_cycle": 1.0}  # days
_DAY = 86_400e6  # microseconds


def _day(value: Any) -> float:
    """A date as days since 1970 in universal time."""
    if getattr(value, "tzinfo", None) is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    if isinstance(value, str) and not DATE.fullmatch(value):
        raise ValueError(value)
    return float(np.datetime64(value, "us").astype(np.int64)) / _DAY


@register_function("days", injective=True)
def days(X: RawSamples) -> np.ndarray:
    """Dates, or text such as 2024-01-31 12:00, as days since 1970; NaN where one is missing."""
    # an array of dates that became lists could be nanoseconds, which are mere numbers
    if isinstance(X, np.ndarray) and X.dtype.kind == "M":
        microseconds = X.astype("datetime64[us]").astype(np.int64)
        return np.where(np.isnat(X), np.nan, microseconds / _DAY)
    columns, names = table_columns(Batch(X))
    table = np.full((len(columns[0]), len(columns)), np.nan)
    for row, k in np.argwhere(~missing_cells(columns)).tolist():
        value = columns[k][row]
        try:
            table[row, k] = _day(value)
        except (TypeError, ValueError):
            raise InputTypeError(f"X[{row}], {names[k]}", value, "is not a date") from None
    return table


def _cycle(X: RawSamples, period: float) -> np.ndarray:
    """A point of the unit circle for every date, which goes round once in a period."""
    angle = 2 * np.pi * days(X) / period
    return np.hstack([np.cos(angle), np.sin(angle)])


@register_function("year_cycle")
def year_cycle(X: RawSamples) -> np.ndarray:
    """Dates by the season."""
    return _cycle(X, CYCLES["year_cycle"])


@register_function("week_cycle")
def week_cycle(X: RawSamples) -> np.ndarray:
    """Dates by the day of the week."""
    return _cycle(X, CYCLES["week_cycle"])


@register_function("day_cycle")
def day_cycle(X: RawSamples) -> np.ndarray:
    """Times by the hour."""
    return _cycle(X, CYCLES["day_cycle"])


@register_function("texts")
def texts(X: RawSamples) -> list[Any]:
    """A column of texts as a list, in which a missing text is empty."""
    columns, _ = table_columns(Batch(X))
    if len(columns) != 1:
        raise InputTypeError("X", f"{len(columns)} columns", "is not one column of texts")
    for row in np.flatnonzero(missing_values(columns[0])):
        columns[0][row] = ""
    return columns[0]


@register_function("sets")
def sets(X: RawSamples) -> list[Any]:
    """A column of sets as a list, in which a missing set is empty."""
    columns, _ = table_columns(Batch(X))
    if len(columns) != 1:
        raise InputTypeError("X", f"{len(columns)} columns", "is not one column of sets")
    is_missing = missing_values(columns[0]).tolist()
    return [
        frozenset() if gap else value for value, gap in zip(columns[0], is_missing, strict=True)
    ]
