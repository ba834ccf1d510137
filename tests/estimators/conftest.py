"""Data and formulas that several estimators are tested with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.preprocessing import scale


@pytest.fixture
def classes() -> Callable:
    """``classes(n, k, seed)``: n samples in 8 dimensions, and their labels below k."""

    def make(n: int = 200, k: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        X, y = make_classification(
            n, 8, n_informative=6, n_classes=k, flip_y=0.05, random_state=seed
        )
        return scale(X), y

    return make


@pytest.fixture
def dual_objective() -> Callable:
    """``dual_objective(K, beta, target, eps)``: what every margin machine minimizes."""
    return lambda K, beta, target, eps=0.0: (
        0.5 * beta @ K @ beta - target @ beta + eps * np.abs(beta).sum()
    )
