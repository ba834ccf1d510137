"""The largest eigenvalues of a symmetric matrix that is only multiplied: block Lanczos, as few passes over the matrix as can be.

A pass over a Gram matrix costs the same for one vector as for a dozen, whether it reads the matrix or computes it anew. So the Krylov
space grows by blocks, everything in it is used (Rayleigh and Ritz), and it is cut back to its best part when it becomes large.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from scipy import linalg

from mercer.linalg.products import product

CLOSE = 1e-12  # of the largest eigenvalue: a residual that double precision can reach
_STALLED = 30  # passes in which the residual was not halved
_GOOD = 1e-8  # a stalled residual that is good enough


@dataclasses.dataclass(frozen=True)
class Leading:
    """Eigenvalues, the largest first, with unit eigenvectors as columns."""

    values: np.ndarray
    vectors: np.ndarray
    passes: int
    residual: float  # the largest ‖Av − λv‖, over the largest |λ|
    lowest: float  # the smallest Ritz value: no eigenvalue of the matrix need be as small, but one is at least so
    converged: bool


def block_size(count: int) -> int:
    """Columns of a pass that is costly however many there are: some more than are wanted, so that few passes are needed."""
    return min(count + 6, 40)


def _may_hide_copies(values: np.ndarray, columns: int) -> bool:
    """A Krylov space of so many random columns has at most so many copies of an eigenvalue: where it found as many, there may be more."""
    values = values[
        np.abs(values) > 1e-12 * np.abs(values).max(initial=0.0)
    ]  # of 0, any number will do
    if len(values) < columns:
        return False
    spread = np.abs(values[: len(values) - columns + 1] - values[columns - 1 :])
    return bool((spread <= 1e-7 * np.abs(values).max()).any())


def leading(
    multiply: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
    count: int,
    *,
    tol: float = CLOSE,
    noise: float = 0.0,
    passes: int = 300,
    tell: Callable[[int, float], bool] | None = None,
) -> Leading:
    """The ``count`` largest eigenpairs; ``start`` is a block of random columns.

    Done when the residuals are below ``tol`` times the largest, or below ``noise``, the rounding of the products; at most ``passes``
    products are asked for.
    """
    n = len(start)
    most = max(
        8 * start.shape[1], 4 * count + 2 * start.shape[1], 64
    )  # columns to hold; beyond, the best are kept
    block, columns = _orthonormal(start), start.shape[1]
    patience = 0
    rng = np.random.RandomState(0)  # of further columns, where copies of an eigenvalue may hide
    Q, image = np.empty((n, 0), order="F"), np.empty((n, 0), order="F")
    T = np.empty((0, 0))
    best, since, lowest = np.inf, 0, np.inf
    for step in range(1, passes + 1):
        fresh = multiply(block)
        T = _bordered(T, product(Q.T, fresh), product(block.T, fresh))
        Q, image = (
            np.asfortranarray(np.hstack([Q, block])),
            np.asfortranarray(np.hstack([image, fresh])),
        )
        values, Y = linalg.eigh(T)
        values, Y = values[::-1], Y[:, ::-1]
        lowest = min(lowest, float(values[-1]))
        wanted = min(count, len(values))
        V = product(Q, Y[:, :wanted])
        rest = product(image, Y[:, :wanted]) - V * values[:wanted]
        size = max(float(np.abs(values).max()), 1e-300)
        residual = float(np.linalg.norm(rest, axis=0).max()) / size
        since += 1
        if residual < 0.5 * best:
            best, since = residual, 0
        full = Q.shape[1] >= n
        stop = tell is not None and tell(step, residual)
        enough = max(tol, noise / size)
        # after fresh columns came in, what was found before is as good as it was: they need passes of their own to show what they bring
        done = step >= patience and (
            (residual <= enough and wanted == count) or (since >= _STALLED and residual <= _GOOD)
        )
        hidden = not full and _may_hide_copies(values[:wanted], columns)
        if (done and not hidden) or full or stop:
            return Leading(
                values[:wanted], V, step, residual, lowest, residual <= max(enough, _GOOD) or full
            )
        # the new directions: what the last images add to the space
        block = fresh - product(Q, product(Q.T, fresh))
        block = _orthonormal(
            block - product(Q, product(Q.T, block)), float(np.linalg.norm(fresh, axis=0).max())
        )
        if block.shape[1]:
            block -= product(Q, product(Q.T, block))
            block = _orthonormal(block, 1.0)
        if (
            done or block.shape[1] == 0
        ):  # nothing else can be reached from this start, or copies may be hidden
            if wanted == count and not hidden:
                return Leading(values[:wanted], V, step, residual, lowest, True)
            fresh = rng.standard_normal((n, start.shape[1]))
            for _ in range(2):
                fresh = fresh - product(Q, product(Q.T, fresh))
            block, columns, since, patience = (
                _orthonormal(fresh),
                columns + start.shape[1],
                0,
                step + 1 + max(4, step // 2),
            )
        block = block[:, : n - Q.shape[1]]
        if Q.shape[1] + block.shape[1] > most:
            keep = min(count + start.shape[1], len(values))
            Q, image, T = (
                product(Q, Y[:, :keep]),
                product(image, Y[:, :keep]),
                np.diag(values[:keep]),
            )
    return Leading(values[:wanted], V, passes, residual, lowest, residual <= enough)


def _bordered(T: np.ndarray, side: np.ndarray, corner: np.ndarray) -> np.ndarray:
    return np.block([[T, side], [side.T, (corner + corner.T) / 2]])


def _orthonormal(B: np.ndarray, scale: float | None = None) -> np.ndarray:
    """An orthonormal basis of the columns, without the directions that are rounding beside ``scale``."""
    Q, R, _ = linalg.qr(B, mode="economic", pivoting=True, check_finite=False)
    size = np.abs(R.diagonal())
    limit = 1e-12 * (max(float(size[0]), 1e-300) if scale is None else scale)
    return np.asfortranarray(Q[:, : int((size > limit).sum())])
