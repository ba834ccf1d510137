"""Bounds and fixed hyperparameters as users write them: for all, by name, or for one number of an
array, as in ``length_scale[1]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mercer.errors import ParameterError
from mercer.kernels.base import Kernel
from mercer.params import Constraint

BoundsLike = tuple[float, float] | dict[str, Any]  # for all hyperparameters, or by name
Names = str | Sequence[str]  # one hyperparameter, or several
DEFAULT = (1e-5, 1e5)
_RULE = "must be two positive numbers, the smaller first"


class Range(NamedTuple):
    """The least and the largest value of a hyperparameter."""

    low: float
    high: float
    at_end: bool  # whether no larger value is possible at all, so that nobody can widen the range


def label(name: str, index: int | None) -> str:
    """A hyperparameter, or one of its numbers, as it is called in bounds, priors and reports."""
    return name if index is None else f"{name}[{index}]"


def labels_of(name: str, value: float | np.ndarray) -> list[str]:
    """The numbers of an array by their labels; none for a single number or a matrix."""
    if np.ndim(value) != 1:
        return []
    return [label(name, index) for index in range(np.size(value))]


def _constraint(kernel: Kernel, name: str) -> Constraint:
    """What a hyperparameter, given by its nested name, may be."""
    *path, last = name.split("__")
    for step in path:
        kernel = getattr(kernel, step)
    return kernel._checks[last]


def _is_range(value: Any) -> bool:
    """Whether a value is two positive numbers, the smaller first."""
    try:
        low, high = (float(end) for end in value)
    except (TypeError, ValueError):
        return False
    return 0 < low < high


class Bounds:
    """Checked bounds and fixed names of a kernel's continuous hyperparameters."""

    def __init__(self, kernel: Kernel, bounds: BoundsLike, fixed: Names) -> None:
        self.kernel = kernel
        self.values = kernel.continuous_params()
        self.fixed = frozenset([fixed] if isinstance(fixed, str) else fixed)
        self.named: dict[str, Any] = {}
        common: Any = bounds
        if isinstance(bounds, dict):
            common = DEFAULT
            for name, given in bounds.items():
                self._check_name("bounds", name)
                self._add(name, given)
        if not _is_range(common):
            raise ParameterError("bounds", bounds, f"{_RULE}, or such pairs by name")
        self.common = tuple(float(end) for end in common)
        for name in self.fixed:
            self._check_name("fixed", name)
        for name in self.named:
            self._check_range(name)

    def _add(self, name: str, given: Any) -> None:
        """Note bounds by name: one range, or one for each number of an array."""
        numbers = labels_of(name, self.values.get(name, 0.0))
        several = hasattr(given, "__len__") and not _is_range(given)
        if several and len(given) == len(numbers) > 0:
            self.named.update(zip(numbers, given, strict=True))
        else:
            self.named[name] = given

    def _check_name(self, where: str, name: str) -> None:
        numbers = [one for known, value in self.values.items() for one in labels_of(known, value)]
        choices = [*self.values, *numbers]
        if name not in choices:
            words = ", ".join(choices) or "none: the kernel has no continuous parameter"
            rule = "is not a parameter to be learned"
            raise ParameterError(where, name, rule, f"choose among {words}")

    def _check_range(self, name: str) -> None:
        given = self.named[name]
        if not _is_range(given):
            raise ParameterError(f"bounds[{name!r}]", given, _RULE)
        constraint = _constraint(self.kernel, name.split("[")[0])
        if not constraint.low <= given[0] < given[1] <= constraint.high:
            rule = f"must be {constraint.rule}, as {name} is"
            raise ParameterError(f"bounds[{name!r}]", tuple(given), rule)

    def range(self, name: str, index: int | None) -> Range:
        """Where a hyperparameter, or one of its numbers, may lie."""
        constraint = _constraint(self.kernel, name)
        one = label(name, index)
        low, high = self.named.get(one, self.named.get(name, self.common))
        if not max(low, constraint.low) < min(high, constraint.high):
            rule = f"leave nothing for {one}, which must be {constraint.rule}"
            remedy = f"say bounds={{{name!r}: (low, high)}}, or fix it"
            raise ParameterError("bounds", (low, high), rule, remedy)
        lowest = max(float(low), constraint.low)
        return Range(lowest, min(float(high), constraint.high), high >= constraint.high)
