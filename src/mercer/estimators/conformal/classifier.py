"""Conformal classification: sets of labels around the predictions of any classifier."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from mercer.aliases import Estimator, RandomState, RawSamples, Splitter, Targets, Weights
from mercer.domains.base import raw_length
from mercer.estimators.common.fitting import restores
from mercer.estimators.conformal.base import Conformal
from mercer.estimators.conformal.quantiles import (
    check_coverage,
    check_enough,
    conformal_quantile,
    rank,
    weighted_quantiles,
)
from mercer.estimators.conformal.results import PredictionSets, prediction_sets
from mercer.estimators.conformal.set_scores import SetScore
from mercer.estimators.conformal.shift import ShiftLike
from mercer.estimators.held_out.calibration import Given
from mercer.estimators.held_out.outputs import (
    check_gives_probabilities,
    check_several,
    probabilities,
)
from mercer.params import Constraint, boolean, choice, integer, nonnegative
from mercer.state import State, check_count, check_positions


def _gives_probabilities(model: ConformalClassifier) -> bool:
    return hasattr(model.estimator, "predict_proba")


def _gives_decisions(model: ConformalClassifier) -> bool:
    return hasattr(model.estimator, "decision_function")


class ConformalClassifier(ClassifierMixin, Conformal):
    """Sets of labels around any classifier that hold the right one as often as is asked.

    The scores of the right labels of rows that models have not seen show how much probability has
    to be gathered. Probabilities may be poor: the sets are then larger, and hold the right label as
    often. Training rows and new samples must be exchangeable; the guarantee holds on average over
    samples, or over the samples of each class.

    Parameters
    ----------
    estimator : estimator
        A classifier with probabilities or decision values, of mercer or of scikit-learn; it is
        cloned. Decision values become probabilities by a softmax.
    method : {"auto", "jackknife+", "cv+", "split", "prefit"}, default="auto"
        How rows are held out, as in `ConformalRegressor`. Closed forms are known of
        `KernelRidgeClassifier`, and approximately of `KernelLogisticRegression` with two classes.
    conformity : {"aps", "raps", "lac"}, default="aps"
        The score of a label: the probability that is gathered up to it in descending order
        (adaptive prediction sets); the same with a penalty for long sets; or 1 less its own
        probability, which gives the smallest sets on average, and empty ones.
    by_class : bool, default=False
        Whether each class has a quantile of its own (Mondrian sets), so that the coverage holds for
        the samples of every class. It holds rows out once, by "split" or "prefit".
    randomized : bool, default=True
        Whether a label at the border of its set is in it by chance, which makes the coverage exact
        rather than too large; for "aps" and "raps".
    penalty : float, default=0.1
        The penalty of "raps" for each label beyond the first ``allowed`` ones.
    allowed : int, default=1
        The number of labels that "raps" does not penalize.
    calibration : float, default=0.3
        The share of the rows that "split" calibrates on.
    cv : int or splitter, default=10
        The folds of "cv+". The guarantee is for a number and for `KFold`, whose folds do not depend
        on the rows.
    refit : bool, default=False
        Whether "jackknife+" and "cv+" fit each model again where a closed form is known, too.
    shift : None, "kmm", Kernel or callable, default=None
        How the distribution of new samples differs, as in `ConformalRegressor`.
    random_state : int, RandomState instance or None, default=0
        What draws the calibration rows, the folds, and the labels at the borders of sets. With an
        integer, the same samples get the same sets.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimator_ : estimator
        The fitted classifier, whose predictions `predict` gives.
    method_ : str
        The method that was used.
    scores_ : ndarray of shape (n_calibration,)
        The scores of the labels of calibration rows.
    labels_ : ndarray of shape (n_calibration,)
        These labels, as positions in ``classes_``.
    conformity_ : object
        How probabilities become scores.
    left_out_ : object or None
        The models without each row or fold.
    guarantee_ : Guarantee
        What is proven of the coverage; ``print(guarantee_.at(0.9))``.
    shift_ : object or None
        The weights of a covariate shift.
    report_ : FitReport
        How rows were held out, the guarantee, and the time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    ConformalRegressor : Intervals.
    CalibratedProbabilities : Probabilities from decision values of rows held out.

    References
    ----------
    .. [1] Y. Romano, M. Sesia and E. J. Candès, "Classification with valid and adaptive coverage",
           Advances in Neural Information Processing Systems 33 (2020).
    .. [2] A. N. Angelopoulos, S. Bates, J. Malik and M. I. Jordan, "Uncertainty sets for image
           classifiers using conformal prediction", International Conference on Learning
           Representations (2021).
    .. [3] V. Vovk, "Conditional validity of inductive conformal predictors", Machine Learning 92
           (2013) 349-376.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RBF, ConformalClassifier, KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(KernelLogisticRegression(10.0, kernel=RBF()))
    >>> sets = model.fit(X[::2], y[::2]).predict_set(X[1::2], coverage=0.9)
    >>> bool(sets.covered(y[1::2]) > 0.8)
    True
    >>> print(sets.guarantee)
    Asked: 90 % of new labels. Guaranteed: at least 90 % (≥ 1 − α) on average, for rows that are \
exchangeable with the new ones.
    """

    _rules: ClassVar[dict[str, Constraint]] = {
        **Conformal._rules,
        "conformity": choice("aps", "raps", "lac"),
        "by_class": boolean,
        "randomized": boolean,
        "penalty": nonnegative,
        "allowed": integer(0),
    }
    stored: ClassVar[State] = State(
        finite=("scores_",), plain=("classes_", "labels_", "conformity_")
    )

    def __init__(
        self,
        estimator: Estimator,
        method: str = "auto",
        *,
        conformity: str = "aps",
        by_class: bool = False,
        randomized: bool = True,
        penalty: float = 0.1,
        allowed: int = 1,
        calibration: float = 0.3,
        cv: Splitter = 10,
        refit: bool = False,
        shift: ShiftLike = None,
        random_state: RandomState = 0,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.conformity = conformity
        self.by_class = by_class
        self.randomized = randomized
        self.penalty = penalty
        self.allowed = allowed
        self.calibration = calibration
        self.cv = cv
        self.refit = refit
        self.shift = shift
        self.random_state = random_state

    # -- fitting -----------------------------------------------------------------------------------

    @restores
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit the classifier, and calibrate it on rows that it has not seen.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples, as the estimator takes them; the Gram matrix where its kernel is
            precomputed. For "prefit", calibration samples.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights for the fits of the estimator. Rows of weight 0 are left out; among the
            calibration rows all others count alike.

        Returns
        -------
        ConformalClassifier
            The fitted estimator.
        """
        start = time.perf_counter()
        given = self._begin(X, y, sample_weight)
        check_gives_probabilities(self.estimator)
        self.classes_ = self._labels(given)
        self.conformity_ = SetScore(self.conformity, float(self.penalty), int(self.allowed))
        held = self._hold_out(given, start)
        self.labels_ = np.searchsorted(self.classes_, given.y[held.rows])
        u = self._draws(len(held.rows), 1)
        scores = self.conformity_(held.outputs, u)
        self.scores_ = scores[np.arange(len(u)), self.labels_]
        return self

    def _labels(self, given: Given) -> np.ndarray:
        """The classes of the rows, or those that a classifier was fitted on before."""
        labels = np.unique(given.y)
        if self.method == "prefit":
            return np.union1d(labels, getattr(self.estimator, "classes_", labels))
        check_several(labels)
        return labels

    @property
    def covers(self) -> str:  # type: ignore[override]
        """The labels that the guarantee covers, in words."""
        return "labels of every class" if self.by_class else "labels"

    def _ask(self, model: Estimator, X: RawSamples) -> np.ndarray:
        return probabilities(model, X, self.classes_)

    def _held_out_once(self) -> str:
        if self.by_class:
            return "by_class=True"
        return super()._held_out_once()

    def _way(self) -> str:
        words = f"{self.method_}, {self.conformity.upper()} scores"
        return f"{words}, a quantile for each class" if self.by_class else words

    def _draws(self, n: int, stream: int) -> np.ndarray:
        """The shares u of the labels at the borders of sets, one for each sample."""
        if not self.randomized:
            return np.ones(n)
        random = self.random_state
        if isinstance(random, (int, np.integer)):  # calibration rows and new samples: other draws
            return np.random.default_rng([int(random), stream]).random(n)
        return check_random_state(random).random_sample(n)

    def _check_loaded(self) -> None:
        super()._check_loaded()
        check_count("labels_", len(self.labels_), len(self.scores_))
        check_positions("labels_", self.labels_, len(self.classes_))

    # -- new samples -------------------------------------------------------------------------------

    def predict_set(self, X: RawSamples, coverage: float = 0.9) -> PredictionSets:
        """Sets that hold at least a share of new labels, as far as that is proven.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.
        coverage : float, default=0.9
            The share 1 − α, strictly between 0 and 1; n calibration rows give at most n/(n + 1).
            With ``by_class`` these are the rows of each class.

        Returns
        -------
        PredictionSets
            The sets (``sets[i]`` are the labels of sample i) and the guarantee.
        """
        check_coverage(coverage)
        X = self._new(X)
        u = self._draws(raw_length(X), 2)
        if self.left_out_ is not None:
            check_enough(coverage, len(self.scores_))
            members = self._members_without(X, u, coverage)
        else:
            scores = self.conformity_(self._ask(self.estimator_, self._for_model(X)), u)
            members = scores <= self._levels(X, coverage)
        return prediction_sets(members, self.classes_, coverage, self.guarantee_, self._way())

    def _levels(self, X: RawSamples, coverage: float) -> np.ndarray:
        """The scores up to which labels are in the sets, for each sample or class."""
        groups = [(np.arange(len(self.scores_)), "")]
        if self.by_class:
            groups = [
                (np.flatnonzero(self.labels_ == number), f" of class {label!r}")
                for number, label in enumerate(self.classes_.tolist())
            ]
        if self.shift_ is not None:
            weights, own = self.shift_.at(X)
            columns = [
                weighted_quantiles(self.scores_[rows], weights[rows], own, coverage)
                for rows, _ in groups
            ]
            return np.column_stack(columns)
        fewest, whose = min(groups, key=lambda group: len(group[0]))
        check_enough(coverage, len(fewest), whose)
        return np.array([[conformal_quantile(self.scores_[rows], coverage) for rows, _ in groups]])

    def _members_without(self, X: RawSamples, u: np.ndarray, coverage: float) -> np.ndarray:
        """Labels whose score exceeds those of fewer than (1 − α)(n + 1) rows.

        The score is that of the model without a row when it is compared with this row's.
        """
        assert self.left_out_ is not None
        groups = self.left_out_.groups
        own = [np.sort(self.scores_[groups == group]) for group in range(groups.max() + 1)]
        members = np.empty((raw_length(X), len(self.classes_)), dtype=bool)
        most = rank(coverage, len(self.scores_))
        for rows, values in self.left_out_.blocks(X, self.estimator_, self._ask):
            scores = self.conformity_(values, np.repeat(u[rows, None], values.shape[1], axis=1))
            below = sum(np.searchsorted(known, scores[:, group]) for group, known in enumerate(own))
            members[rows] = below < most
        return members

    @available_if(_gives_decisions)
    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Decision values of the fitted classifier.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            What ``estimator_.decision_function`` gives.
        """
        samples = self._for_model(self._new(X))
        return np.asarray(self.estimator_.decision_function(samples))

    @available_if(_gives_probabilities)
    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Class probabilities of the fitted classifier, which are not calibrated.

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
        return self._ask(self.estimator_, samples)
