"""Points of the plane, and of a line with values, as the lectures have them.

Every set is an array of three columns: two coordinates and a class or a value. Of a curve, the
second column is the value and the third is not used.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.errors import InputError, did_you_mean

_SEED = 0


def points(name: str, seed: int = _SEED) -> np.ndarray:
    """The set of points of this name."""
    if name not in SETS:
        remedy = did_you_mean(name, SETS, f"one of {', '.join(SETS)}")
        raise InputError("points", name, "are unknown", remedy)
    return SETS[name](np.random.default_rng(seed))


def _labeled(*classes: np.ndarray) -> np.ndarray:
    """Points of several classes, numbered in order."""
    rows = [np.column_stack([part, np.full(len(part), at)]) for at, part in enumerate(classes)]
    return np.vstack(rows).astype(float)


def _around(radius: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    angle = rng.uniform(0.0, 2 * np.pi, len(radius))
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def _sinusoids(rng: np.random.Generator) -> np.ndarray:
    size, noise = 100, rng.normal(0.0, 0.15, (2, 100))
    first = np.pi * np.arange(1, size + 1) / size
    second = first + np.pi / 2
    sine = np.column_stack([first, np.sin(first) + noise[0]])
    return _labeled(sine, np.column_stack([second, np.cos(second) + noise[1]]))


def _sinc(rng: np.random.Generator) -> np.ndarray:
    x = np.sort(rng.uniform(-20.0, 20.0, 120))
    y = np.sinc(x / np.pi) + rng.normal(0.0, 0.03, len(x))
    return np.column_stack([x, y, np.zeros(len(x))])


def _ring(rng: np.random.Generator) -> np.ndarray:
    disc, ring = rng.uniform(0.0, 0.9, 70), rng.uniform(1.3, 2.0, 110)
    return _labeled(_around(disc, rng), _around(ring, rng))


def _shells(rng: np.random.Generator) -> np.ndarray:
    sizes = {0.3: 60, 1.5: 70, 4.0: 80}
    return _labeled(
        *(_around(radius + rng.normal(0.0, 0.15, n), rng) for radius, n in sizes.items())
    )


def _cloud(rng: np.random.Generator) -> np.ndarray:
    left = rng.multivariate_normal([-0.8, 0.3], [[0.3, 0.18], [0.18, 0.3]], 60)
    right = rng.multivariate_normal([1.1, -0.5], [[0.15, 0.0], [0.0, 0.3]], 40)
    return _labeled(np.vstack([left, right]))


def _xor(rng: np.random.Generator) -> np.ndarray:
    X = rng.uniform(-2.0, 2.0, (160, 2))
    X = X[np.abs(X[:, 0] * X[:, 1]) > 0.15]
    return np.column_stack([X, X[:, 0] * X[:, 1] > 0]).astype(float)


def _square(rng: np.random.Generator) -> np.ndarray:
    X = rng.uniform(-1.0, 1.0, (150, 2))
    return np.column_stack([X, X[:, 0] * X[:, 1] + 0.3 * X[:, 0] ** 2 > 0.05]).astype(float)


def _moons(rng: np.random.Generator) -> np.ndarray:
    angle = np.linspace(0.0, np.pi, 90)
    upper = np.column_stack([np.cos(angle) - 0.5, np.sin(angle) - 0.25])
    lower = np.column_stack([0.5 - np.cos(angle), 0.25 - np.sin(angle)])
    return _labeled(*(1.6 * (part + rng.normal(0, 0.12, part.shape)) for part in (upper, lower)))


def _spiral(rng: np.random.Generator) -> np.ndarray:
    turn = np.sqrt(rng.uniform(0.03, 1.0, 110)) * 3 * np.pi
    arm = 0.22 * turn[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    arm += rng.normal(0.0, 0.05, arm.shape)
    return _labeled(arm, -arm)


def _blobs(rng: np.random.Generator) -> np.ndarray:
    centers = [(-1.4, -0.9), (1.5, -0.6), (0.1, 1.4)]
    return _labeled(*(rng.normal(center, 0.5, (50, 2)) for center in centers))


def _wave(rng: np.random.Generator) -> np.ndarray:
    x = np.sort(np.concatenate([rng.uniform(-3.0, 0.2, 14), rng.uniform(1.6, 3.0, 8)]))
    y = np.sin(1.7 * x) + 0.3 * x + rng.normal(0.0, 0.1, len(x))
    return np.column_stack([x, y, np.zeros(len(x))])


def _seasons(rng: np.random.Generator) -> np.ndarray:
    x = np.linspace(0.0, 8.0, 70)
    y = 0.25 * x + 0.6 * np.sin(2 * np.pi * x) * np.exp(-0.05 * x) + rng.normal(0, 0.08, len(x))
    return np.column_stack([x, y - y.mean(), np.zeros(len(x))])


def _hills(rng: np.random.Generator) -> np.ndarray:
    X = rng.uniform(-2.5, 2.5, (140, 2))
    value = np.sin(1.5 * X[:, 0]) * np.cos(X[:, 1]) + rng.normal(0.0, 0.05, len(X))
    return np.column_stack([X, value])


def _diabetes(rng: np.random.Generator) -> np.ndarray:
    """Body-mass index and triglycerides of 200 patients, standardized, and the progression."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    rows = np.sort(rng.permutation(len(X))[:200])
    table = np.column_stack([X[:, [2, 8]], y])[rows]
    return (table - table.mean(axis=0)) / table.std(axis=0)


SETS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "moons": _moons,
    "sinusoids": _sinusoids,
    "ring": _ring,
    "shells": _shells,
    "xor": _xor,
    "spiral": _spiral,
    "blobs": _blobs,
    "square": _square,
    "cloud": _cloud,
    "wave": _wave,
    "sinc": _sinc,
    "seasons": _seasons,
    "hills": _hills,
    "diabetes": _diabetes,
}
