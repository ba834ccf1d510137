"""The nearest and the farthest of many samples, from one tile of kernel values after another."""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled


@compiled
def update(tile, left, right, column, skip, distances, neighbors):
    """Insert the samples of a tile into every row's sorted list of squared distances.

    d² = left + right − 2k. Of equal distances the one that came first stays first. ``skip[i]`` is
    a column to leave out.
    """
    k = distances.shape[1]
    for i in range(tile.shape[0]):
        row, best, where = tile[i], distances[i], neighbors[i]
        worst = best[k - 1]
        for j in range(row.size):
            d = (left[i] + right[j]) - 2.0 * row[j]
            if d < worst:
                if column + j == skip[i]:
                    continue
                at = k - 1
                while at > 0 and best[at - 1] > d:
                    best[at] = best[at - 1]
                    where[at] = where[at - 1]
                    at -= 1
                best[at] = d
                where[at] = column + j
                worst = best[k - 1]


@compiled
def farthest(tile, offset, factor, best):
    """best[i] = max(best[i], max over j of offset[j] − factor·tile[i, j])."""
    values = np.empty(tile.shape[1])
    for i in range(tile.shape[0]):
        row = tile[i]
        for j in range(row.size):
            values[j] = offset[j] - factor * row[j]
        most = best[i]
        for j in range(row.size):
            most = max(most, values[j])
        best[i] = most
