"""Bounds and fixed parameters as users write them: for all, by name, or for one number of an array, as in ``length_scale[1]``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import ParameterError
from mercer.kernels.base import Kernel
from mercer.params import Constraint

DEFAULT = (1e-5, 1e5)
_RULE = "must be two positive numbers, the smaller first"


def label(name: str, i: int | None) -> str:
    """A parameter, or one of its numbers, as it is called in bounds, priors and reports."""
    return name if i is None else f"{name}[{i}]"


def _rule_of(kernel: Kernel, name: str) -> Constraint:
    """What a parameter, given by its nested name, may be."""
    *path, last = name.split("__")
    for step in path:
        kernel = getattr(kernel, step)
    return kernel._checks[last]


def _is_range(pair: Any) -> bool:
    try:
        low, high = (float(end) for end in pair)
    except (TypeError, ValueError):
        return False
    return 0 < low < high


class Limits:
    """What was said of a kernel's continuous parameters, checked."""

    def __init__(self, kernel: Kernel, bounds: Any, fixed: Any) -> None:
        self.kernel, self.known = kernel, kernel.continuous_params()
        self.given: dict[str, Any] = {}
        self.fixed = frozenset([fixed] if isinstance(fixed, str) else fixed)
        every = DEFAULT if isinstance(bounds, dict) else bounds
        if not _is_range(every):
            raise ParameterError("bounds", bounds, f"{_RULE}, or such pairs by name")
        self.every = tuple(float(end) for end in every)
        for name, pair in (bounds if isinstance(bounds, dict) else {}).items():
            self._check_name("bounds", name)
            many = np.shape(self.known.get(name, 0.0))
            if (
                len(many) == 1
                and not _is_range(pair)
                and hasattr(pair, "__len__")
                and len(pair) == many[0]
            ):
                self.given.update({f"{name}[{i}]": one for i, one in enumerate(pair)})
            else:
                self.given[name] = pair
        for name in self.fixed:
            self._check_name("fixed", name)
        for name, pair in self.given.items():
            rule = _rule_of(kernel, name.split("[")[0])
            if not _is_range(pair):
                raise ParameterError(f"bounds[{name!r}]", pair, _RULE)
            if not rule.low <= pair[0] < pair[1] <= rule.high:
                raise ParameterError(
                    f"bounds[{name!r}]", tuple(pair), f"must be {rule.rule}, as {name} is"
                )

    def _check_name(self, where: str, name: str) -> None:
        numbers = [
            label(known, i)
            for known, value in self.known.items()
            if np.ndim(value) == 1
            for i in range(len(value))
        ]
        if name not in self.known and name not in numbers:
            remedy = f"choose among {', '.join([*self.known, *numbers]) or 'none: the kernel has no continuous parameter'}"
            raise ParameterError(where, name, "is not a parameter to be learned", remedy)

    def of(self, name: str, i: int | None) -> tuple[float, float, bool]:
        """The least and the largest value, and whether the latter is the parameter's own end, which nobody can widen."""
        rule = _rule_of(self.kernel, name)
        low, high = self.given.get(label(name, i), self.given.get(name, self.every))
        if not max(low, rule.low) < min(high, rule.high):
            remedy = f"say bounds={{{name!r}: (low, high)}}, or fix it"
            raise ParameterError(
                "bounds",
                (low, high),
                f"leave nothing for {label(name, i)}, which must be {rule.rule}",
                remedy,
            )
        return max(float(low), rule.low), min(float(high), rule.high), high >= rule.high
