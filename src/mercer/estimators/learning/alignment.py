"""Centered alignment of two Gram matrices, or of one with targets.

References
----------
Cortes, Mohri and Rostamizadeh, "Algorithms for learning kernels based on centered alignment",
Journal of Machine Learning Research 13, 2012.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mercer.errors import NotFiniteError, ShapeError
from mercer.gram.operator import Gram

_ROUNDING = 1e-12  # of the norm of a matrix: what centering leaves of a constant one


def alignment(K1: ArrayLike | Gram, K2: ArrayLike | Gram) -> float:
    """The centered alignment of two Gram matrices: the cosine of the angle between them.

    Both matrices are centered first, K_c = HKH with H = I − 11ᵀ/n, and the result is
    ⟨K₁_c, K₂_c⟩ / (‖K₁_c‖ ‖K₂_c‖). For kernels it lies between 0 and 1. It does not change if
    either is multiplied by a positive number, or if a constant is added. The alignment with
    ``y[:, None] * y`` says how well a kernel suits targets y.

    Parameters
    ----------
    K1, K2 : array-like of shape (n, n) or Gram
        Symmetric matrices of the same samples, as ``kernel(X)`` or ``kernel.gram(X)``.

    Returns
    -------
    float
        The alignment; 0 where a matrix is constant, so that nothing is left of it when centered.

    See Also
    --------
    learn_kernel : Learns parameters by the alignment with targets.

    References
    ----------
    Cortes, Mohri and Rostamizadeh, "Algorithms for learning kernels based on centered alignment",
    Journal of Machine Learning Research 13, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, Linear, alignment
    >>> X = np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> y = np.array([-1.0, -1.0, 1.0, 1.0])
    >>> (
    ...     round(alignment(RBF()(X), y[:, None] * y), 3),
    ...     round(alignment(Linear()(X), X @ X.T), 3),
    ... )
    (0.616, 1.0)
    """
    first, second = _matrix("K1", K1), _matrix("K2", K2)
    if first.shape != second.shape:
        rule = f"must have the shape of K1, {first.shape}"
        raise ShapeError("K2", f"array of shape {second.shape}", rule)
    one, two = _direction(first), _direction(second)
    return float(np.sum(one * two))


def _direction(K: np.ndarray) -> np.ndarray:
    """The centered matrix divided by its norm; 0 where nothing but rounding errors is left."""
    scaled = K / (float(np.abs(K).max()) or 1.0)  # so that squares neither overflow nor vanish
    centered = center(scaled)
    norm = float(np.linalg.norm(centered))
    if _vanished(norm, scaled):
        return np.zeros_like(centered)
    return centered / norm


def _vanished(norm: float, matrix: np.ndarray) -> bool:
    return norm <= _ROUNDING * float(np.linalg.norm(matrix))


def _matrix(name: str, K: ArrayLike | Gram) -> np.ndarray:
    if isinstance(K, Gram):
        K = K.dense()
    try:
        matrix = np.asarray(K, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(name, type(K).__name__, "must be a matrix of numbers") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
        remedy = "give the Gram matrix, kernel(X)"
        raise ShapeError(name, f"array of shape {matrix.shape}", "must be square", remedy)
    if not np.isfinite(matrix).all():
        raise NotFiniteError(name, float(matrix[~np.isfinite(matrix)][0]), "must be finite")
    return matrix


def center(K: np.ndarray, weight: np.ndarray | float = 1.0) -> np.ndarray:
    """HKHᵀ with H = I − 1pᵀ, p the share of every sample in the weights."""
    times = np.broadcast_to(weight, (len(K),))
    share = times / times.sum()
    rows, columns = K @ share, share @ K
    return K - rows[:, None] - columns + share @ rows


def aligned(K: np.ndarray, Y: np.ndarray, weight: np.ndarray | float) -> tuple[float, np.ndarray]:
    """The centered alignment of K with Y Yᵀ, and W with Σ W∘dK for its slope along dK.

    The columns of Y have a weighted mean of 0. A sample of weight w counts as w equal ones. Both
    are 0 where K is constant.
    """
    times = np.broadcast_to(weight, (len(K),))
    centered = center(K, weight)
    scaled = centered * times[:, None] * times
    norm = float(np.sqrt(np.sum(scaled * centered)))
    if _vanished(norm, K):
        return 0.0, np.zeros_like(K)
    weighted = Y * times[:, None]
    size = float(np.linalg.norm(weighted.T @ Y))
    targets = (weighted / size) @ weighted.T / norm
    value = float(np.sum(targets * centered))
    return value, targets - (value / norm**2) * scaled
