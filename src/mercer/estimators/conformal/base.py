"""Base class of conformal predictors: a learner, and rows that it has not seen."""

from __future__ import annotations

import time
from typing import ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import column_or_1d, get_tags
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Estimator, RandomState, RawSamples, Splitter, Targets, Weights
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import long_labels_as_objects
from mercer.estimators.common.validation import weights_for
from mercer.estimators.conformal.guarantee import Guarantee
from mercer.estimators.conformal.shift import ShiftLike, shift_for
from mercer.estimators.held_out.calibration import Given, Held, Settings, hold_out
from mercer.estimators.held_out.methods import METHODS, PREFIT
from mercer.estimators.held_out.rows import columns_of, training_rows
from mercer.estimators.wrapping import Wrapper
from mercer.params import Constraint, between, boolean, choice
from mercer.state import State, check_count

_FEWEST = 4  # rows that can be divided


class HoldsOut(Wrapper):
    """Base class of estimators that fit a learner and hold rows out from it."""

    _rules: ClassVar[dict[str, Constraint]] = {}
    stored: ClassVar[State] = State(plain=("estimator_", "report_", "_kept", "_training"))

    def _ask(self, model: Estimator, X: RawSamples) -> np.ndarray:
        """The output of a fitted model for samples: predictions or probabilities."""
        raise NotImplementedError(type(self).__name__)

    def _begin(self, X: RawSamples, y: Targets, sample_weight: Weights) -> Given:
        """Check parameters, samples, targets and weights; leave out rows of weight 0."""
        for name, constraint in self._rules.items():
            constraint.check(name, getattr(self, name))
        self._check_estimator()
        X, y = self._checked(X, long_labels_as_objects(y))
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        if y.ndim != 1:
            rule = f"has {y.shape[1]} columns, and {type(self).__name__} predicts one number"
            raise ShapeError("y", f"array of shape {y.shape}", rule, "fit one model for each")
        pairwise = self._is_pairwise()
        if pairwise and X.shape[0] != X.shape[1]:
            rule = "should be a square kernel matrix"
            raise ShapeError("X", f"array of shape {X.shape}", rule, "give k(X, X)")
        weight = None
        self._kept = np.arange(len(y))
        if sample_weight is not None:
            weight = weights_for(self.estimator, sample_weight, len(y))
            self._kept = np.flatnonzero(weight)
            X, y = training_rows(X, self._kept, pairwise), y[self._kept]
            weight = weight[self._kept]
        if len(y) < _FEWEST and not self._is_prefit():
            size = f"Found array with {len(y)} sample(s)"
            name = type(self).__name__
            raise ShapeError(f"{size} while a minimum of {_FEWEST} is required by {name}.")
        return Given(X, y, weight, pairwise)

    def _is_prefit(self) -> bool:
        """Whether the learner was fitted before, on other rows."""
        return vars(self)["method"] == PREFIT

    def _is_pairwise(self) -> bool:
        """Whether samples are a Gram matrix whose columns are the rows given to ``fit``."""
        return get_tags(self.estimator).input_tags.pairwise and not self._is_prefit()

    def _check_estimator(self) -> None:
        learns = hasattr(self.estimator, "fit") and hasattr(self.estimator, "predict")
        suits = learns and not isinstance(self.estimator, type)
        if not suits or is_classifier(self.estimator) != is_classifier(self):
            wanted = "a classifier" if is_classifier(self) else "a regressor"
            raise ParameterError("estimator", self.estimator, f"is not {wanted}", "give one")

    def _new(self, X: RawSamples) -> RawSamples:
        """New samples, checked; of a precomputed matrix the columns of positive weight."""
        check_is_fitted(self)
        X = self._samples(X, reset=False)
        return columns_of(X, self._kept, self._is_pairwise())

    def _for_model(self, X: RawSamples) -> RawSamples:
        """Checked samples as the fitted learner reads them."""
        return columns_of(X, self._training, self._is_pairwise())

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict as the fitted learner does.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Its predictions.
        """
        samples = self._for_model(self._new(X))
        return np.asarray(self.estimator_.predict(samples))


class Conformal(HoldsOut):
    """Base class of conformal regressors and classifiers."""

    method: str
    calibration: float
    cv: Splitter
    refit: bool
    shift: ShiftLike
    random_state: RandomState

    covers: ClassVar[str]  # targets or labels
    _rules: ClassVar[dict[str, Constraint]] = {
        "method": choice(*METHODS),
        "calibration": between(0.0, 0.95),
        "refit": boolean,
    }
    stored: ClassVar[State] = State(plain=("left_out_", "guarantee_", "method_", "shift_"))

    scores_: np.ndarray

    def _check_loaded(self) -> None:
        if self.left_out_ is not None:
            check_count("scores_", len(self.scores_), len(self.left_out_.groups))

    def _held_out_once(self) -> str:
        """The parameter that needs rows that are held out once, in words; empty: none."""
        return "" if self.shift is None else "a covariate shift"

    def _hold_out(self, given: Given, start: float) -> Held:
        """Fit the learner, hold rows out, and say what is proven."""
        held = hold_out(self._settings(), given, self._ask)
        self.estimator_, self.left_out_, self.method_ = held.model, held.left_out, held.method
        self._training = held.training
        self.shift_ = shift_for(self.shift, held.model, given.X, held.rows, given.pairwise)
        doubt, condition = held.doubt, held.condition
        if self.shift_ is not None:
            doubt, ratio = self.shift_.doubt, "weighted by the known ratio of the densities"
            condition = ", ".join(filter(None, [condition, ratio]))
        self.guarantee_ = Guarantee(held.method, len(held.rows), doubt, condition, self.covers)
        seconds = time.perf_counter() - start
        notes = (self.guarantee_.general(),)
        n = len(given.y)
        self.report_ = FitReport(
            repr(self.estimator), held.way, self._way(), n, seconds, notes=notes
        )
        return held

    def _settings(self) -> Settings:
        """The parameters that say how rows are held out."""
        rules = (self.calibration, self.cv, self.refit, self.random_state)
        stratified = bool(vars(self).get("by_class", False))
        return Settings(self.estimator, self.method, *rules, stratified, self._held_out_once())

    def _way(self) -> str:
        """The method in words, for reports and results."""
        raise NotImplementedError(type(self).__name__)
