"""The common part of semi-supervised classifiers: a graph of affinities, and iterations on it."""

from __future__ import annotations

import time
from collections.abc import Callable
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets

from mercer.aliases import (
    Gamma,
    KernelLike,
    ParameterRules,
    RawSamples,
    SparseMatrix,
    Targets,
    Weights,
)
from mercer.domains.base import raw_length
from mercer.errors import ParameterError, warn
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.kernel_choice import Choice, why_unused
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin
from mercer.estimators.common.validation import check_fitted, warn_of_ignored
from mercer.gram.plan import PRODUCTS
from mercer.kernels.base import Kernel
from mercer.state import State

Step = Callable[[np.ndarray], np.ndarray]  # of the distributions of all samples


class LabelGraph(ClassifierMixin, KernelEstimator):
    """The graph of affinities, the iteration on it, and predictions."""

    needs: ClassVar[str] = "any"
    stored: ClassVar[State] = State(
        finite=("label_distributions_",),
        plain=("classes_", "kernel_", "X_", "transduction_", "n_iter_", "report_"),
        samples=("X_",),
        per_sample=("label_distributions_", "transduction_"),
    )
    _parameter_constraints: ClassVar[ParameterRules] = {
        "gamma": KERNEL_RULES["gamma"],
        "n_neighbors": [Interval(Integral, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 0, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: Gamma = 20,
        n_neighbors: int = 7,
        max_iter: int = 1000,
        tol: float = 1e-3,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def _given_kernel(self) -> KernelLike:
        return "linear" if self._by_neighbors() else self.kernel

    def _choose(self, X: RawSamples, weight: Weights = None) -> Choice:
        choice = super()._choose(X, weight)
        if not choice.foreign or why_unused(choice, self._given_kernel()):
            because = "only kernel='knn' looks for neighbors"
            warn_of_ignored(self, "n_neighbors", because=because, remedy="leave it out")
        return choice

    def _by_neighbors(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "knn"

    @fits
    def fit(self, X: RawSamples, y: Targets) -> Self:
        """Spread the labels of some samples to all of them.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Samples with and without labels, or their affinities if they are precomputed.
        y : array-like of shape (n_samples,)
            Class labels; −1 marks a sample without one.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = time.perf_counter()
        data = begin(self, X, y, None, target="labels")
        check_classification_targets(data.y)
        numeric = data.y.dtype.kind in "iuf"
        unlabeled = data.y == -1 if numeric else np.zeros(data.count, dtype=bool)
        self.classes_ = np.unique(data.y[~unlabeled])
        if len(self.classes_) == 0:
            raise ParameterError("y", "-1 only", "needs a label", "label some of the samples")
        self.kernel_, self.X_ = data.kernel, data.X
        given = (data.y[:, None] == self.classes_).astype(np.float64)
        plan, multiply, degree, loops = self._graph(data)
        if degree.min() < 0:
            rule = "is a sum of negative affinities"
            remedy = "use a kernel with values >= 0, such as 'rbf'"
            raise ParameterError("degree", float(degree.min()), rule, remedy)
        step = self._step(given, unlabeled, multiply, degree, loops)
        converged = self._iterate(given, step)
        self._normalize()
        seconds = time.perf_counter() - start
        facts = {"iterations": self.n_iter_}
        solver = "iteration to a steady state"
        notes = (f"{int((~unlabeled).sum())} samples have labels",)
        self.report_ = FitReport(
            data.kernel, plan, solver, data.count, seconds, converged, facts, notes
        )
        return self

    def _graph(self, data: Training) -> tuple[str, Step, np.ndarray, np.ndarray]:
        """Products with the affinities, their column sums, and those of samples themselves."""
        if self._by_neighbors():
            search = NearestNeighbors(n_neighbors=self.n_neighbors).fit(data.X)
            links = sparse.csr_array(search.kneighbors_graph(data.X, mode="connectivity"))
            degree = np.asarray(links.sum(axis=0)).ravel()
            return "graph of neighbors", lambda F: links @ F, degree, links.diagonal()
        links = self._links_of_function(data.X, data.X)
        if links is not None:
            degree = np.asarray(links.sum(axis=0)).ravel()
            return "graph of a function", lambda F: links @ F, degree, links.diagonal()
        matrix = data.matrix(PRODUCTS)
        degree = (matrix @ np.ones((data.count, 1)))[:, 0]
        return str(matrix.plan), lambda F: matrix @ F, degree, np.array(matrix.diagonal())

    def _links_of_function(
        self, left: RawSamples, right: RawSamples
    ) -> np.ndarray | SparseMatrix | None:
        """What a user's function gives for two whole collections: it may look for neighbors.

        None for everything else, and for a function of two samples.
        """
        function = self.kernel
        if isinstance(function, (Kernel, str)):
            return None
        try:
            links = function(left, right)
        except Exception:  # whatever it raises on collections
            return None
        if not sparse.issparse(links):
            links = np.asarray(links, dtype=np.float64)
        return links if links.shape == (raw_length(left), raw_length(right)) else None

    def _step(
        self,
        given: np.ndarray,
        unlabeled: np.ndarray,
        multiply: Step,
        degree: np.ndarray,
        loops: np.ndarray,
    ) -> Step:
        """One round of the iteration."""
        raise NotImplementedError

    def _iterate(self, given: np.ndarray, step: Step) -> bool:
        """Repeat the step until the distributions change by less than ``tol``."""
        current, before = given, np.zeros_like(given)
        rounds = 0
        while rounds < self.max_iter and np.abs(current - before).sum() >= self.tol:
            before, current = current, step(np.ascontiguousarray(current))
            rounds += 1
        self.n_iter_, self.label_distributions_ = rounds, current
        if rounds == self.max_iter:
            message = f"max_iter={self.max_iter} was reached without convergence."
            warn(f"{message} Raise max_iter, or tol={self.tol}", ConvergenceWarning)
        return rounds < self.max_iter

    def _normalize(self) -> None:
        total = self.label_distributions_.sum(axis=1, keepdims=True)
        self.label_distributions_ = self.label_distributions_ / np.where(total > 0, total, 1.0)
        self.transduction_ = self.classes_[np.argmax(self.label_distributions_, axis=1)]

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Average the distributions of the training samples by their affinities.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or their affinities with the training samples if they are precomputed.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities; equal ones for a sample that no training sample resembles.
        """
        check_fitted(self)
        X = self._check_X(X, reset=False)
        sums = self._sums(X, np.ascontiguousarray(self.label_distributions_))
        total = sums.sum(axis=1, keepdims=True)
        return np.where(total > 0, sums / np.where(total > 0, total, 1.0), 1.0 / sums.shape[1])

    def _sums(self, X: RawSamples, values: np.ndarray) -> np.ndarray:
        """Values of the training samples, summed by their affinities with new ones."""
        if self._by_neighbors():
            search = NearestNeighbors(n_neighbors=self.n_neighbors).fit(self.X_)
            return values[search.kneighbors(X, return_distance=False)].sum(axis=1)
        links = self._links_of_function(self.X_, X)
        if links is not None:
            return links.T @ values
        n = len(values)
        samples = None if self.kernel_ is None else self.X_
        return Expansion(self.kernel_, samples, np.arange(n), n).apply(X, values)

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict class labels.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or their affinities with the training samples if they are precomputed.

        Returns
        -------
        ndarray of shape (n_samples,)
            The likeliest classes.
        """
        probability = self.predict_proba(X)
        return self.classes_[np.argmax(probability, axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
