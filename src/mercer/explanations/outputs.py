"""The numbers that any model gives: a decision function, log-odds or predictions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.errors import InputTypeError
from mercer.explanations.functions import DECISION, LOG_ODDS, PREDICTION
from mercer.kernels.base import Kernel

_LEAST = 1e-12  # a probability whose logarithm is taken


@dataclasses.dataclass(frozen=True)
class Output:
    """A function of rows with a column for each output, what it is, and the columns' names."""

    function: Callable[[RawSamples], np.ndarray]
    quantity: str
    names: list[str]

    def __call__(self, rows: RawSamples) -> np.ndarray:
        values = np.asarray(self.function(rows), dtype=float)
        return values[:, None] if values.ndim == 1 else values


def output_function(model: Estimator) -> Output:
    """What a model, or a function of rows, is explained by."""
    classes = [str(name) for name in getattr(model, "classes_", ())]
    if isinstance(model, Kernel) or not _has_output(model):
        rule = "has neither a decision function nor predictions"
        raise InputTypeError("model", model, rule, "give a fitted learner")
    if hasattr(model, "decision_function"):
        return Output(model.decision_function, DECISION, classes if len(classes) > 2 else [])
    if hasattr(model, "predict_proba"):
        return Output(
            lambda X: _log_odds(model.predict_proba(X)), LOG_ODDS, classes[2:] and classes
        )
    if hasattr(model, "predict"):
        return Output(model.predict, PREDICTION, [])
    return Output(model, "function", [])


def _has_output(model: Any) -> bool:
    return callable(model) or any(
        hasattr(model, name) for name in ("decision_function", "predict_proba", "predict")
    )


def _log_odds(probability: np.ndarray) -> np.ndarray:
    """log p₁ − log p₀ of two classes; log p of several."""
    logs = np.log(np.maximum(probability, _LEAST))
    return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs
