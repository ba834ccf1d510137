"""Tiles in single precision of functions of a distance, an inner product or matching categories.

One loop for every kernel: the numbers below say what is summed over the columns and which function
is taken of the sum, so that few functions are compiled.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled

# what is summed
SQUARES, ABSOLUTES, PRODUCTS = 0, 1, 2
# which function f of the sum t
GAUSSIAN = 0  # exp(−t)
EXPONENTIAL = 1  # exp(−√t)
MATERN32 = 2  # (1 + √t) exp(−√t)
MATERN52 = 3  # (1 + √t + t/3) exp(−√t)
RATIONAL = 4  # (1 + t)^(−a)
POWER = 5  # (a t + b)^degree
TANH = 6  # tanh(a t + b)
EXP = 7  # exp(a t)

_ZERO, _HALF, _ONE, _TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)
_THIRD = np.float32(1 / 3)
_FAR = np.float32(1e4)  # exp(−√t) is as small as it gets from here on, and √t stays small, too
_LOG2E = np.float32(1.4426950408889634)
_LN2_HIGH = np.float32(0.693359375)  # nine bits: k * _LN2_HIGH is exact
_LN2_LOW = np.float32(-2.12194440e-4)
_LEAST, _MOST = np.float32(-87.0), np.float32(88.0)
# Near-minimax polynomial of (exp(r) - 1 - r) / r**2 on |r| <= log(2) / 2, lowest degree first
_C0, _C1, _C2 = np.float32(0.49999988), np.float32(0.16666518), np.float32(0.041669533)
_C3, _C4 = np.float32(0.008368923), np.float32(0.0013751382)
# (log(1 + r) - r + r**2 / 2) / r**3 for 1 + r from √½ to √2, the coefficients of Cephes
_L0, _L1, _L2 = (
    np.float32(3.3333331174e-1),
    np.float32(-2.4999993993e-1),
    np.float32(2.0000714765e-1),
)
_L3, _L4, _L5 = (
    np.float32(-1.6668057665e-1),
    np.float32(1.4249322787e-1),
    np.float32(-1.2420140846e-1),
)
_L6, _L7, _L8 = (
    np.float32(1.1676998740e-1),
    np.float32(-1.1514610310e-1),
    np.float32(7.0376836292e-2),
)
_ROOT2 = np.float32(1.4142135)


@compiled
def _exp(x):
    """e**x for x ≤ 88 within two units in the last place, from the smallest normal number on."""
    x = max(_LEAST, x)
    k = np.floor(x * _LOG2E + _HALF)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    r2 = r * r
    y = (_ONE + r) + r2 * ((_C0 + r * _C1) + r2 * ((_C2 + r * _C3) + r2 * _C4))
    return y * np.int32((np.int32(k) + np.int32(127)) << np.int32(23)).view(np.float32)


@compiled
def _log(x):
    """The natural logarithm of a normal number within two units in the last place."""
    bits = np.float32(x).view(np.int32)
    e = (bits >> np.int32(23)) - np.int32(127)
    m = np.int32((bits & np.int32(0x7FFFFF)) | np.int32(0x3F800000)).view(np.float32)
    large = m > _ROOT2
    m = m * _HALF if large else m
    k = np.float32(e + np.int32(1) if large else e)
    r = m - _ONE
    r2 = r * r
    low = (_L0 + r * _L1) + r2 * (_L2 + r * _L3)
    high = (_L4 + r * _L5) + r2 * ((_L6 + r * _L7) + r2 * _L8)
    p = low + (r2 * r2) * high
    return k * _LN2_HIGH + (r + (r2 * (r * p - _HALF) + k * _LN2_LOW))


@compiled
def _powers(t, a, b, degree, base):
    """t ← (a t + b)^degree by repeated squaring."""
    for j in range(t.size):
        base[j] = a * t[j] + b
        t[j] = base[j]
    left = degree - 1
    while left > 0:
        if left & 1:
            for j in range(t.size):
                t[j] *= base[j]
        left >>= 1
        if left > 0:
            for j in range(t.size):
                base[j] *= base[j]


@compiled
def _apply(t, f, a, b, degree, base, out):
    """out ← f(t); t and base are overwritten."""
    n = t.size
    if f == GAUSSIAN:
        for j in range(n):
            out[j] = _exp(-t[j])
    elif f == EXPONENTIAL:
        for j in range(n):
            out[j] = _exp(-np.sqrt(t[j]))
    elif f == MATERN32:
        for j in range(n):
            z = np.sqrt(min(t[j], _FAR))
            out[j] = (_ONE + z) * _exp(-z)
    elif f == MATERN52:
        for j in range(n):
            s = min(t[j], _FAR)
            z = np.sqrt(s)
            out[j] = (_ONE + z + s * _THIRD) * _exp(-z)
    elif f == RATIONAL:
        for j in range(n):
            out[j] = _exp(-a * _log(_ONE + t[j]))
    elif f == POWER:
        _powers(t, a, b, degree, base)
        for j in range(n):
            out[j] = t[j]
    elif f == TANH:
        for j in range(n):
            out[j] = _ONE - _TWO / (_exp(min(_MOST, _TWO * (a * t[j] + b))) + _ONE)
    else:
        for j in range(n):
            out[j] = _exp(min(_MOST, a * t[j]))


@compiled
def _squares(x, y, panel, acc, bcc):
    """acc ← Σ (x_f − panel_f)², and the same of y; four columns at a time."""
    d, n = x.size, acc.size
    for j in range(n):
        acc[j] = _ZERO
        bcc[j] = _ZERO
    f = 0
    while f + 4 <= d:
        a0, a1, a2, a3 = x[f], x[f + 1], x[f + 2], x[f + 3]
        b0, b1, b2, b3 = y[f], y[f + 1], y[f + 2], y[f + 3]
        p0, p1, p2, p3 = panel[f], panel[f + 1], panel[f + 2], panel[f + 3]
        for j in range(n):
            u0, u1, u2, u3 = p0[j], p1[j], p2[j], p3[j]
            s0, s1, s2, s3 = a0 - u0, a1 - u1, a2 - u2, a3 - u3
            t0, t1, t2, t3 = b0 - u0, b1 - u1, b2 - u2, b3 - u3
            acc[j] += (s0 * s0 + s1 * s1) + (s2 * s2 + s3 * s3)
            bcc[j] += (t0 * t0 + t1 * t1) + (t2 * t2 + t3 * t3)
        f += 4
    while f < d:
        a0, b0, p0 = x[f], y[f], panel[f]
        for j in range(n):
            s0, t0 = a0 - p0[j], b0 - p0[j]
            acc[j] += s0 * s0
            bcc[j] += t0 * t0
        f += 1


@compiled
def _absolutes(x, y, panel, acc, bcc):
    """acc ← Σ |x_f − panel_f|, and the same of y; four columns at a time."""
    d, n = x.size, acc.size
    for j in range(n):
        acc[j] = _ZERO
        bcc[j] = _ZERO
    f = 0
    while f + 4 <= d:
        a0, a1, a2, a3 = x[f], x[f + 1], x[f + 2], x[f + 3]
        b0, b1, b2, b3 = y[f], y[f + 1], y[f + 2], y[f + 3]
        p0, p1, p2, p3 = panel[f], panel[f + 1], panel[f + 2], panel[f + 3]
        for j in range(n):
            u0, u1, u2, u3 = p0[j], p1[j], p2[j], p3[j]
            acc[j] += (abs(a0 - u0) + abs(a1 - u1)) + (abs(a2 - u2) + abs(a3 - u3))
            bcc[j] += (abs(b0 - u0) + abs(b1 - u1)) + (abs(b2 - u2) + abs(b3 - u3))
        f += 4
    while f < d:
        a0, b0, p0 = x[f], y[f], panel[f]
        for j in range(n):
            acc[j] += abs(a0 - p0[j])
            bcc[j] += abs(b0 - p0[j])
        f += 1


@compiled
def _products(x, y, panel, acc, bcc):
    """acc ← Σ x_f panel_f, and the same of y; four columns at a time."""
    d, n = x.size, acc.size
    for j in range(n):
        acc[j] = _ZERO
        bcc[j] = _ZERO
    f = 0
    while f + 4 <= d:
        a0, a1, a2, a3 = x[f], x[f + 1], x[f + 2], x[f + 3]
        b0, b1, b2, b3 = y[f], y[f + 1], y[f + 2], y[f + 3]
        p0, p1, p2, p3 = panel[f], panel[f + 1], panel[f + 2], panel[f + 3]
        for j in range(n):
            u0, u1, u2, u3 = p0[j], p1[j], p2[j], p3[j]
            acc[j] += (a0 * u0 + a1 * u1) + (a2 * u2 + a3 * u3)
            bcc[j] += (b0 * u0 + b1 * u1) + (b2 * u2 + b3 * u3)
        f += 4
    while f < d:
        a0, b0, p0 = x[f], y[f], panel[f]
        for j in range(n):
            acc[j] += a0 * p0[j]
            bcc[j] += b0 * p0[j]
        f += 1


@compiled
def fill(x, panels, sums, f, a, b, degree, out):
    """out[i, j] = f(sum over the columns of x_i and y_j), y in panels; two rows at a time."""
    m, count = out.shape
    size = panels.shape[2]
    first, second = np.empty(size, np.float32), np.empty(size, np.float32)
    base = np.empty(size, np.float32)
    for p in range(panels.shape[0]):
        start = p * size
        n = min(size, count - start)
        panel, acc, bcc = panels[p], first[:n], second[:n]
        for i in range(0, m, 2):
            k = min(i + 1, m - 1)
            if sums == SQUARES:
                _squares(x[i], x[k], panel, acc, bcc)
            elif sums == ABSOLUTES:
                _absolutes(x[i], x[k], panel, acc, bcc)
            else:
                _products(x[i], x[k], panel, acc, bcc)
            _apply(acc, f, a, b, degree, base, out[i, start : start + n])
            _apply(bcc, f, a, b, degree, base, out[k, start : start + n])


@compiled
def finish(norms, column_norms, sums, f, a, b, degree, out):
    """out[i, j] holds inner products, of which f is taken, or f of the squared distance."""
    m, n = out.shape
    t, base = np.empty(n, np.float32), np.empty(n, np.float32)
    for i in range(m):
        row = out[i]
        if sums == SQUARES:
            norm = norms[i]
            for j in range(n):
                t[j] = max(_ZERO, (norm + column_norms[j]) - _TWO * row[j])
        else:
            for j in range(n):
                t[j] = row[j]
        _apply(t, f, a, b, degree, base, row)


@compiled
def matches(codes, weights, columns, f, a, b, degree, out):
    """out[i, j] = f(Σ_k weights[i, k] over the columns k in which row i has the code of row j)."""
    m, n = out.shape
    t, base = np.empty(n, np.float32), np.empty(n, np.float32)
    for i in range(m):
        for j in range(n):
            t[j] = _ZERO
        for k in range(codes.shape[1]):
            code, weight, column = codes[i, k], weights[i, k], columns[k]
            for j in range(n):
                t[j] += weight if column[j] == code else _ZERO
        _apply(t, f, a, b, degree, base, out[i])
