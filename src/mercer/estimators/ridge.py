"""Ridge regression in feature space."""

from __future__ import annotations

import dataclasses
import time
import warnings
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from mercer.config import format_bytes, get_config
from mercer.domains.base import Batch, raw_length
from mercer.errors import ParameterError, ShapeError, explain
from mercer.estimators.base import Expansion, KernelEstimator, check_square, check_weights, training_gram
from mercer.gram.engine import dense, multiply
from mercer.kernels.base import Kernel
from mercer.solvers.cg import conjugate_gradients, pivoted_cholesky
from mercer.solvers.direct import solve_ridge

_RANK = 300  # of the preconditioner


@dataclasses.dataclass(frozen=True)
class RidgeReport:
    """What a ridge fit tells of itself."""

    kernel: str
    status: str
    plan: str
    solver: str
    objective: float  # J = ½ Σ w (y − f)² + ½ λ ‖f‖², summed over outputs
    identity: float  # the largest |a_i − w_i (y_i − f(x_i))/λ| over the largest |a_i|
    seconds: float

    def __str__(self) -> str:
        return "\n".join(
            [
                f"kernel      {self.kernel} ({self.status})",
                f"plan        {self.plan}",
                f"solver      {self.solver}",
                f"J           {self.objective:.10g}; a = (y − f)/λ holds to {self.identity:.1e}; {self.seconds:.3g} s",
            ]
        )


class _Ridge(MultiOutputMixin, RegressorMixin, KernelEstimator):
    """Data, prediction and report of the ridge machines."""

    needs: ClassVar[str] = "psd"

    def _begin(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, np.ndarray, np.ndarray, Kernel | None]:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None")
        if self._takes_vectors():
            pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"  # type: ignore[attr-defined]
            X, y = validate_data(
                self, X, y, accept_sparse=False if pairwise else ("csr", "csc"), dtype=np.float64, multi_output=True, y_numeric=True
            )
        else:
            X = self._check_X(X, reset=True)
            y = check_array(y, ensure_2d=False, dtype=np.float64)
            if len(y) != raw_length(X):
                raise ShapeError(explain("y", f"{len(y)} values", f"must have one for each of the {raw_length(X)} samples"))
        n = raw_length(X)
        weight = check_weights(sample_weight, n)
        choice = self._choose(X, weight if sample_weight is not None else None)
        if choice.kernel is None:
            check_square(X)
        else:
            choice.kernel.fit(X)
        return X, np.asarray(y, dtype=np.float64), weight, choice.kernel

    def _keep(self, kernel: Kernel | None, X: Any, dual: np.ndarray, flat: bool) -> None:
        self.kernel_ = kernel
        self.X_fit_ = X
        self.dual_coef_ = dual[:, 0] if flat else dual

    def _report(
        self, plan: str, solver: str, Y: np.ndarray, weight: np.ndarray, A: np.ndarray, F: np.ndarray, penalty: Any, start: float
    ) -> None:
        gap = weight[:, None] * (Y - F)
        biggest = float(np.abs(A).max()) or 1.0
        identity = float(np.abs(A - gap / penalty).max()) / biggest if np.all(np.asarray(penalty) > 0) else float("nan")
        value = 0.5 * float(np.sum(gap * (Y - F))) + 0.5 * float(np.sum(np.broadcast_to(penalty, A.shape) * A * F))
        status = "unknown" if self.kernel_ is None else self.kernel_.certify(None).status
        name = "precomputed" if self.kernel_ is None else repr(self.kernel_)
        self.report_ = RidgeReport(name, status, plan, solver, value, identity, time.perf_counter() - start)

    def predict(self, X: Any) -> np.ndarray:
        """f(x) = Σ a_i k(x, x_i)."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        n = raw_length(self.X_fit_)
        dual = self.dual_coef_ if self.dual_coef_.ndim == 2 else self.dual_coef_[:, None]
        expansion = Expansion(self.kernel_, None if self.kernel_ is None else self.X_fit_, np.arange(n), n)
        values = expansion.apply(X, np.ascontiguousarray(dual))
        return values if self.dual_coef_.ndim == 2 else values[:, 0]


class KernelRidge(_Ridge):
    """Ridge regression in feature space: a = (K + λ/w)⁻¹ y, no bias, λ = ``alpha`` not multiplied by n; as in scikit-learn.

    Cholesky on the dense Gram matrix while it fits the memory budget, preconditioned conjugate gradients beyond.

    Examples
    --------
    >>> from mercer import RBF, KernelRidge
    >>> model = KernelRidge(alpha=0.1, kernel=RBF()).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
    >>> model.predict([[1.0]]).round(2).tolist()
    [0.8]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"scale", "auto"}), None],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
    }

    def __init__(self, alpha: Any = 1, *, kernel: Any = "linear", gamma: Any = None, degree: float = 3, coef0: float = 1) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on samples ``X`` with one or several numbers ``y`` each."""
        start = time.perf_counter()
        X, y, weight, kernel = self._begin(X, y, sample_weight)
        Y = y[:, None] if y.ndim == 1 else y
        penalty = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if len(penalty) not in (1, Y.shape[1]) or penalty.min() < 0:
            rule = f"must be one number >= 0, or one for each of the {Y.shape[1]} targets"
            raise ParameterError(explain("alpha", self.alpha, rule))
        n = len(Y)
        if kernel is None or 8 * n * n <= get_config().memory_budget // 2 or penalty.min() == 0:
            A, F, plan, solver = self._dense(kernel, X, Y, weight, penalty)
        else:
            A, F, plan, solver = self._lazy(kernel, X, Y, weight, penalty)
        self._keep(kernel, X, A, y.ndim == 1)
        self._report(plan, solver, Y, weight, A, F, penalty, start)
        return self

    def _dense(
        self, kernel: Any, X: Any, Y: np.ndarray, weight: np.ndarray, penalty: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, str, str]:
        n = len(Y)
        root = np.sqrt(weight)
        A = np.empty_like(Y)
        solver = ""
        for value in np.unique(penalty):
            K = training_gram(kernel, X, None, np.float64)
            if kernel is None:
                K = K.copy()
            if not (weight == 1).all():
                K *= root[:, None] * root[None, :]
            columns = np.arange(Y.shape[1]) if len(penalty) == 1 else np.flatnonzero(penalty == value)
            solution, solver = solve_ridge(K, float(value), root[:, None] * Y[:, columns])
            A[:, columns] = root[:, None] * solution
        plan = f"dense Gram matrix, float64, {format_bytes(8 * n * n)}"
        if (penalty > 0).all() and (weight > 0).all():  # K a = y − λ a/w, without K, which the factor wrote over
            return A, Y - penalty * A / weight[:, None], plan, solver
        return A, training_gram(kernel, X, None, np.float64) @ A, plan, solver

    def _lazy(
        self, kernel: Kernel, X: Any, Y: np.ndarray, weight: np.ndarray, penalty: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, str, str]:
        side = kernel.prepare(Batch(X))
        root = np.sqrt(weight)[:, None]

        def row(i: int) -> np.ndarray:
            return root[:, 0] * root[i, 0] * dense(kernel, side.take(np.array([i])), side)[0]

        L = pivoted_cholesky(kernel.diagonal(side) * weight, row, min(_RANK, len(Y)))
        A = np.empty_like(Y)
        steps, worst = 0, 0.0
        for value in np.unique(penalty):
            columns = np.arange(Y.shape[1]) if len(penalty) == 1 else np.flatnonzero(penalty == value)
            found = conjugate_gradients(lambda V: root * multiply(kernel, side, side, root * V), float(value), root * Y[:, columns], L)
            A[:, columns] = root * found.x
            steps, worst = max(steps, found.iterations), max(worst, found.residual)
            if not found.converged:
                advice = "raise alpha, or the memory budget"
                warnings.warn(
                    f"KernelRidge did not converge: relative residual {found.residual:.2g}; {advice}", ConvergenceWarning, stacklevel=3
                )
        solver = f"conjugate gradients, {steps} steps, preconditioner of rank {L.shape[1]}, relative residual {worst:.1e}"
        return A, multiply(kernel, side, side, A), "tiles recomputed in every product: the matrix exceeds half the memory budget", solver


class KernelRidgeCV(_Ridge):
    """`KernelRidge` with the penalty chosen by leave-one-out error, for all penalties from one eigendecomposition.

    Attributes
    ----------
    alpha_ : the chosen penalty
    loo_errors_ : the mean squared leave-one-out error of every penalty
    loo_predictions_ : what the model without a sample predicts for it, at the chosen penalty

    Examples
    --------
    >>> from mercer import RBF, KernelRidgeCV
    >>> KernelRidgeCV(alphas=[0.01, 100.0], kernel=RBF()).fit([[0.0], [0.5], [1.0], [1.5]], [0.0, 0.5, 1.0, 1.5]).alpha_
    0.01
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alphas": ["array-like"],
        "gamma": KernelRidge._parameter_constraints["gamma"],
        "degree": KernelRidge._parameter_constraints["degree"],
        "coef0": KernelRidge._parameter_constraints["coef0"],
    }

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit, choosing among ``alphas``; a weight multiplies a sample's squared error, in the fit and in the score."""
        start = time.perf_counter()
        alphas = np.asarray(self.alphas, dtype=np.float64).ravel()
        if alphas.size == 0 or not np.isfinite(alphas).all() or alphas.min() <= 0:
            raise ParameterError(explain("alphas", self.alphas, "must be positive numbers", "leave-one-out needs a penalty > 0"))
        X, y, weight, kernel = self._begin(X, y, sample_weight)
        Y = y[:, None] if y.ndim == 1 else y
        if len(Y) < 2:
            raise ValueError(f"Found array with {len(Y)} sample(s) while a minimum of 2 is required by {type(self).__name__}.")
        root = np.sqrt(weight)
        K = training_gram(kernel, X, None, np.float64)
        values, Q = np.linalg.eigh(K if (weight == 1).all() else K * (root[:, None] * root[None, :]))
        values = np.maximum(values, 0.0)
        turned = Q.T @ (root[:, None] * Y)
        inverse = (Q * Q) @ (1.0 / (values[:, None] + alphas[None, :]))  # diagonal of (K + λI)⁻¹, a column per penalty
        dual = [Q @ (turned / (values + a)[:, None]) for a in alphas]
        held = [d / inverse[:, k : k + 1] for k, d in enumerate(dual)]  # √w (y − prediction without the sample)
        self.loo_errors_ = np.array([float((e**2).sum() / (weight.sum() * Y.shape[1])) for e in held])
        best = int(np.argmin(self.loo_errors_))
        self.alpha_ = float(alphas[best])
        A = root[:, None] * dual[best]
        with np.errstate(divide="ignore", invalid="ignore"):
            left_out = np.where(root[:, None] > 0, Y - held[best] / np.where(root > 0, root, 1.0)[:, None], K @ A)
        self.loo_predictions_ = left_out[:, 0] if y.ndim == 1 else left_out
        self._keep(kernel, X, A, y.ndim == 1)
        solver = f"one eigendecomposition for {len(alphas)} penalties"
        self._report(f"dense Gram matrix, float64, {format_bytes(K.nbytes)}", solver, Y, weight, A, K @ A, self.alpha_, start)
        return self
