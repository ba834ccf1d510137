"""Estimators that choose kernel, length scale and penalty by themselves."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted

from mercer.aliases import RawSamples, Targets, Weights
from mercer.automatic.base import Automatic
from mercer.errors import InputError, ParameterError
from mercer.estimators.common.fitting import restores
from mercer.state import State, storable

_PROBABILISTIC = ("gp", "rvm")  # regressors that predict standard deviations


@storable
class AutoClassifier(ClassifierMixin, Automatic):
    """Classifier for any samples that chooses its kernel, length scale and penalty by itself.

    Tables (arrays and data frames, with or without missing values) get the kernel of
    `table_kernel`, strings spectrum kernels and texts `TfIdf`, each at several length scales or
    substring lengths. The choice is made on at most ``tune_rows`` samples, the final fit on all.

    Parameters
    ----------
    kernel : str or Kernel
        "auto", or a kernel or an expression, which is tried at half and double its length scales
        as well.
    learner : str
        "auto" (a support vector machine), "svc", "ridge", "logistic", "gp", "rvm", "neighbors" or
        "discriminant".
    missing : sequence
        Values, such as "?", that mark a missing value, in addition to None and NaN.
    tune_rows : int
        The largest number of samples on which kernel and penalty are chosen.
    random_state : int, RandomState or None
        The seed of the folds and of the samples that are drawn for the choice.

    Attributes
    ----------
    model_ : estimator
        The fitted learner.
    kernel_ : Kernel
        Its kernel.
    tuned_ : TunedModel
        The chosen kernel and penalty, and all that were tried.
    classes_ : ndarray
        The classes.

    Examples
    --------
    >>> from mercer import AutoClassifier
    >>> from mercer.datasets import house_votes
    >>> X, y = house_votes()
    >>> model = AutoClassifier().fit(X[:300], y[:300])
    >>> bool(model.score(X[300:], y[300:]) > 0.9)
    True
    """

    _task = "classification"
    stored: ClassVar[State] = State(plain=("classes_",))

    @restores
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Choose kernel and penalty, and fit the classifier.

        Parameters
        ----------
        X : array, data frame, sparse matrix or list
            The samples.
        y : array of shape (n,)
            Their classes.
        sample_weight : array of shape (n,), optional
            Weights of the samples, in the errors by which kernel and penalty are chosen and in the
            fit; the learner's own documentation says what they mean there. Samples of weight 0 are
            left out.

        Returns
        -------
        self
        """
        X, y, weight = self._check_input(X, y, sample_weight)
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity: a class must have a name")
        check_classification_targets(y)
        self.classes_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        n_classes = len(self.classes_)
        if n_classes < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {n_classes} class"
            )
        if n_classes > 2 and counts.max() == 1:
            rule = "has no value twice: no class can be learned"
            raise InputError("y", f"{n_classes} classes", rule, "is it a name?")
        self._fit(X, codes, weight)
        self.model_.classes_ = self.classes_[self.model_.classes_]
        return self

    def _calibrate(self, X: RawSamples, y: np.ndarray, seed: int, weight: Weights) -> None:
        """Platt's scaling of a support vector machine, by decision values on held-out folds."""
        if self.learner_ != "svc":
            return
        K = np.asarray(self.kernel_(X))
        options = {"C": self.tuned_.penalty, "probability": True, "random_state": seed}
        calibrated = type(self.model_)(kernel="precomputed", **options).fit(K, y, weight)
        self.model_.probability = True
        self.model_._steepness = calibrated._steepness

    def predict(self, X: RawSamples) -> np.ndarray:
        """The predicted class of every sample."""
        check_is_fitted(self)
        return self.model_.predict(self._check_samples(X, reset=False))

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Class probabilities, in the order of ``classes_``.

        Learners without probabilities give the softmax of their decision values.
        """
        check_is_fitted(self)
        X = self._check_samples(X, reset=False)
        if hasattr(self.model_, "predict_proba"):
            return self.model_.predict_proba(X)
        scores = self.model_.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack([-scores, scores])
        else:
            scores = 2.0 * scores
        exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
        return exponentials / exponentials.sum(axis=1, keepdims=True)


@storable
class AutoRegressor(RegressorMixin, Automatic):
    """Regressor for any samples that chooses its kernel, length scale and penalty by itself.

    The penalty of kernel ridge regression, the default, is chosen by the leave-one-out error, which
    has a closed form. The target is standardised before the fit. Kernels are chosen as by
    `AutoClassifier`.

    Parameters
    ----------
    kernel : str or Kernel
        "auto", or a kernel or an expression, which is tried at half and double its length scales
        as well.
    learner : str
        "auto" ("ridge", or "svr" for more than 8,000 samples), "ridge", "gp" (chosen by the
        evidence), "svr", "rvm" or "neighbors".
    missing : sequence
        Values, such as "?", that mark a missing value, in addition to None and NaN.
    tune_rows : int
        The largest number of samples on which kernel and penalty are chosen.
    random_state : int, RandomState or None
        The seed of the folds and of the samples that are drawn for the choice.

    Attributes
    ----------
    model_ : estimator
        The fitted learner, of the standardised target.
    kernel_ : Kernel
        Its kernel.
    tuned_ : TunedModel
        The chosen kernel and penalty, and all that were tried.
    target_mean_, target_scale_ : float
        The mean and the standard deviation of the target.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import AutoRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AutoRegressor().fit(X[:300], y[:300])
    >>> bool(model.score(X[300:], y[300:]) > 0.4)
    True
    """

    _task = "regression"
    stored: ClassVar[State] = State(finite=("target_mean_", "target_scale_"))

    @restores
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Choose kernel and penalty, and fit the regressor.

        Parameters
        ----------
        X : array, data frame, sparse matrix or list
            The samples.
        y : array of shape (n,)
            Their target values.
        sample_weight : array of shape (n,), optional
            Weights of the samples, in the errors by which kernel and penalty are chosen and in the
            fit; the learner's own documentation says what they mean there. Samples of weight 0 are
            left out.

        Returns
        -------
        self
        """
        X, y, weight = self._check_input(X, y, sample_weight)
        y = check_array(y, ensure_2d=False, dtype=np.float64)
        mean, variance = y.mean(), y.var()
        if weight is not None:
            mean = np.average(y, weights=weight)
            variance = np.average((y - mean) ** 2, weights=weight)
        self.target_mean_ = float(mean)
        self.target_scale_ = float(np.sqrt(variance)) or 1.0
        self._fit(X, (y - self.target_mean_) / self.target_scale_, weight)
        return self

    def predict(
        self, X: RawSamples, return_std: bool = False
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The predicted value of every sample.

        Parameters
        ----------
        X : array, data frame, sparse matrix or list
            The samples.
        return_std : bool
            Whether to return standard deviations as well; only the learners "gp" and "rvm" do.

        Returns
        -------
        ndarray, or two of them
            The predictions, with ``return_std`` followed by their standard deviations.
        """
        check_is_fitted(self)
        X = self._check_samples(X, reset=False)
        if not return_std:
            return self.target_mean_ + self.target_scale_ * self.model_.predict(X)
        if self.learner_ not in _PROBABILISTIC:
            rule = f"is not known to {self.learner_}"
            raise ParameterError("return_std", True, rule, "learner='gp'")
        mean, deviation = self.model_.predict(X, return_std=True)
        return self.target_mean_ + self.target_scale_ * mean, self.target_scale_ * deviation
