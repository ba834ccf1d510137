"""Descent on the logarithms of weights, and what all ways to learn weights return."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

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
_LAST = 4  # steps that together have to lower the objective by more than the following, relatively
_ENOUGH = 1e-6

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
    """

    shares: np.ndarray
    scale: np.ndarray
    alpha: float | None
    value: float
    path: np.ndarray
    values: np.ndarray
    start: np.ndarray | None = None

    @property
    def weights(self) -> np.ndarray:
        """The weights of the matrices as they were given."""
        return self.shares / self.scale


def at_once(grams: Grams, shares: np.ndarray, value: float) -> Weights:
    """The result of a method without steps."""
    shares = shares / shares.sum()
    return Weights(shares, grams.scale, None, value, shares[None], np.array([value]))


class _EnoughError(Exception):
    """Raised inside a descent whose last steps changed too little to matter."""


class Trace:
    """An objective that remembers where it was lowest, step by step, and says when to stop."""

    def __init__(self, objective: Objective, callback: Callback | None) -> None:
        self.objective, self.callback = objective, callback
        self.steps: list[tuple[np.ndarray, float]] = []
        self.evaluations, self.stopped = 0, False
        self.begun = 0  # the number of steps before the present descent

    def __call__(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        check_stop()
        if self.stopped:  # nothing is lower: the descent ends
            return np.inf, np.zeros(len(weights))
        value, gradient = self.objective(weights)
        self.evaluations += 1
        if not self.steps or value < self.steps[-1][1]:
            self.steps.append((weights, value))
        if self.callback is not None:
            self.stopped = bool(self.callback(self.evaluations, value))
        self._check_progress()
        return value, gradient

    def _check_progress(self) -> None:
        if len(self.steps) - self.begun <= _LAST:
            return
        value = self.steps[-1][1]
        if self.steps[-1 - _LAST][1] - value < _ENOUGH * max(1.0, abs(value)):
            raise _EnoughError


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
) -> Weights:
    """Minimise an objective of weights in units of the penalty.

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
    """
    total = None if alpha is None else 1.0 / alpha
    trace = Trace(objective, callback)
    weights, value = start, np.inf
    iterations, converged, reason = 0, True, ""
    for _ in range(_ROUNDS):
        free = np.flatnonzero(weights)
        found = _descend_some(trace, weights, free, total, grams.n, max_iter - iterations)
        iterations += found.iterations
        converged, reason, weights = found.converged, found.reason, found.x
        weights, value, gradient = _without_idle(trace, weights, total, grams.n)
        back = _wanted(weights, value, gradient, total)
        if trace.stopped or not back.any() or iterations >= max_iter:
            break
        weights = np.where(back, _BACK * weights.sum(), weights)
        if total is not None:
            weights *= total / weights.sum()
    path = np.array([step for step, _ in trace.steps])
    path /= path.sum(axis=1, keepdims=True)
    values = np.array([step for _, step in trace.steps])
    penalty = 1.0 / float(weights.sum())
    return Weights(
        weights * penalty,
        grams.scale,
        penalty,
        value,
        path,
        values,
        start,
        iterations=iterations,
        converged=converged and not trace.stopped,
        reason="stopped by a callback" if trace.stopped else reason,
    )


def _descend_some(
    objective: Trace,
    start: np.ndarray,
    free: np.ndarray,
    total: float | None,
    n: int,
    max_iter: int,
) -> Descent:
    """Minimise over the logarithms of some weights; their sum is kept where it is given."""

    def weights_at(u: np.ndarray) -> np.ndarray:
        weights = np.zeros(len(start))
        weights[free] = np.exp(u)
        if total is not None:
            weights *= total / weights.sum()
        return weights

    def of_logarithms(u: np.ndarray) -> tuple[float, np.ndarray]:
        weights = weights_at(u)
        value, gradient = objective(weights)
        return value, (weights * _reduced(gradient, weights, total))[free]

    bounds = np.tile(np.log([_NOTHING / n, _MOST]), (len(free), 1))
    objective.begun = len(objective.steps)
    try:
        found = bfgs(of_logarithms, np.log(start[free]), bounds, max_iter)
    except _EnoughError:
        steps = len(objective.steps) - objective.begun
        return Descent(*objective.steps[-1], iterations=steps, reason="the value changes no more")
    return dataclasses.replace(found, x=weights_at(found.x))


def _reduced(gradient: np.ndarray, weights: np.ndarray, total: float | None) -> np.ndarray:
    """The gradient where the sum of the weights is kept."""
    if total is None:
        return gradient
    return gradient - float(weights @ gradient) / total


def _without_idle(
    objective: Trace, weights: np.ndarray, total: float | None, n: int
) -> tuple[np.ndarray, float, np.ndarray]:
    """Set weights to 0 that serve nothing; the weights, the objective and its gradient.

    A logarithm never arrives at the weight 0: it is tried where the slope leads there.
    """
    objective.begun = len(objective.steps)
    value, gradient = objective(weights)
    downwards = _reduced(gradient, weights, total) > 0
    for most in (_BACK * weights.sum(), 10 * _NOTHING / n):
        idle = downwards & (weights <= most) & (weights > 0)
        if (
            not idle.any() or not weights[~idle].any()
        ):  # a penalty beyond all weights leaves them as they are
            continue
        fewer = np.where(idle, 0.0, weights)
        if total is not None:
            fewer *= total / fewer.sum()
        lower, slope = objective(fewer)
        if lower <= value + _LEVEL * max(1.0, abs(value)):
            return fewer, lower, slope
    return weights, value, gradient


def _wanted(
    weights: np.ndarray, value: float, gradient: np.ndarray, total: float | None
) -> np.ndarray:
    """Matrices of weight 0 that would lower the objective."""
    gain = -_reduced(gradient, weights, total) * _BACK * weights.sum()
    return (weights == 0) & (gain > 1e-5 * max(1.0, abs(value)))
