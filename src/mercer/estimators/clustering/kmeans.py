"""Kernel k-means: Lloyd's algorithm in feature space."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from mercer.aliases import (
    CentersLike,
    Gamma,
    KernelLike,
    ParameterRules,
    RandomState,
    RawSamples,
    Weights,
)
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import DefinitenessWarning, ParameterError, explain, warn
from mercer.estimators.centers.data import open_rows
from mercer.estimators.centers.unlabeled import EXACT_STEPS
from mercer.estimators.clustering.counts import check_n_clusters, check_range, size_facts
from mercer.estimators.clustering.on_centers import fit_means, inner_product
from mercer.estimators.common.base import CENTER_RULES, KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits, iteration_callback
from mercer.estimators.common.kernel_choice import Choice
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin
from mercer.estimators.common.validation import check_fitted, check_weights
from mercer.gram.matrix import Matrix
from mercer.gram.plan import PRODUCTS
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.distance import NegativeDistance
from mercer.kernels.vectors.dot import Linear
from mercer.solvers.clustering.lloyd import Clusters, lloyd, nearest_of, plus_plus
from mercer.state import State


class KernelKMeans(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, KernelEstimator
):
    """Kernel k-means: minimizes Σ_i w_i ‖φ(x_i) − m_{c(i)}‖², m_c the mean of φ over cluster c.

    Clusters are as in k-means, but in the feature space of a kernel, so that samples of any kind
    can be clustered; with the linear kernel it is k-means. Lloyd's algorithm is run from several
    starts. The Gram matrix is stored while it fits half the memory budget; beyond, sums over the
    clusters are computed tile by tile, and after a round only for samples that moved. Conditionally
    positive definite kernels have distances too.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression of kernels, one of scikit-learn's names ("linear", "poly",
        "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a function of two collections or samples,
        or "precomputed", where ``X`` is the Gram matrix.
    gamma : {"scale", "auto", "sigest", "median"} or float, default="scale"
        The coefficient of a kernel that is given by name. "scale" is 1/(n_features · X.var()),
        "auto" is 1/n_features, "sigest" and "median" come from distances between samples.
    degree : float, default=3
        The degree of the polynomial kernel that is given by name.
    coef0 : float, default=1.0
        The constant term of the polynomial and the sigmoid kernel that are given by name.
    init : {"k-means++", "random"}, array-like or callable, default="k-means++"
        Where to begin: greedy k-means++, distinct random samples, the positions of ``n_clusters``
        training samples, a label for every sample, or a function of (X, n_clusters, random_state)
        that returns positions or labels.
    n_init : "auto" or int, default="auto"
        The number of starts, of which the best is kept; "auto" is 10 for ``init="random"``, else 1.
    max_iter : int, default=300
        The largest number of rounds.
    tol : float, default=0.0
        Stop when the inertia falls by less than ``tol`` times itself; 0 goes on until no sample
        moves.
    random_state : int, RandomState or None, default=None
        Seed of the starts, and of the centers.
    centers : {"auto", "all"}, int or array-like, default="auto"
        The means of the clusters are combinations of these samples: of all, of so many drawn
        uniformly, or of given ones. All samples are clustered in any case, by one pass a round,
        which begins with the clusters of a sample. "auto" takes all while they are few enough (see
        the guide on scaling).

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of every training sample.
    inertia_ : float
        The sum of weighted squared distances in feature space from the nearest centers.
    n_iter_ : int
        The number of rounds of the best start.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        The sums of the weights in the clusters.
    kernel_ : Kernel or None
        The kernel in use; None for a precomputed Gram matrix.
    X_fit_ : collection or None
        The training samples of positive weight, or the centers; None for a precomputed matrix.
    support_ : ndarray
        The positions of these samples.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    SpectralClustering : Clusters of any shape.

    References
    ----------
    .. [1] I. S. Dhillon, Y. Guan, B. Kulis. Kernel k-means, spectral clustering and normalized
       cuts. KDD 2004.

    Examples
    --------
    >>> from mercer import Jaccard, KernelKMeans
    >>> X = [{"a", "b"}, {"a"}, {"x", "y"}, {"y"}]
    >>> model = KernelKMeans(2, kernel=Jaccard(), random_state=0).fit(X)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2])
    True
    >>> bool(model.predict([{"x", "y", "z"}])[0] == model.labels_[2])
    True
    """

    needs: ClassVar[str] = "cpd"
    stored: ClassVar[State] = State(
        finite=("inertia_", "cluster_sizes_", "_diagonal", "_length", "_share"),
        plain=(
            *("kernel_", "X_fit_", "support_", "labels_", "n_iter_", "report_"),
            *("_n_training", "_n_features_out"),
        ),
        samples=("X_fit_",),
        per_sample=("support_", "_diagonal", "_share"),
        positions={"support_": "_n_training"},
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        **KERNEL_RULES,
        "init": [StrOptions({"k-means++", "random"}), callable, "array-like"],
        "n_init": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        **CENTER_RULES,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        init: str | Sequence[int] | Callable[..., Sequence[int]] = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 0.0,
        random_state: RandomState = None,
        centers: CentersLike = "auto",
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
        self.centers = centers

    def _choose(self, X: RawSamples, weight: Weights = None) -> Choice:
        choice = super()._choose(X, weight)
        if type(choice.kernel) is Linear:
            # −½‖x − y‖² has the distances of ⟨x, y⟩, and does not lose them far from the origin
            return Choice(0.5 * NegativeDistance(power=2.0), choice.foreign)
        return choice

    def _kernel_on_centers(self, kernel: Kernel) -> Kernel:
        return inner_product(kernel)

    @fits
    def fit(self, X: RawSamples, y: object = None, sample_weight: Weights = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Training samples, or their Gram matrix if it is precomputed.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight counts a sample several times.

        Returns
        -------
        KernelKMeans
            The fitted estimator.
        """
        start = time.perf_counter()
        opened = open_rows(self, X, None, sample_weight, target="none", steps=EXACT_STEPS)
        if opened.data is not None:
            fit_means(self, X, opened.data, start)
            return self
        data = begin(self, opened.X, None, opened.weight, target="none")
        check_n_clusters(self.n_clusters, data.count)
        matrix = data.matrix(PRODUCTS)
        diagonal = matrix.diagonal()
        unit = float(data.weight.max())
        best = self._best_of_starts(data, matrix, diagonal, data.weight / unit)
        self._check(best, unit, float(np.abs(diagonal).sum()))
        inertia = max(best.inertia, 0.0) * unit
        best = dataclasses.replace(best, inertia=inertia, mass=best.mass * unit)
        self._keep(data, diagonal, best)
        sizes = size_facts(best.labels, self.n_clusters)
        facts = {"iterations": best.iterations, **sizes, "inertia": inertia}
        plan, n, done = str(matrix.plan), data.count, best.converged
        solver = f"Lloyd's algorithm, the best of {self._n_starts()} start(s)"
        seconds = time.perf_counter() - start
        notes = opened.notes
        self.report_ = FitReport(data.kernel, plan, solver, n, seconds, done, facts, notes)
        return self

    def _best_of_starts(
        self, data: Training, matrix: Matrix, diagonal: np.ndarray, weight: np.ndarray
    ) -> Clusters:
        """The clusters of least inertia; weights are scaled, so that their squares are not lost."""
        rng = check_random_state(self.random_state)
        tol, callback = float(self.tol), iteration_callback(self)
        results = []
        for _ in range(self._n_starts()):
            labels = self._initial(data, matrix, diagonal, rng)
            result = lloyd(
                matrix, diagonal, weight, labels, self.n_clusters, self.max_iter, tol, callback
            )
            results.append(result)
        return min(results, key=lambda result: result.inertia)

    def _check(self, best: Clusters, unit: float, trace: float) -> None:
        """Warn of negative distances and of clusters that still change."""
        if best.inertia < -1e-8 * trace:
            total = f"{best.inertia * unit:.4g} in all"
            rule = f"is not positive on these samples: squared distances are negative, {total}"
            remedy = "repair the matrix by mercer.repair(K)"
            warn(explain("kernel", self.kernel, rule, remedy), DefinitenessWarning)
        if not best.converged:
            rounds = f"samples still move after {best.iterations} rounds"
            warn(f"no convergence: {rounds}; raise max_iter, or tol", ConvergenceWarning)

    # -- starts ------------------------------------------------------------------------------------

    def _n_starts(self) -> int:
        if self.n_init == "auto":
            at_random = isinstance(self.init, str) and self.init == "random"
            return 10 if at_random else 1
        if isinstance(self.init, str) or callable(self.init):
            return int(self.n_init)
        return 1

    def _initial(
        self, data: Training, matrix: Matrix, diagonal: np.ndarray, rng: np.random.RandomState
    ) -> np.ndarray:
        """Labels to begin with."""
        if not isinstance(self.init, str):
            return self._given_labels(data, matrix, diagonal, rng)
        if self.init == "k-means++":
            chosen = plus_plus(matrix, diagonal, data.weight, self.n_clusters, rng)
        else:
            share = data.weight / data.weight.sum()
            chosen = rng.choice(data.count, self.n_clusters, replace=False, p=share)
        return nearest_of(matrix, diagonal, chosen)

    def _given_labels(
        self, data: Training, matrix: Matrix, diagonal: np.ndarray, rng: np.random.RandomState
    ) -> np.ndarray:
        """Labels from those, or from the positions of samples, that the user gives."""
        init = self.init
        if callable(init):
            init = init(data.X, self.n_clusters, rng)
        given = np.asarray(init)
        n = data.n_given
        integers = given.ndim == 1 and given.dtype.kind in "iu"
        if not integers or len(given) not in (n, self.n_clusters):
            rule = f"must be {self.n_clusters} positions of training samples, or {n} labels"
            raise ParameterError("init", f"array of shape {given.shape}, {given.dtype}", rule)
        if len(given) == n != self.n_clusters:
            check_range(given, "labels", self.n_clusters)
            return given[data.rows]
        check_range(given, "positions of training samples", n)
        row_of = np.full(n, -1)
        row_of[data.rows] = np.arange(data.count)
        if len(np.unique(given)) < len(given) or (row_of[given] < 0).any():
            raise ParameterError("init", given, "must be different samples, of a weight above 0")
        return nearest_of(matrix, diagonal, row_of[given])

    # -- the fitted model --------------------------------------------------------------------------

    def _keep(self, data: Training, diagonal: np.ndarray, best: Clusters) -> None:
        self.kernel_ = data.kernel
        self.X_fit_ = data.own_samples()
        self.support_ = data.rows
        self._n_training = data.n_given
        self.inertia_, self.n_iter_ = best.inertia, best.iterations
        self.cluster_sizes_ = best.mass
        self._diagonal, self._length = diagonal, best.length
        self._share = np.zeros((data.count, self.n_clusters))
        self._share[np.arange(data.count), best.labels] = data.weight / best.mass[best.labels]
        self._n_features_out = self.n_clusters
        self.labels_ = np.empty(data.n_given, dtype=np.int32)
        self.labels_[data.rows] = best.labels
        if data.count < data.n_given:
            without_weight = np.setdiff1d(np.arange(data.n_given), data.rows)
            squared = self._relative(pick_rows(data.X, without_weight))
            self.labels_[without_weight] = np.argmin(squared, axis=1)

    def _expansion(self) -> Expansion:
        return Expansion(self.kernel_, self.X_fit_, self.support_, self._n_training)

    def _relative(self, X: RawSamples) -> np.ndarray:
        """Squared distances less k(x, x), which is the same for all centers."""
        return self._length - 2.0 * self._expansion().apply(X, self._share)

    def predict(self, X: RawSamples) -> np.ndarray:
        """The cluster with the nearest center.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels from 0 to ``n_clusters`` − 1.
        """
        check_fitted(self)
        X = self._check_X(X, reset=False)
        return np.argmin(self._relative(X), axis=1).astype(np.int32)

    def transform(self, X: RawSamples) -> np.ndarray:
        """Distances from the centers, in feature space.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            The distances.
        """
        check_fitted(self)
        X = self._check_X(X, reset=False)
        own = self._expansion().squares(X, self._diagonal)
        return np.sqrt(np.maximum(own[:, None] + self._relative(X), 0.0))

    def score(self, X: RawSamples, y: object = None, sample_weight: Weights = None) -> float:
        """Minus the sum of weighted squared distances from the nearest centers.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            The score.
        """
        weight = check_weights(sample_weight, raw_length(X))
        return -float(weight @ self.transform(X).min(axis=1) ** 2)
