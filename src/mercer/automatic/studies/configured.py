"""Automatic models with the choices of a study."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from mercer.aliases import Estimator, RawSamples
from mercer.automatic.models import AutoClassifier, AutoRegressor


def configured(task: str, **choices: Any) -> Estimator:
    """The automatic model for a task, with those of the choices that it has a parameter for."""
    kind = AutoClassifier if task == "classification" else AutoRegressor
    known = kind().get_params()
    return kind(**{name: value for name, value in choices.items() if name in known})


def fit(model: Estimator, X: RawSamples, y: np.ndarray, balanced: bool = False) -> Estimator:
    """Fit a model; with balanced classes by weights where it has no parameter for them."""
    if balanced and "class_weight" not in model.get_params():
        return model.fit(X, y, sample_weight=compute_sample_weight("balanced", y))
    return model.fit(X, y)
