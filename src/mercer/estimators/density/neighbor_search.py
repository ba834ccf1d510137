"""The search for nearest neighbors in feature space, which both estimators share."""

from __future__ import annotations

import time
from collections.abc import Callable
from numbers import Integral
from typing import ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, SparseMatrix
from mercer.domains.base import raw_length
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.kernel_choice import Choice
from mercer.estimators.common.nearest import nearest
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training
from mercer.estimators.common.validation import check_fitted
from mercer.state import State, check_count

_ROUNDING = 8 * np.finfo(float).eps


class Neighbors(KernelEstimator):
    """The search for neighbors in feature space, and their weights."""

    needs: ClassVar[str] = "cpd"
    stored: ClassVar[State] = State(
        finite=("_squares", "_y", "_sample_weight"),
        plain=("kernel_", "X_fit_", "n_samples_fit_", "report_", "_rows", "_n_training"),
        samples=("X_fit_",),
        per_sample=("_squares", "_y", "_sample_weight", "_rows"),
        positions={"_rows": "_n_training"},
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "distance"}), callable, None],
        **KERNEL_RULES,
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str | Callable[[np.ndarray], np.ndarray] | None = "uniform",
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 0.0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def _check_definite(self, choice: Choice, repair: str | None, X: RawSamples) -> None:
        """Neighbors need distances only, be they of a feature space or not."""
        if choice.kernel is None or not choice.kernel.is_distance:
            super()._check_definite(choice, repair, X)

    def _keep(self, data: Training, start: float) -> None:
        self._y, self._sample_weight = data.y, data.weight
        self._rows, self._n_training = data.rows, data.n_given
        self.kernel_ = data.kernel
        self.X_fit_ = data.X
        if not data.all_count:
            self.X_fit_ = data.gram() if data.kernel is None else data.samples()
        self.n_samples_fit_ = data.count
        self._squares = np.ascontiguousarray(data.products().diagonal())
        plan = "samples remembered, distances tile by tile"
        solver = f"the {self.n_neighbors} nearest"
        seconds = time.perf_counter() - start
        self.report_ = FitReport(data.kernel, plan, solver, data.count, seconds)

    def _expansion(self, of_training: bool) -> Expansion:
        """Sums over the training samples of positive weight.

        A precomputed matrix has columns for all, except for that of these samples themselves.
        """
        if of_training:
            n = self.n_samples_fit_
            return Expansion(self.kernel_, self.X_fit_, np.arange(n), n)
        return Expansion(self.kernel_, self.X_fit_, self._rows, self._n_training)

    def _own_squares(self, X: RawSamples, expansion: Expansion) -> np.ndarray:
        """k(x, x) of new samples; NaN where a precomputed k(X, X_train) does not determine it."""
        if self.kernel_ is not None:
            return np.ascontiguousarray(expansion.squares(X, self._squares))
        first = float(self._squares[0])
        constant = np.allclose(self._squares, first, rtol=1e-12, atol=0.0)
        return np.full(len(X), first if constant else np.nan)

    def _checked_count(self, n_neighbors: int | None, most: int) -> int:
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, Integral) or isinstance(k, bool):
            raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        if not 1 <= k <= most:
            rule = f"Expected 1 <= n_neighbors <= n_samples_fit, which is {most}"
            raise ParameterError("n_neighbors", k, rule, "ask for fewer, or fit on more samples")
        return k

    def kneighbors(
        self, X: RawSamples = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The nearest training samples, the nearest first; of equal distances the first sample.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_queries, default=None
            New samples, or k(X, X_train) if the kernel is precomputed. By default the neighbors of
            every training sample are found, itself not counted.
        n_neighbors : int or None, default=None
            The number of neighbors; by default the parameter of that name.
        return_distance : bool, default=True
            Whether distances are wanted. Those of a precomputed matrix whose diagonal is not
            constant are unknown, its neighbors are not.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Distances in feature space; only if ``return_distance`` is True.
        positions : ndarray of shape (n_queries, n_neighbors)
            Positions of the neighbors in ``X_fit_``, the training samples of positive weight.
        """
        check_fitted(self)
        of_training = X is None
        X = self.X_fit_ if of_training else self._check_X(X, reset=False)
        k = self._checked_count(n_neighbors, self.n_samples_fit_ - of_training)
        n = raw_length(X)
        expansion = self._expansion(of_training)
        if of_training:
            own, skip = self._squares, np.arange(n)
        else:
            own, skip = self._own_squares(X, expansion), np.full(n, -1)
        unknown = np.isnan(own)
        if return_distance and unknown.any():
            reason = "its diagonal is not constant, so that k(x, x) of new samples is unknown"
            instead = "use weights='uniform' and return_distance=False, or give the kernel itself"
            remedy = f"normalize the matrix, {instead}"
            raise ShapeError(
                "kernel", "precomputed", f"does not determine distances: {reason}", remedy
            )
        own = np.where(unknown, 0.0, own)
        squared, positions = nearest(expansion, X, own, self._squares, k, skip)
        if not return_distance:
            return positions
        # what is rounding error beside k(x, x) + k(y, y) is no distance
        size = np.abs(own)[:, None] + np.abs(self._squares[positions])
        squared[squared <= _ROUNDING * size] = 0.0
        return np.sqrt(squared), positions

    def kneighbors_graph(
        self, X: RawSamples = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> SparseMatrix:
        """The graph of neighbors.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_queries, default=None
            As in `kneighbors`.
        n_neighbors : int or None, default=None
            As in `kneighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether links are 1 or the distances in feature space.

        Returns
        -------
        sparse matrix of shape (n_queries, n_samples_fit)
            A row for each sample, with links to its neighbors.
        """
        if mode not in ("connectivity", "distance"):
            raise ParameterError("mode", mode, "must be 'connectivity' or 'distance'")
        if mode == "distance":
            distance, positions = self.kneighbors(X, n_neighbors)
            values = np.ravel(distance)
        else:
            positions = np.asarray(self.kneighbors(X, n_neighbors, return_distance=False))
            values = np.ones(positions.size)
        starts = np.arange(0, positions.size + 1, positions.shape[1])
        shape = len(positions), self.n_samples_fit_
        return sparse.csr_matrix((values, positions.ravel(), starts), shape=shape)

    def _weighted(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Positions and weights of the neighbors of new samples, with those given to ``fit``."""
        positions, weight = self._weighted_by_distance(X)
        return positions, weight * self._sample_weight[positions]

    def _weighted_by_distance(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """By ``weights="distance"``, a sample at distance 0 outweighs all others."""
        if self.weights in (None, "uniform"):
            positions = np.asarray(self.kneighbors(X, return_distance=False))
            return positions, np.ones(positions.shape)
        distance, positions = self.kneighbors(X)
        if callable(self.weights):
            weight = np.asarray(self.weights(distance), dtype=float)
            if weight.shape != distance.shape or not np.isfinite(weight).all():
                rule = "must return one finite number for every distance"
                raise ParameterError("weights", self.weights, rule)
            return positions, weight
        same = distance == 0
        with np.errstate(divide="ignore"):
            weight = np.where(same.any(axis=1, keepdims=True), same, 1.0 / distance)
        return positions, weight

    def _check_total(self, total: np.ndarray) -> None:
        if (total == 0).any():
            rule = "gave all neighbors of a sample the weight 0"
            raise ParameterError("weights", self.weights, rule)

    def _check_loaded(self) -> None:
        check_count("n_samples_fit_", self.n_samples_fit_, len(self._squares))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
