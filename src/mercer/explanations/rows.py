"""Rows of tables of any kind: their columns, and rows that are put together from two."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.raw import raw_length
from mercer.errors import EmptyInputError, ParameterError, WidthError, missing_columns_text

Groups = Mapping[str, Sequence[Hashable]] | None  # columns that are one player, by its name


def is_table(rows: RawSamples) -> bool:
    """Whether samples are rows with columns."""
    if hasattr(rows, "columns"):
        return True
    return len(getattr(rows, "shape", ())) == 2


def as_table(X: RawSamples) -> RawSamples:
    """Lists of rows as an array; anything else unchanged."""
    if not isinstance(X, (list, tuple)) or not all(map(_is_row, X)) or len(set(map(len, X))) != 1:
        return X
    return _as_numbers(np.array(X, dtype=object))


def _is_row(sample: object) -> bool:
    """Whether a sample is a sequence of values none of which is a sequence itself."""
    sequences = (list, tuple, np.ndarray)
    return isinstance(sample, sequences) and not any(isinstance(v, sequences) for v in sample)


def _as_numbers(values: np.ndarray) -> np.ndarray:
    """An array of objects as numbers, where all of them are."""
    try:
        return values.astype(float)
    except (TypeError, ValueError):
        return values


def column_names(rows: RawSamples) -> list[Any]:
    """The names of the columns of a data frame, the positions of those of an array."""
    if hasattr(rows, "columns"):
        return list(rows.columns)
    return list(range(rows.shape[1]))


def check_background(X: RawSamples, background: RawSamples) -> None:
    """Refuse a background without rows, or with other columns than X."""
    if raw_length(background) == 0:
        rule = "has no rows to compare with"
        raise EmptyInputError("background", "no rows", rule, "give some training samples")
    if not is_table(background):
        rule = "has no columns, where X has some"
        raise WidthError("background", type(background).__name__, rule, "give rows of the table")
    own, other = column_names(X), column_names(background)
    if hasattr(X, "columns") and hasattr(background, "columns"):
        _check_names(own, other)
    elif len(own) != len(other):
        rule = f"must have the {len(own)} columns of X"
        raise WidthError("background", f"{len(other)} columns", rule)


def _check_names(own: list[Any], other: list[Any]) -> None:
    absent = [name for name in own if name not in other]
    if absent:
        text = missing_columns_text(absent)
        raise WidthError(f"background: {text}, which X has; give all columns of X")


def as_matrix(rows: RawSamples) -> np.ndarray:
    """The values of a table, as numbers where all of them are."""
    if hasattr(rows, "toarray"):
        return rows.toarray()
    values = np.asarray(rows.to_numpy() if hasattr(rows, "to_numpy") else rows)
    return _as_numbers(values) if values.dtype.kind == "O" else values


def mixed(rows: RawSamples, background: RawSamples, chosen: np.ndarray) -> RawSamples:
    """Rows with the values of ``rows`` where ``chosen`` is true, and of the background elsewhere.

    All three have the same numbers of rows and columns; the result is a table of the same kind.
    """
    if hasattr(rows, "toarray"):
        return np.where(chosen, rows.toarray(), background.toarray())
    if not hasattr(rows, "iloc"):
        return np.where(chosen, np.asarray(rows), np.asarray(background))
    columns = {}
    for at, name in enumerate(rows.columns):
        own = rows[name].reset_index(drop=True)
        drawn = background[name].reset_index(drop=True)
        columns[name] = own.where(chosen[:, at], drawn)
    return type(rows)(columns)


def _name(column: Any) -> str:
    """The name of a column; that of a position is x0, x1, ..."""
    return f"x{column}" if isinstance(column, (int, np.integer)) else str(column)


class Players:
    """The columns of a table, some of which may count as one.

    Parameters
    ----------
    columns : list
        The names of the columns.
    groups : dict or None
        The columns of each group, by a name for the group.

    Attributes
    ----------
    names : list of str
        The names of the players: the columns that are in no group, and the groups, in the order of
        their first columns.
    of_column : ndarray of int
        The player of each column.
    """

    def __init__(self, columns: list[Any], groups: Groups = None) -> None:
        self.columns = columns
        owners = _owners(columns, groups or {})
        labels = [owners.get(column, _name(column)) for column in columns]
        self.names = list(dict.fromkeys(labels))
        self.of_column = np.array([self.names.index(label) for label in labels], dtype=int)

    def __len__(self) -> int:
        return len(self.names)

    def data(self, rows: RawSamples) -> np.ndarray:
        """The values of the players: of a group of several columns the place of the largest."""
        matrix = as_matrix(rows)
        if len(self) == matrix.shape[1]:
            return matrix
        members = [matrix[:, self.of_column == player] for player in range(len(self))]
        return np.column_stack(list(map(_one_column, members)))


def _owners(columns: list[Any], groups: Mapping[str, Sequence[Hashable]]) -> dict[Any, str]:
    """The group of each column that is in one."""
    owners: dict[Any, str] = {}
    for name, members in groups.items():
        for column in [members] if isinstance(members, str) else members:
            if column not in columns or column in owners:
                rule = "is not a column of X that is in no other group"
                raise ParameterError(f"groups[{name!r}]", column, rule)
            owners[column] = str(name)
    return owners


def _one_column(members: np.ndarray) -> np.ndarray:
    """The column of a player, or the place of the largest of several: of the one that is 1."""
    if members.shape[1] == 1:
        return members[:, 0]
    return np.argmax(members.astype(float), axis=1)
