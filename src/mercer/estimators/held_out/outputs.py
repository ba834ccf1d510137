"""Outputs of a learner as numbers: predictions, or probabilities of all classes."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from mercer.aliases import Estimator, RawSamples
from mercer.errors import InputError, ParameterError


def predictions(model: Estimator, X: RawSamples) -> np.ndarray:
    """The predicted numbers of a regressor, checked to be finite; a vector, or columns."""
    values = np.asarray(model.predict(X), dtype=np.float64)
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        rule = "is not finite: nothing can be said of how sure it is"
        raise InputError(f"the prediction for sample {row}", float("nan"), rule)
    return values


def probabilities(model: Estimator, X: RawSamples, classes: np.ndarray) -> np.ndarray:
    """A column for each of ``classes``; 0 for one that the model has not seen.

    Learners without probabilities give the softmax of their decision values.
    """
    columns = np.searchsorted(classes, model.classes_)
    values = np.zeros((0, len(columns)))
    if hasattr(model, "predict_proba"):
        values = np.asarray(model.predict_proba(X), dtype=np.float64)
    else:
        values = of_decisions(np.asarray(model.decision_function(X), dtype=np.float64))
    whole = np.zeros((len(values), len(classes)))
    whole[:, columns] = values
    return whole


def of_decisions(values: np.ndarray) -> np.ndarray:
    """Probabilities that decision values on the scale of ±1 suggest.

    One value, or a last axis of length 1, is for the second of two classes.
    """
    if values.ndim == 1:
        values = values[:, None]
    if values.shape[-1] == 1:
        return softmax(np.concatenate([-values, values], axis=-1), axis=-1)
    return softmax(2.0 * values, axis=-1)


def check_gives_probabilities(estimator: Estimator) -> None:
    """Refuse a classifier that gives neither probabilities nor decision values."""
    if not hasattr(estimator, "predict_proba") and not hasattr(estimator, "decision_function"):
        rule = "gives neither probabilities nor decision values"
        raise ParameterError("estimator", estimator, rule, "choose one that does, such as SVC()")


def check_several(classes: np.ndarray) -> None:
    """Refuse a single class."""
    if len(classes) < 2:
        n_classes = len(classes)
        raise ValueError(f"The number of classes has to be greater than one; got {n_classes} class")
