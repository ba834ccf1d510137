"""Minimization of a function of few parameters within bounds: BFGS whose steps are kept short.

An evaluation of an evidence costs a factorization, while there are few hyperparameters: the whole
Hessian matrix can be remembered, and fewer evaluations pay for it. Long first steps may throw a
length scale to where the likelihood is flat, and nothing brings it back: so no parameter, being a
logarithm, moves by more than ``MAX_STEP`` at a time. What is learned of the curvature on the way is
kept, which a new descent inside moving bounds would forget.

References
----------
Nocedal and Wright, Numerical Optimization, 2006, chapters 3, 6 and 18.3 (Powell's damping).
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mercer.linalg.solution import Solution

MAX_STEP = 2.0
_FLAT = 1e-5  # a gradient that ends the descent, as in SciPy's L-BFGS-B
_SMALL = 2.2e-9  # a relative decrease that ends it, as in SciPy's L-BFGS-B
_SHRINK = 0.1  # the least factor by which a Hessian is scaled in one step
_ROUNDING = 1e-6  # a relative decrease predicted that rounding errors may hide
_SUFFICIENT = 1e-4  # the share of the predicted decrease that a step must reach (Armijo)
_LAST = 4  # steps that are looked at for whether they lower the value enough

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclasses.dataclass
class Descent(Solution):
    """Where a descent ended, whether that is a minimum, and what was learned of the curvature."""

    x: np.ndarray
    value: float
    hessian: np.ndarray | None = None


class _Point(NamedTuple):
    """Parameters, the objective there, and its gradient."""

    x: np.ndarray
    value: float
    gradient: np.ndarray


def bfgs(
    objective: Objective,
    start: np.ndarray,
    bounds: np.ndarray,
    max_iter: int = 1000,
    enough: float = 0.0,
    hessian: np.ndarray | None = None,
) -> Descent:
    """Minimize a function by the quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno.

    Parameters
    ----------
    objective : callable
        Gives a value, which may be infinite, and the gradient.
    start : ndarray of shape (n_parameters,)
        Where to begin; it is moved into the bounds.
    bounds : ndarray of shape (n_parameters, 2)
        The least and the largest value of each parameter.
    max_iter : int, default=1000
        Steps at most.
    enough : float, default=0.0
        The relative decrease that the last four steps together have to exceed.
    hessian : ndarray of shape (n_parameters, n_parameters) or None
        Second derivatives to begin with, where something is known of them.
    """
    x = np.clip(start, *bounds.T)
    point = _Point(x, *objective(x))
    if not np.isfinite(point.value):
        return _failed(point, 0, "the value at the start is not finite")
    values = [point.value]
    for iterations in range(max_iter):
        if np.abs(np.clip(point.x - point.gradient, *bounds.T) - point.x).max(initial=0.0) <= _FLAT:
            return _ended(point, hessian, iterations, "the slope is flat")
        direction = _direction(point, bounds, hessian)
        predicted = -float(point.gradient @ direction)
        new = _search(objective, point, direction, bounds)
        if new is None and hessian is None:
            return _failed(point, iterations, "no step along the slope leads down")
        if new is None:
            if predicted <= _ROUNDING * max(abs(point.value), 1.0):
                reason = "the value changes by rounding errors only"
                return _ended(point, hessian, iterations, reason)
            hessian = None  # forget it, and try the gradient itself
            continue
        hessian = _update(hessian, point, new)
        size = max(abs(point.value), abs(new.value), 1.0)
        decrease = (point.value - new.value) / size
        point = new
        if decrease <= _SMALL:
            # which proves nothing where the gradient promised much more
            converged = predicted / size <= _ROUNDING
            return _ended(point, hessian, iterations + 1, "the value changes no more", converged)
        values.append(point.value)
        if values[-1 - _LAST :][0] - point.value < enough * size and len(values) > _LAST:
            return _ended(point, hessian, iterations + 1, "the value changes no more")
    return _failed(point, max_iter, f"{max_iter} steps were not enough")


def _ended(
    point: _Point, hessian: np.ndarray | None, iterations: int, reason: str, converged: bool = True
) -> Descent:
    return Descent(*point[:2], hessian, converged=converged, iterations=iterations, reason=reason)


def _failed(point: _Point, iterations: int, reason: str) -> Descent:
    return Descent(*point[:2], iterations=iterations, converged=False, reason=reason)


def _direction(point: _Point, bounds: np.ndarray, hessian: np.ndarray | None) -> np.ndarray:
    """Newton's step of the free parameters, or one of length 1 along the negative gradient."""
    low, high = bounds.T
    held_low = (point.x <= low) & (point.gradient > 0)
    held_high = (point.x >= high) & (point.gradient < 0)
    free = ~(held_low | held_high)
    gradient = point.gradient[free]
    step = np.zeros(len(point.x))
    step[free] = -gradient / max(1.0, float(np.linalg.norm(gradient)))
    if hessian is not None:
        with contextlib.suppress(np.linalg.LinAlgError):  # the gradient serves then
            step[free] = -np.linalg.solve(hessian[np.ix_(free, free)], gradient)
    return step * min(1.0, MAX_STEP / max(float(np.abs(step).max()), 1e-300))


def _search(
    objective: Objective, point: _Point, direction: np.ndarray, bounds: np.ndarray
) -> _Point | None:
    """The first point along the way, bent at the bounds, with a sufficient decrease.

    Each trial is where a parabola through the values before is lowest.
    """
    for _ in range(20):
        x = np.clip(point.x + direction, *bounds.T)
        predicted = float(point.gradient @ (x - point.x))
        if not predicted < 0:  # the bounds turned the step around, or nothing is left of it
            return None
        new = _Point(x, *objective(x))
        if new.value <= point.value + _SUFFICIENT * predicted:
            return new
        bend = new.value - point.value - predicted
        factor = 0.1
        if np.isfinite(bend):
            factor = min(0.5, max(0.1, -predicted / (2 * bend)))
        direction = direction * factor
    return None


def _update(hessian: np.ndarray | None, old: _Point, new: _Point) -> np.ndarray:
    """The Hessian that explains the change of the gradient; positive definite by Powell's damping.

    Where second derivatives turn out smaller than was thought, all others are made smaller in
    proportion (self-scaling): valleys of an evidence become flat in every direction at once, and
    curvature from steeper places would end the descent too early.
    """
    moved, change = new.x - old.x, new.gradient - old.gradient
    along = float(moved @ change)
    if hessian is None:
        size = np.linalg.norm(old.gradient) / np.linalg.norm(moved)
        if along > 0:
            size = change @ change / along
        hessian = max(float(size), 1e-8) * np.eye(len(moved))
    expected = hessian @ moved
    curvature = float(moved @ expected)
    scale, share = 1.0, 1.0
    if along > 0:
        scale = min(1.0, max(along / curvature, _SHRINK))
    if along < 0.2 * curvature:
        share = 0.8 * curvature / (curvature - along)
    change = share * change + (1.0 - share) * expected
    kept = hessian - np.outer(expected, expected) / curvature
    return scale * kept + np.outer(change, change) / float(moved @ change)
