"""The contributions that a display shows: of one output, of the columns that matter most."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import InputError, ParameterError
from mercer.params import integer

UP, DOWN = "#d62728", "#1f77b4"  # colors of what raises, and of what lowers a prediction

Explained = Any  # an `Explanation`, or what has its attributes


def one_output(explanation: Explained, output: int | str | None) -> Explained:
    """The explanation of one output, which has to be named where there are several."""
    values = np.asarray(explanation.values)
    if values.size == 0:
        raise InputError("explanation", "no values", "has nothing to draw")
    names = explanation.output_names
    if not names or np.ndim(values) == np.ndim(explanation.data):
        return explanation
    if output is None:
        rule = f"must say which of the outputs {list(names)} is drawn"
        raise ParameterError("output", output, rule)
    return explanation.output(output)


def one_row(explanation: Explained, row: int) -> Explained:
    """The explanation of one row."""
    if np.ndim(explanation.values) == 1:
        return explanation
    count = len(explanation.values)
    if not isinstance(row, (int, np.integer)) or not -count <= row < count:
        raise ParameterError("row", row, f"must be the position of one of the {count} rows")
    return explanation[row]


def largest(sizes: np.ndarray, most: int) -> np.ndarray:
    """The columns with the largest sizes, the largest first."""
    integer(1).check("most", most)
    return np.argsort(-sizes, kind="stable")[:most]


def with_value(name: str, value: object) -> str:
    """The name of a column, and its value in a row."""
    shown = f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)
    return f"{name} = {shown if len(shown) <= 16 else shown[:15] + '…'}"


def largest_and_rest(
    values: np.ndarray, names: list[str], most: int
) -> tuple[np.ndarray, list[str]]:
    """The largest contributions with their names, and after them the sum of the others."""
    order = largest(np.abs(values), most)
    shown, labels = values[order], [names[j] for j in order]
    rest = len(values) - len(order)
    if rest:
        shown = np.append(shown, values.sum() - shown.sum())
        labels.append(f"{rest} other columns")
    return shown, labels
