"""Targets that a kernel is learned by, as columns of numbers, and the rows that serve."""

from __future__ import annotations

from numbers import Real
from typing import Literal, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array

from mercer.aliases import RandomState, Targets
from mercer.errors import ABSENT, InputError, ParameterError, ShapeError
from mercer.estimators.common.validation import check_squares
from mercer.estimators.gp.targets import Units

Target = Literal["auto", "numbers", "labels"]
TARGETS = ("auto", "numbers", "labels")
_DROP = "leave those rows out"
_FEW = 20  # different integers up to which they are labels, if they repeat


class Codes(NamedTuple):
    """Columns of numbers, and the classes they stand for; none where the targets are numbers."""

    columns: np.ndarray
    classes: np.ndarray | None

    @property
    def words(self) -> str:
        """What is learned, for the report."""
        if self.classes is None:
            count = self.columns.shape[1]
            return "1 target" if count == 1 else f"{count} targets"
        words = f"{len(self.classes)} classes"
        return words if len(self.classes) == 2 else f"{words}, each against the rest"


def encode(y: Targets, target: Target, n: int) -> Codes:
    """Numbers as columns; labels as ±1, a column for each class against the rest."""
    if target not in TARGETS:
        raise ParameterError("target", target, f"must be one of {', '.join(map(repr, TARGETS))}")
    if y is None:
        raise InputError("y", ABSENT, "is needed to learn the kernel by", "give targets")
    values = np.asarray(y)
    if target != "labels":
        values = as_numbers(values)
    if len(np.atleast_1d(values)) != n:
        shape = f"array of shape {values.shape}"
        raise ShapeError("y", shape, f"must have one for each of the {n} samples")
    if are_labels(values, target):
        return _one_against_rest(values)
    values = check_array(values, ensure_2d=False, dtype=np.float64, input_name="y")
    return Codes(values.reshape(n, -1), None)


def as_numbers(values: np.ndarray) -> np.ndarray:
    """Objects that are all numbers as such; others as they are."""
    if values.dtype != object:
        return values
    if all(isinstance(value, Real) and not isinstance(value, bool) for value in values.ravel()):
        return values.astype(np.float64)
    return values


def are_labels(values: np.ndarray, target: str) -> bool:
    """Whether targets are labels of classes: text, truth values, or few integers that repeat."""
    if target != "auto":
        return target == "labels"
    if values.dtype.kind not in "iuf":
        return True
    if values.dtype.kind == "f" or values.ndim > 1:
        return False
    return len(np.unique(values)) <= min(_FEW, len(values) // 2)


def _one_against_rest(values: np.ndarray) -> Codes:
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        rule = "must be one label for each sample"
        raise ShapeError("y", f"array of shape {values.shape}", rule, "learn a kernel for each")
    try:
        classes, numbers = np.unique(values, return_inverse=True)
    except TypeError:
        rule = "mixes kinds of labels, or has missing ones"
        raise InputError("y", sorted({type(v).__name__ for v in values}), rule, _DROP) from None
    if len(classes) < 2:
        raise InputError("y", classes[0], "is the only class", "give two classes or more")
    if len(classes) == len(values) and len(classes) > 2:
        rule = "is another label for each sample: nothing can be learned"
        raise InputError("y", f"{len(classes)} classes", rule, "give numbers, or target='numbers'")
    members = numbers[:, None] == np.arange(len(classes))
    if len(classes) == 2:
        members = members[:, 1:]
    return Codes(np.where(members, 1.0, -1.0), classes)


def standardize(columns: np.ndarray, weight: np.ndarray | float) -> np.ndarray:
    """Columns of mean 0 and deviation 1, those that vary; refused where none does."""
    check_squares(columns)
    varies = np.ptp(columns, axis=0) > 0
    if not varies.any():
        rule = "is the same for all samples: nothing can be learned"
        raise InputError("y", float(columns[0, 0]), rule)
    columns = columns[:, varies]
    return np.ascontiguousarray(Units.of(columns, True, weight).normalize(columns))


def draw_rows(
    codes: Codes, counted: np.ndarray, most: int | None, random_state: RandomState
) -> np.ndarray:
    """At most so many of the counted samples, of every class its share."""
    n = len(counted)
    if most is None or n <= most:
        return counted
    order = check_random_state(random_state).permutation(counted)
    if codes.classes is not None:
        # those of one class side by side, of which every k-th is taken
        numbers = codes.columns.argmax(axis=1) if len(codes.classes) > 2 else codes.columns[:, 0]
        order = order[np.argsort(numbers[order], kind="stable")]
        order = order[np.linspace(0, n - 1, most).round().astype(int)]
    return np.sort(order[:most])
