"""Ridge regression with many penalties from one eigendecomposition of the Gram matrix."""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer.linalg.solution import Solution


@dataclasses.dataclass
class RidgePath(Solution):
    """The leave-one-out errors of all penalties, and the coefficients of the best."""

    losses: np.ndarray  # mean squared leave-one-out errors, one per penalty
    best: int  # the position of the smallest
    dual: np.ndarray  # a = (K + λ/w)⁻¹ Y at the best penalty
    left_out: np.ndarray  # what the model without a sample predicts for it, at the best penalty


def ridge_path(
    K: np.ndarray, Y: np.ndarray, weight: np.ndarray, penalties: np.ndarray
) -> RidgePath:
    """Solve (K + λ/w) A = Y for every penalty λ > 0 and score it by leave-one-out.

    The error y_i − f₋ᵢ(x_i) of the model without sample i is a_i / ((K + λ/w)⁻¹)_ii.
    """
    root = np.sqrt(weight)[:, None]
    if not (weight == 1).all():
        K = K * (root * root.T)
    values, Q = np.linalg.eigh(K)
    values = np.maximum(values, 0.0)
    rotated = Q.T @ (root * Y)
    # the diagonal of (K + λI)⁻¹, a column per penalty
    inverse = (Q * Q) @ (1.0 / (values[:, None] + penalties[None, :]))
    dual = [Q @ (rotated / (values + penalty)[:, None]) for penalty in penalties]
    # √w (y − prediction without the sample)
    gaps = [part / inverse[:, k : k + 1] for k, part in enumerate(dual)]
    total = weight.sum() * Y.shape[1]
    losses = np.array([float((gap**2).sum() / total) for gap in gaps])
    best = int(np.argmin(losses))
    return RidgePath(losses, best, root * dual[best], Y - gaps[best] / root)
