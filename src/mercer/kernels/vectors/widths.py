"""How wide a radial kernel should be, from distances between samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.errors import ParameterError

__all__ = ["width"]

_PAIRS = 20_000  # more would not move a quantile by a per cent


def width(
    X: RawSamples, how: str = "sigest", *, random_state: int = 0, weight: Any = None
) -> float:
    """A length scale ℓ of exp(−‖x−x′‖²/2ℓ²) for these rows: "sigest" or "median".

    Both look at ‖x−x′‖² of pairs drawn at random, equal rows left out. "sigest" is kernlab's rule: 1/2ℓ² is the mean of 1/q₁₀ and 1/q₉₀,
    the reciprocals of their quantiles at 10 and 90 %; "median": ℓ² is their median. ``weight`` makes samples more likely to be drawn.

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
    n = X.shape[0]
    rng = np.random.default_rng(random_state)
    share = None if weight is None else np.asarray(weight, dtype=float) / np.sum(weight)
    i, j = rng.choice(n, (2, min(_PAIRS, max(2 * n, 1000))), p=share)
    gap = X[i] - X[j]
    squares = (
        np.asarray(gap.multiply(gap).sum(axis=1)).ravel()
        if hasattr(gap, "tocsr")
        else np.einsum("ij,ij->i", gap, gap)
    )
    squares = squares[squares > 0]
    if not len(squares):
        return 1.0  # all rows are equal: no width is better than another
    if how == "median":
        return float(np.sqrt(np.median(squares)))
    low, high = np.quantile(squares, [0.1, 0.9])
    return float(1.0 / np.sqrt(1.0 / low + 1.0 / high))  # 1/2ℓ² = (1/q₁₀ + 1/q₉₀)/2
