"""Dates written with the day or the month first, such as 31/12/2021, in columns of texts."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from mercer.aliases import Frame

_WRITTEN = re.compile(
    r"\s*(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ T](\d{1,2}):(\d{2}(?::\d{2})?))?\s*"
)
_ORDERS = ("day", "month")  # which of the two comes first


def date_orders(frame: Frame) -> dict[str, str]:
    """For every column of such dates, whether the day or the month comes first.

    Columns that can be read in both ways are not among them: texts of two meanings are no dates.
    With dots, the day comes first everywhere.
    """
    orders = {}
    for name in frame.columns:
        if str(frame[name].dtype) in ("object", "str", "string"):
            order = _order(frame[name].dropna().unique().tolist())
            if order is not None:
                orders[name] = order
    return orders


def as_dates(frame: Frame, orders: dict[str, str]) -> Frame:
    """The table with such dates as 2021-12-31; other values stay as they are."""
    for name, order in orders.items():
        if name in frame:
            frame[name] = [_iso(cell, order) or cell for cell in frame[name]]
    return frame


def _order(values: Sequence[object]) -> str | None:
    """The only order in which all the values are dates."""
    if not values or not isinstance(values[0], str) or not _WRITTEN.fullmatch(values[0]):
        return None
    possible = list(_ORDERS)
    if "." in values[0]:
        possible = ["day"]
    possible = [order for order in possible if all(_iso(value, order) for value in values)]
    return possible[0] if len(possible) == 1 else None


def _iso(value: object, order: str) -> str | None:
    """A date as text that begins with the year; None if it is none."""
    match = _WRITTEN.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    first, _, second, year, hour, rest = match.groups()
    day, month = (first, second) if order == "day" else (second, first)
    try:
        date = datetime.date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
    return date if hour is None else f"{date} {int(hour):02}:{rest}"
