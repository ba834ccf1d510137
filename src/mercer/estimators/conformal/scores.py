"""Scores of regression: how far a target lies from what was predicted, and back to intervals."""

from __future__ import annotations

import dataclasses
import inspect
from typing import ClassVar

import numpy as np
from sklearn.base import clone

from mercer.aliases import Estimator, RawSamples
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.gp.regressor import GaussianProcessRegressor
from mercer.estimators.held_out.calibration import Given, Held, Settings, hold_out
from mercer.estimators.held_out.closed_forms import has_closed_form
from mercer.estimators.held_out.methods import CV, JACKKNIFE
from mercer.estimators.held_out.outputs import predictions
from mercer.state import State, storable

_FOLDS = 5  # in which residuals are computed where there is no closed form
_SMALLEST = 1e-3  # of the mean residual, added to all of them before their logarithms are learned

Ends = tuple[np.ndarray, np.ndarray]


@storable
@dataclasses.dataclass
class AbsoluteScore:
    """|y − f(x)|: intervals of one width."""

    stored: ClassVar[State] = State()

    def score(self, X: RawSamples, outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The scores of calibration rows."""
        return np.abs(y - _one_column(outputs))

    def ends(self, X: RawSamples, outputs: np.ndarray, level: np.ndarray | float) -> Ends:
        """The interval of targets whose score is at most ``level``."""
        center = _one_column(outputs)
        return center - level, center + level


@storable
@dataclasses.dataclass
class NormalizedScore:
    """|y − f(x)|/s(x): intervals as wide as the errors are large near x.

    s(x) are the standard deviations of the learner itself, or exp of a regression of log |error|.
    """

    stored: ClassVar[State] = State(plain=("model", "smallest"))

    model: Estimator  # of log |error|, or the learner itself
    smallest: float  # 0 for standard deviations of the learner itself

    def spread(self, X: RawSamples) -> np.ndarray:
        """s(x) > 0."""
        if self.smallest == 0.0:
            return _deviations(self.model, X)
        return np.exp(predictions(self.model, X))

    def score(self, X: RawSamples, outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The scores of calibration rows."""
        return np.abs(y - _one_column(outputs)) / self.spread(X)

    def ends(self, X: RawSamples, outputs: np.ndarray, level: np.ndarray | float) -> Ends:
        """The interval of targets whose score is at most ``level``."""
        center, half = _one_column(outputs), level * self.spread(X)
        return center - half, center + half


@storable
@dataclasses.dataclass
class QuantileScore:
    """max(q_low(x) − y, y − q_high(x)) of two predicted quantiles, which may be negative."""

    stored: ClassVar[State] = State()

    def score(self, X: RawSamples, outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The scores of calibration rows."""
        low, high = _outer_columns(outputs)
        return np.maximum(low - y, y - high)

    def ends(self, X: RawSamples, outputs: np.ndarray, level: np.ndarray | float) -> Ends:
        """The interval of targets whose score is at most ``level``; a point where none is."""
        low, high = _outer_columns(outputs)
        middle = (low + high) / 2.0
        return np.minimum(low - level, middle), np.maximum(high + level, middle)


Score = AbsoluteScore | NormalizedScore | QuantileScore


def normalized_score(
    scale: Estimator | None, settings: Settings, given: Given, held: Held
) -> NormalizedScore:
    """The score whose spread is known from the training rows alone."""
    rows = held.training
    if scale is None and predicts_deviations(held.model, given.others(rows[:1], rows)):
        return NormalizedScore(held.model, 0.0)
    weight = None if given.weight is None else given.weight[rows]
    training = Given(given.others(rows, rows), given.y[rows], weight, given.pairwise)
    n = len(rows)
    closed = has_closed_form(settings.estimator, n)
    method = JACKKNIFE if closed else CV
    inner = dataclasses.replace(settings, method=method, cv=min(_FOLDS, n), once="", refit=False)
    left_out = hold_out(inner, training, predictions)
    errors = np.abs(training.y - _one_column(left_out.outputs))
    smallest = _SMALLEST * float(errors.mean()) or 1.0
    of_errors = dataclasses.replace(training, y=np.log(errors + smallest))
    model = of_errors.fit(clone(settings.estimator if scale is None else scale), np.arange(n))
    return NormalizedScore(model, smallest)


def predicts_deviations(model: Estimator, X: RawSamples) -> bool:
    """Whether ``predict`` has the option ``return_std``, and takes it."""
    if "return_std" not in inspect.signature(model.predict).parameters:
        return False
    try:
        model.predict(X, return_std=True)
    except ParameterError:  # of an automatic model whose learner has none
        return False
    return True


def _deviations(model: Estimator, X: RawSamples) -> np.ndarray:
    """Standard deviations of targets; those of a Gaussian process are without the noise."""
    deviations = np.asarray(model.predict(X, return_std=True)[1], dtype=np.float64)
    if isinstance(model, GaussianProcessRegressor):
        noise = float(np.mean(model.alpha)) * float(np.ravel(model._units.scale)[0]) ** 2
        deviations = np.sqrt(deviations**2 + noise)
    return np.maximum(deviations, np.finfo(float).tiny)


def _one_column(outputs: np.ndarray) -> np.ndarray:
    if outputs.ndim == 1:
        return outputs
    rule = "are several for each sample; one was expected"
    raise ShapeError(
        "predictions", f"array of shape {outputs.shape}", rule, "conformity='quantile'"
    )


def _outer_columns(outputs: np.ndarray) -> Ends:
    """The lowest and the highest of several predicted quantiles."""
    if outputs.ndim != 2 or outputs.shape[1] < 2:
        rule = "are not two or more quantiles, which conformity='quantile' needs"
        remedy = "give KernelQuantileRegressor([0.05, 0.95])"
        raise ShapeError("predictions", f"array of shape {outputs.shape}", rule, remedy)
    return outputs.min(axis=1), outputs.max(axis=1)
