"""Signs that reproduce: an eigenvector is as good as its negative."""

from __future__ import annotations

import numpy as np


def sign_flips(vectors: np.ndarray) -> np.ndarray:
    """±1 for each column, with which its entry of largest magnitude is positive.

    Entries that differ by rounding error alone count as equal, and of equal ones the first decides:
    otherwise the sign of symmetric data would depend on the last bit.
    """
    if len(vectors) == 0:
        return np.ones(vectors.shape[1])
    size = np.abs(vectors)
    first = (size >= (1 - 1e-9) * size.max(axis=0)).argmax(axis=0)
    return np.where(vectors[first, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
