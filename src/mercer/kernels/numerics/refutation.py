"""Search for points and coefficients with cᵀKc < 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from mercer.aliases import RawSamples
from mercer.definiteness import CPD, Witness
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.errors import MercerError
from mercer.execution.blas import serial_blas
from mercer.gram.fill import dense

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__: list[str] = []

_MOST = 600  # points of the user's data that are looked at
_MOST_IN_BALL = 400
_MOST_FOUND = 256
_FOUND: dict[tuple[type, str, int], Witness | None] = {}  # by kernel and dimension


def witness_among(kernel: Kernel, points: RawSamples, balanced: bool) -> Witness | None:
    """The most negative direction of one Gram matrix, if it is negative beyond rounding."""
    if getattr(points, "dtype", None) == np.float32:
        points = points.astype(np.float64)
    samples = kernel.prepare(Batch(points))
    k = dense(kernel, samples, samples)
    c, value = _lowest(k, balanced)
    size = max(float(np.abs(np.linalg.eigvalsh(k)).max()), float(np.abs(k).max()))
    rounding = 50 * len(k) * np.finfo(float).eps * size
    rounding += len(k) * kernel.rounding_error(samples)
    if value >= -rounding:
        return None
    smallest = max(rounding, 1e-3 * abs(value))
    short = _shorten(k, points, c, balanced, smallest)
    return short or Witness(points, *_rounded(k, c, value, balanced), balanced)


def _lowest(k: np.ndarray, balanced: bool) -> tuple[np.ndarray, float]:
    """The unit vector c with the smallest cᵀKc, among those with Σc = 0 if balanced; and cᵀKc."""
    center = np.eye(len(k))
    if balanced:
        center -= 1.0 / len(k)
    _, vectors = np.linalg.eigh(center @ k @ center)
    c = center @ vectors[:, 0]
    return c, float(c @ k @ c)


def _shorten(
    k: np.ndarray, points: RawSamples, c: np.ndarray, balanced: bool, smallest: float
) -> Witness | None:
    """The few points that carry the counterexample alone, by more than ``smallest``, if any do."""
    order = np.argsort(-np.abs(c))
    for count in (1, 2, 3, 4, 5, 8, 16, 32):
        if count >= len(c):
            return None
        rows = np.sort(order[:count])
        short, value = _lowest(k[np.ix_(rows, rows)], balanced)
        if value < -smallest:
            block = k[np.ix_(rows, rows)]
            return Witness(
                pick_rows(points, rows), *_rounded(block, short, value, balanced), balanced
            )
    return None


def _rounded(
    k: np.ndarray, c: np.ndarray, value: float, balanced: bool
) -> tuple[np.ndarray, float]:
    """The coefficients with as few digits as still show the counterexample, and cᵀKc."""
    for digits in (2, 3, 4, 6, 9):
        short = np.round(c, digits)
        if balanced:
            at = int(np.argmax(np.abs(c)))
            short[at] = np.round(short[at] - short.sum(), digits)
        rounded_value = float(short @ k @ short)
        if rounded_value < 0.9 * value:
            return short, rounded_value
    return c, value


def refute(kernel: Kernel, X: RawSamples, d: int | None) -> Witness | None:
    """A witness against what the kernel claims: psd, or (for a cpd claim) cpd."""
    balanced = kernel.certify(None).status == CPD
    if X is None:
        return _search(kernel, d, balanced)
    return refute_on(kernel, X, balanced)


def refute_on(kernel: Kernel, X: RawSamples, balanced: bool) -> Witness | None:
    """A witness among the samples, or among as many of them as are looked at."""
    with serial_blas():  # the matrices are small
        return witness_among(kernel, _some(X, np.random.default_rng(0)), balanced)


def refute_in(kernel: Kernel, d: int, balanced: bool) -> Witness | None:
    """A witness in R^d, which is looked for once: every report asks for the status again."""
    key = (type(kernel), repr(kernel), d)
    if key not in _FOUND:
        if len(_FOUND) >= _MOST_FOUND:
            _FOUND.clear()
        _FOUND[key] = _search(kernel, d, balanced)
    return _FOUND[key]


def _search(kernel: Kernel, d: int | None, balanced: bool) -> Witness | None:
    """The first witness among collections of points in R^d."""
    rng = np.random.default_rng(0)
    for points in _candidates(kernel, d, rng):
        try:
            with serial_blas():  # the matrices are small
                witness = witness_among(kernel, points, balanced)
        except (MercerError, np.linalg.LinAlgError):
            # Outside the domain, or too large: not a place to look.
            continue
        if witness is not None:
            return witness
    return None


def _some(X: RawSamples, rng: np.random.Generator) -> RawSamples:
    """The samples, or as many of them, drawn at random, as are looked at."""
    n_samples = raw_length(X)
    if n_samples <= _MOST:
        return X
    return pick_rows(X, np.sort(rng.choice(n_samples, _MOST, replace=False)))


def _candidates(kernel: Kernel, d: int | None, rng: np.random.Generator) -> Iterator[RawSamples]:
    """Collections of points in R^d, or in a few dimensions, on which a false claim may break."""
    dimensions = (1, 2, 3) if d is None else (d,)
    for n_features in dimensions:
        yield from kernel.domain.lattices(n_features, rng)
        n_points = min(40 * n_features + 80, _MOST_IN_BALL)
        if n_features > 1 and "matrix" in kernel.domain.accepts:
            for radius in (1.0, 3.0, 6.0, 12.0):
                yield _ball(n_points, n_features, radius, rng)


def _ball(n_samples: int, n_features: int, radius: float, rng: np.random.Generator) -> np.ndarray:
    """Points spread over a ball: where oscillating radial functions break."""
    x = rng.standard_normal((n_samples, n_features))
    lengths = radius * rng.random((n_samples, 1)) ** (1.0 / n_features)
    x *= lengths / np.linalg.norm(x, axis=1, keepdims=True)
    return x
