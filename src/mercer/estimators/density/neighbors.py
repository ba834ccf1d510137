"""Nearest neighbours in feature space: d² = k(x, x) + k(y, y) − 2 k(x, y), tile by tile."""

from __future__ import annotations

import time
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets
from mercer.domains.base import raw_length
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.nearest import nearest
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin, begin_classes

_ROUNDING = 8 * np.finfo(float).eps


class _Neighbors(KernelEstimator):
    """The search, and the weights of what it finds."""

    needs: ClassVar[str] = "cpd"

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "distance"}), callable, None],
        **KERNEL_RULES,
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Any = "uniform",
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

    def _keep(self, data: Training, start: float) -> None:
        self.kernel_ = data.kernel
        self.X_fit_ = data.X
        self.n_samples_fit_ = data.n_given
        self._squares = np.ascontiguousarray(data.products().diagonal())
        plan = "samples remembered, distances tile by tile"
        solver = f"the {self.n_neighbors} nearest"
        seconds = time.perf_counter() - start
        self.report_ = FitReport(data.kernel, plan, solver, data.count, seconds)

    def _own_squares(self, X: RawSamples, expansion: Expansion) -> np.ndarray:
        """k(x, x) of new samples; a precomputed k(X, X_train) tells it only if it is the same for all."""
        if self.kernel_ is not None:
            return np.ascontiguousarray(
                self.kernel_.diagonal(expansion.prepare(X)[0]), dtype=np.float64
            )
        first = float(self._squares[0])
        same = bool(np.allclose(self._squares, first, rtol=1e-12, atol=0.0))
        return np.full(len(X), first if same else np.nan)

    def kneighbors(
        self, X: RawSamples = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Distances in feature space and positions of the nearest training samples, the nearest first.

        Without ``X``, the neighbours of every training sample, itself not counted. Of equal
        distances the first sample comes first. With a precomputed matrix whose diagonal is not
        constant, distances are unknown, positions are not.
        """
        check_is_fitted(self)
        itself = X is None
        X = self.X_fit_ if itself else self._check_X(X, reset=False)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, Integral) or isinstance(k, bool):
            raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        most = self.n_samples_fit_ - itself
        if not 1 <= k <= most:
            rule = f"Expected 1 <= n_neighbors <= n_samples_fit, which is {most}"
            raise ParameterError("n_neighbors", k, rule, "ask for fewer, or fit on more samples")
        n = raw_length(X)
        expansion = Expansion(
            self.kernel_,
            None if self.kernel_ is None else self.X_fit_,
            np.arange(self.n_samples_fit_),
            self.n_samples_fit_,
        )
        own = self._squares if itself else self._own_squares(X, expansion)
        if return_distance and np.isnan(own).any():
            rule = "tells no distances: its diagonal is not constant, so that k(x, x) of new samples is unknown"
            remedy = "normalise the matrix, use weights='uniform' and return_distance=False, or give the kernel itself"
            raise ShapeError("kernel", "precomputed", rule, remedy)
        left = np.where(np.isnan(own), 0.0, own)
        skip = np.arange(n) if itself else np.full(n, -1)
        squares = self._squares
        squared, found = nearest(expansion, X, left, squares, k, skip)
        if not return_distance:
            return found
        # what is rounding beside k(x, x) + k(y, y) is no distance
        squared[squared <= _ROUNDING * (np.abs(left)[:, None] + np.abs(squares[found]))] = 0.0
        return np.sqrt(squared), found

    def _weighted(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Positions and weights of the neighbours of new samples; a sample at distance 0 outweighs all others."""
        if self.weights in (None, "uniform"):
            found = self.kneighbors(X, return_distance=False)
            return found, np.ones(found.shape)
        distance, found = self.kneighbors(X)
        if callable(self.weights):
            weight = np.asarray(self.weights(distance), dtype=float)
            if weight.shape != distance.shape or not np.isfinite(weight).all():
                raise ParameterError(
                    "weights", self.weights, "must return one finite number for every distance"
                )
            return found, weight
        same = distance == 0
        with np.errstate(divide="ignore"):
            weight = np.where(same.any(axis=1, keepdims=True), same, 1.0 / distance)
        return found, weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class KernelNeighborsClassifier(ClassifierMixin, _Neighbors):
    """The vote of the nearest samples in feature space; conditionally positive kernels have distances too.

    Parameters
    ----------
    n_neighbors : how many vote
    weights : "uniform", "distance" (1/d), or a function of the array of distances
    kernel, gamma, degree, coef0 : as in `SVC`

    Examples
    --------
    >>> from mercer import Jaccard, KernelNeighborsClassifier
    >>> model = KernelNeighborsClassifier(1, kernel=Jaccard()).fit([{"a", "b"}, {"x", "y"}], ["letters", "unknowns"])
    >>> model.predict([{"y", "z"}]).tolist()
    ['unknowns']
    """

    @fits
    def fit(self, X: RawSamples, y: Targets) -> Self:
        """Remember the samples ``X`` and their labels ``y``."""
        start = time.perf_counter()
        data = begin_classes(self, X, y, None)
        self._y = data.y
        self._keep(data, start)
        return self

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """The shares of the votes."""
        check_is_fitted(self)
        found, weight = self._weighted(X)
        label = self._y[found]
        votes = np.stack(
            [(weight * (label == c)).sum(axis=1) for c in range(len(self.classes_))], axis=1
        )
        total = votes.sum(axis=1, keepdims=True)
        if (total == 0).any():
            raise ParameterError(
                "weights", self.weights, "gave all neighbours of a sample the weight 0"
            )
        return votes / total

    def predict(self, X: RawSamples) -> np.ndarray:
        """The class with most votes; of equals the first."""
        votes = self.predict_proba(X)
        return self.classes_[np.argmax(votes, axis=1)]


class KernelNeighborsRegressor(MultiOutputMixin, RegressorMixin, _Neighbors):
    """The mean of the nearest samples in feature space; parameters as in `KernelNeighborsClassifier`.

    Examples
    --------
    >>> from mercer import RBF, KernelNeighborsRegressor
    >>> KernelNeighborsRegressor(2, kernel=RBF()).fit([[0.0], [1.0], [5.0]], [0.0, 1.0, 5.0]).predict([[0.4]]).tolist()
    [0.5]
    """

    @fits
    def fit(self, X: RawSamples, y: Targets) -> Self:
        """Remember the samples ``X`` and one or several numbers ``y`` each."""
        start = time.perf_counter()
        data = begin(self, X, y, None, target="numbers")
        self._y = data.y
        self._keep(data, start)
        return self

    def predict(self, X: RawSamples) -> np.ndarray:
        """The weighted mean of the neighbours' targets."""
        check_is_fitted(self)
        found, weight = self._weighted(X)
        total = weight.sum(axis=1)
        if (total == 0).any():
            raise ParameterError(
                "weights", self.weights, "gave all neighbours of a sample the weight 0"
            )
        near = self._y[found]
        return np.einsum("ij,ij...->i...", weight / total[:, None], near)
