"""k-means in feature space."""

from __future__ import annotations

import dataclasses
import time
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import (
    Gamma,
    KernelLike,
    ParameterRules,
    RandomState,
    RawSamples,
    Targets,
    Weights,
)
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import DefinitenessWarning, ParameterError, explain, warn
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits, iteration_callback
from mercer.estimators.common.kernel_choice import Choice
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin
from mercer.estimators.common.validation import check_weights
from mercer.gram.matrix import Matrix
from mercer.gram.plan import PRODUCTS
from mercer.kernels.vectors.distance import NegativeDistance
from mercer.kernels.vectors.dot import Linear
from mercer.solvers.clustering.lloyd import Clusters, lloyd, nearest_of, plus_plus


class KernelKMeans(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, KernelEstimator
):
    """Lloyd's algorithm on φ(x): clusters that are balls in feature space, of any samples.

    With the linear kernel it is k-means. The Gram matrix is stored while it fits half the memory budget; beyond, sums over the clusters are
    taken tile by tile, and after a round only the columns of samples that moved. Conditionally positive kernels have distances too.

    Parameters
    ----------
    n_clusters : how many
    kernel, gamma, degree, coef0 : as in `SVC`
    init : "k-means++", "random" (distinct samples), positions of n_clusters training samples, a label for every sample, or a function of
        (X, n_clusters, random_state) that gives either
    n_init : starts, of which the best is kept; "auto" is 10 for "random", else 1
    max_iter, tol : rounds at most; stop when the inertia falls by less than tol times itself, 0 until no sample moves
    random_state : of the starts

    Attributes
    ----------
    labels_, inertia_, n_iter_ : as in scikit-learn's KMeans, distances in feature space
    cluster_sizes_ : the weights of the clusters

    Examples
    --------
    >>> from mercer import Jaccard, KernelKMeans
    >>> model = KernelKMeans(2, kernel=Jaccard(), random_state=0).fit([{"a", "b"}, {"a"}, {"x", "y"}, {"y"}])
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2]), model.predict([{"x", "y", "z"}])[0] == model.labels_[2]
    (True, np.True_)
    """

    needs: ClassVar[str] = "cpd"

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        **KERNEL_RULES,
        "init": [StrOptions({"k-means++", "random"}), callable, "array-like"],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        init: Any = "k-means++",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _choose(self, X: RawSamples, weight: Any = None) -> Choice:
        choice = super()._choose(X, weight)
        if type(choice.kernel) is Linear:
            # the same distances, −½‖x − y‖² for ⟨x, y⟩, also far from the origin where inner products lose them
            return Choice(0.5 * NegativeDistance(power=2.0), choice.foreign)
        return choice

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Fit on samples ``X``; ``y`` is ignored, a weight counts a sample several times."""
        start = time.perf_counter()
        data = begin(self, X, None, sample_weight, target="none")
        n = data.count
        if self.n_clusters > n:
            rule = (
                f"must not be more than the samples: n_samples={n} should be >= "
                f"n_clusters={self.n_clusters}"
            )
            raise ParameterError("n_clusters", self.n_clusters, rule, "ask for fewer clusters")
        matrix = data.matrix(PRODUCTS)
        diagonal = matrix.diagonal()
        unit = float(data.weight.max())
        best = self._best_of_starts(data, matrix, diagonal, data.weight / unit)
        self._check(best, unit, float(np.abs(diagonal).sum()))
        inertia = max(best.inertia, 0.0) * unit
        best = dataclasses.replace(best, inertia=inertia, mass=best.mass * unit)
        self._keep(data, diagonal, best)
        sizes = np.bincount(best.labels, minlength=self.n_clusters)
        self.report_ = FitReport(
            data.kernel,
            str(matrix.plan),
            f"Lloyd's algorithm, the best of {self._starts()} start(s)",
            n,
            time.perf_counter() - start,
            best.converged,
            {
                "iterations": best.iterations,
                "clusters": self.n_clusters,
                "smallest_cluster": int(sizes.min()),
                "largest_cluster": int(sizes.max()),
                "inertia": best.inertia,
            },
        )
        return self

    def _best_of_starts(
        self, data: Training, matrix: Matrix, diagonal: np.ndarray, weight: np.ndarray
    ) -> Clusters:
        """The clusters of least inertia; weights are scaled, so that their squares are not lost."""
        rng = check_random_state(self.random_state)
        results = []
        for _ in range(self._starts()):
            labels = self._initial(data, matrix, diagonal, rng)
            result = lloyd(
                matrix,
                diagonal,
                weight,
                labels,
                self.n_clusters,
                most=self.max_iter,
                tol=float(self.tol),
                callback=iteration_callback(self),
            )
            results.append(result)
        return min(results, key=lambda result: result.inertia)

    def _check(self, best: Clusters, unit: float, trace: float) -> None:
        """Warn of negative distances and of clusters that still change."""
        if best.inertia < -1e-8 * trace:
            rule = (
                "is not positive on these samples: squared distances are negative, "
                f"{best.inertia * unit:.4g} in all"
            )
            remedy = "repair the matrix by mercer.repair(K)"
            warn(explain("kernel", self.kernel, rule, remedy), DefinitenessWarning)
        if not best.converged:
            rounds = f"samples still move after {best.iterations} rounds"
            warn(f"no convergence: {rounds}; raise max_iter, or tol", ConvergenceWarning)

    def _starts(self) -> int:
        if self.n_init == "auto":
            return 10 if isinstance(self.init, str) and self.init == "random" else 1
        return 1 if not isinstance(self.init, str) and not callable(self.init) else int(self.n_init)

    def _initial(
        self, data: Training, matrix: Matrix, diagonal: np.ndarray, rng: Any
    ) -> np.ndarray:
        """Labels to begin with."""
        if isinstance(self.init, str):
            if self.init == "k-means++":
                chosen = plus_plus(matrix, diagonal, data.weight, self.n_clusters, rng)
            else:
                chosen = rng.choice(
                    data.count, self.n_clusters, replace=False, p=data.weight / data.weight.sum()
                )
            return nearest_of(matrix, diagonal, chosen)
        given = np.asarray(
            self.init(data.X, self.n_clusters, rng) if callable(self.init) else self.init
        )
        n = data.n_given
        if given.shape == (n,) and n != self.n_clusters:
            low, high, meant = 0, self.n_clusters - 1, "labels"
        else:
            low, high, meant = 0, n - 1, "positions of training samples"
        if (
            given.ndim != 1
            or given.dtype.kind not in "iu"
            or len(given) not in (n, self.n_clusters)
        ):
            rule = f"must be {self.n_clusters} positions of training samples, or {n} labels"
            raise ParameterError("init", f"array of shape {given.shape}, {given.dtype}", rule)
        if given.min() < low or given.max() > high:
            raise ParameterError("init", given, f"as {meant} must lie between {low} and {high}")
        if meant == "labels":
            return given[data.rows]
        place = np.full(n, -1)
        place[data.rows] = np.arange(data.count)
        if len(np.unique(given)) < len(given) or (place[given] < 0).any():
            raise ParameterError("init", given, "must be different samples, of a weight above 0")
        return nearest_of(matrix, diagonal, place[given])

    def _keep(self, data: Training, diagonal: np.ndarray, found: Clusters) -> None:
        self.kernel_, self.X_fit_, self.support_, self._n_training = (
            data.kernel,
            data.own_samples(),
            data.rows,
            data.n_given,
        )
        self.inertia_, self.n_iter_ = found.inertia, found.iterations
        self.cluster_sizes_ = found.mass
        self._diagonal, self._length = diagonal, found.length
        self._share = np.zeros((data.count, self.n_clusters))
        self._share[np.arange(data.count), found.labels] = data.weight / found.mass[found.labels]
        self._n_features_out = self.n_clusters
        self.labels_ = np.empty(data.n_given, dtype=np.int32)
        self.labels_[data.rows] = found.labels
        if data.count < data.n_given:
            idle = np.setdiff1d(np.arange(data.n_given), data.rows)
            self.labels_[idle] = np.argmin(self._relative(pick_rows(data.X, idle)), axis=1)

    def _expansion(self) -> Expansion:
        return Expansion(self.kernel_, self.X_fit_, self.support_, self._n_training)

    def _relative(self, X: RawSamples) -> np.ndarray:
        """Squared distances less k(x, x), which is the same for all centres."""
        return self._length - 2.0 * self._expansion().apply(X, self._share)

    def predict(self, X: RawSamples) -> np.ndarray:
        """The nearest centre of every sample."""
        check_is_fitted(self)
        return np.argmin(self._relative(self._check_X(X, reset=False)), axis=1).astype(np.int32)

    def transform(self, X: RawSamples) -> np.ndarray:
        """Distances from the centres, in feature space."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        own = self._expansion().squares(X, self._diagonal)
        return np.sqrt(np.maximum(own[:, None] + self._relative(X), 0.0))

    def score(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> float:
        """Minus the sum of weighted squared distances from the nearest centres."""
        weight = check_weights(sample_weight, raw_length(X))
        return -float(weight @ self.transform(X).min(axis=1) ** 2)
