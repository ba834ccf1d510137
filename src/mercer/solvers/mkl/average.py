"""Equal weights, to which all other ways are compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.solvers.mkl.grams import Grams, as_grams
from mercer.solvers.mkl.learned import Weights, at_once


def average(Ks: Grams | Sequence[np.ndarray]) -> Weights:
    """Equal weights of the matrices, each divided by the mean of its diagonal."""
    grams = as_grams(Ks)
    return at_once(grams, np.ones(len(grams)), 0.0)
