"""Functions of a distance or an inner product, one tile in, one tile out.

``a`` is the tile of squared distances (or of inner products), ``c`` the factor it is scaled by.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled
from mercer._compiled.elementary import exp


@compiled
def exponential(a, c, out):  # type: ignore[no-untyped-def]
    """exp(c a)."""
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(row.size):
            to[j] = exp(c * row[j])


@compiled
def exponential_root(a, c, out):  # type: ignore[no-untyped-def]
    """exp(−√(c a)): Matérn ½."""
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(row.size):
            to[j] = exp(-np.sqrt(c * row[j]))


@compiled
def matern32(a, c, out):  # type: ignore[no-untyped-def]
    """(1 + z) exp(−z), z = √(c a)."""
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(row.size):
            z = np.sqrt(c * row[j])
            to[j] = (1.0 + z) * exp(-z)


@compiled
def matern52(a, c, out):  # type: ignore[no-untyped-def]
    """(1 + z + z²/3) exp(−z), z = √(c a)."""
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(row.size):
            z2 = c * row[j]
            z = np.sqrt(z2)
            to[j] = (1.0 + z + z2 * (1.0 / 3.0)) * exp(-z)


@compiled
def integer_power(a, c, offset, degree, out):  # type: ignore[no-untyped-def]
    """(c a + offset)^degree by repeated squaring."""
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(row.size):
            to[j] = c * row[j] + offset
        if degree == 2:
            for j in range(row.size):
                to[j] = to[j] * to[j]
        elif degree == 3:
            for j in range(row.size):
                to[j] = to[j] * to[j] * to[j]
        elif degree > 3:
            for j in range(row.size):
                base = to[j]
                left = degree
                value = 1.0
                while left > 0:
                    if left & 1:
                        value *= base
                    base *= base
                    left >>= 1
                to[j] = value


@compiled
def inverse_root(a, shift, out):  # type: ignore[no-untyped-def]
    """1/√(a + shift)."""
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(row.size):
            to[j] = 1.0 / np.sqrt(row[j] + shift)


@compiled
def rational(a, c, alpha, out):  # type: ignore[no-untyped-def]
    """(1 + c a)^(−alpha)."""
    for i in range(a.shape[0]):
        row, to = a[i], out[i]
        for j in range(row.size):
            to[j] = np.log1p(c * row[j])
        for j in range(row.size):
            to[j] = exp(-alpha * to[j])


@compiled
def cosine(dots, nx, ny, out):  # type: ignore[no-untyped-def]
    """k(x,y)/√(k(x,x) k(y,y)); 0 where a diagonal is 0. One square root of the product gives exactly 1 at x = y."""
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
