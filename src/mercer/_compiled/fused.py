"""Products with tiles of single or double precision, summed in double precision.

Of several columns four are taken at a time, so that an entry is read and widened once for all.
"""

from __future__ import annotations

from mercer._compiled import compiled, compiled_sums


@compiled_sums
def add_products(tile, vectors, left, out):
    """out[i, c] += Σ_j tile[i, j] vectors[c, left + j]."""
    m, n = tile.shape
    columns = vectors.shape[0]
    whole = columns // 4 * 4
    for i in range(m):
        row = tile[i]
        for c in range(0, whole, 4):
            v0, v1 = vectors[c, left : left + n], vectors[c + 1, left : left + n]
            v2, v3 = vectors[c + 2, left : left + n], vectors[c + 3, left : left + n]
            t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0
            for j in range(n):
                entry = float(row[j])
                t0 += entry * v0[j]
                t1 += entry * v1[j]
                t2 += entry * v2[j]
                t3 += entry * v3[j]
            out[i, c] += t0
            out[i, c + 1] += t1
            out[i, c + 2] += t2
            out[i, c + 3] += t3
        for c in range(whole, columns):
            v = vectors[c, left : left + n]
            total = 0.0
            for j in range(n):
                total += row[j] * v[j]
            out[i, c] += total


@compiled
def add_transposed(tile, weights, left, out):
    """out[c, left + j] += Σ_i weights[i, c] tile[i, j], four rows at a time."""
    m, n = tile.shape
    for c in range(weights.shape[1]):
        to = out[c, left : left + n]
        i = 0
        while i + 4 <= m:
            r0, r1, r2, r3 = tile[i], tile[i + 1], tile[i + 2], tile[i + 3]
            w0, w1 = weights[i, c], weights[i + 1, c]
            w2, w3 = weights[i + 2, c], weights[i + 3, c]
            for j in range(n):
                to[j] += (w0 * r0[j] + w1 * r1[j]) + (w2 * r2[j] + w3 * r3[j])
            i += 4
        while i < m:
            w0, r0 = weights[i, c], tile[i]
            for j in range(n):
                to[j] += w0 * r0[j]
            i += 1
