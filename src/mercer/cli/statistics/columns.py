"""The columns of two tables that can be compared, and those that one of the tables lacks."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.aliases import Frame, RawSamples
from mercer.automatic.checks.chosen import find_columns
from mercer.errors import InputError
from mercer.proposals.keys import identifiers
from mercer.readers import Source

Single = tuple[list[str], list[str]]  # the columns that are in the first, or the second, table only


def alike(
    first: Source, second: Source, columns: Sequence[str], drop: Sequence[str]
) -> tuple[RawSamples, RawSamples, Single, list[str]]:
    """The samples of both with the same columns, the columns of one only, and notes.

    ``columns`` are those to compare, all of them if empty, and ``drop`` those to leave out.
    """
    if first.kind != second.kind:
        rule = f"does not fit the first file, which holds {first.kind}"
        raise InputError("second file", second.kind, rule)
    X, Y = first.samples, second.samples
    if first.kind != "table":
        return X, Y, ([], []), []
    wanted = _wanted(X, Y, columns, drop)
    single = _without(X, Y, wanted), _without(Y, X, wanted)
    shared = [name for name in X.columns if name in wanted and name in Y.columns]
    if any(single) and not shared:
        rule, remedy = "has no column of the first", "give tables with the same names"
        raise InputError("second file", list(Y.columns)[:5], rule, remedy)
    kept, notes = _useful(X, Y, shared, bool(columns))
    if not kept:
        raise InputError("columns", "none", "are left to compare", "name others")
    return X[kept], Y[kept], single, notes


def _wanted(X: Frame, Y: Frame, columns: Sequence[str], drop: Sequence[str]) -> list[str]:
    """The names of the columns to compare; each is in one of the tables, or in both."""
    every = X.head(0).join(Y.head(0)[_without(Y, X, list(Y.columns))])
    chosen = find_columns(every, columns, "columns") or list(every.columns)
    dropped = find_columns(every, drop, "drop")
    return [name for name in chosen if name not in dropped]


def _without(X: Frame, Y: Frame, wanted: list[str]) -> list[str]:
    """The wanted columns of a table that the other one lacks."""
    return [name for name in X.columns if name in wanted and name not in Y.columns]


def _useful(X: Frame, Y: Frame, names: list[str], are_named: bool) -> tuple[list[str], list[str]]:
    """The columns with values that are no identifiers, unless they are named; and notes."""
    notes = []
    keys = [] if are_named else identifiers(X[names], Y[names])
    if keys:
        listed = ", ".join(keys)
        notes.append(f"left out as identifiers: {listed}; --columns compares those that it names")
    empty = [name for name in names if X[name].isna().all() and Y[name].isna().all()]
    empty = [name for name in empty if name not in keys]
    if empty:
        notes.append(f"columns without values are left out: {', '.join(empty)}")
    return [name for name in names if name not in keys and name not in empty], notes
