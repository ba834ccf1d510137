"""An incomplete Cholesky factor of the Gaussian kernel on the line."""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled
from mercer._compiled.elementary import exp


@compiled
def factor(s, weight, sharp, tol, L, pivots, left):
    """Rows of L with LᵀL close to exp(−sharp (s_i − s_j)²); returns the rank.

    It ends when the trace of the remainder, whose diagonal is ``left``, falls to ``tol``; a weight
    counts a number several times in it.
    """
    n = s.size
    left[:] = 1.0
    rank = 0
    while rank < L.shape[0]:
        best, total = 0, 0.0
        for i in range(n):
            total += weight[i] * left[i]
            if left[i] > left[best]:
                best = i
        if total <= tol or left[best] <= 1e-14:
            break
        root = np.sqrt(left[best])
        row = L[rank]
        middle = s[best]
        for i in range(n):
            gap = s[i] - middle
            row[i] = exp(-sharp * gap * gap)
        for j in range(rank):
            share = L[j, best]
            other = L[j]
            for i in range(n):
                row[i] -= share * other[i]
        for i in range(n):
            row[i] /= root
            left[i] = max(0.0, left[i] - row[i] * row[i])
        left[best] = 0.0
        pivots[rank] = best
        rank += 1
    return rank
