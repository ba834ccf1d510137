"""Many rows: a model for each part of a table, and predictions that blend at the borders."""

from __future__ import annotations

import time
from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import Tags, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Estimator, RandomState, RawSamples, Targets, Weights
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import DataWarning, ParameterError, explain, warn
from mercer.estimators.common.fitting import memory_remedy, restores
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.validation import weights_for
from mercer.estimators.learning.metric import learn_metric
from mercer.estimators.local_parts import fit_part
from mercer.estimators.routing import RoutingTree, directions, grow
from mercer.estimators.routing_columns import RoutingColumns
from mercer.estimators.wrapping import Wrapper
from mercer.execution.progress import Progress
from mercer.kernels.vectors.radial import RBF
from mercer.kernels.vectors.widths import width
from mercer.params import Constraint, between, integer
from mercer.state import State

_ROWS = 700  # that the metric of the splits is learned from


def _gives_probabilities(model: LocalModels) -> bool:
    return hasattr(model.estimator, "predict_proba")


class LocalModels(Wrapper):
    """A copy of an estimator for each part of a large table.

    The rows are split at the median again and again, until no part has more than ``most`` rows. A
    split looks along the direction in which the columns, weighted by a learned metric, vary most
    (see `learn_metric`). Rows near a border train the models of both sides, and across this band
    predictions change linearly from one model's to the other's. Time and memory grow linearly with
    the number of rows, because every model is fitted to a part of the table.

    Parameters
    ----------
    estimator : estimator
        A regressor or classifier; each part is given to a clone.
    most : int, default=2500
        The number of rows of a part, at most.
    trees : int, default=1
        How often the whole table is divided. Predictions are averaged over the trees; those after
        the first split along directions drawn at random from the metric.
    overlap : float, default=0.1
        The share of the rows, those nearest to a split, that go to both sides; at most 0.5.
    n_jobs : int or None, default=None
        The number of parts that are fitted at the same time, as in scikit-learn.
    random_state : int, RandomState or None, default=0
        The source of randomness of the rows that the metric is learned from, and of the directions.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted models, part by part, those of the first tree first.
    trees_ : list of RoutingTree
        The splits.
    columns_ : RoutingColumns or None
        How rows become the numbers that splits look at; None where the table is not split.
    metric_ : ndarray of shape (n_columns,)
        The weights of these columns, on average 1.
    classes_ : ndarray of shape (n_classes,)
        The labels of all parts, for classifiers.
    report_ : FitReport
        The number of parts, their sizes, and the time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    learn_metric : The metric along which rows are split.
    KernelMap : The other way to many rows, approximate features for a linear model.

    References
    ----------
    .. [1] D. Beaglehole, D. Holzmüller, A. Radhakrishnan and M. Belkin, "xRFM: accurate, scalable,
           and interpretable feature learning models for tabular data", 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, KernelRidge, LocalModels
    >>> X = np.random.default_rng(0).uniform(0.0, 10.0, (1000, 1))
    >>> model = LocalModels(KernelRidge(alpha=1e-3, kernel=RBF()), most=400)
    >>> model.fit(X, np.sin(X[:, 0])).predict([[1.0], [5.0]]).round(2).tolist()
    [0.84, -0.96]
    >>> len(model.estimators_)
    4
    """

    stored: ClassVar[State] = State(
        finite=("metric_",), plain=("classes_", "columns_", "estimators_", "trees_", "report_")
    )

    _rules: ClassVar[dict[str, Constraint]] = {
        "most": integer(2),
        "trees": integer(1),
        "overlap": between(0.0, 0.5, open_low=False),
    }

    def __init__(
        self,
        estimator: Estimator,
        *,
        most: int = 2500,
        trees: int = 1,
        overlap: float = 0.1,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.estimator = estimator
        self.most = most
        self.trees = trees
        self.overlap = overlap
        self.n_jobs = n_jobs
        self.random_state = random_state

    # -- fitting -----------------------------------------------------------------------------------

    @restores
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Divide the table and fit a model to each part.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Training samples. Numbers, and columns of categories as indicators, decide on the parts.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets or labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights for the models. Rows of weight 0 are left out.

        Returns
        -------
        LocalModels
            The fitted estimator.
        """
        start = time.perf_counter()
        self._check_parameters()
        X, targets = self._checked(X, y)
        weight = None
        if sample_weight is not None:
            weight = weights_for(self.estimator, sample_weight, len(targets))
            rows = np.flatnonzero(weight)
            X, targets, weight = pick_rows(X, rows), targets[rows], weight[rows]
        if is_classifier(self):
            self.classes_ = np.unique(targets)
        parts = self._divide(X, targets, weight)
        self.estimators_ = self._fit_parts(X, targets, weight, parts)
        self._report(parts, len(targets), time.perf_counter() - start)
        return self

    def _check_parameters(self) -> None:
        for name, constraint in self._rules.items():
            constraint.check(name, getattr(self, name))
        is_estimator = hasattr(self.estimator, "fit") and not isinstance(self.estimator, type)
        if not is_estimator or not (is_classifier(self.estimator) or is_regressor(self.estimator)):
            rule = "is neither a regressor nor a classifier"
            raise ParameterError("estimator", self.estimator, rule, "give one, such as SVC()")

    def _divide(self, X: RawSamples, y: np.ndarray, weight: Weights) -> list[np.ndarray]:
        """Learn a metric, grow the trees, and return the rows of every part."""
        n = len(y)
        self.columns_, self.metric_ = None, np.ones(0)
        if n <= self.most:
            self.trees_ = [RoutingTree([], [])]
            return [np.arange(n)]
        random = check_random_state(self.random_state)
        columns = self.columns_ = RoutingColumns(X)
        Z = columns(X)
        self.metric_ = self._learned_metric(Z, y, weight, columns.tied(), random)
        self.trees_, parts = [], []
        for number in range(self.trees):
            direction = directions(np.sqrt(self.metric_), random, principal=number == 0)
            tree, leaves = grow(Z, self.most, self.overlap, direction)
            self.trees_.append(tree)
            parts += leaves
        largest = max(map(len, parts))
        if largest > self.most:
            rule = f"is less than the {largest} rows of a part that no column divides"
            remedy = "add columns that separate these rows, or raise most"
            warn(explain("most", self.most, rule, remedy), DataWarning)
        return parts

    def _learned_metric(
        self,
        Z: np.ndarray,
        y: np.ndarray,
        weight: Weights,
        tied: list[list[int]],
        random: np.random.RandomState,
    ) -> np.ndarray:
        """The weight of every column along which rows may be split."""
        target: Literal["labels", "numbers"] = "labels" if is_classifier(self) else "numbers"
        kernel = RBF(width(Z, "median", random_state=0))
        with memory_remedy("LocalModels", "fit on fewer samples"):
            learned = learn_metric(
                kernel,
                Z,
                y,
                rows=_ROWS,
                tied=tied,
                target=target,
                sample_weight=weight,
                random_state=random,
            )
        return learned.metric

    def _fit_parts(
        self, X: RawSamples, y: np.ndarray, weight: Weights, parts: list[np.ndarray]
    ) -> list[Estimator]:
        """A fitted model for each part; their rows are picked one part at a time."""

        def task(rows: np.ndarray) -> tuple[Estimator, RawSamples, np.ndarray, Weights]:
            of_rows = None if weight is None else weight[rows]
            return self.estimator, pick_rows(X, rows), y[rows], of_rows

        if self.n_jobs not in (None, 1):
            return Parallel(n_jobs=self.n_jobs)(delayed(fit_part)(*task(rows)) for rows in parts)
        progress = Progress(len(parts), type(self).__name__, unit="part")
        models = []
        try:
            for rows in parts:
                models.append(fit_part(*task(rows)))
                progress.update(len(models))
        finally:
            progress.close()
        return models

    def _report(self, parts: list[np.ndarray], samples: int, seconds: float) -> None:
        sizes = sorted(map(len, parts))
        plan = f"{len(parts)} parts of {sizes[0]} to {sizes[-1]} rows in {len(self.trees_)} tree(s)"
        solver = "median splits along the top direction of a learned metric"
        if len(parts) == 1:
            plan, solver = "1 part with all rows", "not split"
        self.report_ = FitReport(repr(self.estimator), plan, solver, samples, seconds)

    # -- predicting --------------------------------------------------------------------------------

    def _blended(self, X: RawSamples, method: str) -> np.ndarray:
        """The predictions of the parts' models for each row, averaged by their shares in it."""
        check_is_fitted(self)
        X = self._samples(X, reset=False)
        n = raw_length(X)
        Z = np.empty((n, 0)) if self.columns_ is None else self.columns_(X)
        total: np.ndarray | None = None
        first = 0  # the number of the tree's first model
        for tree in self.trees_:
            for leaf, rows, shares in tree.shares(Z):
                values = self._answers(self.estimators_[first + leaf], pick_rows(X, rows), method)
                if total is None:
                    total = np.zeros((n, *values.shape[1:]))
                total[rows] += shares.reshape(-1, *[1] * (values.ndim - 1)) * values
            first += tree.n_leaves
        return np.zeros(n) if total is None else total / len(self.trees_)

    def _answers(self, model: Estimator, X: RawSamples, method: str) -> np.ndarray:
        """Numbers, or a column per class of the whole table."""
        answers = getattr(model, method)(X)
        if not is_classifier(self):
            return np.asarray(answers)
        values = np.zeros((len(answers), len(self.classes_)))
        if method == "predict":
            values[np.arange(len(answers)), np.searchsorted(self.classes_, answers)] = 1.0
        else:
            values[:, np.searchsorted(self.classes_, model.classes_)] = answers
        return values

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict targets or labels.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Blended numbers; or the label of the largest blended probability, or of the most votes
            where the models give no probabilities.
        """
        if not is_classifier(self):
            return self._blended(X, "predict")
        method = "predict_proba" if _gives_probabilities(self) else "predict"
        scores = self._blended(X, method)
        return self.classes_[np.argmax(scores, axis=1)]

    @available_if(_gives_probabilities)
    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Blended probabilities of the classes; a class that a part lacks has 0 there.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            A column for each of ``classes_``.
        """
        return self._blended(X, "predict_proba")

    def score(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> float:
        """The accuracy of a classifier, the coefficient of determination R² of a regressor.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets or labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            The score.
        """
        from sklearn.metrics import accuracy_score, r2_score  # their import takes 60 MB

        measure = accuracy_score if is_classifier(self) else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = False
        return tags
