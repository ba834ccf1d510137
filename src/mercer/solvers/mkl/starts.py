"""Descents from several starts, because objectives of weights have several minima.

A step costs n³ operations, and the weights of half of the samples are nearly those of all: so
many samples begin where half of them have ended, with the curvature that was learned on the
way, and need few steps more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import numpy as np

from mercer.execution.blas import serial_blas
from mercer.solvers.mkl.grams import Grams
from mercer.solvers.mkl.learned import (
    Callback,
    Curvature,
    Objective,
    Weights,
    best_penalty,
    descend,
)

_SEVERAL = 500  # samples up to which descents begin at several weights
_PART = 2  # of more samples, one of so many is looked at first
_EQUAL = 0.1  # the part of equal weights in others, of which some may be 0

# the objective of some matrices, or shares to begin with, on samples that are given by position
ObjectiveOf = Callable[[Grams, np.ndarray], Objective]
SharesOf = Callable[[Grams, np.ndarray], list[np.ndarray]]


def descend_from_several(
    objective_of: ObjectiveOf,
    shares_of: SharesOf,
    grams: Grams,
    Y: np.ndarray,
    alpha: float | None,
    callback: Callback | None,
    rows: np.ndarray | None = None,
) -> Weights:
    """The lowest minimum from equal weights and others, computed on few samples first.

    Parameters
    ----------
    objective_of : callable
        Gives the objective of some matrices, on samples that are given by position.
    shares_of : callable
        Gives shares to begin with beside equal ones, likewise.
    grams : Grams
        The matrices.
    Y : ndarray of shape (n, targets)
        The targets.
    alpha : float or None
        The penalty; None to learn it.
    callback : callable or None
        Called with the number of evaluations and the objective; True asks to stop.
    rows : ndarray or None
        The positions of the samples of the matrices; None for all in order.
    """
    if rows is None:
        rows = np.arange(grams.n)
        callback = _lasting(callback)
    few = np.sort(np.random.default_rng(0).permutation(grams.n)[: grams.n // _PART])
    if grams.n <= _SEVERAL or not Y[few].any(axis=0).all():
        return _lowest(objective_of, shares_of, grams, alpha, callback, rows)
    task = objective_of, shares_of, grams.at(few), Y[few], alpha, callback, rows[few]
    with serial_blas() if len(few) <= _SEVERAL else contextlib.nullcontext():
        before = descend_from_several(*task)
    assert before.alpha is not None and before.start is not None
    curvature = before.curvature
    if curvature is not None:  # objectives are sums over samples
        curvature = Curvature(curvature.free, curvature.hessian * (grams.n / len(few)))
    objective = objective_of(grams, rows)
    start = before.shares / before.alpha
    weights = descend(objective, grams, alpha, start, callback, curvature=curvature)
    if objective(before.start)[0] < weights.value:
        weights = descend(objective, grams, alpha, before.start, callback)
    weights.start = before.start
    return weights


def _lowest(
    objective_of: ObjectiveOf,
    shares_of: SharesOf,
    grams: Grams,
    alpha: float | None,
    callback: Callback | None,
    rows: np.ndarray,
) -> Weights:
    """The lowest of the minima that the starts lead to."""
    equal = np.full(len(grams), 1.0 / len(grams))
    shares = [equal]
    if len(grams) > 1:
        others = shares_of(grams, rows)
        shares += [_EQUAL * equal + (1.0 - _EQUAL) * other for other in others]
    objective = objective_of(grams, rows)
    minima = []
    for each in shares:
        merged = objective_of(grams.merged(each), rows)
        total = best_penalty(merged, np.ones(1), alpha)[0]
        minima.append(descend(objective, grams, alpha, each * total, callback))
    best = min(minima, key=lambda weights: weights.value)
    best.start = minima[0].start
    return best


def _lasting(callback: Callback | None) -> Callback | None:
    """A callback that goes on to ask to stop once it did, for several descents."""
    if callback is None:
        return None
    stopped = False

    def ask(steps: int, value: float) -> bool:
        nonlocal stopped
        stopped = stopped or bool(callback(steps, value))
        return stopped

    return ask
