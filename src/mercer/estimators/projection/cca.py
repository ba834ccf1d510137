"""Canonical correlations of two or more views of the same samples, in their feature spaces."""

from __future__ import annotations

import dataclasses
import itertools
import time
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg
from sklearn.base import ClassNamePrefixFeaturesOutMixin, MultiOutputMixin, TransformerMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_array, check_is_fitted

from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.errors import DefinitenessWarning, ParameterError, ShapeError, explain, warn
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.signs import sign_flips
from mercer.estimators.common.validation import check_square
from mercer.gram.matrix import Matrix
from mercer.gram.plan import FLOAT64, WHOLE, Plan, plan_matrix
from mercer.gram.stored import Stored
from mercer.gram.streamed import Streamed
from mercer.kernels.base import Kernel
from mercer.linalg.cholesky import landmarks
from mercer.solvers.projection.cca import View, correlate, view


class _OneView(KernelEstimator):
    """The kernel of one view, checked as every estimator's is."""

    needs: ClassVar[str] = "cpd"

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 1.0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0


_OneView.__name__ = "KernelCCA"  # in messages: users know no other


@dataclasses.dataclass
class _Fitted:
    """What is kept of a view: a sample's variates are k(x, pivots) B − centre."""

    owner: _OneView
    kernel: Kernel | None
    expansion: Expansion
    B: np.ndarray
    centre: np.ndarray
    rank: int
    left: float  # of the trace, what the pivots do not explain


class _FromFirst:
    """The Gram matrix with the first sample as origin.

    Distances to it are all that counts: a conditionally positive definite kernel is as good, and a
    constant adds no rank.
    """

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix
        diagonal = matrix.diagonal()
        self.origin = matrix.row(0).copy()
        self.corner = float(self.origin[0])
        self.scale = float(np.abs(diagonal).max())
        self.squares = diagonal - 2 * self.origin + self.corner
        self.squares[self.squares <= 1e-14 * self.scale] = 0.0

    def row(self, i: int) -> np.ndarray:
        """One row."""
        return self.matrix.row(i) - self.origin - self.origin[i] + self.corner

    def diagonal(self) -> np.ndarray:
        """Squared distances from the first sample."""
        return self.squares


class KernelCCA(
    ClassNamePrefixFeaturesOutMixin, MultiOutputMixin, TransformerMixin, KernelEstimator
):
    """Functions of each view, one from each feature space, that correlate most; then the next ones, uncorrelated with them.

    Views may be anything that kernels take: text beside vectors, sets beside tables. Each Gram matrix K is replaced by an incomplete
    Cholesky factor, so that time and memory are linear in the number of samples. Regularised as by Bach and Jordan, with (K_c + nκ/2)² in
    the denominator. For κ = 0 and linear kernels this is canonical correlation analysis.

    Parameters
    ----------
    n_components : pairs of functions
    kernel : one for all views, or a list with one for each; names take gamma, degree and coef0, as in `SVC`
    kappa : κ ≥ 0; 0 is for kernels of few dimensions only: with as many as samples, everything correlates perfectly
    max_rank, tol : pivots of a factor at most, and the share of the trace that it may leave

    Attributes
    ----------
    correlations_ : regularised canonical correlations, the largest first; of m > 2 views (λ − 1)/(m − 1)
    training_correlations_ : plain correlations of the variates on the training samples, the mean over pairs of views
    ranks_ : of the factors

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, KernelCCA
    >>> t = np.linspace(0, 6, 60)
    >>> model = KernelCCA(1, kernel=RBF()).fit(t[:, None], np.column_stack([np.sin(t), np.cos(t)]))
    >>> bool(model.training_correlations_[0] > 0.95), model.transform(t[:2, None]).shape
    (True, (2, 1))
    """

    needs: ClassVar[str] = "cpd"

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        **KERNEL_RULES,
        "kappa": [Interval(Real, 0, None, closed="left")],
        "max_rank": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        kappa: float = 0.02,
        max_rank: int = 500,
        tol: float = 1e-10,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kappa = kappa
        self.max_rank = max_rank
        self.tol = tol

    def _given_kernel(self) -> Any:
        """The first view's, which is X to scikit-learn."""
        return (
            self.kernel[0]
            if isinstance(self.kernel, (list, tuple)) and len(self.kernel)
            else self.kernel
        )

    @fits
    def fit(self, X: RawSamples, y: Targets = None, *more: Any) -> Self:
        """Fit on views of the same samples: ``X``, ``y`` and more; of ``y`` and those, numbers in one dimension are a column."""
        start = time.perf_counter()
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None; y is the second view"
            )
        views = [
            self._check_X(X, reset=True),
            *(_column(view, f"view {at}") for at, view in enumerate((y, *more), 1)),
        ]
        n = self._count(views)
        kernels = self._kernels(len(views))
        self._views, parts = [], []
        for at, (samples, kernel) in enumerate(zip(views, kernels, strict=True)):
            owner = _OneView(kernel, self.gamma, self.degree, self.coef0)
            fitted, part = self._factor(owner, samples, n, at)
            self._views.append(fitted)
            parts.append(part)
        least = min(len(part.s) for part in parts)
        count = min(self.n_components, least)
        if count == 0:
            constant = int(np.argmin([len(part.s) for part in parts]))
            raise ParameterError(
                f"view {constant}",
                "constant",
                "has nothing that could correlate: all samples are the same",
            )
        if count < self.n_components:
            rule = f"is more than the rank of a view, {least}: {count} are kept"
            warn(explain("n_components", self.n_components, rule), UserWarning)
        if self.kappa == 0 and max(len(part.s) for part in parts) >= n - 1:
            rule = (
                "with kernels of as many dimensions as samples makes everything correlate perfectly"
            )
            warn(explain("kappa", 0, rule, "take kappa > 0"), UserWarning)
        self.correlations_, weights = correlate(parts, count)
        self._finish(parts, weights, n)
        self.ranks_ = np.array([fitted.rank for fitted in self._views])
        self.kernel_ = [fitted.kernel for fitted in self._views]
        self._n_features_out = count
        kernels_text = "; ".join(
            "precomputed" if view.kernel is None else repr(view.kernel) for view in self._views
        )
        self.report_ = FitReport(
            kernels_text,
            "incomplete Cholesky factors, linear in the samples",
            "eigenvalues of the regularised correlations",
            n,
            time.perf_counter() - start,
            facts={
                "ranks": self.ranks_.tolist(),
                "unexplained": [view.left for view in self._views],
                "correlations": self.correlations_.tolist(),
                "training": self.training_correlations_.tolist(),
            },
        )
        return self

    # -- views -------------------------------------------------------------------------------------------------------

    def _kernels(self, count: int) -> list[Any]:
        if isinstance(self.kernel, (list, tuple)):
            if len(self.kernel) != count:
                raise ParameterError(
                    "kernel",
                    f"{len(self.kernel)} kernels",
                    f"must be one, or one for each of the {count} views",
                )
            return list(self.kernel)
        return [self.kernel] * count

    @staticmethod
    def _count(views: list[Any]) -> int:
        counts = [raw_length(view) for view in views]
        for at, count in enumerate(counts):
            if count != counts[0]:
                rule = f"must be views of the same samples: Found input variables with inconsistent numbers of samples: {counts}"
                raise ShapeError(f"view {at}", f"{count} samples, view 0 has {counts[0]}", rule)
        if counts[0] < 2:
            raise ShapeError(
                "X", "n_samples=1", "is too few to correlate anything", "give at least 2 samples"
            )
        return counts[0]

    def _factor(self, owner: _OneView, X: RawSamples, n: int, at: int) -> tuple[_Fitted, View]:
        """An incomplete Cholesky factor of the view's Gram matrix, centred, and what is needed to continue it to new samples."""
        if at:
            try:
                X = owner._check_X(X, reset=True)
            except ValueError as error:
                raise type(error)(f"view {at}: {error}") from None
        choice = owner._choose(X)
        kernel = choice.kernel
        most = min(self.max_rank, n)
        matrix = self._matrix(kernel, X, n)
        shifted = _FromFirst(matrix)
        # what is left below the rounding error of the values themselves is no dimension
        trace = max(float(shifted.diagonal().sum()), 1e-300)
        noise = 10 * n * np.finfo(float).eps * shifted.scale / trace
        pivots, L = landmarks(shifted, most, max(self.tol, noise, 1e-15))
        origin, corner, squares = shifted.origin, shifted.corner, shifted.diagonal()
        lowest = float(
            (squares - (L**2).sum(axis=1)).min()
        )  # of a positive matrix nothing below 0 is left
        if lowest < -max(1e-8, noise) * float(squares.max()):
            rule = f"is not positive on the samples of view {at}: {lowest:.4g} is left of a squared length"
            remedy = "mend the matrix by mercer.repair(K) and give it as precomputed"
            warn(explain("kernel", owner.kernel, rule, remedy), DefinitenessWarning)
        left = max(0.0, 1.0 - float((L**2).sum()) / trace)
        mean = L.mean(axis=0)
        part = view(L - mean, n * float(self.kappa) / 2)
        # g(x) = (k(x, p) − k(x, 0) − k(p, 0) + k(0, 0)) L_pp⁻ᵀ: kept as weights on pivots and the first sample
        inverse = (
            linalg.solve_triangular(
                L[pivots], np.eye(len(pivots)), lower=True, check_finite=False
            ).T
            if len(pivots)
            else np.empty((0, 0))
        )
        B = np.vstack([inverse, -inverse.sum(axis=0)])
        centre = (origin[pivots] - corner) @ inverse + mean
        rows = np.append(pivots, 0)
        expansion = Expansion(kernel, None if kernel is None else pick_rows(X, rows), rows, n)
        return _Fitted(owner, kernel, expansion, B, centre, len(pivots), left), part

    @staticmethod
    def _matrix(kernel: Kernel | None, X: RawSamples, n: int) -> Matrix:
        if kernel is None:
            check_square(X)
            return Stored(np.asarray(X), plan_matrix(n, WHOLE, given=True))
        kernel.fit(X)
        samples = kernel.prepare(Batch(X))
        plan = Plan("streamed", FLOAT64, FLOAT64.itemsize * n * n, "is not stored")
        return Streamed(kernel, samples, samples, plan)

    def _finish(self, parts: list[View], weights: list[np.ndarray], n: int) -> None:
        """Variates of unit variance, with signs that reproduce, and their maps."""
        variates = []
        for part, weight in zip(parts, weights, strict=True):
            made = part.U @ (part.share[:, None] * weight)
            size = np.sqrt(np.mean(made**2, axis=0))
            variates.append((made / np.where(size > 0, size, 1.0), np.where(size > 0, size, 1.0)))
        sign = sign_flips(variates[0][0])
        total = np.zeros(len(sign))
        for (a, _), (b, _) in itertools.combinations(variates, 2):
            total += np.mean(a * b, axis=0)
        self.training_correlations_ = total / (len(parts) * (len(parts) - 1) / 2)
        for fitted, part, weight, (_, size) in zip(
            self._views, parts, weights, variates, strict=True
        ):
            to_g = part.V @ ((part.share / part.s)[:, None] * weight) / size * sign
            fitted.B, fitted.centre = np.ascontiguousarray(fitted.B @ to_g), fitted.centre @ to_g

    # -- using it ----------------------------------------------------------------------------------------------------

    def transform_view(self, X: RawSamples, view: int) -> np.ndarray:
        """The variates of one view."""
        check_is_fitted(self)
        if not isinstance(view, Integral) or not 0 <= view < len(self._views):
            raise ParameterError(
                "view",
                view,
                f"must be one of the {len(self._views)} views: 0 to {len(self._views) - 1}",
            )
        fitted = self._views[view]
        checker = fitted.owner if view else self
        X = checker._check_X(X if view == 0 else _column(X, f"view {view}"), reset=False)
        return fitted.expansion.apply(X, fitted.B) - fitted.centre

    def transform(self, X: RawSamples, y: Targets = None, *more: Any) -> Any:
        """The variates of the first view, or a tuple with those of every view that is given."""
        if y is None:
            return self.transform_view(X, 0)
        return tuple(self.transform_view(samples, at) for at, samples in enumerate((X, y, *more)))

    def fit_transform(self, X: RawSamples, y: Targets = None, *more: Any) -> Any:
        """Fit, and the variates of the first view, as a pipeline wants them; ``transform(X, y)`` gives those of both."""
        return self.fit(X, y, *more).transform(X)

    def loadings(self, X: RawSamples, view: int = 0) -> np.ndarray:
        """Correlations of the columns of ``X``, numbers, with the variates of that view: columns × components."""
        columns = check_array(_column(X, f"view {view}"), dtype=np.float64, ensure_2d=True)
        variates = self.transform_view(X, view)
        a, b = columns - columns.mean(axis=0), variates - variates.mean(axis=0)
        size = np.linalg.norm(a, axis=0)[:, None] * np.linalg.norm(b, axis=0)
        return np.where(size > 0, a.T @ b / np.where(size > 0, size, 1.0), 0.0)

    def score(self, X: RawSamples, y: Targets, *more: Any) -> float:
        """The mean correlation of the variates of new samples, over components and pairs of views."""
        variates = [v - v.mean(axis=0) for v in self.transform(X, y, *more)]
        unit = [v / np.maximum(np.linalg.norm(v, axis=0), 1e-300) for v in variates]
        return float(np.mean([np.sum(a * b, axis=0) for a, b in itertools.combinations(unit, 2)]))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _column(view: Any, name: str) -> Any:
    """Numbers in one dimension are a column; other collections stay as they are."""
    if view is None:
        raise ParameterError(name, None, "is missing", "give all views")
    if not hasattr(view, "__len__") and hasattr(view, "__array__"):
        view = np.asarray(view)
    flat = view.tolist() if isinstance(view, np.ndarray) and view.ndim == 1 else view
    named = (
        hasattr(view, "to_numpy") and len(getattr(view, "shape", ())) == 1
    )  # a column of a frame
    if named:
        flat = view.to_numpy().tolist()
    if (
        isinstance(flat, (list, tuple))
        and len(flat)
        and all(isinstance(value, Real) for value in flat)
    ):
        return np.asarray(flat, dtype=float).reshape(-1, 1)
    return view
