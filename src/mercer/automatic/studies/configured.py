"""Automatic models with the choices of a study."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from mercer.aliases import Estimator, RawSamples
from mercer.automatic.models import AutoClassifier, AutoRegressor
from mercer.readers.doubts import BOTH_CASES

_MANY = 8000  # samples from which rows of the Gram matrix are kept in part only
_ENOUGH = 1_500_000_000  # bytes


def configured(task: str, **choices: Any) -> Estimator:
    """The automatic model for a task, with those of the choices that it has a parameter for."""
    kind = AutoClassifier if task == "classification" else AutoRegressor
    known = kind().get_params()
    return kind(**{name: value for name, value in choices.items() if name in known})


def fit(model: Estimator, X: RawSamples, y: np.ndarray, balanced: bool = False) -> Estimator:
    """Fit a model, with balanced classes by its class weights or else by weights of samples."""
    weights = {}
    if balanced and "class_weight" in model.get_params():
        model.set_params(class_weight="balanced")
    elif balanced:
        weights = {"sample_weight": compute_sample_weight("balanced", y)}
    with warnings.catch_warnings():
        # The study says itself which columns are left out, and the reader what it is in doubt of.
        warnings.filterwarnings("ignore", message="columns are left out")
        warnings.filterwarnings("ignore", message=f".*{BOTH_CASES}")
        return model.fit(X, y, **weights)
