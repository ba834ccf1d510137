"""Parameters of kernels: a default, a constraint, and one message when it is broken."""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import ParameterError


@dataclasses.dataclass(frozen=True)
class Constraint:
    """A test of a value, and the rule as words: ``must be ...``; numbers beyond ``low`` and ``high`` fail it."""

    rule: str
    holds: Callable[[Any], bool]
    remedy: str = ""
    low: float = -math.inf
    high: float = math.inf

    def check(self, what: str, value: Any) -> None:
        if not self.holds(value):
            raise ParameterError(what, value, f"must be {self.rule}", self.remedy)


def is_real(value: Any) -> bool:
    """A finite real number; booleans are not numbers here."""
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an integer beyond all floats
        return False


def _is_integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))


def _all_positive(value: Any) -> bool:
    if is_real(value):
        return value > 0
    if not isinstance(value, (list, tuple, np.ndarray)):
        return False
    try:
        column = np.asarray(value)
    except ValueError:  # ragged
        return False
    return (
        column.ndim == 1
        and column.size > 0
        and column.dtype.kind in "fiu"
        and bool(np.all(np.isfinite(column) & (column > 0)))
    )


real = Constraint("a finite number", is_real)
positive = Constraint("positive", lambda v: is_real(v) and v > 0, "give a finite number > 0")
nonnegative = Constraint(
    "non-negative", lambda v: is_real(v) and v >= 0, "give a finite number >= 0"
)
positive_or_per_column = Constraint(
    "positive", _all_positive, "give one number > 0, or a list of them, one per column"
)
function = Constraint(
    "callable", callable, "give a function of a whole collection, or a registered name"
)
positive_or_inf = Constraint(
    "positive",
    lambda v: (is_real(v) and v > 0) or (isinstance(v, float) and v == math.inf),
    "give a number > 0, or math.inf",
)
boolean = Constraint("True or False", lambda v: isinstance(v, (bool, np.bool_)))


def between(low: float, high: float, *, open_low: bool = True) -> Constraint:
    """A number in ]low, high] (or [low, high])."""
    bracket = "]" if open_low else "["
    return Constraint(
        f"in {bracket}{low:g}, {high:g}]",
        lambda v: is_real(v) and (v > low or (not open_low and v == low)) and v <= high,
        low=low,
        high=high,
    )


def integer(low: int, high: int | None = None) -> Constraint:
    """A whole number of at least ``low``."""
    rule = (
        f"an integer >= {low}"
        if high is None or high >= 2**31
        else f"an integer from {low} to {high}"
    )
    return Constraint(rule, lambda v: _is_integer(v) and v >= low and (high is None or v <= high))


def choice(*values: Any) -> Constraint:
    """One of a few values."""
    return Constraint(
        "one of " + ", ".join(map(repr, values)),
        lambda v: (
            isinstance(v, (str, numbers.Real))
            and not isinstance(v, (bool, np.bool_))
            and v in values
        ),
    )


def is_square_matrix(value: Any) -> bool:
    try:
        given = np.asarray(value)
        array = given.astype(float) if given.dtype.kind in "fiuO" else np.empty(0)
    except (TypeError, ValueError, OverflowError):
        return False
    if given.dtype.kind == "O" and any(isinstance(v, (str, bytes)) for v in given.ravel()):
        return False
    return (
        array.ndim == 2
        and array.shape[0] == array.shape[1]
        and array.size > 0
        and bool(np.isfinite(array).all())
    )


square_matrix = Constraint("a finite square matrix", is_square_matrix)


def param(
    *, default: Any = dataclasses.MISSING, check: Constraint, continuous: bool = False
) -> Any:
    """Declare a field of a kernel.

    ``continuous`` parameters are the ones ``gradient`` differentiates.
    """
    metadata = {"check": check, "continuous": continuous}
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)
