"""The file of a page: how it was read, its columns, and two of them as points of the playground."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import Frame
from mercer.automatic.subsets import even_rows
from mercer.domains.base import raw_length
from mercer.errors import ABSENT, InputError
from mercer.proposals.tables import read_columns
from mercer.readers import Source, read_source

_PREVIEW, _MOST_POINTS, _MOST_VALUES = 8, 500, 40
_TARGETS = ("class", "target", "label", "y", "outcome")
Request = dict[str, Any]


@functools.lru_cache(maxsize=2)
def read(path: str) -> tuple[Source, tuple[str, ...]]:
    """The samples of a file, and what was in doubt about them."""
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always")
        source = read_source(Path(path))
    return source, tuple(str(each.message) for each in doubts)


def file_of(request: Request) -> str:
    """The path of the file, which the server has filled in."""
    path = request.get("path")
    if not path:
        raise InputError("file", ABSENT, "is not there", "choose a file first")
    return str(path)


def describe(request: Request, tell: Callable[[Request], None]) -> Request:
    """How the file was read, its columns and its first rows."""
    source, doubts = read(file_of(request))
    answer: Request = {
        "kind": source.kind,
        "description": source.description,
        "count": raw_length(source.samples),
        "notes": list(doubts),
        "columns": [],
    }
    if source.kind != "table":
        answer["labeled"] = source.labels is not None
        return answer
    frame = source.samples
    described = describe_columns(frame)
    rows = [list(map(_cell, row)) for row in frame.head(_PREVIEW).itertuples(index=False)]
    return {**answer, "columns": described, "rows": rows, "target": _guess(described)}


def describe_columns(frame: Frame) -> list[dict[str, Any]]:
    """Kind, missing values and typical values of each column."""
    filled = frame.loc[:, frame.notna().any()]
    kinds = {str(column.name): column.kind for column in read_columns(filled)}
    return [_column(str(name), frame[name], kinds.get(str(name), "empty")) for name in frame]


def _column(name: str, values: Frame, kind: str) -> dict[str, Any]:
    present = values.dropna()
    entry: dict[str, Any] = {
        "name": name,
        "kind": kind,
        "missing": int(values.isna().sum()),
        "distinct": int(present.nunique()),
    }
    if kind == "number" and len(present):
        numbers = present.astype(float)
        low, middle, high = np.quantile(numbers, [0.0, 0.5, 1.0])
        return {**entry, "low": float(low), "middle": float(middle), "high": float(high)}
    frequent = present.value_counts().index[:_MOST_VALUES]
    return {**entry, "values": [str(value)[:80] for value in frequent]}


def _cell(value: object) -> str:
    if value is None or value != value:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)[:60]


def _guess(columns: list[dict[str, Any]]) -> str:
    """The column that is probably the target: one with a usual name, or the last."""
    for column in columns:
        if column["name"].strip().lower() in _TARGETS:
            return column["name"]
    return columns[-1]["name"]


def as_points(request: Request, tell: Callable[[Request], None]) -> Request:
    """Two columns of numbers, standardized, and the target, as points of the plane."""
    source, _ = read(file_of(request))
    if source.kind != "table":
        raise InputError("file", source.kind, "has no columns to draw", "load a table")
    frame = source.samples
    across, along, target = (str(request.get(name)) for name in ("across", "along", "target"))
    for name in (across, along, target):
        if name not in frame.columns:
            raise InputError("column", name, "is not in the table")
    part = frame[[across, along, target]].dropna()
    part = part.iloc[even_rows(len(part), _MOST_POINTS)]
    try:
        X = part[[across, along]].to_numpy(float)
    except (TypeError, ValueError):
        rule = "are not both columns of numbers"
        raise InputError("columns", [across, along], rule, "choose two others") from None
    if len(X) < 3:
        raise InputError("rows", len(X), "are complete: too few to draw")
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
    kind = next(each["kind"] for each in describe_columns(part[[target]]))
    distinct = part[target].nunique()
    if kind == "number" and distinct > 8:
        y = part[target].to_numpy(float)
        y = (y - y.mean()) / max(float(y.std()), 1e-12)
        return {"points": np.column_stack([X, y]), "task": "values", "classes": []}
    names, codes = np.unique(part[target].astype(str), return_inverse=True)
    if len(names) > 8:
        raise InputError("target", target, f"has {len(names)} classes, too many to draw")
    return {"points": np.column_stack([X, codes]), "task": "classes", "classes": names.tolist()}
