"""Whether a user's function is symmetric, seen on the tiles that are computed anyway."""

from __future__ import annotations

import numpy as np

from mercer.errors import ParameterError
from mercer.gram.tile import Pair

__all__: list[str] = []

_ROUNDING = 1e-6  # of the largest value: a user's function may be an approximation


def check_symmetric(pair: Pair, values: np.ndarray, function: object) -> None:
    """Refuse a function f with f(x, y) ≠ f(y, x), of which only one half would be read."""
    if pair.x is not pair.y or pair.rows != pair.cols:
        return
    with np.errstate(invalid="ignore"):
        gap = np.abs(values - values.T)
        wrong = gap > _ROUNDING * np.abs(values).max(initial=0.0)  # never where it is nan
    if not wrong.any():
        return
    i, j = np.unravel_index(int(np.argmax(np.where(wrong, gap, 0.0))), gap.shape)
    first, second = pair.x.identities()[[pair.i0 + i, pair.i0 + j]]
    one = f"k(x[{first}], x[{second}]) = {values[i, j]:.6g}"
    other = f"k(x[{second}], x[{first}]) = {values[j, i]:.6g}"
    remedy = "return the mean of f(x, y) and f(y, x), or another function"
    raise ParameterError("kernel", function, f"is not symmetric: {one}, but {other}", remedy)
