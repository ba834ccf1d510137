"""Probabilities from what a classifier says of rows that it has not seen."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.model_selection import StratifiedKFold

from mercer.aliases import Estimator, RandomState, RawSamples, Splitter, Targets, Weights
from mercer.estimators.common.fitting import restores
from mercer.estimators.common.report import FitReport
from mercer.estimators.conformal.base import HoldsOut
from mercer.estimators.conformal.links import LINKS, log_loss, logarithms
from mercer.estimators.held_out.calibration import Settings, hold_out
from mercer.estimators.held_out.closed_forms import has_closed_form
from mercer.estimators.held_out.methods import CV, JACKKNIFE
from mercer.estimators.held_out.outputs import (
    check_gives_probabilities,
    check_several,
    probabilities,
)
from mercer.params import Constraint, choice, is_integer
from mercer.state import State


class CalibratedProbabilities(ClassifierMixin, HoldsOut):
    """Class probabilities for any classifier, fitted to what it says of rows held out.

    Use it where a classifier has decision values but no probabilities, or poor ones: support vector
    machines, whose own are one steepness of the margins. The classifier is fitted on all rows; the
    function from its values to probabilities is fitted on values of rows that models have not seen,
    by folds, or in closed form for `KernelRidgeClassifier`. There is no guarantee: for sets of
    labels with one, see `ConformalClassifier`.

    Parameters
    ----------
    estimator : estimator
        A classifier with decision values or probabilities; it is cloned.
    method : {"sigmoid", "isotonic", "temperature"}, default="sigmoid"
        The function of log-probabilities z (of a softmax of decision values, where there are no
        probabilities): softmax(A z + b), which is Platt's for two classes; a rising step function
        of the log-odds of each class, for a thousand rows or more; or softmax(A z), which leaves
        the order of the classes as it is.
    cv : int or splitter, default=5
        The folds in which values of rows held out are computed; classes keep their shares. No
        closed form is used with a splitter.
    random_state : int, RandomState instance or None, default=0
        What draws the folds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimator_ : estimator
        The classifier, fitted on all rows.
    link_ : object
        The function from log-probabilities to probabilities.
    report_ : FitReport
        How rows were held out, and the log-loss before and after.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    ConformalClassifier : Sets of labels with a guarantee.
    KernelLogisticRegression : Probabilities that are fitted at once.

    References
    ----------
    .. [1] J. C. Platt, "Probabilistic outputs for support vector machines and comparisons to
           regularized likelihood methods", Advances in Large Margin Classifiers (1999) 61-74.
    .. [2] B. Zadrozny and C. Elkan, "Transforming classifier scores into accurate multiclass
           probability estimates", KDD (2002) 694-699.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, CalibratedProbabilities
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CalibratedProbabilities(SVC()).fit(X[::2], y[::2])
    >>> p = model.predict_proba(X[1::2])
    >>> p.shape, bool((p.max(axis=1) > 0.9).mean() > 0.5)
    ((75, 3), True)
    """

    _rules: ClassVar[dict[str, Constraint]] = {"method": choice(*LINKS)}
    stored: ClassVar[State] = State(plain=("classes_", "link_"))

    def __init__(
        self,
        estimator: Estimator,
        method: str = "sigmoid",
        *,
        cv: Splitter = 5,
        random_state: RandomState = 0,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.random_state = random_state

    @restores
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit the classifier, and the function from its values to probabilities.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples, as the estimator takes them; the Gram matrix where its kernel is
            precomputed.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights for the fits, and for the log-loss. Rows of weight 0 are left out.

        Returns
        -------
        CalibratedProbabilities
            The fitted estimator.
        """
        start = time.perf_counter()
        given = self._begin(X, y, sample_weight)
        check_gives_probabilities(self.estimator)
        self.classes_, codes = np.unique(given.y, return_inverse=True)
        check_several(self.classes_)
        held = hold_out(self._settings(codes), given, self._ask)
        self.estimator_, self._training = held.model, held.training
        weight = np.ones(len(codes)) if given.weight is None else given.weight
        z = logarithms(held.outputs)
        self.link_ = LINKS[self.method](z, codes, weight)
        before = log_loss(held.outputs, codes, weight)
        after = log_loss(self.link_(z), codes, weight)
        words = f"log-loss of rows held out: {before:.4g} before, {after:.4g} after, by these rows"
        seconds = time.perf_counter() - start
        name, solver = repr(self.estimator), f"{self.method} of values of rows held out"
        self.report_ = FitReport(name, held.way, solver, len(codes), seconds, notes=(words,))
        return self

    def _settings(self, codes: np.ndarray) -> Settings:
        """Leave-one-out where it has a closed form, else folds of as many rows of each class."""
        method, cv = CV, self.cv
        if is_integer(cv):
            fewest = int(np.bincount(codes).min())
            folds = min(cv, fewest)
            if folds >= 2:
                cv = StratifiedKFold(folds, shuffle=True, random_state=self.random_state)
            if has_closed_form(self.estimator, len(codes), len(self.classes_)):
                method = JACKKNIFE
        return Settings(self.estimator, method, 0.5, cv, False, self.random_state, True, "")

    def _ask(self, model: Estimator, X: RawSamples) -> np.ndarray:
        return probabilities(model, X, self.classes_)

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Predict class probabilities.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            A column for each of ``classes_``.
        """
        samples = self._for_model(self._new(X))
        values = self._ask(self.estimator_, samples)
        return self.link_(logarithms(values))

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict the most probable labels.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        p = self.predict_proba(X)
        return self.classes_[np.argmax(p, axis=1)]
