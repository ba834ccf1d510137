"""Coordinate descent on weights of which many become zero: ‖w‖₁ + Σ c max(0, 1 − y⟨w, x⟩)².

A step is Newton's along one weight, halved until the objective falls enough. Weights that stay at
zero are left out of further rounds until all others are solved.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled
from mercer._compiled.margin.linear import shuffle


@compiled
def _derivatives(data, rows, start, stop, target, penalty, rest):
    """Slope and curvature of the loss along a weight; ``rest`` is 1 − y⟨w, x⟩ of each sample."""
    slope, curvature = 0.0, 0.0
    for p in range(start, stop):
        i = rows[p]
        if rest[i] > 0.0:
            signed = data[p] * target[i]
            slope -= penalty[i] * signed * rest[i]
            curvature += penalty[i] * signed * signed
    return 2.0 * slope, max(2.0 * curvature, 1e-12)


@compiled
def _growth(data, rows, start, stop, target, penalty, rest, move):
    """What the loss grows by if a weight moves."""
    growth = 0.0
    for p in range(start, stop):
        i = rows[p]
        before = max(rest[i], 0.0)
        after = max(rest[i] - move * data[p] * target[i], 0.0)
        growth += penalty[i] * (after - before) * (after + before)
    return growth


@compiled
def _newton(weight, slope, curvature):
    """The step that minimizes the quadratic model of the loss with the absolute value."""
    if slope + 1.0 < curvature * weight:
        return -(slope + 1.0) / curvature
    if slope - 1.0 > curvature * weight:
        return -(slope - 1.0) / curvature
    return -weight


@compiled
def _violation(weight, slope):
    """How far a weight is from its optimum, as a slope of the objective."""
    if weight > 0.0:
        return abs(slope + 1.0)
    if weight < 0.0:
        return abs(slope - 1.0)
    return max(abs(slope) - 1.0, 0.0)


@compiled
def _descend(data, rows, start, stop, target, penalty, rest, weight, slope, curvature):
    """Move one weight, and return its new value."""
    move = _newton(weight, slope, curvature)
    promise = abs(weight + move) - abs(weight) + slope * move
    for _ in range(20):
        growth = _growth(data, rows, start, stop, target, penalty, rest, move)
        if abs(weight + move) - abs(weight) + growth <= 0.01 * promise:
            for p in range(start, stop):
                rest[rows[p]] -= move * data[p] * target[rows[p]]
            return weight + move
        move *= 0.5
        promise *= 0.5
    return weight


@compiled
def descend_columns(data, rows, starts, target, penalty, first, tol, most, seed, rest, w):
    """Rounds over columns in CSC form: how many, whether that was enough, the first violation."""
    d = len(w)
    order = np.arange(d)
    active, margin = d, np.inf
    for done in range(most):
        seed = shuffle(order, active, seed)
        total, worst, k = 0.0, 0.0, 0
        while k < active:
            j = order[k]
            start, stop = starts[j], starts[j + 1]
            slope, curvature = _derivatives(data, rows, start, stop, target, penalty, rest)
            if w[j] == 0.0 and abs(slope) < 1.0 - margin:
                active -= 1
                order[k], order[active] = order[active], order[k]
                continue
            k += 1
            violation = _violation(w[j], slope)
            total += violation
            worst = max(worst, violation)
            if violation > 0.0:
                w[j] = _descend(
                    data, rows, start, stop, target, penalty, rest, w[j], slope, curvature
                )
        if first < 0.0:
            first = total
        margin = worst / len(target)
        if total <= tol * first:
            if active == d:
                return done + 1, True, first
            active, margin = d, np.inf
    return most, False, first
