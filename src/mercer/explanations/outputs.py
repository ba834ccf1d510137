"""The numbers that any model gives: a decision function, log-odds or predictions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.errors import InputTypeError, ParameterError
from mercer.explanations.functions import DECISION, LOG_ODDS, PREDICTION
from mercer.kernels.base import Kernel

# methods of models in the order in which they are asked for, and what is explained
_METHODS = {"decision_function": DECISION, "predict_proba": LOG_ODDS, "predict": PREDICTION}
_LEAST = 1e-12  # a probability whose logarithm is taken


@dataclasses.dataclass(frozen=True)
class Output:
    """A function of rows with a column for each output, what it is, and the columns' names."""

    function: Callable[[RawSamples], np.ndarray]
    quantity: str
    names: list[str]

    def __call__(self, rows: RawSamples) -> np.ndarray:
        values = np.asarray(self.function(rows), dtype=float)
        if self.quantity == LOG_ODDS:
            return _log_odds(values)
        return values.reshape(len(values), -1)


def output_function(model: Estimator) -> Output:
    """The output of a model, or of a function of rows, that is explained."""
    classes = [str(name) for name in getattr(model, "classes_", ())]
    several = classes if len(classes) > 2 else []
    for name, quantity in _METHODS.items():
        if hasattr(model, name):
            return Output(getattr(model, name), quantity, several)
    if isinstance(model, Kernel) or not callable(model):
        rule = "has neither a decision function nor predictions"
        raise InputTypeError("model", model, rule, "give a fitted learner")
    return Output(model, "function", [])


def output_position(names: list[str], output: int | str) -> int:
    """The position of an output that is given by its name or its position."""
    position = names.index(output) if output in names else output
    if not isinstance(position, (int, np.integer)) or not -len(names) <= position < len(names):
        raise ParameterError("output", output, f"must be one of {names}, or a position")
    return int(position)


def _log_odds(probability: np.ndarray) -> np.ndarray:
    """log p₁ − log p₀ of two classes; log p of several."""
    logs = np.log(np.maximum(probability, _LEAST))
    return logs[:, 1:] - logs[:, :1] if logs.shape[1] == 2 else logs
