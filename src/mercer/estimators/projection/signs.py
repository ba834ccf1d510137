"""Signs that reproduce: an eigenvector is as good as its negative."""

from __future__ import annotations

import numpy as np


def turn(V: np.ndarray) -> np.ndarray:
    """Signs of the columns: with them, the entry of largest magnitude is positive; of equals, the first."""
    if V.shape[0] == 0:
        return np.ones(V.shape[1])
    size = np.abs(V)
    # entries that differ by rounding alone are equals: otherwise symmetric data would turn with the last bit
    first = (size >= (1 - 1e-9) * size.max(axis=0)).argmax(axis=0)
    return np.where(V[first, np.arange(V.shape[1])] < 0, -1.0, 1.0)
