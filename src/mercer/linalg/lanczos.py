"""The largest eigenvalues of a symmetric matrix that is only multiplied, by block Lanczos.

A pass over a Gram matrix costs the same for one vector as for a dozen, whether it reads the matrix
or computes it again. So the Krylov space grows by blocks, everything in it is used (Rayleigh-Ritz),
and it is cut back to its best part when it becomes large.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import scipy

from mercer.linalg.matrices import Multipliable
from mercer.linalg.products import product
from mercer.linalg.solution import Solution

CLOSE = 1e-12  # of the largest eigenvalue: a residual that double precision can reach
_STALLED = 30  # passes in which the residual was not halved
_GOOD = 1e-8  # a stalled residual that is good enough
_EQUAL = 1e-7  # of the largest eigenvalue: nearer ones may be copies of one eigenvalue


@dataclasses.dataclass
class Leading(Solution):
    """Eigenvalues, the largest first, with unit eigenvectors as columns.

    Iterations are passes over the matrix; the residual is the largest ‖Av − λv‖ over the largest
    |λ|.
    """

    values: np.ndarray
    vectors: np.ndarray
    lowest: float  # the smallest Ritz value, which bounds the smallest eigenvalue from above


def block_size(count: int) -> int:
    """Columns of a block: some more than eigenvalues are wanted, so that few passes are needed."""
    return min(count + 6, 40)


def leading(
    A: Multipliable,
    start: np.ndarray,
    count: int,
    *,
    tol: float = CLOSE,
    noise: float = 0.0,
    passes: int = 300,
    callback: Callable[[int, float], bool] | None = None,
) -> Leading:
    """The ``count`` largest eigenpairs of a symmetric matrix.

    Parameters
    ----------
    A : matrix
        Symmetric; it is only multiplied.
    start : ndarray of shape (n, block)
        Random columns to begin with.
    count : int
        How many eigenpairs are wanted.
    tol : float
        The iteration is done when the residuals are below ``tol`` times the largest eigenvalue.
    noise : float, default=0.0
        The rounding error of the products, below which residuals need not fall.
    passes : int, default=300
        Products at most.
    callback : callable, default=None
        Called with the number of passes and the residual; True asks to stop.
    """
    space = _KrylovSpace(start, count)
    patience = 0  # passes to wait after random columns came in, before the result is believed
    for step in range(1, passes + 1):
        image = space.extend(A)
        enough = max(tol, noise / space.scale)
        stop = callback is not None and callback(step, space.residual)
        done = step >= patience and space.is_settled(enough)
        hidden = space.may_hide_copies()
        if space.full or stop or (done and not hidden):
            return space.result(step, space.residual <= max(enough, _GOOD) or space.full)
        block = space.new_directions(image)
        if done or block.shape[1] == 0:
            # nothing else can be reached from this start, or copies of an eigenvalue may be hidden
            if space.complete and not hidden:
                return space.result(step, True)
            block = space.random_directions()
            patience = step + 1 + max(4, step // 2)
        space.prepare(block)
    return space.result(passes, space.residual <= enough)


class _KrylovSpace:
    """An orthonormal basis Q, its image AQ, the projection T = QᵀAQ, and what follows from T."""

    def __init__(self, start: np.ndarray, count: int) -> None:
        n, block = start.shape
        self.n, self.count, self.block_size = n, count, block
        self.capacity = max(8 * block, 4 * count + 2 * block, 64)
        self.random_columns = block  # random columns that came in so far
        self.rng = np.random.RandomState(0)
        self.block = _orthonormal(start)
        self.Q = np.empty((n, 0), order="F")
        self.image = np.empty((n, 0), order="F")
        self.T = np.empty((0, 0))
        self.best, self.since_best, self.lowest = np.inf, 0, np.inf

    def extend(self, A: Multipliable) -> np.ndarray:
        """Add the next block and solve the projected problem; the image of the block."""
        image = A @ self.block
        border, corner = product(self.Q.T, image), product(self.block.T, image)
        self.T = np.block([[self.T, border], [border.T, (corner + corner.T) / 2]])
        self.Q = np.asfortranarray(np.hstack([self.Q, self.block]))
        self.image = np.asfortranarray(np.hstack([self.image, image]))
        values, vectors = scipy.linalg.eigh(self.T)
        self.values, self.coordinates = values[::-1], vectors[:, ::-1]
        self.lowest = min(self.lowest, float(values[0]))
        self._measure()
        return image

    def _measure(self) -> None:
        """The wanted eigenvectors and their residual."""
        wanted = self.coordinates[:, : self.wanted]
        self.vectors = product(self.Q, wanted)
        rest = product(self.image, wanted) - self.vectors * self.values[: self.wanted]
        self.scale = max(float(np.abs(self.values).max()), 1e-300)
        self.residual = float(np.linalg.norm(rest, axis=0).max()) / self.scale
        self.since_best += 1
        if self.residual < 0.5 * self.best:
            self.best, self.since_best = self.residual, 0

    @property
    def wanted(self) -> int:
        """How many of the wanted eigenvalues the space has."""
        return min(self.count, len(self.T))

    @property
    def complete(self) -> bool:
        """Whether the space has all wanted eigenvalues."""
        return self.wanted == self.count

    @property
    def full(self) -> bool:
        """Whether the space is all of Rⁿ."""
        return self.Q.shape[1] >= self.n

    def is_settled(self, enough: float) -> bool:
        """Whether the residual is small enough, or good and no longer falls."""
        stalled = self.since_best >= _STALLED and self.residual <= _GOOD
        return stalled or (self.complete and self.residual <= enough)

    def may_hide_copies(self) -> bool:
        """Whether an eigenvalue was found as often as random columns allow: there may be more."""
        if self.full:
            return False
        values = self.values[: self.wanted]
        largest = float(np.abs(values).max(initial=0.0))
        values = values[np.abs(values) > 1e-12 * largest]  # of 0, any number will do
        if len(values) < self.random_columns:
            return False
        last = self.random_columns - 1
        spread = np.abs(values[: len(values) - last] - values[last:])
        return bool((spread <= _EQUAL * largest).any())

    def new_directions(self, image: np.ndarray) -> np.ndarray:
        """The directions that the last images add; orthogonalized twice, against rounding error."""
        block = self._outside(self._outside(image))
        block = _orthonormal(block, float(np.linalg.norm(image, axis=0).max()))
        if block.shape[1]:
            block = _orthonormal(self._outside(block), 1.0)
        return block

    def random_directions(self) -> np.ndarray:
        """Fresh random columns orthogonal to the space."""
        fresh = self.rng.standard_normal((self.n, self.block_size))
        self.random_columns += self.block_size
        self.since_best = 0
        return _orthonormal(self._outside(self._outside(fresh)))

    def _outside(self, V: np.ndarray) -> np.ndarray:
        return V - product(self.Q, product(self.Q.T, V))

    def prepare(self, block: np.ndarray) -> None:
        """Make room for the next block: a space that is too large keeps its best part."""
        self.block = block[:, : self.n - self.Q.shape[1]]
        if self.Q.shape[1] + self.block.shape[1] <= self.capacity:
            return
        keep = min(self.count + self.block_size, len(self.values))
        self.Q = product(self.Q, self.coordinates[:, :keep])
        self.image = product(self.image, self.coordinates[:, :keep])
        self.T = np.diag(self.values[:keep])

    def result(self, passes: int, converged: bool) -> Leading:
        """The largest eigenvalues, estimated from the space."""
        return Leading(
            self.values[: self.wanted],
            self.vectors,
            self.lowest,
            iterations=passes,
            residual=self.residual,
            converged=converged,
        )


def _orthonormal(B: np.ndarray, scale: float | None = None) -> np.ndarray:
    """An orthonormal basis of the columns, without directions that are rounding error."""
    Q, R, _ = scipy.linalg.qr(B, mode="economic", pivoting=True, check_finite=False)
    size = np.abs(R.diagonal())
    if scale is None:
        scale = max(float(size[0]), 1e-300)
    return np.asfortranarray(Q[:, : int((size > 1e-12 * scale).sum())])
