"""Descent of a function of few parameters within bounds: BFGS whose steps are kept short.

An evaluation of an evidence costs a factorisation, a parameter is one number: the whole matrix of second derivatives can be
remembered, and fewer evaluations pay for it. Long first steps may throw a length scale to where the likelihood is flat and nothing
brings it back: so no parameter, being a logarithm, moves by more than ``LONGEST`` at a time. What is learned of the curvature
on the way is kept, which a new descent inside moving bounds would forget.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable

import numpy as np

LONGEST = 2.0
_FLAT, _SMALL = (
    1e-5,
    2.2e-9,
)  # slopes, and relative gains, that end the descent: those of SciPy's L-BFGS-B
_SHRINK = 0.1  # of the curvature, at most, in one step
_NOISE = 1e-6  # a relative gain promised that rounding may hide
_ENOUGH = 1e-4  # of the gain that the slope promises


@dataclasses.dataclass
class Descent:
    """Where a descent ended, and whether that is a minimum."""

    x: np.ndarray
    value: float
    converged: bool
    message: str


def bfgs(
    function: Callable[[np.ndarray], tuple[float, np.ndarray]],
    start: np.ndarray,
    bounds: np.ndarray,
    most: int = 1000,
) -> Descent:
    """``function`` gives a value, which may be infinite, and the slope; ``bounds`` has a lower and an upper one in each row."""
    low, high = bounds[:, 0], bounds[:, 1]
    x = np.clip(start, low, high)
    value, slope = function(x)
    if not np.isfinite(value):
        return Descent(x, value, False, "the value at the start is not finite")
    curvature: np.ndarray | None = None  # nothing is known yet
    for _ in range(most):
        if np.abs(np.clip(x - slope, low, high) - x).max(initial=0.0) <= _FLAT:
            return Descent(x, value, True, "the slope is flat")
        step = _direction(x, slope, low, high, curvature)
        found = _search(function, x, value, slope, step, low, high)
        if found is None and curvature is not None:
            if -float(slope @ step) <= _NOISE * max(abs(value), 1.0):
                return Descent(x, value, True, "the value changes by rounding only")
            curvature = None  # forget it, and try the slope itself
            continue
        if found is None:
            return Descent(x, value, False, "no step along the slope leads down")
        new, new_value, new_slope = found
        curvature = _update(curvature, new - x, new_slope - slope, slope)
        size = max(abs(value), abs(new_value), 1.0)
        gain, promised = (value - new_value) / size, -float(slope @ step) / size
        x, value, slope = new, new_value, new_slope
        if gain <= _SMALL:  # which proves nothing where the slope promised much more
            return Descent(x, value, promised <= _NOISE, "the value changes no more")
    return Descent(x, value, False, f"{most} steps were not enough")


def _direction(
    x: np.ndarray,
    slope: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    curvature: np.ndarray | None,
) -> np.ndarray:
    """Newton's step of the parameters that no bound holds, or one of length 1 down the slope."""
    free = ~(((x <= low) & (slope > 0)) | ((x >= high) & (slope < 0)))
    step = np.zeros(len(x))
    step[free] = -slope[free] / max(1.0, float(np.linalg.norm(slope[free])))
    if curvature is not None:
        with contextlib.suppress(np.linalg.LinAlgError):  # then the slope must do
            step[free] = -np.linalg.solve(curvature[np.ix_(free, free)], slope[free])
    return step * min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))


def _search(
    function: Callable[[np.ndarray], tuple[float, np.ndarray]],
    x: np.ndarray,
    value: float,
    slope: np.ndarray,
    step: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """The first point on the way, bent at the bounds, that is low enough; each try is where a parabola is lowest."""
    for _ in range(20):
        new = np.clip(x + step, low, high)
        promised = float(slope @ (new - x))
        if not promised < 0:  # the bounds have turned the step around, or nothing is left of it
            return None
        new_value, new_slope = function(new)
        if new_value <= value + _ENOUGH * promised:
            return new, new_value, new_slope
        bend = new_value - value - promised
        step = step * (min(0.5, max(0.1, -promised / (2 * bend))) if np.isfinite(bend) else 0.1)
    return None


def _update(
    curvature: np.ndarray | None, moved: np.ndarray, change: np.ndarray, slope: np.ndarray
) -> np.ndarray:
    """Second derivatives that explain the change of the slope; positive definite by Powell's damping.

    Where they turn out smaller than was thought, all others are made smaller in proportion (self-scaling): valleys of an evidence
    become flat in every direction at once, and what came from steeper places would stop the descent too early.
    """
    along = float(moved @ change)
    if curvature is None:
        size = (
            change @ change / along if along > 0 else np.linalg.norm(slope) / np.linalg.norm(moved)
        )
        curvature = max(float(size), 1e-8) * np.eye(len(moved))
    seen = curvature @ moved
    old = float(moved @ seen)
    scale = min(1.0, max(along / old, _SHRINK)) if along > 0 else 1.0
    share = 1.0 if along >= 0.2 * old else 0.8 * old / (old - along)
    change = share * change + (1.0 - share) * seen
    return scale * (curvature - np.outer(seen, seen) / old) + np.outer(change, change) / float(
        moved @ change
    )
