"""Logistic regression in feature space: probabilities that are fitted, not calibrated afterwards."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any, ClassVar, Self

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
from mercer.config import format_bytes, get_config
from mercer.errors import warn
from mercer.estimators.common.base import KERNEL_RULES, Expansion, KernelEstimator
from mercer.estimators.common.fitting import fits, step_teller
from mercer.estimators.common.report import NewtonReport
from mercer.estimators.common.training import Training, begin_classes
from mercer.gram.fill import dense, multiply
from mercer.linalg.cholesky import pivoted_cholesky
from mercer.solvers.newton import Binary, Multinomial, newton

_RANK, _SYSTEM = 300, 2000  # of the preconditioner, and of the system it factors


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
        last = vars(self).get("dual_coef_") if self.warm_start else None
        bias = vars(self).get("intercept_")
        data = begin_classes(self, X, y, sample_weight)
        classes = len(self.classes_)
        weight = self.C * data.weight
        loss = Binary(data.y, weight) if classes == 2 else Multinomial(data.y, weight, classes)
        K, product, row, diagonal, middle, plan = self._matrix(data)
        warm = None
        if last is not None and last.shape == (data.count, loss.outputs):
            warm = last.copy(), bias + last.T @ middle
        direct = K is not None and classes == 2
        low = (
            None
            if direct
            else pivoted_cholesky(diagonal, row, min(_RANK, _SYSTEM // loss.outputs, data.count))
        )
        options: dict[str, Any] = {
            "intercept": self.fit_intercept,
            "tol": self.tol,
            "max_iter": self.max_iter,
        }
        found = newton(product, K, loss, low=low, start=warm, progress=step_teller(self), **options)
        self.kernel_ = data.kernel
        self.support_ = data.rows
        self.X_fit_ = data.samples()
        self._width = data.width
        self.dual_coef_ = found.dual
        self.intercept_ = found.bias - found.dual.T @ middle
        self.n_iter_ = found.iterations
        how = "Cholesky" if direct else f"conjugate gradients, {found.products} products"
        self.report_ = NewtonReport.of(
            data, plan, f"Newton by {how}", found, self.tol, time.perf_counter() - start
        )
        if not found.converged:
            message = f"KernelLogisticRegression did not converge ({found.reason}): residual {found.residual:.3g}, tolerance {self.tol:.3g}"
            warn(
                f"{message}; scale the features, lower C, or raise max_iter or tol",
                ConvergenceWarning,
            )
        return self

    def _matrix(
        self, data: Training
    ) -> tuple[np.ndarray | None, Any, Any, np.ndarray, np.ndarray, str]:
        """K (centred if there is a bias, which changes the bias by Σ a·middle only), its product, rows and diagonal; the plan."""
        n = data.count
        if data.kernel is None or 8 * n * n <= get_config().memory_budget // 4:
            K = data.gram()
            middle = np.zeros(n)
            if self.fit_intercept:
                middle = K.mean(axis=0)
                K -= middle[:, None]
                K -= (middle - middle.mean())[None, :]
            return (
                K,
                lambda V: K @ V,
                lambda i: K[i],
                K.diagonal(),
                middle,
                f"dense Gram matrix, float64, {format_bytes(8 * n * n)}",
            )
        kernel, side = data.kernel, data.side()
        plan = (
            "tiles recomputed in every product: the matrix exceeds a quarter of the memory budget"
        )

        def row(i: int) -> np.ndarray:
            return dense(kernel, side.take(np.array([i])), side)[0]

        return (
            None,
            lambda V: multiply(kernel, side, side, V),
            row,
            kernel.diagonal(side),
            np.zeros(n),
            plan,
        )

    def _values(self, X: RawSamples) -> np.ndarray:
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        expansion = Expansion(self.kernel_, self.X_fit_, self.support_, self._width)
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
