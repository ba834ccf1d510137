"""Lengths and distances in feature space, from kernel values alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mercer.aliases import RawSamples
from mercer.definiteness import CPD
from mercer.domains.base import Batch
from mercer.errors import DefinitenessError, ShapeError
from mercer.gram.fill import dense, multiply
from mercer.kernels.base import Kernel
from mercer.params import renamed_arguments

__all__ = ["centroid_distance", "combination_norm", "feature_distance", "feature_norm"]

_SEE = "look at k.certificate()"


def _only_conditional(kernel: Kernel) -> bool:
    return kernel.certificate().status == CPD


def feature_norm(kernel: Kernel, X: RawSamples) -> np.ndarray:
    """‖φ(x)‖ = √k(x, x) of every sample.

    Parameters
    ----------
    kernel : Kernel
        The kernel of the feature map φ.
    X : collection of n samples
        The samples x.

    Returns
    -------
    ndarray of shape (n,)
        The lengths.

    Examples
    --------
    >>> from mercer import Linear, feature_norm
    >>> feature_norm(Linear(), [[3.0, 4.0]])
    array([5.])
    """
    if _only_conditional(kernel):
        rule = "is only conditionally positive: its feature space has distances but no origin"
        raise DefinitenessError("feature_norm", kernel, rule, "use feature_distance, or k.center()")
    values = kernel.diag(X).astype(float)
    row = int(np.argmin(values))
    if values[row] < 0:
        rule = "is negative, so that k is not a kernel"
        raise DefinitenessError(f"k(x[{row}], x[{row}])", float(values[row]), rule)
    return np.sqrt(values)


def feature_distance(kernel: Kernel, X: RawSamples, Y: RawSamples = None) -> np.ndarray:
    """‖φ(x) − φ(y)‖, d² = k(x,x) + k(y,y) − 2k(x,y); also for conditionally positive kernels.

    Parameters
    ----------
    kernel : Kernel
        The kernel of the feature map φ.
    X : collection of n samples
        The samples x.
    Y : collection of m samples, optional
        The samples y; those of X by default.

    Returns
    -------
    ndarray of shape (n, m)
        The distances.

    Examples
    --------
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
        raise DefinitenessError(f"d²(x[{i}], y[{j}])", float(squared[i, j]), rule, _SEE)
    return np.sqrt(np.maximum(squared, 0.0))


def combination_norm(kernel: Kernel, X: RawSamples, alpha: ArrayLike) -> float:
    """‖Σ α_i φ(x_i)‖ = √(αᵀKα); for a conditionally positive kernel only if Σα = 0.

    Parameters
    ----------
    kernel : Kernel
        The kernel of the feature map φ.
    X : collection of n samples
        The samples x.
    alpha : array_like of shape (n,)
        The coefficients.

    Returns
    -------
    float
        The length.

    Examples
    --------
    >>> from mercer import Linear, combination_norm
    >>> combination_norm(Linear(), [[1.0], [4.0]], [-1.0, 1.0])
    3.0
    """
    weights = np.asarray(alpha, dtype=float).ravel()
    samples = kernel.prepare(Batch(X))
    if len(weights) != len(samples):
        rule = f"must have one for each of the {len(samples)} samples"
        raise ShapeError("alpha", f"{len(weights)} values", rule)
    size = float(np.abs(weights).sum())
    if abs(weights.sum()) > 1e-10 * size and _only_conditional(kernel):
        rule = "must sum to 0 for a kernel that is only conditionally positive"
        remedy = "subtract the mean, or use k.center()"
        raise DefinitenessError("alpha", float(weights.sum()), rule, remedy)
    image = multiply(kernel, samples, samples, weights[:, None])[:, 0]
    value = float(weights @ image)
    scale = size**2 * float(np.abs(kernel.diagonal(samples)).max())
    if value < -1e-9 * scale:
        raise DefinitenessError("αᵀKα", value, "is negative, so that k is not a kernel", _SEE)
    return float(np.sqrt(max(value, 0.0)))


@renamed_arguments(centre="center")
def centroid_distance(kernel: Kernel, X: RawSamples, center: RawSamples) -> np.ndarray:
    """‖φ(x) − mean φ(c)‖ of every x; also for conditionally positive kernels.

    Parameters
    ----------
    kernel : Kernel
        The kernel of the feature map φ.
    X : collection of n samples
        The samples x.
    center : collection of samples
        The samples c, whose mean in feature space is the centroid.

    Returns
    -------
    ndarray of shape (n,)
        The distances.

    Examples
    --------
    >>> from mercer import Linear, centroid_distance
    >>> centroid_distance(Linear(), [[5.0]], [[1.0], [3.0]])
    array([3.])
    """
    left = Batch(X)
    x = kernel.prepare(left)
    c = kernel.prepare(Batch(center, like=left))
    mean = np.full((len(c), 1), 1.0 / len(c))
    across = multiply(kernel, x, c, mean)[:, 0]
    inside = float(multiply(kernel, c, c, mean)[:, 0].mean())
    squared = kernel.diagonal(x) - 2.0 * across + inside
    return np.sqrt(np.maximum(squared, 0.0))
