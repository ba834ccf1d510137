"""Pairs of samples that differ in other ways than those of `statistics_power.py`.

Those of ``EARLIER`` were among the differences by which the rule of the aggregated test was chosen,
those of ``FRESH`` were drawn up afterwards.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Rng = np.random.Generator
Samples = tuple[np.ndarray, np.ndarray]
Draw = Callable[[Rng, int, int, float], Samples]


def shifted_t(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.standard_t(5, (2, n, d))
    return X, Y + size


def shifted_laplace(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.laplace(size=(2, n, d)) / np.sqrt(2.0)
    Y[:, 0] += size
    return X, Y


def t_for_normal(rng: Rng, n: int, d: int, freedom: float) -> Samples:
    return rng.standard_normal((n, d)), rng.standard_t(freedom, (n, d))


def narrower_uniform(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.uniform(-1.0, 1.0, (2, n, d))
    Y[:, 0] *= size
    return X, Y


def three_clusters(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.standard_normal((2, n, d))
    centers = np.sqrt(1.5) * rng.integers(-1, 2, n)
    Y[:, 0] = size * centers + np.sqrt(1.0 - size**2) * Y[:, 0]
    return X, Y


def ring(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.standard_normal((2, n, d))
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    circle = np.sqrt(2.0) * np.column_stack([np.cos(angle), np.sin(angle)])
    Y[:, :2] = size * circle + np.sqrt(1.0 - size**2) * Y[:, :2]
    return X, Y


def lognormal_correlation(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.standard_normal((2, n, d))
    Y[:, 1] = size * Y[:, 0] + np.sqrt(1.0 - size**2) * Y[:, 1]
    X[:, :2], Y[:, :2] = np.exp(X[:, :2]), np.exp(Y[:, :2])
    return X, Y


def bump(rng: Rng, n: int, d: int, share: float) -> Samples:
    X, Y = rng.uniform(size=(2, n, d))
    inside = rng.uniform(size=n) < share
    Y[inside] = rng.uniform(0.2, 0.8, d) + 0.05 * rng.standard_normal((int(inside.sum()), d))
    return X, Y


EARLIER: list[tuple[Draw, int, int, float]] = [
    (shifted_t, 60, 3, 0.4),
    (shifted_laplace, 80, 10, 0.6),
    (shifted_laplace, 100, 4, 0.45),
    (t_for_normal, 100, 3, 3.0),
    (narrower_uniform, 80, 3, 0.65),
    (narrower_uniform, 100, 1, 0.75),
    (three_clusters, 100, 2, 0.97),
    (three_clusters, 100, 2, 0.9),
    (ring, 100, 2, 0.95),
    (ring, 100, 2, 0.75),
    (lognormal_correlation, 100, 3, 0.75),
    (lognormal_correlation, 100, 3, 0.6),
    (bump, 100, 2, 0.2),
    (bump, 100, 2, 0.12),
]


def scale_of_gamma(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.gamma(2.0, size=(2, n, d))
    Y[:, 0] *= size
    return X, Y


def shifted_logistic(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.logistic(size=(2, n, d))
    Y[:, 0] += size
    return X, Y


def shifted_normal(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.standard_normal((2, n, d))
    Y[:, 0] += size
    return X, Y


def clusters_apart(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = 0.5 * rng.standard_normal((2, n, d))
    side = rng.choice([-1.0, 1.0], (2, n, 1))
    return X + side[0], Y + size * side[1]


def curved_dependence(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.standard_normal((2, n, d))
    curve = (Y[:, 0] ** 2 - 1.0) / np.sqrt(2.0)
    Y[:, 1] = size * curve + np.sqrt(1.0 - size**2) * Y[:, 1]
    return X, Y


def two_bumps(rng: Rng, n: int, d: int, share: float) -> Samples:
    X, Y = rng.standard_normal((2, n, d))
    inside = rng.uniform(size=n) < share
    count = int(inside.sum())
    Y[inside] = rng.choice([-0.8, 0.8], (count, 1)) + 0.1 * rng.standard_normal((count, d))
    return X, Y


def weights_of_clusters(rng: Rng, n: int, d: int, size: float) -> Samples:
    centers = np.zeros((3, d))
    centers[1, 0], centers[2, 1] = 4.0, 4.0
    rest = 0.5 * (1.0 - size)
    X, Y = rng.standard_normal((2, n, d))
    first = rng.choice(3, n, p=[0.5, 0.25, 0.25])
    return X + centers[first], Y + centers[rng.choice(3, n, p=[size, rest, rest])]


def waves_of_density(rng: Rng, n: int, d: int, size: float) -> Samples:
    Y = rng.uniform(size=(20 * n, d))
    kept = 2.0 * rng.uniform(size=len(Y)) < 1.0 + size * np.sin(6.0 * np.pi * Y[:, 0])
    return rng.uniform(size=(n, d)), Y[kept][:n]


def shifted_heavy_tails(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.standard_t(2, (2, n, d))
    return X, Y + size


def scale_of_all(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.standard_normal((2, n, d))
    return X, size * Y


def common_factor(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = rng.standard_normal((2, n, d))
    return X, np.sqrt(1.0 - size**2) * Y + size * rng.standard_normal((n, 1))


def lognormal_for_exponential(rng: Rng, n: int, d: int, size: float) -> Samples:
    return rng.exponential(size=(n, d)), np.exp(size * rng.standard_normal((n, d)) - 0.35)


FRESH: list[tuple[Draw, int, int, float]] = [
    (shifted_normal, 75, 3, 0.5),
    (shifted_logistic, 70, 2, 0.75),
    (shifted_heavy_tails, 60, 1, 0.65),
    (scale_of_gamma, 80, 2, 1.3),
    (scale_of_all, 60, 8, 1.15),
    (common_factor, 80, 6, 0.5),
    (curved_dependence, 90, 2, 0.55),
    (clusters_apart, 90, 1, 1.22),
    (weights_of_clusters, 60, 2, 0.27),
    (waves_of_density, 100, 1, 0.7),
    (two_bumps, 100, 2, 0.2),
    (lognormal_for_exponential, 100, 1, 0.8),
]
