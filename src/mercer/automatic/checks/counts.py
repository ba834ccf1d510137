"""A summary of a table: the counts of the values of every column, and the shares of missing ones.

It is the table that R's ``summary`` prints of factors, and with which a study of missing values
begins.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from html import escape
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.domains.tables.columns import Markers, missing_values, table_columns
from mercer.errors import InputTypeError, ParameterError
from mercer.markup import visible
from mercer.params import renamed_arguments
from mercer.proposals.letters import warn_of_case

_MISSING = "missing"
_OTHERS = "(others)"
_QUARTILES = {"min": 0.0, "1st quartile": 0.25, "median": 0.5, "3rd quartile": 0.75, "max": 1.0}


@dataclasses.dataclass(frozen=True)
class ColumnCounts:
    """The values of a column.

    Attributes
    ----------
    name : str
        The name of the column.
    counts : dict
        How often each value occurs; empty for numbers of many different values.
    quartiles : dict of str to float
        The quartiles of numbers of many different values; empty otherwise.
    missing : int
        The number of missing values.
    share : float
        The share of missing values.
    """

    name: str
    counts: dict[Any, int]
    quartiles: dict[str, float]
    missing: int
    share: float

    def cells(self, most: int) -> list[str]:
        """The summary as short texts, with at most so many values."""
        if self.quartiles:
            cells = [f"{name}: {value:.4g}" for name, value in self.quartiles.items()]
        else:
            shown = list(self.counts.items())[:most]
            cells = [f"{_short(value)}: {count}" for value, count in shown]
            others = sum(self.counts.values()) - sum(count for _, count in shown)
            if others:
                cells.append(f"{_OTHERS}: {others}")
        if self.missing:
            cells.append(f"{_MISSING}: {self.missing} ({100 * self.share:.1f} %)")
        return cells


@dataclasses.dataclass(frozen=True)
class TableCounts:
    """The summary of a table, which prints as one column of counts for each column of the table.

    Attributes
    ----------
    rows : int
        The number of rows.
    columns : list of ColumnCounts
        The summary of each column.
    most : int
        The largest number of values that are printed.
    """

    rows: int
    columns: list[ColumnCounts]
    most: int

    @property
    def share(self) -> float:
        """The share of missing values among all cells."""
        return float(np.mean([column.share for column in self.columns]))

    def __str__(self) -> str:
        heads, body = self._table()
        lines = [heads, *body]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rows = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        return visible("\n".join([*rows, "", self._total()]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        heads, body = self._table()
        rows = [_html_row("th", heads), *(_html_row("td", row) for row in body)]
        return f"<table>{''.join(rows)}</table><p>{escape(self._total())}</p>"

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """The names of the columns, and rows of cells that are filled up with empty ones."""
        columns = [column.cells(self.most) for column in self.columns]
        height = max(map(len, columns))
        filled = [column + [""] * (height - len(column)) for column in columns]
        return [_short(column.name) for column in self.columns], list(
            map(list, zip(*filled, strict=True))
        )

    def _total(self) -> str:
        shares = [column.share for column in self.columns if column.missing]
        total = f"{self.rows:,} rows, {len(self.columns)} columns, "
        if not shares:
            return f"{total}no missing values"
        total += f"{100 * self.share:.1f} % of all cells are missing"
        return f"{total}, {100 * min(shares):.1f} to {100 * max(shares):.1f} % where any are"


@renamed_arguments(frame="X")
def describe(X: RawSamples, *, missing: Markers = (), most: int = 6) -> TableCounts:
    """Summarize a table: the counts of the values of every column, and the missing ones.

    Columns of DNA in capital and in small letters give a warning.

    Parameters
    ----------
    X : data frame, array or list of rows
        The table.
    missing : tuple, default ()
        Values, such as "?", that mean a missing value beside None and NaN.
    most : int, default 6
        The largest number of different values that are printed of a column. Numbers of more
        different values are summarized by their quartiles.

    Returns
    -------
    TableCounts
        The counts, which print as a table.

    Examples
    --------
    >>> import mercer
    >>> mercer.describe([["y", "n", 0], ["y", None, 1], ["n", "n", 0], ["y", "y", 1]])
    column 0  column 1             column 2
    n: 1      n: 2                 0: 2
    y: 3      y: 1                 1: 2
              missing: 1 (25.0 %)
    <BLANKLINE>
    4 rows, 3 columns, 8.3 % of all cells are missing, 25.0 to 25.0 % where any are
    """
    if not isinstance(most, int) or most < 1:
        raise ParameterError("most", most, "must be a whole number, at least 1")
    if hasattr(X, "collect"):
        rule, remedy = "is not computed yet", "give X.collect()"
        raise InputTypeError("X", type(X).__name__, rule, remedy)
    columns, names = table_columns(Batch(X))
    described = []
    for at, (name, values) in enumerate(zip(names, columns, strict=True)):
        described.append(_describe(name, values, missing, most, _levels(X, at)))
    warn_of_case(X, missing)
    return TableCounts(len(columns[0]), described, most)


def _levels(frame: RawSamples, at: int) -> list[Any]:
    """The categories of a column in their order, where a data frame stores it as categories."""
    if not hasattr(frame, "iloc"):
        return []
    return list(getattr(frame.iloc[:, at].dtype, "categories", []))


def _describe(
    name: str, values: list[Any], missing: Markers, most: int, levels: list[Any]
) -> ColumnCounts:
    is_missing = missing_values(values, missing)
    present = [value for value, is_gap in zip(values, is_missing, strict=True) if not is_gap]
    n_missing = int(is_missing.sum())
    facts = (n_missing, n_missing / len(values))
    try:
        counts = Counter(present)
    except TypeError:
        rule, remedy = "holds lists or other collections", "give single values"
        raise InputTypeError("X", f"column {name!r}", rule, remedy) from None
    if len(counts) > most and all(isinstance(value, (int, float, np.number)) for value in counts):
        at = np.quantile(np.array(present, dtype=float), list(_QUARTILES.values()))
        quartiles = dict(zip(_QUARTILES, at.tolist(), strict=True))
        return ColumnCounts(name, {}, quartiles, *facts)
    return ColumnCounts(name, _ordered(counts, most, levels), {}, *facts)


def _ordered(counts: Counter[Any], most: int, levels: list[Any]) -> dict[Any, int]:
    """The counts sorted by value if all of them are printed; else the most frequent first."""
    if len(counts) > most:
        return dict(counts.most_common())
    order = [level for level in levels if level in counts]
    with contextlib.suppress(TypeError):  # values of several types have no order
        order = order or sorted(counts)
    return {value: counts[value] for value in order or counts}


def _short(value: object) -> str:
    """A value on one line of at most 24 letters."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    text = " ".join(str(value).split())
    return text if len(text) <= 24 else f"{text[:23]}…"


def _html_row(tag: str, cells: list[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
