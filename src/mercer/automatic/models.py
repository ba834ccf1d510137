"""Estimators that choose kernel, length scale and penalty by themselves."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted

from mercer.aliases import ClassWeight, KernelLike, RandomState, RawSamples, Targets, Weights
from mercer.automatic.base import Automatic
from mercer.automatic.learners import LEARNED
from mercer.automatic.tabular.uncertainty import (
    check_has,
    interval_note,
    intervals_around,
    label_scores,
    set_note,
    sets_of,
)
from mercer.errors import InputError, ParameterError
from mercer.estimators.common.fitting import restores
from mercer.estimators.common.validation import check_squares
from mercer.estimators.conformal.quantiles import check_coverage
from mercer.estimators.conformal.results import Intervals, PredictionSets
from mercer.estimators.held_out.outputs import of_decisions
from mercer.state import State, storable

Groups = ArrayLike | None  # of samples that belong together
_PROBABILISTIC = ("gp", "rvm")  # regressors that predict standard deviations


@storable
class AutoClassifier(ClassifierMixin, Automatic):
    """Classifier for any samples that chooses its kernel, length scale and penalty by itself.

    The kernels of tables (arrays and data frames, with or without missing values) are learned, and
    so are those of strings, texts and sets: substrings of several lengths, words, common elements.
    In a table, columns of texts, strings or sets have kernels of their own, which are mixed with
    that of numbers and categories by multiple kernel learning. With a given learner, kernels are
    chosen from a list on at most ``tune_rows`` samples.

    Parameters
    ----------
    kernel : str or Kernel
        "auto", or a kernel or an expression, which is tried at half and double its length scales
        as well, and beyond where one of those is best: at up to 16 times or 1/16 of them.
    learner : str
        "auto" (learned kernels for tables, a support vector machine for other samples), "svc",
        "ridge", "logistic", "gp", "rvm", "neighbors" or "discriminant".
    members : int
        The largest number of kernels in the ensemble of a table whose kernels are learned.
    time : {"fast", "balanced", "best"} or float
        How much effort is made to learn kernels. Seconds take as much as there is time for, which
        depends on the machine, so that results do not reproduce.
    metric : str, optional
        By what kernel and penalty are chosen: "logloss" (the default of learned kernels), "auc",
        "accuracy" (that of a given learner), "balanced", "f1", "precision" or "recall".
    class_weight : dict or "balanced", optional
        Weights by class label, which multiply the weights of samples.
    missing : sequence
        Values, such as "?", that mark a missing value, in addition to None and NaN.
    keep : sequence or "all"
        Columns of a data frame to learn from whatever they look like. Of the others, those are left
        out, with a warning, that are constant, look like identifiers, or are texts that add nothing
        to the other columns in training.
    drop : sequence
        Columns of a data frame to leave out.
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
    importances_ : ndarray of shape (n_features,)
        Of a table whose kernels are learned: how much each column adds to the distance of two
        samples, as a share of all.
    background_ : array or data frame
        Of a table: 100 training rows, drawn at random, which `explain` compares others with.
    loo_predictions_ : ndarray
        Class probabilities of the samples by models that were not fitted on them; NaN for samples
        that no choice was made on.
    loo_scores_ : ndarray
        The scores of the right labels by these probabilities, which `predict_set` uses.
    report_ : FitReport
        Its members, their weights, and the time of each stage.

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
    stored: ClassVar[State] = State(plain=("classes_",), finite=("loo_scores_",))

    def __init__(
        self,
        kernel: KernelLike = "auto",
        learner: str = "auto",
        *,
        members: int = 5,
        time: str | float = "balanced",
        metric: str | None = None,
        class_weight: ClassWeight = None,
        missing: Any = (),
        keep: Any = (),
        drop: Any = (),
        tune_rows: int = 1000,
        random_state: RandomState = 0,
    ) -> None:
        super().__init__(
            kernel,
            learner,
            members=members,
            time=time,
            metric=metric,
            missing=missing,
            keep=keep,
            drop=drop,
            tune_rows=tune_rows,
            random_state=random_state,
        )
        self.class_weight = class_weight

    @restores
    def fit(
        self, X: RawSamples, y: Targets, sample_weight: Weights = None, groups: Groups = None
    ) -> Self:
        """Learn or choose kernel and penalty, and fit the classifier.

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
        groups : array of shape (n,), optional
            Groups of samples that belong together, such as those of one patient or of one month:
            models are chosen by predictions for whole groups. For samples ordered in time, give the
            number of the period that each is of.

        Returns
        -------
        self
        """
        X, y, weight, groups = self._check_input(X, y, sample_weight, groups)
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
        if self.class_weight is not None:
            factors = compute_sample_weight(self.class_weight, y)
            weight = factors if weight is None else weight * factors
        self._fit(X, codes, weight, groups)
        if self.learner_ == LEARNED:
            model, seed = self.model_, self._seed()
            self.loo_scores_ = label_scores(model.loo_predictions_, codes[model.loo_rows_], seed)
            self._add_note(set_note(self.loo_scores_, seed))
        self.model_.classes_ = self.classes_[self.model_.classes_]
        return self

    def predict_set(self, X: RawSamples, coverage: float = 0.9) -> PredictionSets:
        """Sets that should hold this share of new labels, without a guarantee.

        They are adaptive prediction sets, by leave-one-out probabilities.

        Parameters
        ----------
        X : array, data frame or list
            The samples.
        coverage : float
            The share of labels, strictly between 0 and 1.

        Returns
        -------
        PredictionSets
            The labels: ``sets[i]`` are those of sample i.
        """
        check_is_fitted(self)
        check_coverage(coverage)
        check_has(self, "loo_scores_", "sets", "ConformalClassifier")
        probabilities = self.predict_proba(X)
        return sets_of(probabilities, self.classes_, self.loo_scores_, coverage, self._seed())

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
        return of_decisions(self.model_.decision_function(X))


@storable
class AutoRegressor(RegressorMixin, Automatic):
    """Regressor for any samples that chooses its kernel, length scale and penalty by itself.

    The penalty of kernel ridge regression, the default, is chosen by the leave-one-out error, which
    has a closed form. The target is standardized before the fit; of a table, a target that is never
    negative may be learned as its square root or logarithm. Kernels are those of `AutoClassifier`.

    Parameters
    ----------
    kernel : str or Kernel
        "auto", or a kernel or an expression, which is tried at half and double its length scales
        as well, and beyond where one of those is best: at up to 16 times or 1/16 of them.
    learner : str
        "auto" (learned kernels for tables; for other samples "ridge", or "svr" for more than 8,000
        of them), "ridge", "gp" (chosen by the evidence), "svr", "rvm" or "neighbors".
    members : int
        The largest number of kernels in the ensemble of a table whose kernels are learned.
    time : {"fast", "balanced", "best"} or float
        How much effort is made to learn kernels. Seconds take as much as there is time for, which
        depends on the machine, so that results do not reproduce.
    metric : str, optional
        By what kernel and penalty are chosen: "rmse" (the default), "r2" or "mae".
    missing : sequence
        Values, such as "?", that mark a missing value, in addition to None and NaN.
    keep : sequence or "all"
        Columns of a data frame to learn from whatever they look like. Of the others, those are left
        out, with a warning, that are constant, look like identifiers, or are texts that add nothing
        to the other columns in training.
    drop : sequence
        Columns of a data frame to leave out.
    tune_rows : int
        The largest number of samples on which kernel and penalty are chosen.
    random_state : int, RandomState or None
        The seed of the folds and of the samples that are drawn for the choice.

    Attributes
    ----------
    model_ : estimator
        The fitted learner, of the standardized target.
    kernel_ : Kernel
        Its kernel.
    tuned_ : TunedModel
        The chosen kernel and penalty, and all that were tried.
    target_mean_, target_scale_ : float
        The mean and the standard deviation of the target.
    importances_ : ndarray of shape (n_features,)
        Of a table whose kernels are learned: how much each column adds to the distance of two
        samples, as a share of all.
    background_ : array or data frame
        Of a table: 100 training rows, drawn at random, which `explain` compares others with.
    loo_predictions_ : ndarray
        Predictions of samples by models without them; NaN where no choice was made on a sample.
    report_ : FitReport
        Its members, their weights, and the time of each stage.
    loo_errors_ : ndarray
        The errors of these predictions, in ascending order.

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
    stored: ClassVar[State] = State(finite=("target_mean_", "target_scale_", "loo_errors_"))

    @restores
    def fit(
        self, X: RawSamples, y: Targets, sample_weight: Weights = None, groups: Groups = None
    ) -> Self:
        """Learn or choose kernel and penalty, and fit the regressor.

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
        groups : array of shape (n,), optional
            Groups of samples that belong together, such as those of one patient or of one month:
            models are chosen by predictions for whole groups. For samples ordered in time, give the
            number of the period that each is of.

        Returns
        -------
        self
        """
        X, y, weight, groups = self._check_input(X, y, sample_weight, groups)
        y = check_squares(check_array(y, ensure_2d=False, dtype=np.float64))
        self.target_mean_ = float(np.average(y, weights=weight))
        variance = np.average((y - self.target_mean_) ** 2, weights=weight)
        self.target_scale_ = float(np.sqrt(variance)) or 1.0
        standardized = (y - self.target_mean_) / self.target_scale_
        self._fit(X, standardized, weight, groups)
        if self.learner_ == LEARNED:
            errors = standardized[self.model_.loo_rows_] - self.model_.loo_predictions_
            self._add_note(interval_note(errors, self._seed()))
            self.loo_errors_ = np.sort(self.target_scale_ * errors)
        return self

    def _of_rows(self, y: np.ndarray) -> dict[str, Any]:
        """Where the target is 0, if it is nowhere negative: it may have a root or a logarithm."""
        origin = -self.target_mean_ / self.target_scale_
        return {"origin": origin if y.min() >= origin else None}

    def _in_units(self, predicted: np.ndarray) -> np.ndarray:
        return self.target_mean_ + self.target_scale_ * predicted

    def predict_interval(self, X: RawSamples, coverage: float = 0.9) -> Intervals:
        """Intervals that should hold this share of new targets.

        Their ends are quantiles of the errors of leave-one-out predictions. There is no guarantee:
        the members were chosen by the same errors, which are therefore a little too small, and the
        intervals are equally wide everywhere. `ConformalRegressor` gives intervals with one.

        Parameters
        ----------
        X : array, data frame or list
            The samples.
        coverage : float
            The share of targets, strictly between 0 and 1.

        Returns
        -------
        Intervals
            The lower and the upper ends: ``low, high = model.predict_interval(X)``.
        """
        check_is_fitted(self)
        check_coverage(coverage)
        check_has(self, "loo_errors_", "intervals", "ConformalRegressor")
        return intervals_around(np.asarray(self.predict(X)), self.loo_errors_, coverage)

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
            The predictions, with ``return_std`` followed by the standard deviations of new targets,
            with their noise.
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
