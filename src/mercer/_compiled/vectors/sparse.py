"""Products of rows in CSR form.

The columns of a tile come as a *panel*: the same rows turned feature by feature, with only the
features that occur. ``lookup`` (one entry per feature, zero when idle) leads from a feature to its
place in the panel.
"""

from __future__ import annotations

from mercer._compiled import compiled


@compiled
def dot_tile(indptr, indices, data, i0, i1, features, starts, rows, values, lookup, out):
    """out[i − i0, j] = ⟨x_i, y_j⟩, features in ascending order."""
    for p in range(features.size):
        lookup[features[p]] = p + 1
    for i in range(i0, i1):
        row = out[i - i0]
        row[:] = 0.0
        for q in range(indptr[i], indptr[i + 1]):
            p = lookup[indices[q]]
            if p > 0:
                v = data[q]
                for e in range(starts[p - 1], starts[p]):
                    row[rows[e]] += v * values[e]
    lookup[features] = 0


@compiled
def minima_tile(indptr, indices, data, i0, i1, features, starts, rows, values, lookup, out):
    """out[i − i0, j] = Σ min(x_if, y_jf) of numbers that are not negative, in the same order."""
    for p in range(features.size):
        lookup[features[p]] = p + 1
    for i in range(i0, i1):
        row = out[i - i0]
        row[:] = 0.0
        for q in range(indptr[i], indptr[i + 1]):
            p = lookup[indices[q]]
            if p > 0:
                v = data[q]
                for e in range(starts[p - 1], starts[p]):
                    row[rows[e]] += min(v, values[e])
    lookup[features] = 0


@compiled
def row_dots(indptr, data, weighted, out):
    """out[i] = Σ data · weighted over row i, in the order of `dot_tile`."""
    for i in range(out.size):
        total = 0.0
        for q in range(indptr[i], indptr[i + 1]):
            total += data[q] * weighted[q]
        out[i] = total


@compiled
def _merge(ap, ai, av, i, bp, bi, bv, j, weights):
    """One squared distance by walking two sorted rows."""
    p, q = ap[i], bp[j]
    total = 0.0
    while p < ap[i + 1] or q < bp[j + 1]:
        if q >= bp[j + 1] or (p < ap[i + 1] and ai[p] < bi[q]):
            t, f = av[p], ai[p]
            p += 1
        elif p >= ap[i + 1] or bi[q] < ai[p]:
            t, f = bv[q], bi[q]
            q += 1
        else:
            t, f = av[p] - bv[q], ai[p]
            p += 1
            q += 1
        total += t * t * weights[f]
    return total


@compiled
def repair_sqdist(tile, nx, ny, limit, ap, ai, av, i0, bp, bi, bv, j0, weights):
    """Recompute directly the squared distances that lost too much to cancellation."""
    m, n = tile.shape
    for i in range(m):
        for j in range(n):
            if not tile[i, j] >= limit * (nx[i] + ny[j]):
                tile[i, j] = _merge(ap, ai, av, i0 + i, bp, bi, bv, j0 + j, weights)
