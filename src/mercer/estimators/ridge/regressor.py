"""Ridge regression in feature space."""

from __future__ import annotations

import dataclasses
import time
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets, Weights
from mercer.config import format_bytes
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.errors import ParameterError
from mercer.estimators.common.base import Expansion, KernelEstimator
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.training import Training, begin
from mercer.estimators.ridge.primal import explicit_width, solve_primal
from mercer.estimators.ridge.system import Penalised


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

    def _keep(self, data: Training, dual: np.ndarray, flat: bool) -> None:
        """Coefficients for all the samples given; those of weight 0 get 0."""
        self.kernel_ = data.kernel
        self.X_fit_ = data.X
        whole = np.zeros((data.width, dual.shape[1]))
        whole[data.rows] = dual
        self.dual_coef_ = whole[:, 0] if flat else whole
        self.__dict__.pop("primal_coef_", None)

    def _report(
        self,
        plan: str,
        solver: str,
        Y: np.ndarray,
        weight: np.ndarray,
        A: np.ndarray,
        F: np.ndarray,
        penalty: Any,
        start: float,
    ) -> None:
        gap = weight[:, None] * (Y - F)
        biggest = float(np.abs(A).max()) or 1.0
        identity = (
            float(np.abs(A - gap / penalty).max()) / biggest
            if np.all(np.asarray(penalty) > 0)
            else float("nan")
        )
        value = 0.5 * float(np.sum(gap * (Y - F))) + 0.5 * float(
            np.sum(np.broadcast_to(penalty, A.shape) * A * F)
        )
        status = "unknown" if self.kernel_ is None else self.kernel_.certify(None).status
        name = "precomputed" if self.kernel_ is None else repr(self.kernel_)
        self.report_ = RidgeReport(
            name, status, plan, solver, value, identity, time.perf_counter() - start
        )

    def predict(self, X: RawSamples) -> np.ndarray:
        """f(x) = Σ a_i k(x, x_i)."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        if "primal_coef_" in vars(self) and self.kernel_ is not None:
            values = np.asarray(self.kernel_.map_features(Batch(X), None) @ self.primal_coef_)
            return values if self.dual_coef_.ndim == 2 else values[:, 0]
        n = raw_length(self.X_fit_)
        dual = self.dual_coef_ if self.dual_coef_.ndim == 2 else self.dual_coef_[:, None]
        expansion = Expansion(
            self.kernel_, None if self.kernel_ is None else self.X_fit_, np.arange(n), n
        )
        values = expansion.apply(X, np.ascontiguousarray(dual))
        return values if self.dual_coef_.ndim == 2 else values[:, 0]


class KernelRidge(_Ridge):
    """Ridge regression in feature space: a = (K + λ/w)⁻¹ y, no bias, λ = ``alpha`` not multiplied by n; as in scikit-learn.

    Where the kernel has an explicit feature map with fewer features than half the samples, the normal equations are
    solved instead (``primal_coef_`` holds a weight per feature). Else Cholesky on the dense Gram matrix while it fits the
    memory budget, and preconditioned conjugate gradients beyond.

    Examples
    --------
    >>> from mercer import RBF, KernelRidge
    >>> model = KernelRidge(alpha=0.1, kernel=RBF()).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
    >>> model.predict([[1.0]]).round(2).tolist()
    [0.8]
    """

    _parameter_constraints: ClassVar[ParameterRules] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "gamma": [
            Interval(Real, 0, None, closed="left"),
            StrOptions({"scale", "auto", "sigest", "median"}),
            None,
        ],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
    }

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: KernelLike = "linear",
        gamma: Gamma = None,
        degree: float = 3,
        coef0: float = 1,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit on samples ``X`` with one or several numbers ``y`` each."""
        start = time.perf_counter()
        data = begin(self, X, y, sample_weight, target="numbers")
        Y = data.y[:, None] if data.y.ndim == 1 else data.y
        penalty = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if len(penalty) not in (1, Y.shape[1]) or penalty.min() < 0:
            rule = f"must be one number >= 0, or one for each of the {Y.shape[1]} targets"
            raise ParameterError("alpha", self.alpha, rule)
        width = explicit_width(data) if penalty.min() > 0 else None
        A, F = np.empty_like(Y), np.empty_like(Y)
        plan = solver = ""
        coefficients = None
        for value in np.unique(penalty):
            at = np.arange(Y.shape[1]) if len(penalty) == 1 else np.flatnonzero(penalty == value)
            found = solve_primal(data, float(value), Y[:, at]) if width is not None else None
            if found is None:
                width, coefficients = None, None  # for all outputs alike
            else:
                coefficients = (
                    np.empty((len(found.weights), Y.shape[1]))
                    if coefficients is None
                    else coefficients
                )
                coefficients[:, at], A[:, at], F[:, at] = found.weights, found.dual, found.values
                plan, solver = found.plan, found.solver
                continue
            system = Penalised(data, float(value))
            A[:, at] = system.solve(Y[:, at])
            # K a = y − λ a/w where that was solved exactly; the factor has written over K
            exact = system.stored and value > 0 and system.solver == "Cholesky"
            F[:, at] = (
                Y[:, at] - value * A[:, at] / data.weight[:, None]
                if exact
                else system.image(A[:, at])
            )
            plan, solver = system.plan, system.solver
        self._keep(data, A, data.y.ndim == 1)
        if coefficients is not None:
            self.primal_coef_ = coefficients
        self._report(plan, solver, Y, data.weight, A, F, penalty, start)
        return self


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

    _parameter_constraints: ClassVar[ParameterRules] = {
        "alphas": ["array-like"],
        "gamma": KernelRidge._parameter_constraints["gamma"],
        "degree": KernelRidge._parameter_constraints["degree"],
        "coef0": KernelRidge._parameter_constraints["coef0"],
    }

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        kernel: KernelLike = "linear",
        gamma: Gamma = None,
        degree: float = 3,
        coef0: float = 1,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit, choosing among ``alphas``; a weight multiplies a sample's squared error, in the fit and in the score."""
        start = time.perf_counter()
        alphas = np.asarray(self.alphas, dtype=np.float64).ravel()
        if alphas.size == 0 or not np.isfinite(alphas).all() or alphas.min() <= 0:
            raise ParameterError(
                "alphas",
                self.alphas,
                "must be positive numbers",
                "leave-one-out needs a penalty > 0",
            )
        data = begin(self, X, y, sample_weight, target="numbers")
        y, weight = data.y, data.weight
        Y = y[:, None] if y.ndim == 1 else y
        if len(Y) < 2:
            raise ValueError(
                f"Found array with {len(Y)} sample(s) while a minimum of 2 is required by {type(self).__name__}."
            )
        root = np.sqrt(weight)
        K = data.gram()
        values, Q = np.linalg.eigh(
            K if (weight == 1).all() else K * (root[:, None] * root[None, :])
        )
        values = np.maximum(values, 0.0)
        turned = Q.T @ (root[:, None] * Y)
        inverse = (Q * Q) @ (
            1.0 / (values[:, None] + alphas[None, :])
        )  # diagonal of (K + λI)⁻¹, a column per penalty
        dual = [Q @ (turned / (values + a)[:, None]) for a in alphas]
        held = [
            d / inverse[:, k : k + 1] for k, d in enumerate(dual)
        ]  # √w (y − prediction without the sample)
        self.loo_errors_ = np.array(
            [float((e**2).sum() / (weight.sum() * Y.shape[1])) for e in held]
        )
        best = int(np.argmin(self.loo_errors_))
        self.alpha_ = float(alphas[best])
        A = root[:, None] * dual[best]
        self._keep(data, A, y.ndim == 1)
        left_out = np.empty((data.width, Y.shape[1]))
        left_out[data.rows] = Y - held[best] / root[:, None]
        if data.count < data.width:  # without a sample of weight 0 the model is what it is
            rest = np.setdiff1d(np.arange(data.width), data.rows)
            given = data.X[rest] if data.kernel is None else pick_rows(data.X, rest)
            left_out[rest] = Expansion(data.kernel, data.samples(), data.rows, data.width).apply(
                given, A
            )
        self.loo_predictions_ = left_out[:, 0] if y.ndim == 1 else left_out
        solver = f"one eigendecomposition for {len(alphas)} penalties"
        self._report(
            f"dense Gram matrix, float64, {format_bytes(K.nbytes)}",
            solver,
            Y,
            weight,
            A,
            K @ A,
            self.alpha_,
            start,
        )
        return self
