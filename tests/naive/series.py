"""Kernels between series, from their definitions: every alignment is listed, and every tensor of a
signature is written out.
"""

from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
from mpmath import mp, mpf


def _points(x, channels=None):
    """A series as a list of rows of exact numbers."""
    values = np.asarray(x, dtype=float)
    if values.ndim == 1:
        values = values[:, None]
    if channels == "first":
        values = values.T
    return [[mpf(float(v)) for v in row] for row in values]


@lru_cache(maxsize=256)
def alignments(m, n):
    """All paths from (0, 0) to (m − 1, n − 1) in steps of (1, 0), (0, 1) and (1, 1)."""
    if m < 1 or n < 1:
        return ()
    if m == n == 1:
        return (((0, 0),),)
    before = alignments(m - 1, n) + alignments(m, n - 1) + alignments(m - 1, n - 1)
    return tuple((*path, (m - 1, n - 1)) for path in before)


def _square(a, b, scale=1):
    scales = scale if isinstance(scale, list) else [scale] * len(a)
    return mp.fsum(((u - v) / s) ** 2 for u, v, s in zip(a, b, scales, strict=True))


def _alignment_sum(p, x, y):
    scale = mpf(p["length_scale_"]) if p["length_scale"] == "median" else p["length_scale"]

    def kappa(i, j):
        omega = 1 if p["window"] is None else max(0, 1 - abs(i - j) / p["window"])
        k = omega * mp.exp(-_square(x[i], y[j], scale) / 2)
        return k / (2 - k)

    values = {(i, j): kappa(i, j) for i in range(len(x)) for j in range(len(y))}
    paths = alignments(len(x), len(y))
    return mp.fsum(mp.fprod(values[cell] for cell in path) for path in paths)


def _global_alignment(p, x, y, same):
    x, y = _points(x, p["channels"]), _points(y, p["channels"])
    value = _alignment_sum(p, x, y)
    if not p["normalized"]:
        return value
    return value / mp.sqrt(_alignment_sum(p, x, x) * _alignment_sum(p, y, y))


def warping(x, y):
    """The least sum of squared distances over all alignments."""
    x, y = _points(x), _points(y)
    paths = alignments(len(x), len(y))
    return min(mp.fsum(_square(x[i], y[j]) for i, j in path) for path in paths)


def _path(p, x):
    """The points of a series, with the time as a last column if it is asked for."""
    points = _points(x, p["channels"])
    if not p["time"]:
        return points
    times = np.linspace(0.0, 1.0, len(points))  # as floats
    return [[*point, mpf(float(t))] for point, t in zip(points, times, strict=True)]


def _level_sums(p, x, y, most):
    """Σ Π ⟨Δx_i, Δy_j⟩ for every level, over all choices of steps in order."""
    from naive import _evaluate

    def k(a, b):
        return _evaluate(p["static"], a, b, False)

    values = [[k(a, b) for b in y] for a in x]
    step = {
        (i, j): values[i + 1][j + 1] - values[i + 1][j] - values[i][j + 1] + values[i][j]
        for i in range(len(x) - 1)
        for j in range(len(y) - 1)
    }
    sums = []
    for level in range(most + 1):
        left = combinations(range(len(x) - 1), level)
        pairs = [(a, b) for a in left for b in combinations(range(len(y) - 1), level)]
        sums.append(
            mp.fsum(mp.fprod(step[i, j] for i, j in zip(a, b, strict=True)) for a, b in pairs)
        )
    return sums


def _signature(p, x, y, same):
    x, y = _path(p, x), _path(p, y)
    if p["levels"] is None:
        most = max(len(x), len(y))
        xy, xx, yy = (mp.fsum(_level_sums(p, a, b, most)) for a, b in ((x, y), (x, x), (y, y)))
        return xy / mp.sqrt(xx * yy)
    most = int(p["levels"])
    weights = p["weights"] or [mpf(1) / (most + 1)] * (most + 1)
    sums = zip(*(_level_sums(p, a, b, most) for a, b in ((x, y), (x, x), (y, y))), strict=True)
    terms = [xy / mp.sqrt(xx * yy) if xx * yy else mpf(0) for xy, xx, yy in sums]
    return mp.fsum(w * term for w, term in zip(weights, terms, strict=True))


def tensors(steps, levels):
    """The signature of steps in R^d as explicit tensors: the levels of Π(1 + step)."""
    result = [np.ones(()), *(np.zeros((len(steps[0]),) * p) for p in range(1, levels + 1))]
    for step in steps:
        for level in range(levels, 0, -1):
            result[level] = result[level] + np.multiply.outer(result[level - 1], step)
    return result


def _curve(points, times, t):
    """The value and the slope, to the right, of an interpolated curve."""
    i = max(k for k in range(len(times) - 1) if times[k] <= t)
    step = times[i + 1] - times[i]
    slope = [(b - a) / step for a, b in zip(points[i], points[i + 1], strict=True)]
    return [a + (t - times[i]) * s for a, s in zip(points[i], slope, strict=True)], slope


def _curve_product(p, x, y, same):
    """By Simpson's rule, which is exact for parabolas, between all points of both curves."""
    x, y = _points(x, p["channels"]), _points(y, p["channels"])
    if min(len(x), len(y)) == 1:
        return mpf(0)
    s, t = ([mpf(float(u)) for u in np.linspace(0.0, 1.0, len(z))] for z in (x, y))
    total, grid = mpf(0), sorted({*s, *t})
    for a, b in pairwise(grid):
        (f, fs), (g, gs) = _curve(x, s, a), _curve(y, t, a)
        h = b - a
        for u, us, v, vs in zip(f, fs, g, gs, strict=True):
            middle = (u + us * h / 2) * (v + vs * h / 2)
            area = h * (u * v + 4 * middle + (u + us * h) * (v + vs * h)) / 6
            total += p["value"] * area + p["slope"] * h * us * vs
    return total


KERNELS = {
    "GlobalAlignment": _global_alignment,
    "Signature": _signature,
    "DynamicTimeWarping": lambda p, x, y, same: -warping(x, y) / 2,
    "ExpDTW": lambda p, x, y, same: mp.exp(-p["gamma"] * warping(x, y)),
    "CurveProduct": _curve_product,
}
