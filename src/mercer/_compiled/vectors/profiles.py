"""Functions of a distance or an inner product, one tile in, one tile out.

``a`` is the tile of squared distances (or of inner products), ``c`` the factor it is scaled by.
``out`` may be ``a`` itself: each row goes through a buffer of its own, so that the compiler can
vectorize without fearing an overlap.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled
from mercer._compiled.elementary import exp, exp_down

_FAR = 1e4  # exp(−z) is 0 from 746 on: an infinite z would make it NaN


@compiled
def exponential(a, c, out):
    """exp(c a)."""
    values = np.empty(a.shape[1])
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(row.size):
            values[j] = exp(c * row[j])
        for j in range(values.size):
            to[j] = values[j]


@compiled
def exponential_down(a, c, out):
    """exp(c a) where c a ≤ 0.

    Two halves of a row side by side share the loads of the polynomial's constants.
    """
    n = a.shape[1]
    half = n // 2
    values = np.empty(n)
    left, right = values[:half], values[half:]
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        low, high = row[:half], row[half:]
        for j in range(half):
            left[j] = exp_down(c * low[j])
            right[j] = exp_down(c * high[j])
        if n > 2 * half:
            values[n - 1] = exp_down(c * row[n - 1])
        for j in range(n):
            to[j] = values[j]


@compiled
def exponential_root(a, c, out):
    """exp(−√(c a)): Matérn ½."""
    values = np.empty(a.shape[1])
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(row.size):
            values[j] = exp_down(-np.sqrt(c * row[j]))
        for j in range(values.size):
            to[j] = values[j]


@compiled
def matern32(a, c, out):
    """(1 + z) exp(−z), z = √(c a); 0 where a has overflowed."""
    n = a.shape[1]
    half = n // 2
    values = np.empty(n)
    left, right = values[:half], values[half:]
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        low, high = row[:half], row[half:]
        for j in range(half):
            y = min(np.sqrt(c * low[j]), _FAR)
            z = min(np.sqrt(c * high[j]), _FAR)
            left[j] = (1.0 + y) * exp_down(-y)
            right[j] = (1.0 + z) * exp_down(-z)
        if n > 2 * half:
            z = min(np.sqrt(c * row[n - 1]), _FAR)
            values[n - 1] = (1.0 + z) * exp_down(-z)
        for j in range(n):
            to[j] = values[j]


@compiled
def matern52(a, c, out):
    """(1 + z + z²/3) exp(−z), z = √(c a); 0 where a has overflowed."""
    values = np.empty(a.shape[1])
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(row.size):
            z2 = min(c * row[j], _FAR * _FAR)
            z = np.sqrt(z2)
            values[j] = (1.0 + z + z2 * (1.0 / 3.0)) * exp_down(-z)
        for j in range(values.size):
            to[j] = values[j]


@compiled
def integer_power(a, c, offset, degree, out):
    """(c a + offset)^degree by repeated squaring."""
    base = np.empty(a.shape[1])
    values = np.empty(a.shape[1])
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(base.size):
            base[j] = c * row[j] + offset
        left = degree
        first = True
        while left > 0:
            if left & 1:
                if first:
                    for j in range(base.size):
                        values[j] = base[j]
                else:
                    for j in range(base.size):
                        values[j] *= base[j]
                first = False
            left >>= 1
            if left > 0:
                for j in range(base.size):
                    base[j] *= base[j]
        for j in range(base.size):
            to[j] = values[j]


@compiled
def inverse_root(a, shift, out):
    """1/√(a + shift)."""
    values = np.empty(a.shape[1])
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(row.size):
            values[j] = 1.0 / np.sqrt(row[j] + shift)
        for j in range(values.size):
            to[j] = values[j]


@compiled
def rational(a, c, alpha, out):
    """(1 + c a)^(−alpha)."""
    values = np.empty(a.shape[1])
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(values.size):
            values[j] = np.log1p(c * row[j])
        for j in range(values.size):
            to[j] = exp_down(-alpha * values[j])


@compiled
def cosine(dots, nx, ny, out):
    """k(x,y)/√(k(x,x) k(y,y)); 0 where a diagonal is 0.

    One square root of the product gives exactly 1 at x = y.
    """
    for i in range(dots.shape[0]):
        row, to = dots[i], out[i]
        a = nx[i]
        for j in range(row.size):
            b = ny[j]
            whole = a * b
            if 1e-280 < whole < 1e280:
                to[j] = row[j] / np.sqrt(whole)
            elif a > 0.0 and b > 0.0:
                to[j] = row[j] / (np.sqrt(a) * np.sqrt(b))
            else:
                to[j] = 0.0
