"""Tiles of inner products and distances between rows of x and a panel of y.

A *panel* is a block of rows of y laid out feature by feature: ``panel[f, j]`` is feature f of row
j. The inner loops run over j, two rows of x and four features at a time, which keeps the vector
units busy without BLAS.

Every entry is summed in the same order wherever it lies in a tile: features in groups of 32, four
by four inside a group. Equal rows therefore give equal bits, and distances have no cancellation.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled

GROUP = 32


@compiled
def dot_tile(x, panel, out):
    """out[i, j] = Σ_f x[i, f] panel[f, j]."""
    m, d = x.shape
    n = out.shape[1]
    acc0 = np.empty(n)
    acc1 = np.empty(n)
    for start in range(0, d, GROUP):
        stop = min(d, start + GROUP)
        for i in range(0, m, 2):
            k = min(i + 1, m - 1)
            for j in range(n):
                acc0[j] = 0.0
                acc1[j] = 0.0
            f = start
            while f + 4 <= stop:
                a0, a1, a2, a3 = x[i, f], x[i, f + 1], x[i, f + 2], x[i, f + 3]
                b0, b1, b2, b3 = x[k, f], x[k, f + 1], x[k, f + 2], x[k, f + 3]
                p0, p1, p2, p3 = panel[f], panel[f + 1], panel[f + 2], panel[f + 3]
                for j in range(n):
                    u0, u1, u2, u3 = p0[j], p1[j], p2[j], p3[j]
                    acc0[j] += (a0 * u0 + a1 * u1) + (a2 * u2 + a3 * u3)
                    acc1[j] += (b0 * u0 + b1 * u1) + (b2 * u2 + b3 * u3)
                f += 4
            while f < stop:
                a0, b0, p0 = x[i, f], x[k, f], panel[f]
                for j in range(n):
                    acc0[j] += a0 * p0[j]
                    acc1[j] += b0 * p0[j]
                f += 1
            o0, o1 = out[i], out[k]
            if start == 0:
                for j in range(n):
                    o0[j] = acc0[j]
                for j in range(n):
                    o1[j] = acc1[j]
            else:
                for j in range(n):
                    o0[j] += acc0[j]
                if k > i:
                    for j in range(n):
                        o1[j] += acc1[j]


@compiled
def sqdist_tile(x, panel, out):
    """out[i, j] = Σ_f (x[i, f] − panel[f, j])²."""
    m, d = x.shape
    n = out.shape[1]
    acc0 = np.empty(n)
    acc1 = np.empty(n)
    for start in range(0, d, GROUP):
        stop = min(d, start + GROUP)
        for i in range(0, m, 2):
            k = min(i + 1, m - 1)
            for j in range(n):
                acc0[j] = 0.0
                acc1[j] = 0.0
            f = start
            while f + 4 <= stop:
                a0, a1, a2, a3 = x[i, f], x[i, f + 1], x[i, f + 2], x[i, f + 3]
                b0, b1, b2, b3 = x[k, f], x[k, f + 1], x[k, f + 2], x[k, f + 3]
                p0, p1, p2, p3 = panel[f], panel[f + 1], panel[f + 2], panel[f + 3]
                for j in range(n):
                    u0, u1, u2, u3 = p0[j], p1[j], p2[j], p3[j]
                    s0, s1, s2, s3 = a0 - u0, a1 - u1, a2 - u2, a3 - u3
                    t0, t1, t2, t3 = b0 - u0, b1 - u1, b2 - u2, b3 - u3
                    acc0[j] += (s0 * s0 + s1 * s1) + (s2 * s2 + s3 * s3)
                    acc1[j] += (t0 * t0 + t1 * t1) + (t2 * t2 + t3 * t3)
                f += 4
            while f < stop:
                a0, b0, p0 = x[i, f], x[k, f], panel[f]
                for j in range(n):
                    s0 = a0 - p0[j]
                    t0 = b0 - p0[j]
                    acc0[j] += s0 * s0
                    acc1[j] += t0 * t0
                f += 1
            o0, o1 = out[i], out[k]
            if start == 0:
                for j in range(n):
                    o0[j] = acc0[j]
                for j in range(n):
                    o1[j] = acc1[j]
            else:
                for j in range(n):
                    o0[j] += acc0[j]
                if k > i:
                    for j in range(n):
                        o1[j] += acc1[j]


@compiled
def weighted_sqdist_tile(x, panel, weights, out):
    """out[i, j] = Σ_f weights[f] (x[i, f] − panel[f, j])²: differences are weighted, not data."""
    m, d = x.shape
    n = out.shape[1]
    acc0 = np.empty(n)
    acc1 = np.empty(n)
    for start in range(0, d, GROUP):
        stop = min(d, start + GROUP)
        for i in range(0, m, 2):
            k = min(i + 1, m - 1)
            for j in range(n):
                acc0[j] = 0.0
                acc1[j] = 0.0
            f = start
            while f + 2 <= stop:
                a0, a1, b0, b1 = x[i, f], x[i, f + 1], x[k, f], x[k, f + 1]
                w0, w1 = weights[f], weights[f + 1]
                p0, p1 = panel[f], panel[f + 1]
                for j in range(n):
                    u0, u1 = p0[j], p1[j]
                    s0, s1, t0, t1 = a0 - u0, a1 - u1, b0 - u0, b1 - u1
                    acc0[j] += (s0 * s0) * w0 + (s1 * s1) * w1
                    acc1[j] += (t0 * t0) * w0 + (t1 * t1) * w1
                f += 2
            while f < stop:
                a0, b0, w0, p0 = x[i, f], x[k, f], weights[f], panel[f]
                for j in range(n):
                    s0 = a0 - p0[j]
                    t0 = b0 - p0[j]
                    acc0[j] += (s0 * s0) * w0
                    acc1[j] += (t0 * t0) * w0
                f += 1
            o0, o1 = out[i], out[k]
            if start == 0:
                for j in range(n):
                    o0[j] = acc0[j]
                for j in range(n):
                    o1[j] = acc1[j]
            else:
                for j in range(n):
                    o0[j] += acc0[j]
                if k > i:
                    for j in range(n):
                        o1[j] += acc1[j]


@compiled
def l1_tile(x, panel, weights, out):
    """out[i, j] = Σ_f weights[f] |x[i, f] − panel[f, j]|."""
    m, d = x.shape
    n = out.shape[1]
    acc = np.empty(n)
    for i in range(m):
        row = out[i]
        for start in range(0, d, GROUP):
            stop = min(d, start + GROUP)
            for j in range(n):
                acc[j] = 0.0
            f = start
            while f + 2 <= stop:
                a0, a1, w0, w1 = x[i, f], x[i, f + 1], weights[f], weights[f + 1]
                p0, p1 = panel[f], panel[f + 1]
                for j in range(n):
                    acc[j] += abs(a0 - p0[j]) * w0 + abs(a1 - p1[j]) * w1
                f += 2
            while f < stop:
                a0, w0, p0 = x[i, f], weights[f], panel[f]
                for j in range(n):
                    acc[j] += abs(a0 - p0[j]) * w0
                f += 1
            if start == 0:
                for j in range(n):
                    row[j] = acc[j]
            else:
                for j in range(n):
                    row[j] += acc[j]


@compiled
def angle_tile(x, panel, out):
    """The angle between unit rows by Kahan's formula, exact at 0 and at π; π/2 with a zero row."""
    m, d = x.shape
    n = out.shape[1]
    apart = np.empty(n)
    along = np.empty(n)
    for i in range(m):
        for j in range(n):
            apart[j] = 0.0
            along[j] = 0.0
        for f in range(d):
            a, p = x[i, f], panel[f]
            for j in range(n):
                s = a - p[j]
                t = a + p[j]
                apart[j] += s * s
                along[j] += t * t
        row = out[i]
        for j in range(n):
            angle = 2.0 * np.arctan2(np.sqrt(apart[j]), np.sqrt(along[j]))
            both_zero = apart[j] + along[j] == 0.0
            row[j] = 0.5 * np.pi if both_zero else angle


@compiled
def row_dots(x, y, out):
    """out[i] = Σ_f x[i, f] y[i, f], summed exactly as `dot_tile` sums."""
    m, d = x.shape
    for i in range(m):
        total = 0.0
        for start in range(0, d, GROUP):
            stop = min(d, start + GROUP)
            acc = 0.0
            f = start
            while f + 4 <= stop:
                first = x[i, f] * y[i, f] + x[i, f + 1] * y[i, f + 1]
                acc += first + (x[i, f + 2] * y[i, f + 2] + x[i, f + 3] * y[i, f + 3])
                f += 4
            while f < stop:
                acc += x[i, f] * y[i, f]
                f += 1
            total = acc if start == 0 else total + acc
        out[i] = total


@compiled
def _direct_sqdist(x, y, i, j, weights):
    """One squared distance, in four partial sums."""
    d = x.shape[1]
    s0 = s1 = s2 = s3 = 0.0
    f = 0
    while f + 4 <= d:
        t0, t1 = x[i, f] - y[j, f], x[i, f + 1] - y[j, f + 1]
        t2, t3 = x[i, f + 2] - y[j, f + 2], x[i, f + 3] - y[j, f + 3]
        s0 += t0 * t0 * weights[f]
        s1 += t1 * t1 * weights[f + 1]
        s2 += t2 * t2 * weights[f + 2]
        s3 += t3 * t3 * weights[f + 3]
        f += 4
    while f < d:
        t0 = x[i, f] - y[j, f]
        s0 += t0 * t0 * weights[f]
        f += 1
    return (s0 + s1) + (s2 + s3)


@compiled
def dots_to_sqdist(tile, nx, ny, limit):
    """In place ‖x‖² + ‖y‖² − 2⟨x,y⟩; returns how many entries lost too much to cancellation."""
    m, n = tile.shape
    lost = np.zeros(n)
    for i in range(m):
        row = tile[i]
        a = nx[i]
        for j in range(n):
            whole = a + ny[j]
            r2 = whole - 2.0 * row[j]
            # lost is also what overflowed and left a NaN
            lost[j] += 0.0 if r2 >= limit * whole else 1.0
            row[j] = r2
    return lost.sum()


@compiled
def repair_sqdist(tile, nx, ny, limit, x, y, weights):
    """Recompute directly the squared distances that lost too much."""
    m, n = tile.shape
    for i in range(m):
        for j in range(n):
            if not tile[i, j] >= limit * (nx[i] + ny[j]):
                tile[i, j] = _direct_sqdist(x, y, i, j, weights)


@compiled
def repair_dots(tile, nx, ny, x, y, scratch):
    """Give nearly equal rows the inner product of `row_dots`: equal rows then agree to the bit."""
    m, n = tile.shape
    for i in range(m):
        row = tile[i]
        a = nx[i]
        close = 0
        for j in range(n):
            whole = a + ny[j]
            close += 1 if whole - 2.0 * row[j] <= 1e-9 * whole else 0
        if close > 0:
            for j in range(n):
                whole = a + ny[j]
                if whole - 2.0 * row[j] <= 1e-9 * whole:
                    row_dots(x[i : i + 1], y[j : j + 1], scratch)
                    row[j] = scratch[0]
