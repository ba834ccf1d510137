"""Descent on the logarithms of weights, and what all ways to learn weights return."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mercer.execution.cancel import check_stop
from mercer.linalg.solution import Solution
from mercer.solvers.gp.descent import Descent, bfgs
from mercer.solvers.mkl.grams import Grams

_NOTHING = 1e-6  # the largest eigenvalue, in units of the penalty, of a matrix without effect
_MOST = 1e8  # the largest weight, in units of the penalty
_LEVEL = 1e-9  # relative change of an objective that is none
_ROUNDS = 4  # descents after which matrices come back, or are dropped
_BACK = 1e-2  # the share with which a matrix comes back that was dropped too early
_ENOUGH = 1e-6  # a relative decrease by several steps together that ends a descent

# the value and the gradient of an objective at weights in units of the penalty
Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]
Callback = Callable[[int, float], bool]  # of (steps, objective); True asks to stop


@dataclasses.dataclass
class Weights(Solution):
    """Weights of Gram matrices.

    Parameters
    ----------
    shares : ndarray of shape (m,)
        Weights >= 0 of the matrices divided by the means of their diagonals; their sum is 1.
    scale : ndarray of shape (m,)
        The means of the diagonals.
    alpha : float or None
        The penalty that was learned with them; None where the method knows of none.
    value : float
        The objective.
    path : ndarray of shape (steps, m)
        The shares after every step.
    values : ndarray of shape (steps,)
        The objective after every step.
    start : ndarray of shape (m,) or None
        Where a descent began, in units of the penalty; None for a method without steps.
    curvature : Curvature or None
        What a descent has learned of second derivatives.
    """

    shares: np.ndarray
    scale: np.ndarray
    alpha: float | None
    value: float
    path: np.ndarray
    values: np.ndarray
    start: np.ndarray | None = None
    curvature: Curvature | None = None

    @property
    def weights(self) -> np.ndarray:
        """The weights of the matrices as they were given."""
        return self.shares / self.scale


def at_once(grams: Grams, shares: np.ndarray, value: float) -> Weights:
    """The result of a method without steps."""
    shares = shares / shares.sum()
    return Weights(shares, grams.scale, None, value, shares[None], np.array([value]))


class Curvature(NamedTuple):
    """Second derivatives in the logarithms of some weights."""

    free: np.ndarray
    hessian: np.ndarray

    def among(self, some: np.ndarray) -> np.ndarray:
        """The second derivatives for other weights; unknown ones get the mean of the known."""
        known = np.isin(some, self.free)
        hessian = float(self.hessian.diagonal().mean()) * np.eye(len(some))
        at = np.searchsorted(self.free, some[known])
        hessian[np.ix_(known, known)] = self.hessian[np.ix_(at, at)]
        return hessian


class Point(NamedTuple):
    """Weights, the objective there, and its gradient."""

    weights: np.ndarray
    value: float
    gradient: np.ndarray


class Trace:
    """An objective that remembers where it was lowest, step by step."""

    def __init__(self, objective: Objective, callback: Callback | None) -> None:
        self.objective, self.callback = objective, callback
        self.steps: list[Point] = []
        self.evaluations, self.stopped = 0, False

    def __call__(self, weights: np.ndarray) -> Point:
        check_stop()
        if self.stopped:  # nothing is lower: the descent ends
            return Point(weights, np.inf, np.zeros(len(weights)))
        point = Point(weights, *self.objective(weights))
        self.evaluations += 1
        if not self.steps or point.value < self.steps[-1].value:
            self.steps.append(point)
        if self.callback is not None:
            self.stopped = bool(self.callback(self.evaluations, point.value))
        return point


def best_penalty(objective: Objective, shares: np.ndarray, alpha: float | None) -> np.ndarray:
    """Weights in units of the penalty: the given shares, with the best penalty unless one is."""
    if alpha is not None:
        return shares / alpha

    def along(u: np.ndarray) -> tuple[float, np.ndarray]:
        weights = shares * np.exp(u[0])
        value, gradient = objective(weights)
        return value, np.array([gradient @ weights])

    bounds = np.log([[1e-6, _MOST]])
    return shares * np.exp(bfgs(along, np.zeros(1), bounds, 50).x[0])


def descend(
    objective: Objective,
    grams: Grams,
    alpha: float | None,
    start: np.ndarray,
    callback: Callback | None = None,
    max_iter: int = 200,
    curvature: Curvature | None = None,
) -> Weights:
    """Minimize an objective of weights in units of the penalty.

    Parameters
    ----------
    objective : callable
        Gives its value and its gradient.
    grams : Grams
        The matrices.
    alpha : float or None
        The penalty; None to learn it with the weights.
    start : ndarray of shape (m,)
        Weights in units of the penalty to begin with.
    callback : callable or None
        Called with the number of evaluations and the objective; True asks to stop.
    max_iter : int, default=200
        Steps at most.
    curvature : Curvature or None
        What is known of second derivatives at the start.
    """
    total = None if alpha is None else 1.0 / alpha
    trace = Trace(objective, callback)
    weights, iterations = start, 0
    for _ in range(_ROUNDS):
        free, steps = np.flatnonzero(weights), len(trace.steps)
        known = None if curvature is None else curvature.among(free)
        left = max_iter - iterations
        minimum = _descend_some(trace, weights, free, total, grams.n, left, known)
        iterations += minimum.iterations
        curvature = None if minimum.hessian is None else Curvature(free, minimum.hessian)
        if len(trace.steps) == steps:  # what came back has lowered nothing
            break
        point = _without_idle(trace, total, grams.n)
        weights = point.weights
        back = _wanted(point, total)
        if trace.stopped or not back.any() or iterations >= max_iter:
            break
        least = _BACK * weights[weights > 0].min()
        weights = _with_sum(np.where(back, least, weights), total)
    path = np.array([step.weights for step in trace.steps])
    penalty = 1.0 / float(point.weights.sum())
    return Weights(
        point.weights * penalty,
        grams.scale,
        penalty,
        point.value,
        path / path.sum(axis=1, keepdims=True),
        np.array([step.value for step in trace.steps]),
        start,
        curvature,
        iterations=iterations,
        converged=minimum.converged and not trace.stopped,
        reason="stopped by a callback" if trace.stopped else minimum.reason,
    )


def _with_sum(weights: np.ndarray, total: float | None) -> np.ndarray:
    """Weights of the given sum, where one is given."""
    return weights if total is None else weights * (total / weights.sum())


def _descend_some(
    objective: Trace,
    start: np.ndarray,
    free: np.ndarray,
    total: float | None,
    n: int,
    max_iter: int,
    hessian: np.ndarray | None,
) -> Descent:
    """Minimize over the logarithms of some weights; their sum is kept where it is given."""

    def of_logarithms(u: np.ndarray) -> tuple[float, np.ndarray]:
        weights = np.zeros(len(start))
        weights[free] = np.exp(u)
        point = objective(_with_sum(weights, total))
        return point.value, (point.weights * _reduced(point, total))[free]

    bounds = np.tile(np.log([_NOTHING / n, _MOST]), (len(free), 1))
    return bfgs(of_logarithms, np.log(start[free]), bounds, max_iter, _ENOUGH, hessian)


def _reduced(point: Point, total: float | None) -> np.ndarray:
    """The gradient where the sum of the weights is kept."""
    if total is None:
        return point.gradient
    return point.gradient - float(point.weights @ point.gradient) / total


def _without_idle(objective: Trace, total: float | None, n: int) -> Point:
    """The lowest point, with weights of 0 in the place of those that serve nothing.

    A logarithm never arrives at the weight 0: it is tried where the slope leads there.
    """
    lowest = objective.steps[-1]
    weights = lowest.weights
    downwards = _reduced(lowest, total) > 0
    for most in (_BACK * weights.sum(), 10 * _NOTHING / n):
        idle = downwards & (weights <= most) & (weights > 0)
        if not idle.any() or not weights[~idle].any():
            continue  # a penalty beyond all weights leaves them as they are
        fewer = objective(_with_sum(np.where(idle, 0.0, weights), total))
        if fewer.value <= lowest.value + _LEVEL * max(1.0, abs(lowest.value)):
            return fewer
    return lowest


def _wanted(point: Point, total: float | None) -> np.ndarray:
    """Matrices of weight 0 that would lower the objective."""
    gain = -_reduced(point, total) * _BACK * point.weights.sum()
    return (point.weights == 0) & (gain > 1e-5 * max(1.0, abs(point.value)))
