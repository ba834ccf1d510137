"""Coordinate descent for several classes at once, after Crammer and Singer.

    minimize  ½ Σ_m ‖w_m‖² + Σ_i Σ_m [m ≠ y_i] α_im   where  w_m = Σ_i α_im x_i,
    Σ_m α_im = 0 and α_im ≤ c_i [m = y_i].

A step minimizes over all coefficients of one sample, which sorting solves exactly.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled
from mercer._compiled.margin.linear import shuffle


@compiled
def _violation(slopes, coefficients, label, limit):
    """By how much the largest slope exceeds the smallest one that could be followed."""
    high, low = -np.inf, np.inf
    for m in range(len(slopes)):
        high = max(high, slopes[m])
        if coefficients[m] < (limit if m == label else 0.0):
            low = min(low, slopes[m])
    return high - low


@compiled
def _threshold(linear, label, room, falling):
    """The multiplier of Σ α = 0; ``room`` is the bound of the sample's own class, times ‖x‖²."""
    for m in range(len(linear)):  # into falling order, by insertion: classes are few
        value, k = linear[m], m
        if m == label:
            value += room
        while k > 0 and falling[k - 1] < value:
            falling[k] = falling[k - 1]
            k -= 1
        falling[k] = value
    total, count = falling[0] - room, 1
    while count < len(linear) and total < count * falling[count]:
        total += falling[count]
        count += 1
    return total / count


@compiled
def descend_classes(data, columns, starts, square, label, limit, tol, most, seed, alpha, w):
    """Rounds over rows in CSR form; returns how many, and whether the tolerance was reached."""
    n, count = alpha.shape
    order = np.arange(n)
    slopes, falling = np.empty(count), np.empty(count)
    moves, moved = np.empty(count), np.empty(count, np.int64)
    for done in range(most):
        seed = shuffle(order, n, seed)
        worst = 0.0
        for i in order:
            slopes[:] = 1.0
            slopes[label[i]] = 0.0
            for p in range(starts[i], starts[i + 1]):
                of_column, x = w[columns[p]], data[p]
                for m in range(count):
                    slopes[m] += of_column[m] * x
            violation = _violation(slopes, alpha[i], label[i], limit[i])
            if violation <= 1e-12 or square[i] == 0.0:
                continue
            worst = max(worst, violation)
            for m in range(count):
                slopes[m] -= square[i] * alpha[i, m]
            threshold = _threshold(slopes, label[i], square[i] * limit[i], falling)
            few = 0
            for m in range(count):
                bound = limit[i] if m == label[i] else 0.0
                after = min(bound, (threshold - slopes[m]) / square[i])
                if after != alpha[i, m]:
                    moves[few], moved[few] = after - alpha[i, m], m
                    alpha[i, m] = after
                    few += 1
            for p in range(starts[i], starts[i + 1]):
                of_column, x = w[columns[p]], data[p]
                for k in range(few):
                    of_column[moved[k]] += moves[k] * x
        if worst <= tol:
            return done + 1, True
    return most, False
