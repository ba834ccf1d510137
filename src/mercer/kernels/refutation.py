"""Search for points and coefficients with cᵀKc < 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.definiteness import CPD, Witness
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.errors import MercerError
from mercer.gram.fill import dense
from mercer.kernels.base import Kernel

__all__: list[str] = []

_MOST = 600  # points of the user's data that are looked at


def witness_among(kernel: Kernel, points: Any, balanced: bool) -> Witness | None:
    """The most negative direction of one Gram matrix, if it is negative beyond rounding."""
    if getattr(points, "dtype", None) == np.float32:
        points = points.astype(np.float64)
    batch = Batch(points)
    side = kernel.prepare(batch)
    k = dense(kernel, side, side)
    n = len(k)
    centre = np.eye(n) - 1.0 / n if balanced else np.eye(n)
    _, vectors = np.linalg.eigh(centre @ k @ centre)
    c = centre @ vectors[:, 0]
    value = float(c @ k @ c)
    rounding = (
        50
        * n
        * np.finfo(float).eps
        * max(float(np.abs(np.linalg.eigvalsh(k)).max()), float(np.abs(k).max()))
    )
    rounding += n * kernel.rounding_error(side)
    if value >= -rounding:
        return None
    return _shorten(k, points, c, balanced, rounding, value)


def _shorten(
    k: np.ndarray, points: Any, c: np.ndarray, balanced: bool, rounding: float, value: float
) -> Witness:
    """Keep the few points that carry the counterexample, if they carry it alone."""
    order = np.argsort(-np.abs(c))
    for count in (1, 2, 3, 4, 5, 8, 16, 32):
        if count >= len(c):
            break
        rows = np.sort(order[:count])
        part = k[np.ix_(rows, rows)]
        centre = np.eye(count) - 1.0 / count if balanced else np.eye(count)
        _, vectors = np.linalg.eigh(centre @ part @ centre)
        short = centre @ vectors[:, 0]
        low = float(short @ part @ short)
        if low < -max(rounding, 1e-3 * abs(value)):
            return Witness(pick_rows(points, rows), short, low, balanced)
    return Witness(points, c, value, balanced)


def refute(kernel: Kernel, X: RawSamples, d: int | None) -> Witness | None:
    """A witness against what the kernel claims: psd, or (for a cpd claim) cpd."""
    balanced = kernel.certify(None).status == CPD
    rng = np.random.default_rng(0)
    candidates: list[Any] = []
    if X is not None:
        n = raw_length(X)
        if n <= _MOST:
            candidates.append(X)
        else:
            rows = np.sort(rng.choice(n, _MOST, replace=False))
            candidates.append(pick_rows(X, rows))
        return witness_among(kernel, candidates[0], balanced)
    for width in (1, 2, 3) if d is None else (d,):
        candidates += kernel.domain.lattices(width, rng)
        for scale in (1.0, 3.0, 6.0, 12.0) if width > 1 else ():
            candidates.append(_ball(kernel, 40 * width + 80, width, scale, rng))
    for points in candidates:
        if points is None:
            continue
        try:
            found = witness_among(kernel, points, balanced)
        except (
            MercerError,
            np.linalg.LinAlgError,
        ):  # outside the domain, or too large: not a place to look
            continue
        if found is not None:
            return found
    return None


def _ball(kernel: Kernel, count: int, width: int, radius: float, rng: np.random.Generator) -> Any:
    """Points spread over a ball: where oscillating radial functions break."""
    if "matrix" not in kernel.domain.accepts:
        return None
    x = rng.standard_normal((count, width))
    x *= radius * rng.random((count, 1)) ** (1.0 / width) / np.linalg.norm(x, axis=1, keepdims=True)
    return x
