"""Work after a tile is filled: storing, mirroring, summing."""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled, compiled_sums

_STEP = 8  # a block of 8 x 8 is transposed through the first-level cache


@compiled
def deliver(tile, matrix, i0, j0, both):
    """matrix[i0:, j0:] = tile and, if ``both``, matrix[j0:, i0:] = tileᵀ.

    Returns whether all is finite. Eight rows at a time are read once and written twice while they
    are in the first-level cache.
    """
    m, n = tile.shape
    flag = np.empty(n)
    for j in range(n):
        flag[j] = 0.0
    for start in range(0, m, _STEP):
        stop = min(m, start + _STEP)
        for i in range(start, stop):
            row = tile[i]
            to = matrix[i0 + i, j0 : j0 + n]
            for j in range(n):
                to[j] = row[j]
            for j in range(n):
                flag[j] += to[j] * 0.0  # what was stored: float32 overflows earlier
        if both:
            if stop - start == _STEP:
                r0, r1, r2, r3 = tile[start], tile[start + 1], tile[start + 2], tile[start + 3]
                r4, r5, r6, r7 = tile[start + 4], tile[start + 5], tile[start + 6], tile[start + 7]
                for j in range(n):
                    to = matrix[j0 + j, i0 + start : i0 + stop]
                    to[0], to[1], to[2], to[3] = r0[j], r1[j], r2[j], r3[j]
                    to[4], to[5], to[6], to[7] = r4[j], r5[j], r6[j], r7[j]
            else:
                for i in range(start, stop):
                    for j in range(n):
                        matrix[j0 + j, i0 + i] = tile[i, j]
    total = 0.0
    for j in range(n):
        total += flag[j]
    return total == 0.0


@compiled
def mirror(tile):
    """Copy the upper triangle of a square tile onto the lower one, eight rows at a time."""
    n = tile.shape[0]
    for start in range(0, n, _STEP):
        stop = min(n, start + _STEP)
        for i in range(start, stop):
            for j in range(start, i):
                tile[i, j] = tile[j, i]
        if stop - start == _STEP:  # fewer rows are the last ones, with nothing below them
            r0, r1, r2, r3 = tile[start], tile[start + 1], tile[start + 2], tile[start + 3]
            r4, r5, r6, r7 = tile[start + 4], tile[start + 5], tile[start + 6], tile[start + 7]
            for j in range(stop, n):
                to = tile[j, start:stop]
                to[0], to[1], to[2], to[3] = r0[j], r1[j], r2[j], r3[j]
                to[4], to[5], to[6], to[7] = r4[j], r5[j], r6[j], r7[j]


@compiled
def add_four(out, a, b, c, d, weights, first, stop):
    """Add multiples of four matrices to some rows of ``out``, up to the column ``stop``."""
    w0, w1, w2, w3 = weights[0], weights[1], weights[2], weights[3]
    for i in range(first, stop):
        to, r0, r1, r2, r3 = out[i], a[i], b[i], c[i], d[i]
        for j in range(stop):
            to[j] += (w0 * r0[j] + w1 * r1[j]) + (w2 * r2[j] + w3 * r3[j])


@compiled
def pick(matrix, rows, out):
    """out[i, j] = matrix[rows[i], rows[j]]."""
    for i in range(rows.size):
        row, to = matrix[rows[i]], out[i]
        for j in range(rows.size):
            to[j] = row[rows[j]]


@compiled
def gradient_weights(inverse, a):
    """½ aaᵀ − ½ m inverse for the m columns of a, in the place of the inverse.

    Entries below the diagonal count twice, those above it are zero.
    """
    n, m = a.shape
    for i in range(n):
        row = inverse[i]
        for j in range(i + 1):
            row[j] *= -float(m)
        for c in range(m):
            ai, ac = a[i, c], a[:, c]
            for j in range(i + 1):
                row[j] += ai * ac[j]
        row[i] *= 0.5
        row[i + 1 :] = 0.0


@compiled
def weighted_sum(weights, tile):
    """Σ weights · tile in an order of its own, the same for any number of threads."""
    m, n = tile.shape
    acc = np.zeros(n)
    for i in range(m):
        w, row = weights[i], tile[i]
        for j in range(n):
            acc[j] += w[j] * row[j]
    return acc.sum()


@compiled
def times_vector(tile, v, out):
    """out += tile @ v, four columns of partial sums."""
    m, n = tile.shape
    for i in range(m):
        row = tile[i]
        s0 = s1 = s2 = s3 = 0.0
        j = 0
        while j + 4 <= n:
            s0 += row[j] * v[j]
            s1 += row[j + 1] * v[j + 1]
            s2 += row[j + 2] * v[j + 2]
            s3 += row[j + 3] * v[j + 3]
            j += 4
        while j < n:
            s0 += row[j] * v[j]
            j += 1
        out[i] += (s0 + s1) + (s2 + s3)


@compiled_sums
def times_four(matrix, vectors, out):
    """out = matrix @ vectorsᵀ for four vectors and at least two rows.

    It is as quick as reading the matrix, which BLAS would pack first.
    """
    m, n = matrix.shape
    v0, v1, v2, v3 = vectors[0], vectors[1], vectors[2], vectors[3]
    for step in range((m + 1) // 2):
        i = min(2 * step, m - 2)
        upper, lower = matrix[i], matrix[i + 1]
        a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0.0
        for j in range(n):
            a, b = upper[j], lower[j]
            x = v0[j]
            a0 += a * x
            b0 += b * x
            x = v1[j]
            a1 += a * x
            b1 += b * x
            x = v2[j]
            a2 += a * x
            b2 += b * x
            x = v3[j]
            a3 += a * x
            b3 += b * x
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = a0, a1, a2, a3
        out[i + 1, 0], out[i + 1, 1], out[i + 1, 2], out[i + 1, 3] = b0, b1, b2, b3


@compiled
def transposed_times_vector(tile, v, out):
    """out += tileᵀ @ v."""
    m, n = tile.shape
    for i in range(m):
        a, row = v[i], tile[i]
        for j in range(n):
            out[j] += a * row[j]
