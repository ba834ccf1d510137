"""How wide a radial kernel should be, from distances between samples."""

from __future__ import annotations

import numpy as np

from mercer.aliases import RawSamples, Weights
from mercer.errors import ParameterError
from mercer.params import renamed_arguments

__all__ = ["width"]

_DISTANCES = 20_000  # more would not move a quantile by a percent


@renamed_arguments(weight="sample_weight")
def width(
    X: RawSamples, how: str = "sigest", *, random_state: int = 0, sample_weight: Weights = None
) -> float:
    """A length scale ℓ of exp(−‖x−x′‖²/2ℓ²) for these rows: "sigest" or "median".

    Both look at ‖x−x′‖² of rows drawn at random, two at a time, equal rows left out.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The rows.
    how : {"sigest", "median"}, default "sigest"
        "sigest" is kernlab's rule: 1/2ℓ² is the mean of 1/q₁₀ and 1/q₉₀, the reciprocals of the
        quantiles at 10 and 90 % of the squared distances. "median": ℓ² is their median.
    random_state : int, default 0
        The seed of the draw.
    sample_weight : array-like of shape (n_samples,), optional
        Samples of larger weight are more likely to be drawn.

    Returns
    -------
    float
        The length scale; 1.0 if all rows drawn are equal.

    References
    ----------
    Caputo, Sim, Furesjö and Smola, "Appearance-based object recognition using SVMs: which kernel
    should I use?", NIPS workshop 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, width
    >>> X = np.random.default_rng(0).standard_normal((500, 10))
    >>> round(width(X, "median"), 1)
    4.2
    >>> RBF(width(X)).length_scale < width(X, "median")
    True
    """
    if how not in ("sigest", "median"):
        raise ParameterError("how", how, 'must be "sigest" or "median"')
    if not hasattr(X, "tocsr"):
        X = np.asarray(X, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = _squared_distances(X, random_state, sample_weight)
    if not np.isfinite(squares).all():
        remedy = "divide the data by a constant, or standardize the columns"
        raise ParameterError("how", how, "needs squared distances, which overflow", remedy)
    squares = squares[squares > 0]
    if not len(squares):
        return 1.0  # all rows are equal: no width is better than another
    if how == "median":
        return float(np.sqrt(np.median(squares)))
    low, high = np.quantile(squares, [0.1, 0.9])
    return float(1.0 / np.sqrt(1.0 / low + 1.0 / high))  # 1/2ℓ² = (1/q₁₀ + 1/q₉₀)/2


def _squared_distances(X: RawSamples, random_state: int, sample_weight: Weights) -> np.ndarray:
    """‖x−x′‖² of rows drawn at random."""
    n_samples = X.shape[0]
    shares = sample_weight
    if sample_weight is not None:
        shares = np.asarray(sample_weight, dtype=float) / np.sum(sample_weight)
    rng = np.random.default_rng(random_state)
    count = min(_DISTANCES, max(2 * n_samples, 1000))
    left, right = rng.choice(n_samples, (2, count), p=shares)
    gap = X[left] - X[right]
    if hasattr(gap, "tocsr"):
        return np.asarray(gap.multiply(gap).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", gap, gap)
