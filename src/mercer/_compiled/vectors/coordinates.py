"""Kernels that go coordinate by coordinate, laid out as in `products`: x against a panel of y."""

from __future__ import annotations

import math

import numpy as np

from mercer._compiled import compiled, compiled_sums
from mercer._compiled.elementary import exp_down


@compiled
def anova_tile(x, panel, degree, out):
    """Σ over subsets of that size of Π x_f y_f.

    By the recursion K_s^m = x_m y_m K_{s−1}^{m−1} + K_s^{m−1}.
    """
    m, d = x.shape
    n = out.shape[1]
    sums = np.empty((degree + 1, n))
    for i in range(m):
        sums[0, :] = 1.0
        sums[1:, :] = 0.0
        for f in range(d):
            a, p = x[i, f], panel[f]
            for s in range(min(degree, f + 1), 0, -1):
                now, before = sums[s], sums[s - 1]
                for j in range(n):
                    now[j] += (a * p[j]) * before[j]
        row, last = out[i], sums[degree]
        for j in range(n):
            row[j] = last[j]


@compiled
def all_subsets_tile(x, panel, out):
    """Π (1 + x_f y_f)."""
    m, d = x.shape
    for i in range(m):
        row = out[i]
        row[:] = 1.0
        for f in range(d):
            a, p = x[i, f], panel[f]
            for j in range(row.size):
                row[j] *= 1.0 + a * p[j]


@compiled
def brownian_tile(x, panel, out):
    """Π min(x_f, y_f)."""
    m, d = x.shape
    for i in range(m):
        row = out[i]
        row[:] = 1.0
        for f in range(d):
            a, p = x[i, f], panel[f]
            for j in range(row.size):
                row[j] *= min(a, p[j])


@compiled
def spline_tile(x, panel, out):
    """Π (1 + xy + m²(3M − m)/6), m and M the smaller and the larger: no cancellation."""
    m, d = x.shape
    for i in range(m):
        row = out[i]
        row[:] = 1.0
        for f in range(d):
            a, p = x[i, f], panel[f]
            for j in range(row.size):
                low = min(a, p[j])
                high = max(a, p[j])
                row[j] *= 1.0 + low * (high + low * (3.0 * high - low) / 6.0)


@compiled
def intersection_tile(x, panel, out):
    """Σ min(x_f, y_f)."""
    m, d = x.shape
    for i in range(m):
        row = out[i]
        row[:] = 0.0
        for f in range(d):
            a, p = x[i, f], panel[f]
            for j in range(row.size):
                row[j] += min(a, p[j])


@compiled
def chi2_tile(x, panel, out):
    """Σ (x_f − y_f)²/(x_f + y_f), 0/0 counting 0."""
    m, d = x.shape
    for i in range(m):
        row = out[i]
        row[:] = 0.0
        for f in range(d):
            a, p = x[i, f], panel[f]
            for j in range(row.size):
                whole = a + p[j]
                apart = a - p[j]
                row[j] += apart * (apart / whole) if whole > 0.0 else 0.0


@compiled
def _phase(a, b, period):
    """(a − b)/period up to whole periods, the rounding of the difference put back."""
    difference = a - b
    virtual = difference - a
    lost = (a - (difference - virtual)) - (b + virtual)
    return (np.fmod(difference, period) + lost) / period


@compiled
def periodic_tile(x, panel, periods, weights, out):
    """exp(−Σ weights_f sin²(π (x_f − y_f)/periods_f))."""
    m, d = x.shape
    for i in range(m):
        row = out[i]
        for j in range(row.size):
            total = 0.0
            for f in range(d):
                s = math.sin(math.pi * _phase(x[i, f], panel[f, j], periods[f]))
                total += weights[f] * (s * s)
            row[j] = exp_down(-total)


@compiled
def periodic_terms(x, panel, f, period, sines, slopes):
    """sin²(π Δ_f/p) and Δ_f sin(2π Δ_f/p) of one coordinate, for derivatives."""
    for i in range(x.shape[0]):
        for j in range(sines.shape[1]):
            turn = math.pi * _phase(x[i, f], panel[f, j], period)
            s = math.sin(turn)
            sines[i, j] = s * s
            slopes[i, j] = (x[i, f] - panel[f, j]) * 2.0 * s * math.cos(turn)


@compiled
def squared_difference(x, panel, f, out):
    """(x_f − y_f)² of one coordinate, for derivatives."""
    p = panel[f]
    for i in range(x.shape[0]):
        row = out[i]
        a = x[i, f]
        for j in range(row.size):
            row[j] = (a - p[j]) * (a - p[j])


@compiled_sums
def distance_sums(x, panel, weights, sums):
    """sums_f += Σ weights_ij |x_if − y_jf|, four coordinates at a time."""
    m, d = x.shape
    n = weights.shape[1]
    for i in range(m):
        row = weights[i]
        f = 0
        while f + 4 <= d:
            a0, a1, a2, a3 = x[i, f], x[i, f + 1], x[i, f + 2], x[i, f + 3]
            p0, p1, p2, p3 = panel[f], panel[f + 1], panel[f + 2], panel[f + 3]
            s0 = s1 = s2 = s3 = 0.0
            for j in range(n):
                w = row[j]
                s0 += w * abs(a0 - p0[j])
                s1 += w * abs(a1 - p1[j])
                s2 += w * abs(a2 - p2[j])
                s3 += w * abs(a3 - p3[j])
            sums[f] += s0
            sums[f + 1] += s1
            sums[f + 2] += s2
            sums[f + 3] += s3
            f += 4
        while f < d:
            a0, p0, s0 = x[i, f], panel[f], 0.0
            for j in range(n):
                s0 += row[j] * abs(a0 - p0[j])
            sums[f] += s0
            f += 1
