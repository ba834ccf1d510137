"""The columns of a table, described."""

from __future__ import annotations

from typing import Any

from mercer.aliases import Frame
from mercer.automatic.question import Question
from mercer.automatic.subsets import thin_out
from mercer.proposals.tables import read_columns
from mercer.readers import Source

MOST_ROWS = 5000  # rows from which the types of columns are read


def describe_columns(source: Source, question: Question) -> list[dict[str, Any]]:
    """The type of each column, a summary of its values, and why it is left out, if it is."""
    if not hasattr(source.samples, "columns"):
        return []
    X = source.samples.iloc[question.rows].drop(columns=[question.target])
    reasons = {each.column: each.reason for each in question.left_out}
    described = _described(X)
    return [{**each, "left out": reasons.get(each["name"], "")} for each in described]


def _described(X: Frame) -> list[dict[str, Any]]:
    some = thin_out(X, MOST_ROWS)
    some = some.loc[:, some.notna().any()]
    kinds = {column.name: column.kind for column in read_columns(some)}
    return [_describe_column(name, X[name], kinds.get(name, "empty")) for name in X.columns]


def _describe_column(name: object, values: Frame, kind: str) -> dict[str, Any]:
    present = values.dropna()
    if kind == "number" and len(present):
        summary = f"{present.min():g} to {present.max():g}"
    else:
        summary = ", ".join(str(value)[:24] for value in present.value_counts().index[:4])
    return {
        "name": str(name),
        "kind": kind,
        "missing": int(values.isna().sum()),
        "distinct": int(present.nunique()),
        "values": summary,
    }
