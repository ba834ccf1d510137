"""Targets that may be meant otherwise: dates, numbers that are classes, classes that are names."""

from __future__ import annotations

import re

import numpy as np

from mercer.errors import InputError
from mercer.kernels.tables.columns import DATE

_FEW = 10  # different numbers up to which a target may be meant as classes
_MANY = 50  # classes from which a target may be meant as a name or a number
_LOOKED_AT = 1000  # values by which texts are judged
_SHARE = 0.9  # of them that look alike
_DATES = re.compile(rf"{DATE.pattern}|\d{{1,2}}[./-]\d{{1,2}}[./-](\d{{2}}|\d{{4}})( .*)?")
_AMOUNTS = re.compile(r"[-+<>~]?\s*[$€£¥]?\s*[-+]?\d[\d,. ']*\s*([$€£¥%]|[a-zA-Z]{1,4})?")


def refuse_dates(y: np.ndarray, name: str) -> None:
    """Refuse a target of dates: it is neither a number nor a class."""
    if y.dtype.kind == "M" or _look_like(y, _DATES):
        rule = f"holds dates, such as {str(y[0])[:19]!r}, which are neither numbers nor classes"
        remedy = "give a number, such as days since a start, or a class, such as the month"
        raise InputError("target", name, rule, remedy)


def remedy_for_many_classes(y: np.ndarray) -> str:
    """The remedy for a target of too many classes."""
    if _look_like(y, _AMOUNTS):
        return f"is it a number? write {str(y[0])!r} with digits and a decimal point only"
    if y.dtype.kind in "iuf":
        return "is it a number: --task regression"
    return "is it the name of the row, or a text? give the column of the classes"


def _look_like(y: np.ndarray, is_one: re.Pattern[str]) -> bool:
    """Whether nearly all of the first values are strings of a kind."""
    values = [value for value in y[:_LOOKED_AT].tolist() if isinstance(value, str)]
    alike = sum(is_one.fullmatch(value.strip()) is not None for value in values)
    return len(values) > 0 and alike >= _SHARE * len(values)


def target_notes(y: np.ndarray, name: str, task: str) -> list[str]:
    """Notes on a target that was taken for classes, or for numbers, by its values."""
    values = np.unique(y.astype(str)) if y.dtype.kind == "O" else np.unique(y)
    numeric = y.dtype.kind in "iuf"
    notes = []
    if numeric and task == "classification" and len(values) > 2:
        shown = _range(values)
        notes.append(
            f"{name} has {len(values)} different numbers ({shown}), which are read as classes; "
            "--task regression reads them as numbers"
        )
    elif numeric and task == "regression" and len(values) <= _FEW:
        notes.append(
            f"{name} has {len(values)} different numbers only ({_range(values)}), which are read "
            "as numbers; --task classification reads them as classes"
        )
    elif task == "classification" and len(values) > _MANY:
        notes.append(
            f"{name} has {len(values):,} classes, {len(y) / len(values):.0f} samples each on "
            "average: is it a name?"
        )
    if task == "regression" and _counts_rows(y):
        notes.append(f"{name} counts the rows, from {y[0]:g} to {y[-1]:g}: is it the target?")
    return notes


def _range(values: np.ndarray) -> str:
    if len(values) <= 4:
        return ", ".join(f"{value:g}" for value in values)
    return f"{values[0]:g} to {values[-1]:g}"


def _counts_rows(y: np.ndarray) -> bool:
    steps = np.diff(y.astype(float))
    return bool((steps == steps[0]).all() and steps[0] in (-1.0, 1.0))
