"""Lengths and distances in feature space, from kernel values alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.definiteness import CPD
from mercer.domains.base import Batch
from mercer.errors import DefinitenessError, ShapeError
from mercer.gram.fill import dense, multiply
from mercer.kernels.base import Kernel

__all__ = ["centroid_distance", "combination_norm", "feature_distance", "feature_norm"]


def _only_conditional(kernel: Kernel) -> bool:
    return kernel.certificate().status == CPD


def feature_norm(kernel: Kernel, X: RawSamples) -> np.ndarray:
    """‖φ(x)‖ = √k(x, x) of every sample.

    >>> from mercer import Linear, feature_norm
    >>> feature_norm(Linear(), [[3.0, 4.0]])
    array([5.])
    """
    if _only_conditional(kernel):
        rule = "is only conditionally positive: its feature space has distances but no origin"
        raise DefinitenessError("feature_norm", kernel, rule, "use feature_distance, or k.center()")
    values = kernel.diag(X).astype(float)
    if values.min() < 0:
        row = int(np.argmin(values))
        raise DefinitenessError(
            f"k(x[{row}], x[{row}])", float(values[row]), "is negative, so that k is no kernel"
        )
    return np.sqrt(values)


def feature_distance(kernel: Kernel, X: RawSamples, Y: RawSamples = None) -> np.ndarray:
    """‖φ(x) − φ(y)‖, d² = k(x,x) + k(y,y) − 2k(x,y); also for conditionally positive kernels.

    >>> from mercer import NegativeDistance, feature_distance
    >>> feature_distance(NegativeDistance(power=2.0), [[0.0]], [[3.0]]) ** 2
    array([[18.]])
    """
    x, y, _ = kernel._prepare_both(X, Y)
    k = dense(kernel, x, y)
    left = kernel.diagonal(x)
    right = left if y is x else kernel.diagonal(y)
    squared = (left[:, None] + right[None, :]) - 2.0 * k
    if y is x:
        np.fill_diagonal(squared, 0.0)
    rounding = 1e-9 * (np.abs(left).max() + np.abs(right).max() + np.abs(k).max())
    if squared.min() < -rounding:
        i, j = np.unravel_index(int(np.argmin(squared)), squared.shape)
        rule = "is negative, so that k is not even conditionally positive"
        raise DefinitenessError(
            f"d²(x[{i}], y[{j}])", float(squared[i, j]), rule, "look at k.certificate()"
        )
    return np.sqrt(np.maximum(squared, 0.0))


def combination_norm(kernel: Kernel, X: RawSamples, alpha: Any) -> float:
    """‖Σ α_i φ(x_i)‖ = √(αᵀKα); for a conditionally positive kernel only if Σα = 0."""
    weights = np.asarray(alpha, dtype=float).ravel()
    side = kernel.prepare(Batch(X))
    if len(weights) != len(side):
        raise ShapeError(
            "alpha", f"{len(weights)} values", f"must have one for each of the {len(side)} samples"
        )
    if _only_conditional(kernel) and abs(weights.sum()) > 1e-10 * np.abs(weights).sum():
        rule = "must sum to 0 for a kernel that is only conditionally positive"
        raise DefinitenessError(
            "alpha", float(weights.sum()), rule, "subtract the mean, or use k.center()"
        )
    image = multiply(kernel, side, side, weights[:, None])[:, 0]
    value = float(weights @ image)
    scale = float(np.abs(weights).sum()) ** 2 * float(np.abs(kernel.diagonal(side)).max())
    if value < -1e-9 * scale:
        raise DefinitenessError(
            "αᵀKα", value, "is negative, so that k is no kernel", "look at k.certificate()"
        )
    return float(np.sqrt(max(value, 0.0)))


def centroid_distance(kernel: Kernel, X: RawSamples, centre: Any) -> np.ndarray:
    """‖φ(x) − mean φ(c)‖ of every x from the mean of the samples ``centre``; also for conditionally positive kernels."""
    left = Batch(X)
    x = kernel.prepare(left)
    c = kernel.prepare(Batch(centre, like=left))
    mean = np.full((len(c), 1), 1.0 / len(c))
    across = multiply(kernel, x, c, mean)[:, 0]
    within = float(multiply(kernel, c, c, mean)[:, 0].mean())
    squared = kernel.diagonal(x) - 2.0 * across + within
    return np.sqrt(np.maximum(squared, 0.0))
