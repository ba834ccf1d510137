"""Ridge regression in feature space."""

from __future__ import annotations

import time
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets, Weights
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.errors import ParameterError
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin
from mercer.gram.plan import FACTOR, WHOLE, Plan, plan_features, plan_matrix
from mercer.solvers.ridge.primal import solve_primal
from mercer.solvers.ridge.system import RidgeSystem

_RULES: ParameterRules = {**KERNEL_RULES, "gamma": [*KERNEL_RULES["gamma"], None]}


class _Ridge(MultiOutputMixin, RegressorMixin, KernelEstimator):
    """Prediction and report of ridge regression."""

    needs: ClassVar[str] = "psd"

    def _keep(self, data: Training, dual: np.ndarray) -> None:
        """Set the coefficients of all samples given; those of weight 0 get 0."""
        self.kernel_ = data.kernel
        self.X_fit_ = data.X
        coefficients = np.zeros((data.n_given, dual.shape[1]))
        coefficients[data.rows] = dual
        self.dual_coef_ = coefficients[:, 0] if data.y.ndim == 1 else coefficients
        self.__dict__.pop("primal_coef_", None)

    def _report(
        self, data: Training, solution: _Solution, penalty: np.ndarray, start: float
    ) -> None:
        """The objective J = ½ Σ w (y − f)² + ½ λ ‖f‖², and how well a = w (y − f)/λ holds."""
        A, F = solution.dual, solution.values
        Y = _as_columns(data.y)
        gap = data.weight[:, None] * (Y - F)
        loss = 0.5 * float(np.sum(gap * (Y - F)))
        norm = 0.5 * float(np.sum(np.broadcast_to(penalty, A.shape) * A * F))
        identity = float("nan")
        if np.all(penalty > 0):
            largest = float(np.abs(A).max()) or 1.0
            identity = float(np.abs(A - gap / penalty).max()) / largest
        self.report_ = FitReport(
            data.kernel,
            str(solution.plan),
            solution.solver,
            data.count,
            time.perf_counter() - start,
            facts={"objective": loss + norm, "identity": identity},
        )

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict the targets of new samples.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            f(x) = Σ a_i k(x, x_i).
        """
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        if "primal_coef_" in vars(self) and self.kernel_ is not None:
            values = np.asarray(self.kernel_.map_features(Batch(X), None) @ self.primal_coef_)
        else:
            n = raw_length(self.X_fit_)
            samples = None if self.kernel_ is None else self.X_fit_
            expansion = Expansion(self.kernel_, samples, np.arange(n), n)
            values = expansion.apply(X, np.ascontiguousarray(_as_columns(self.dual_coef_)))
        return values if self.dual_coef_.ndim == 2 else values[:, 0]


class _Solution:
    """Coefficients and fitted values of all targets, and how they were computed."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.dual, self.values = np.empty(shape), np.empty(shape)
        self.primal: np.ndarray | None = None
        self.plan: Plan | str = ""
        self.solver = ""


def _as_columns(y: np.ndarray) -> np.ndarray:
    return y[:, None] if y.ndim == 1 else y


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
        **_RULES,
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
        """Fit the model.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples, or their Gram matrix if the kernel is "precomputed".
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies the squared error of its sample.

        Returns
        -------
        self : KernelRidge
            The fitted estimator.
        """
        start = time.perf_counter()
        data = begin(self, X, y, sample_weight, target="numbers")
        penalty = self._penalties(_as_columns(data.y).shape[1])
        solution = None
        if penalty.min() > 0:
            solution = _by_features(data, penalty)
        if solution is None:
            solution = _by_matrix(data, penalty)
        self._keep(data, solution.dual)
        if solution.primal is not None:
            self.primal_coef_ = solution.primal
        self._report(data, solution, penalty, start)
        return self

    def _penalties(self, n_targets: int) -> np.ndarray:
        penalty = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if len(penalty) not in (1, n_targets) or penalty.min() < 0:
            rule = f"must be one number >= 0, or one for each of the {n_targets} targets"
            raise ParameterError("alpha", self.alpha, rule)
        return penalty


def _by_penalty(penalty: np.ndarray, n_targets: int) -> list[tuple[float, np.ndarray]]:
    """Every penalty, with the targets it belongs to."""
    if len(penalty) == 1:
        return [(float(penalty[0]), np.arange(n_targets))]
    return [(float(value), np.flatnonzero(penalty == value)) for value in np.unique(penalty)]


def _feature_plan(data: Training) -> Plan | None:
    """Whether the kernel has an explicit feature map of few features."""
    if data.kernel is None or len(getattr(data.X, "shape", ())) != 2:
        return None
    try:
        n_features = float(data.kernel.feature_dim(data.X.shape[1]))
    except Exception:  # a kernel that knows its features only by computing them
        return None
    return plan_features(data.count, n_features)


def _by_features(data: Training, penalty: np.ndarray) -> _Solution | None:
    """Normal equations of explicit features; None where they are many or linearly dependent."""
    plan = _feature_plan(data)
    if plan is None:
        return None
    assert data.kernel is not None
    Y = _as_columns(data.y)
    features = data.kernel.map_features(Batch(data.samples()), None)
    solution = _Solution(Y.shape)
    solution.primal = np.empty((features.shape[1], Y.shape[1]))
    for value, targets in _by_penalty(penalty, Y.shape[1]):
        part = solve_primal(features, data.weight, value, Y[:, targets])
        if part is None:
            return None
        solution.primal[:, targets] = part.weights
        solution.dual[:, targets], solution.values[:, targets] = part.dual, part.values
    solution.plan, solution.solver = plan, "Cholesky of the normal equations"
    return solution


def _by_matrix(data: Training, penalty: np.ndarray) -> _Solution:
    """(K + λ/w) a = y."""
    Y = _as_columns(data.y)
    solution = _Solution(Y.shape)
    for value, targets in _by_penalty(penalty, Y.shape[1]):
        matrix = data.matrix(FACTOR, required=value == 0)
        system = RidgeSystem(matrix, value, data.weight)
        A = system.solve(Y[:, targets])
        if system.exact and value > 0:
            # K a = y − λ a/w; the factor has overwritten K
            F = Y[:, targets] - value * A / data.weight[:, None]
        else:
            F = data.products() @ A
        solution.dual[:, targets], solution.values[:, targets] = A, F
        solution.plan, solution.solver = system.plan, system.solver
    return solution


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

    _parameter_constraints: ClassVar[ParameterRules] = {"alphas": ["array-like"], **_RULES}

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
        """Fit the model, choosing the penalty among ``alphas``.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples, or their Gram matrix if the kernel is "precomputed".
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies the squared error of its sample, in the fit and in the score.

        Returns
        -------
        self : KernelRidgeCV
            The fitted estimator.
        """
        start = time.perf_counter()
        alphas = self._checked_alphas()
        data = begin(self, X, y, sample_weight, target="numbers")
        if data.count < 2:
            raise ValueError(
                f"Found array with {data.count} sample(s) while a minimum of 2 is required by "
                f"{type(self).__name__}."
            )
        K = data.gram()
        solution = _Solution(_as_columns(data.y).shape)
        solution.dual, left_out = self._choose_penalty(K, data, alphas)
        solution.values = K @ solution.dual
        solution.plan = plan_matrix(data.count, WHOLE, given=True)
        solution.solver = f"one eigendecomposition for {len(alphas)} penalties"
        self._keep(data, solution.dual)
        self._keep_left_out(data, solution.dual, left_out)
        self._report(data, solution, np.array([self.alpha_]), start)
        return self

    def _checked_alphas(self) -> np.ndarray:
        alphas = np.asarray(self.alphas, dtype=np.float64).ravel()
        if alphas.size == 0 or not np.isfinite(alphas).all() or alphas.min() <= 0:
            remedy = "leave-one-out needs a penalty > 0"
            raise ParameterError("alphas", self.alphas, "must be positive numbers", remedy)
        return alphas

    def _choose_penalty(
        self, K: np.ndarray, data: Training, alphas: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of the best penalty, and what is predicted for samples left out."""
        Y, weight = _as_columns(data.y), data.weight
        root = np.sqrt(weight)[:, None]
        values, Q = np.linalg.eigh(K if (weight == 1).all() else K * (root * root.T))
        values = np.maximum(values, 0.0)
        rotated = Q.T @ (root * Y)
        # the diagonal of (K + λI)⁻¹, a column per penalty
        inverse = (Q * Q) @ (1.0 / (values[:, None] + alphas[None, :]))
        dual = [Q @ (rotated / (values + alpha)[:, None]) for alpha in alphas]
        # √w (y − prediction without the sample)
        gaps = [part / inverse[:, k : k + 1] for k, part in enumerate(dual)]
        total = weight.sum() * Y.shape[1]
        self.loo_errors_ = np.array([float((gap**2).sum() / total) for gap in gaps])
        best = int(np.argmin(self.loo_errors_))
        self.alpha_ = float(alphas[best])
        return root * dual[best], Y - gaps[best] / root

    def _keep_left_out(self, data: Training, dual: np.ndarray, left_out: np.ndarray) -> None:
        predictions = np.empty((data.n_given, left_out.shape[1]))
        predictions[data.rows] = left_out
        if not data.all_count:  # without a sample of weight 0 the model is the same
            rest = np.setdiff1d(np.arange(data.n_given), data.rows)
            predictions[rest] = data.expansion().apply(pick_rows(data.X, rest), dual)
        self.loo_predictions_ = predictions[:, 0] if data.y.ndim == 1 else predictions
