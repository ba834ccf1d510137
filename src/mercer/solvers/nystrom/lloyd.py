"""Lloyd's algorithm on centers: one pass over all rows moves every mean.

A mean is a combination of the centers, m_c = Σ_j u_jc φ(c_j). A pass computes its values at all
rows, gives every row to the nearest mean, and sums the rows of each: all that the next means need.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from mercer.aliases import Targets
from mercer.gram.fused import CenterMatrix
from mercer.linalg.solution import Solution
from mercer.solvers.nystrom.preconditioner import Whitening


@dataclasses.dataclass(frozen=True)
class ToNearest:
    """The weight of each row in the column of the nearest mean; values are f − ½‖m‖²."""

    def __call__(
        self, values: np.ndarray, y: Targets, weight: np.ndarray
    ) -> tuple[float, np.ndarray]:
        rows, nearest = np.arange(len(values)), values.argmax(axis=1)
        members = np.zeros_like(values)
        members[rows, nearest] = weight
        return -2.0 * float(weight @ values[rows, nearest]), members


@dataclasses.dataclass
class Means(Solution):
    """Means as combinations of the centers, a column for each."""

    coefficients: np.ndarray
    length: np.ndarray  # ‖mean‖²
    mass: np.ndarray  # the weights of the clusters
    inertia: float  # Σ w ‖φ(x) − mean‖², less Σ w k(x, x)


def lloyd_on_centers(
    matrix: CenterMatrix,
    whitening: Whitening,
    first: np.ndarray,
    max_iter: int,
    tol: float,
    size: float,
    callback: Callable[[int, float], bool] | None = None,
) -> Means:
    """Move means until the inertia falls by less than ``tol`` times itself, or not at all.

    Parameters
    ----------
    matrix : CenterMatrix
        K_nm with the weights of the rows.
    whitening : Whitening
        The factor of K_mm.
    first : ndarray of shape (m, k)
        The means to begin with.
    max_iter : int
        Passes at most.
    tol : float
        The relative change of the inertia.
    size : float
        Σ w k(x, x), which the inertia is the rest of.
    callback : callable, optional
        Called with the number of passes and the inertia; True asks to stop.
    """
    means = _measured(matrix, first)
    last = np.inf
    for step in range(1, max_iter + 1):
        loss, sums, mass = matrix.gather(ToNearest(), means.coefficients, -0.5 * means.length)
        inertia = max(size + loss, 0.0)
        stop = callback is not None and callback(step, inertia)
        settled = last - inertia <= tol * inertia
        means = dataclasses.replace(means, mass=mass, inertia=inertia, iterations=step)
        if settled or stop:
            return dataclasses.replace(means, converged=settled)
        last = inertia
        # a mean that no row is nearest to stays where it is
        kept = np.where(mass > 0, mass, 1.0)
        moved = whitening.unwhiten(whitening.forward(sums / kept))
        coefficients = np.where(mass > 0, moved, means.coefficients)
        means = dataclasses.replace(_measured(matrix, coefficients), mass=mass, inertia=inertia)
    return dataclasses.replace(means, iterations=max_iter, converged=False)


def _measured(matrix: CenterMatrix, U: np.ndarray) -> Means:
    length = np.einsum("ij,ij->j", U, matrix.inner @ np.ascontiguousarray(U))
    return Means(U, length, np.zeros(U.shape[1]), np.inf)
