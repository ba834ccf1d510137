"""Samples of the densities whose scores are known, for null distributions by simulation."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

Sampler = Callable[[int, np.random.Generator], np.ndarray]  # of so many rows

_SEEDS = 2**31


def sampler_of(score: Any) -> Sampler | None:
    """A function that draws rows of the density of a score; None where only the score is known.

    Parameters
    ----------
    score : callable, or a distribution
        What `ksd_test` takes, checked.

    Returns
    -------
    callable or None
        A function of the number of rows and a generator, which returns an array of shape (n, d).
    """
    if isinstance(score, (list, tuple)):
        return lambda n, rng: np.column_stack([one.rvs(n, random_state=rng) for one in score])
    if hasattr(score, "rvs"):
        return lambda n, rng: score.rvs(n, random_state=rng).reshape(n, -1)
    if hasattr(score, "precisions_cholesky_"):
        return lambda n, rng: _of_mixture(score, n, rng)
    if hasattr(score, "score_samples") and hasattr(score, "sample"):
        return lambda n, rng: score.sample(n, random_state=int(rng.integers(_SEEDS)))
    return None


def _of_mixture(model: Any, n: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of a mixture of scikit-learn, which draws them by its own ``random_state``."""
    model = copy.copy(model)
    model.random_state = int(rng.integers(_SEEDS))
    return np.asarray(model.sample(n)[0])
