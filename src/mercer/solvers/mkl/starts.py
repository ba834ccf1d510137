"""Descents from several starts, because objectives of weights have several minima."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.solvers.mkl.alignment import alignment
from mercer.solvers.mkl.grams import Grams
from mercer.solvers.mkl.learned import Callback, Objective, Weights, best_penalty, descend

_SEVERAL = 1000  # samples up to which descents begin at several weights
_EQUAL = 0.1  # the part of equal weights in others, of which some may be 0


def descend_from_several(
    objective_of: Callable[[Grams], Objective],
    grams: Grams,
    Y: np.ndarray,
    alpha: float | None,
    callback: Callback | None,
    further: Callable[[], np.ndarray] | None = None,
) -> Weights:
    """The lowest minimum from equal weights and, of few samples, from those by alignment.

    Parameters
    ----------
    objective_of : callable
        Gives the objective of some matrices.
    grams : Grams
        The matrices.
    Y : ndarray of shape (n, targets)
        The targets.
    alpha : float or None
        The penalty; None to learn it.
    callback : callable or None
        Called with the number of evaluations and the objective; True asks to stop.
    further : callable or None
        Gives shares to begin with as well.
    """
    equal = np.full(len(grams), 1.0 / len(grams))
    shares = [equal]
    if len(grams) > 1 and grams.n <= _SEVERAL:
        others = [alignment(grams, Y).shares]
        if further is not None:
            others.append(further())
        shares += [_EQUAL * equal + (1.0 - _EQUAL) * other for other in others]
    objective = objective_of(grams)
    found, first = [], None
    for each in shares:
        total = best_penalty(objective_of(grams.merged(each)), np.ones(1), alpha)[0]
        first = equal * total if first is None else first
        found.append(descend(objective, grams, alpha, each * total, callback))
    best = min(found, key=lambda weights: weights.value)
    best.start = first
    return best
