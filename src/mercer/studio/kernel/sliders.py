"""The parameters of a kernel class with the slider, switch or field that changes each."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any

from mercer.kernels.base import Kernel
from mercer.params import Constraint

_WHOLE = re.compile(r"an integer (?:>= |from )(-?\d+)(?: to (\d+))?")
_MOST = 10  # of a whole number that has no bound
_RANGE = 30.0  # times the default, up and down, of a positive number
_MAKES_SENSE = {"degree": (1, 8), "nu": (0.25, 10.0), "period": (0.1, 20.0)}
_NEEDED = {"Polynomial": {"degree": 2}, "ANOVA": {"degree": 2}, "Bessel": {"order": 1}}


def parameters_of(cls: type[Kernel]) -> list[dict[str, Any]]:
    """Name, default and control of each parameter of a class."""
    fields = [field for field in dataclasses.fields(cls) if "check" in field.metadata]
    return [_parameter(field, field.metadata["check"]) for field in fields]


def needed_of(cls: type[Kernel]) -> dict[str, Any] | None:
    """Values of the parameters that have no default; None if a slider cannot set them."""
    needed = [each["name"] for each in parameters_of(cls) if "default" not in each]
    known = _NEEDED.get(cls.__name__, {})
    return known if set(needed) <= set(known) else None


def _parameter(field: dataclasses.Field[Any], check: Constraint) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": field.name, "control": "text", "rule": check.rule}
    default = field.default
    if isinstance(default, (int, float, str, bool, type(None))):
        entry["default"] = default
    elif default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING:
        entry["default"] = None
        entry["hidden"] = True
    if "default" in entry and entry["default"] is None:
        entry["hidden"] = True  # nothing to slide from
    return {**entry, **_control(field.name, default, check)}


def _control(name: str, default: object, check: Constraint) -> dict[str, Any]:
    whole = _WHOLE.match(check.rule)
    if check.rule == "True or False":
        return {"control": "switch"}
    if check.rule.startswith("one of "):
        options = check.rule.removeprefix("one of ").split(", ")
        return {"control": "choice", "options": [_option(text.strip("'")) for text in options]}
    if whole is not None:
        return _whole_slider(name, int(whole[1]), int(whole[2] or _MOST))
    if name in _MAKES_SENSE:
        return _slider(*_MAKES_SENSE[name], whole=False, log=True)
    if isinstance(default, bool) or not isinstance(default, (int, float)):
        return {}
    return _number_slider(float(default), check)


def _whole_slider(name: str, low: int, high: int) -> dict[str, Any]:
    sensible = _MAKES_SENSE.get(name, (low,))[0]
    return _slider(max(low, sensible), min(high, _MOST), whole=True)


def _number_slider(default: float, check: Constraint) -> dict[str, Any]:
    if check.rule == "positive":
        size = default or 1.0
        return _slider(size / _RANGE, size * _RANGE, log=True)
    if check.rule == "non-negative":
        return _slider(0.0, max(4.0, 4 * default))
    low, high = max(check.low, -4.0), min(check.high, 4.0)
    if math.isfinite(check.low):
        low = check.low + (high - check.low) / 100
    return _slider(low, high)


def _slider(low: float, high: float, *, whole: bool = False, log: bool = False) -> dict[str, Any]:
    return {"control": "slider", "low": low, "high": high, "whole": whole, "log": log}


def _option(text: str) -> Any:
    return int(text) if text.lstrip("-").isdigit() else text
