"""Back from feature space: samples whose image lies near a given combination Σ γ_i φ(x_i)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist

from mercer.domains.base import Batch
from mercer.errors import ParameterError
from mercer.gram.fill import dense
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Scaled
from mercer.kernels.vectors.radial import ScaledDistance


def ridge(K: np.ndarray, X: np.ndarray, penalty: float) -> np.ndarray:
    """(K + penalty)⁻¹ X: a regression from the projections, with kernel matrix K, to the samples. K is written on."""
    K.flat[:: len(K) + 1] += penalty
    return linalg.solve(K, X, assume_a="pos", overwrite_a=True, check_finite=False)


def radial_part(kernel: Kernel | None) -> ScaledDistance:
    """The function of a distance that the kernel is, but for a factor; only for those the iteration is defined."""
    part: Any = kernel
    while isinstance(part, Scaled):
        part = part.kernel
    if not isinstance(part, ScaledDistance):
        shown = "precomputed" if kernel is None else kernel
        raise ParameterError(
            "inverse",
            "fixed_point",
            f"is for radial kernels, not for {shown}",
            "use inverse='ridge'",
        )
    return part


def fixed_point(
    kernel: ScaledDistance,
    X: np.ndarray,
    weights: np.ndarray,
    start: np.ndarray,
    tol: float = 1e-9,
    most: int = 500,
) -> np.ndarray:
    """For every row γ of ``weights`` the z that maximises Σ γ_i k(z, x_i): the mean of X weighted by γ_i times the slope at z, repeated.

    Where the weights cancel, and the mean would run away, z stays where it was.
    """
    scale = np.broadcast_to(np.asarray(kernel.length_scale, dtype=float), X.shape[1:])
    reach = float(np.abs(X).max()) or 1.0
    z = np.array(start, dtype=float)
    moving = np.arange(len(z))
    for _ in range(most):
        s2 = cdist(z[moving] / scale, X / scale, "sqeuclidean")
        with np.errstate(all="ignore"):
            pull = weights[moving] * np.where(
                s2 > 0, kernel.slope(s2), kernel.slope(np.full_like(s2, 1e-300))
            )
        total = pull.sum(axis=1)
        sound = np.isfinite(total) & (np.abs(total) > 1e-12 * np.abs(pull).sum(axis=1))
        moving, pull, total = moving[sound], pull[sound], total[sound]
        if len(moving) == 0:
            break
        there = (pull @ X) / total[:, None]
        near = np.abs(there).max(axis=1) <= 10 * reach
        moving, there = moving[near], there[near]
        step = np.abs(there - z[moving]).max(axis=1)
        z[moving] = there
        moving = moving[step > tol * reach]
        if len(moving) == 0:
            break
    return z


def latent_matrix(kernel: Kernel, Z: np.ndarray, other: np.ndarray | None = None) -> np.ndarray:
    """The kernel between projections, which are vectors."""
    right = Batch(Z)
    y = kernel.prepare(right)
    return (
        dense(kernel, y, y)
        if other is None
        else dense(kernel, kernel.prepare(Batch(other, like=right)), y)
    )
