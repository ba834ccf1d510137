"""Bounds and fixed hyperparameters as users write them: for all, by name, or for one number of an
array, as in ``length_scale[1]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mercer.errors import ParameterError
from mercer.kernels.base import Kernel
from mercer.params import Constraint

BoundsLike = tuple[float, float] | dict[str, Any]  # for all hyperparameters, or by name
Names = str | Sequence[str]  # one hyperparameter, or several
Place = tuple[str, int | None]  # a hyperparameter, and a position if it is an array
DEFAULT = (1e-5, 1e5)
_RULE = "must be two positive numbers, the smaller first"


def places_of(name: str, value: float | np.ndarray) -> dict[str, Place]:
    """The numbers of a hyperparameter by their labels in bounds, priors and reports.

    A matrix has no labels: its numbers are not learned.
    """
    if np.ndim(value) == 0:
        return {name: (name, None)}
    if np.ndim(value) > 1:
        return {}
    return {f"{name}[{position}]": (name, position) for position in range(np.size(value))}


def _constraint(kernel: Kernel, name: str) -> Constraint:
    """What a hyperparameter, given by its nested name, may be."""
    *path, last = name.split("__")
    for step in path:
        kernel = getattr(kernel, step)
    return kernel.constraint(last)


def is_range(value: Any) -> bool:
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
        self.places = {name: places_of(name, value) for name, value in self.values.items()}
        self.fixed = frozenset([fixed] if isinstance(fixed, str) else fixed)
        self.named: dict[str, Any] = {}
        self.common: Any = DEFAULT
        if isinstance(bounds, dict):
            self._add(bounds)
        elif is_range(bounds):
            self.common = bounds
        else:
            raise ParameterError("bounds", bounds, f"{_RULE}, or such pairs by name")
        self._check_names("fixed", self.fixed)
        self._check_ranges()

    def _add(self, bounds: dict[str, Any]) -> None:
        """Note bounds by name: one range, or one for each number of an array."""
        self._check_names("bounds", bounds)
        for name, given in bounds.items():
            several = hasattr(given, "__len__") and not is_range(given)
            numbers = self.places.get(name, {})
            if several and np.ndim(self.values.get(name, 0.0)) == 1 and len(given) == len(numbers):
                self.named.update(zip(numbers, given, strict=True))
            else:
                self.named[name] = given

    def _check_names(self, where: str, names: Iterable[str]) -> None:
        numbers = [label for places in self.places.values() for label in places]
        choices = dict.fromkeys([*self.values, *numbers])
        for name in names:
            if name not in choices:
                words = ", ".join(choices) or "none: the kernel has no continuous parameter"
                rule = "is not a parameter to be learned"
                raise ParameterError(where, name, rule, f"choose among {words}")

    def _check_ranges(self) -> None:
        for name, given in self.named.items():
            if not is_range(given):
                raise ParameterError(f"bounds[{name!r}]", given, _RULE)
            constraint = _constraint(self.kernel, name.split("[")[0])
            if not constraint.low <= given[0] < given[1] <= constraint.high:
                rule = f"must be {constraint.rule}, as {name} is"
                raise ParameterError(f"bounds[{name!r}]", tuple(given), rule)

    def free(self) -> list[str]:
        """The hyperparameters that are not fixed as a whole."""
        return [name for name in self.values if name not in self.fixed]

    def free_places(self, name: str) -> dict[str, Place]:
        """The numbers of a hyperparameter that are not fixed."""
        places = self.places[name].items()
        return {label: place for label, place in places if label not in self.fixed}

    def ranges(self, places: dict[str, Place]) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest value of numbers, and whether nobody can widen the latter."""
        ranges = [self._range(name, label) for label, (name, _) in places.items()]
        ends = np.array([(low, high) for low, high, _ in ranges], dtype=float).reshape(-1, 2)
        return ends, np.array([at_end for _, _, at_end in ranges], dtype=bool)

    def _range(self, name: str, label: str) -> tuple[float, float, bool]:
        constraint = _constraint(self.kernel, name)
        low, high = self.named.get(label, self.named.get(name, self.common))
        if not max(low, constraint.low) < min(high, constraint.high):
            rule = f"leave nothing for {label}, which must be {constraint.rule}"
            remedy = f"set bounds={{{name!r}: (low, high)}}, or fix it"
            raise ParameterError("bounds", (low, high), rule, remedy)
        at_end = high >= constraint.high
        return max(float(low), constraint.low), min(float(high), constraint.high), at_end
