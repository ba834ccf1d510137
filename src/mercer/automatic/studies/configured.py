"""Automatic models with the choices of a study."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from mercer.aliases import Estimator, RawSamples
from mercer.automatic.models import AutoClassifier, AutoRegressor
from mercer.config import config_context, get_config

_MANY = 8000  # samples from which rows of the Gram matrix are kept in part only
_ENOUGH = 1_500_000_000  # bytes


def configured(task: str, **choices: Any) -> Estimator:
    """The automatic model for a task, with those of the choices that it has a parameter for."""
    kind = AutoClassifier if task == "classification" else AutoRegressor
    known = kind().get_params()
    return kind(**{name: value for name, value in choices.items() if name in known})


def fit(model: Estimator, X: RawSamples, y: np.ndarray, balanced: bool = False) -> Estimator:
    """Fit a model; with balanced classes by weights where it has no parameter for them.

    Support vector machines keep as many rows of the Gram matrix as the memory budget allows, which
    is half of the machine's memory: a study is content with less.
    """
    weight = None
    if balanced and "class_weight" not in model.get_params():
        weight = compute_sample_weight("balanced", y)
    budget = get_config().memory_budget
    if len(y) > _MANY:
        budget = min(budget, _ENOUGH)
    with config_context(memory_budget=budget):
        if weight is None:
            return model.fit(X, y)
        return model.fit(X, y, sample_weight=weight)
