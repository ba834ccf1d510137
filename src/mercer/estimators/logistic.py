"""Logistic regression in feature space: probabilities that are fitted, not calibrated afterwards."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import (
    ClassWeight,
    Gamma,
    KernelLike,
    ParameterRules,
    RawSamples,
    Targets,
    Weights,
)
from mercer.errors import warn
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits, iteration_callback
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin_classes
from mercer.gram.matrix import Centered, Matrix
from mercer.gram.plan import COPY
from mercer.gram.stored import Stored
from mercer.linalg.cholesky import pivoted_cholesky
from mercer.solvers.newton import Binary, Loss, Multinomial, NewtonSolution, newton

_RANK = 300  # of the preconditioner
_SYSTEM = 2000  # rows of the system that the preconditioner factors


class KernelLogisticRegression(ClassifierMixin, KernelEstimator):
    """C Σ w · log-loss + ½ ‖f‖², by Newton's method on the dual; multinomial for more than two classes.

    With the linear kernel it is scikit-learn's ``LogisticRegression``. The bias is not penalised, so that conditionally
    positive kernels are enough.

    Parameters
    ----------
    C : inverse strength of the penalty
    kernel, gamma, degree, coef0 : as in `SVC`
    fit_intercept : whether there is a bias
    class_weight : None, "balanced", or weights by class
    tol : the largest |a + C·dL/df| over C at which the fit is done
    warm_start : begin at the last solution, if the samples are as many

    Examples
    --------
    >>> from mercer import RBF, KernelLogisticRegression
    >>> model = KernelLogisticRegression(kernel=RBF(), C=10.0).fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [4.5]]).tolist()
    ['low', 'high']
    >>> model.predict_proba([[2.5]]).round(6).tolist()
    [[0.5, 0.5]]
    """

    _parameter_constraints: ClassVar[ParameterRules] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        **KERNEL_RULES,
        "fit_intercept": ["boolean"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int = 100,
        warm_start: bool = False,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start

    @property
    def needs(self) -> str:  # type: ignore[override]
        return "cpd" if self.fit_intercept else "psd"

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit on samples ``X`` with labels ``y``; a weight multiplies a sample's loss."""
        start = time.perf_counter()
        earlier = self._earlier_solution()
        data = begin_classes(self, X, y, sample_weight)
        loss = self._loss(data)
        matrix, row_means = self._matrix(data)
        warm = None
        if earlier is not None and earlier[0].shape == (data.count, loss.outputs):
            warm = earlier[0].copy(), earlier[1] + earlier[0].T @ row_means
        direct = matrix.plan.stored and loss.outputs == 1
        low = None
        if not direct:
            rank = min(_RANK, _SYSTEM // loss.outputs, data.count)
            low = pivoted_cholesky(matrix, rank)
        solution = newton(
            matrix,
            loss,
            intercept=self.fit_intercept,
            low=low,
            tol=self.tol,
            max_iter=self.max_iter,
            start=warm,
            callback=iteration_callback(self),
        )
        self.kernel_, self.support_, self.X_fit_ = data.kernel, data.rows, data.samples()
        self._n_training = data.n_given
        self.dual_coef_ = solution.dual
        self.intercept_ = solution.bias - solution.dual.T @ row_means
        self.n_iter_ = solution.iterations
        how = "Cholesky" if direct else f"conjugate gradients, {solution.products} products"
        seconds = time.perf_counter() - start
        self._report(data, str(matrix.plan), f"Newton by {how}", solution, seconds)
        return self

    def _earlier_solution(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Coefficients and biases of the last fit, where it is to be continued."""
        if not self.warm_start or not hasattr(self, "dual_coef_"):
            return None
        return self.dual_coef_, self.intercept_

    def _loss(self, data: Training) -> Loss:
        weight = self.C * data.weight
        if len(self.classes_) == 2:
            return Binary(data.y, weight)
        return Multinomial(data.y, weight, len(self.classes_))

    def _matrix(self, data: Training) -> tuple[Matrix, np.ndarray]:
        """K and the means of its rows; a stored K is centred if there is a bias.

        Centring changes the bias by Σ a·row_means only.
        """
        matrix = data.matrix(COPY)
        if not matrix.plan.stored or not self.fit_intercept:
            return matrix, np.zeros(data.count)
        centered = Centered(matrix, np.full(data.count, 1.0 / data.count))
        row_means = centered.row_means
        return Stored(centered.dense(), matrix.plan), row_means

    def _report(
        self, data: Training, plan: str, solver: str, solution: NewtonSolution, seconds: float
    ) -> None:
        facts = {
            "residual": solution.residual,
            "tol": self.tol,
            "objective": solution.objective,
            "iterations": solution.iterations,
        }
        self.report_ = FitReport(
            data.kernel, plan, solver, data.count, seconds, solution.converged, facts
        )
        if solution.converged:
            return
        warn(
            f"KernelLogisticRegression did not converge ({solution.reason}): residual "
            f"{solution.residual:.3g}, tolerance {self.tol:.3g}; scale the features, lower C, or "
            "raise max_iter or tol",
            ConvergenceWarning,
        )

    def _values(self, X: RawSamples) -> np.ndarray:
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        expansion = Expansion(self.kernel_, self.X_fit_, self.support_, self._n_training)
        return expansion.apply(X, np.ascontiguousarray(self.dual_coef_)) + self.intercept_

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """f(x) + b: log-odds of the second of two classes, or one column per class."""
        F = self._values(X)
        return F[:, 0] if F.shape[1] == 1 else F

    def predict(self, X: RawSamples) -> np.ndarray:
        """The likeliest class."""
        F = self._values(X)
        return self.classes_[(F[:, 0] > 0).astype(int) if F.shape[1] == 1 else np.argmax(F, axis=1)]

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """One probability per class."""
        F = self._values(X)
        return np.column_stack([expit(-F), expit(F)]) if F.shape[1] == 1 else softmax(F, axis=1)

    def predict_log_proba(self, X: RawSamples) -> np.ndarray:
        """Logarithms of `predict_proba`, also where those underflow."""
        F = self._values(X)
        F = np.column_stack([-F, F]) / 2 if F.shape[1] == 1 else F
        F = F - F.max(axis=1, keepdims=True)
        return F - np.log(np.exp(F).sum(axis=1, keepdims=True))
