"""Coordinate descent for linear support vector machines, whose weights are held explicitly.

    minimize  ½ ‖Σ β_i x_i‖² + ½ Σ r_i β_i² − tᵀβ + ε|β|₁   where  lower ≤ β ≤ upper.

A step minimizes over one coefficient; w = Σ β_i x_i follows. Samples that stay at a bound, or at 0
inside the tube, are left out of further rounds until all others are solved.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled


@compiled
def _best(beta, slope, square, eps, lower, upper):
    """The coefficient that minimizes the objective, all others as they are."""
    z = beta - slope / square
    if z > 0.0:
        z = max(z - eps / square, 0.0)
    else:
        z = min(z + eps / square, 0.0)
    return min(max(z, lower), upper)


@compiled
def _rests(beta, slope, eps, lower, upper, margin):
    """Whether a coefficient is where it is by more than a margin."""
    if beta == 0.0 and lower < 0.0 < upper:
        return abs(slope) < eps - margin
    if beta <= lower:  # the slope upwards is positive; at 0 the tube adds to it
        return slope - eps > margin if lower < 0.0 else slope + eps > margin
    if beta >= upper:
        return slope + eps < -margin if upper > 0.0 else slope - eps < -margin
    return False


@compiled
def shuffle(order, count, seed):
    """Exchange the first entries at random, by a generator of 64 bits; returns its state."""
    for i in range(count - 1, 0, -1):
        seed ^= (seed << np.uint64(13)) & np.uint64(0xFFFFFFFFFFFFFFFF)
        seed ^= seed >> np.uint64(7)
        seed ^= (seed << np.uint64(17)) & np.uint64(0xFFFFFFFFFFFFFFFF)
        j = np.int64(seed % np.uint64(i + 1))
        order[i], order[j] = order[j], order[i]
    return seed


@compiled
def _sparse_product(data, columns, first, last, w):
    """⟨w, x⟩ for the entries of a row in CSR form, in four sums that do not wait for each other."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    p = first
    while p + 3 < last:  # an unsigned index is not looked at for being negative
        a += w[np.uint64(columns[p])] * data[p]
        b += w[np.uint64(columns[p + 1])] * data[p + 1]
        c += w[np.uint64(columns[p + 2])] * data[p + 2]
        d += w[np.uint64(columns[p + 3])] * data[p + 3]
        p += 4
    while p < last:
        a += w[np.uint64(columns[p])] * data[p]
        p += 1
    return (a + b) + (c + d)


@compiled
def _product(rows, columns, starts, i, w):
    """⟨w, x_i⟩; only the branch of this kind of rows is left after compilation."""
    if columns is None:
        x, total = rows[i], 0.0
        for j in range(len(x)):
            total += w[j] * x[j]
        return total
    return _sparse_product(rows[0], columns, starts[i], starts[i + 1], w)


@compiled
def _add(rows, columns, starts, i, move, w):
    """Add a multiple of x_i to w."""
    if columns is None:
        x = rows[i]
        for j in range(len(x)):
            w[j] += move * x[j]
    else:
        data = rows[0]
        for p in range(starts[i], starts[i + 1]):
            w[np.uint64(columns[p])] += move * data[p]


@compiled
def descend(
    rows, columns, starts, square, ridge, target, eps, lower, upper, tol, most, seed, beta, w
):
    """Rounds over all rows; returns how many were made, and whether the tolerance was reached.

    ``square`` is ‖x‖² + r. Columns and starts are None for an array of rows. In CSR form the
    entries are the only row, so that both kinds of rows have two axes.
    """
    n = len(target)
    order = np.arange(n)
    active, margin = n, np.inf
    for done in range(most):
        seed = shuffle(order, active, seed)
        worst, k = 0.0, 0
        while k < active:
            i = order[k]
            slope = _product(rows, columns, starts, i, w) + ridge[i] * beta[i] - target[i]
            if _rests(beta[i], slope, eps, lower[i], upper[i], margin):
                active -= 1
                order[k], order[active] = order[active], order[k]
                continue
            k += 1
            after = _best(beta[i], slope, square[i], eps, lower[i], upper[i])
            move = after - beta[i]
            if move != 0.0:
                beta[i] = after
                worst = max(worst, abs(move) * square[i])
                _add(rows, columns, starts, i, move, w)
        margin = worst
        if worst <= tol:
            if active == n:
                return done + 1, True
            active, margin = n, np.inf
    return most, False


@compiled
def add_products(data, columns, starts, factor, out):
    """Add Σ f_i x_i x_iᵀ to a matrix, for rows in CSR form."""
    for i in range(len(factor)):
        if factor[i] == 0.0:
            continue
        for p in range(starts[i], starts[i + 1]):
            value = factor[i] * data[p]
            for q in range(starts[i], starts[i + 1]):
                out[columns[p], columns[q]] += value * data[q]
