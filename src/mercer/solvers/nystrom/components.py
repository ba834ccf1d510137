"""Principal components on centers: the largest eigenvalues of the scatter of all rows.

With K_mm = L Lᵀ, rows have the coordinates φ(x) = L⁻¹ k_x. Their scatter is never stored: one pass
over the rows multiplies it by a block of vectors, and block Lanczos asks for nothing else.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable

import numpy as np

from mercer.aliases import Targets
from mercer.gram.blocks.base import Block
from mercer.gram.fused import CenterMatrix, Curvature
from mercer.gram.plan import FLOAT32
from mercer.linalg.lanczos import Leading, block_size, leading
from mercer.linalg.matrices import Multipliable
from mercer.solvers.nystrom.preconditioner import Whitening

_CLOSE = 1e-10  # residual over the largest eigenvalue, in double precision
_ROUGH = 5e-5  # in single precision
_SAMPLED, _SAMPLE_PASSES = 1e-3, 20  # of the eigenvectors of a sample, which fits begin with


@dataclasses.dataclass(frozen=True)
class Ones:
    """w for every row: the pass then sums the rows."""

    def __call__(
        self, values: np.ndarray, y: Targets, weight: np.ndarray
    ) -> tuple[float, np.ndarray]:
        return float(weight.sum()), weight[:, None] * np.ones_like(values)


@dataclasses.dataclass(frozen=True)
class Members:
    """w in the column of the class of a row: the pass then sums the rows of each class."""

    def __call__(
        self, values: np.ndarray, y: Targets, weight: np.ndarray
    ) -> tuple[float, np.ndarray]:
        return 0.0, (y[:, None] == np.arange(values.shape[1])) * weight[:, None]


@dataclasses.dataclass(frozen=True)
class OverDegrees:
    """w f/d, where the first value is the degree d of a row: it is 0 without links."""

    least: float  # a degree that is rounding error

    def __call__(
        self, values: np.ndarray, y: Targets, weight: np.ndarray
    ) -> tuple[float, np.ndarray]:
        slopes = np.zeros_like(values)
        linked = values[:, 0] > self.least
        share = weight[linked] / values[linked, 0]
        slopes[linked, 1:] = share[:, None] * values[linked, 1:]
        return 0.0, slopes


def row_sums(matrix: CenterMatrix) -> tuple[np.ndarray, float]:
    """K_mn w and Σ w, by one pass."""
    total, sums, _ = matrix.gather(Ones(), np.zeros((len(matrix), 1)), np.zeros(1))
    return sums[:, 0], total


def class_sums(matrix: CenterMatrix, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Σ w k_x and Σ w over the rows of each class, by one pass; targets are class numbers."""
    nothing = np.zeros((len(matrix), n_classes))
    _, sums, mass = matrix.gather(Members(), nothing, np.zeros(n_classes))
    return sums, mass


class Scatter:
    """Φᵀ W (Φ − 1 mᵀ) with the weighted mean m of the rows of Φ = K_nm L⁻ᵀ."""

    def __init__(
        self, matrix: CenterMatrix, whitening: Whitening, sums: np.ndarray, total: float
    ) -> None:
        self.matrix, self.whitening, self.mean = matrix, whitening, sums / total
        self.scale = total * whitening.trace / len(matrix)  # about the trace

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        U = self.whitening.unwhiten(V)
        _, slopes, _ = self.matrix.gather(Curvature(), U, -(self.mean @ U))
        return self.whitening.forward(slopes)


class NormalizedScatter:
    """Φᵀ W D⁻¹ Φ with the degrees D = Φ Φᵀ w: the normalized graph of the rows."""

    scale = 1.0  # of its eigenvalues

    def __init__(self, matrix: CenterMatrix, whitening: Whitening, sums: np.ndarray) -> None:
        self.matrix, self.whitening = matrix, whitening
        self.links = whitening.unwhiten(whitening.forward(sums[:, None]))  # K_mm⁻¹ K_mn w
        self.local = OverDegrees(1e-12 * float(np.abs(sums).max(initial=0.0)))

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        U = np.hstack([self.links, self.whitening.unwhiten(V)])
        _, slopes, _ = self.matrix.gather(self.local, U, np.zeros(U.shape[1]))
        return self.whitening.forward(slopes[:, 1:])


def leading_on_centers(
    scatter: Scatter | NormalizedScatter,
    count: int,
    start: np.ndarray,
    tol: float,
    passes: int,
    callback: Callable[[int, float], bool] | None = None,
) -> Leading:
    """The largest eigenvalues of the scatter, to what the tiles' precision allows.

    Parameters
    ----------
    scatter : Scatter or NormalizedScatter
        What is multiplied.
    count : int
        How many are wanted.
    start : ndarray of shape (m, block)
        Columns to begin with.
    tol : float
        The residual over the largest eigenvalue; 0 for all that the precision of tiles has.
    passes : int
        Passes at most.
    callback : callable, optional
        Called with the number of passes and the residual; True asks to stop.
    """
    single = scatter.matrix.centers.dtype == FLOAT32
    close = max(tol, _ROUGH if single else _CLOSE)
    unit = _Scaled(scatter, scatter.scale)
    top = leading(unit, start, count, tol=close, passes=passes, callback=callback)
    values = np.maximum(top.values, 0.0) * unit.scale
    return dataclasses.replace(top, values=values, converged=top.residual <= 10 * close)


class _Scaled:
    """A matrix over a number, so that squares of its eigenvalues are not lost."""

    def __init__(self, matrix: Multipliable, scale: float) -> None:
        self.matrix, self.scale = matrix, scale

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        return (self.matrix @ V) / self.scale


def sample_start(
    scatter: Scatter | NormalizedScatter, block: Block, count: int, rng: np.random.RandomState
) -> np.ndarray:
    """Columns to begin with: the leading eigenvectors of a sample of the rows, roughly."""
    m = len(scatter.matrix)
    size = min(m, block_size(count))
    start = rng.standard_normal((m, size))
    small = copy.copy(scatter)
    small.matrix = scatter.matrix.of_sample(block)
    unit = _Scaled(small, scatter.scale)
    return leading(unit, start, size, tol=_SAMPLED, passes=_SAMPLE_PASSES).vectors
