"""Least-squares support vector machines: ridge regression on ±1 with a bias that is not penalised."""

from __future__ import annotations

import time
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils import column_or_1d, compute_class_weight
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.config import format_bytes
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ShapeError, explain
from mercer.estimators.base import Expansion, KernelEstimator, check_square, check_weights, training_gram
from mercer.estimators.ridge import RidgeReport


class KernelRidgeClassifier(ClassifierMixin, KernelEstimator):
    """The least-squares SVM: ½ Σ w (y − f − b)² + ½ λ ‖f‖² on targets ±1, one class against the rest if there are more than two.

    The bias makes Σa = 0, so that conditionally positive kernels are enough.

    Parameters
    ----------
    alpha : λ, positive
    kernel, gamma, degree, coef0 : as in `SVC`
    class_weight : None, "balanced", or weights by class
    leave_one_out : compute ``loo_decision_`` and ``loo_accuracy_`` in closed form, at about twice the cost of the fit

    Examples
    --------
    >>> from mercer import RBF, KernelRidgeClassifier
    >>> model = KernelRidgeClassifier(alpha=0.1, kernel=RBF()).fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [4.5]]).tolist()
    ['low', 'high']
    """

    needs: ClassVar[str] = "cpd"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"scale", "auto"})],
        "degree": [Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "leave_one_out": ["boolean"],
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        class_weight: Any = None,
        leave_one_out: bool = False,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.leave_one_out = leave_one_out

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on samples ``X`` with labels ``y``; a weight multiplies a sample's squared error."""
        start = time.perf_counter()
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None")
        if self._takes_vectors():
            pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
            X, y = validate_data(self, X, y, accept_sparse=False if pairwise else "csr", dtype=np.float64)
        else:
            X = self._check_X(X, reset=True)
            if len(y) != raw_length(X):
                raise ShapeError(explain("y", f"{len(y)} values", f"must have one for each of the {raw_length(X)} samples"))
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        weight = check_weights(sample_weight, len(y))
        rows = np.flatnonzero(weight > 0)
        self.classes_ = np.unique(y[rows])
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        label = np.searchsorted(self.classes_, y[rows])
        per_class = compute_class_weight(self.class_weight, classes=self.classes_, y=y[rows])
        choice = self._choose(X, None if sample_weight is None else weight)
        if choice.kernel is None:
            check_square(X)
        else:
            choice.kernel.fit(pick_rows(X, rows))
        self._solve(choice.kernel, X, rows, label, weight[rows] * per_class[label])
        self.report_ = RidgeReport(
            "precomputed" if choice.kernel is None else repr(choice.kernel),
            "unknown" if choice.kernel is None else choice.kernel.certify(None).status,
            f"dense Gram matrix, float64, {format_bytes(8 * len(rows) ** 2)}",
            "Cholesky of the centred matrix",
            self._objective,
            self._identity,
            time.perf_counter() - start,
        )
        return self

    def _solve(self, kernel: Any, X: Any, rows: np.ndarray, label: np.ndarray, weight: np.ndarray) -> None:
        """(PKP + λ/w) a + b = y with Σa = 0; centring changes nothing where Σa = 0, and makes a cpd K positive."""
        n = len(rows)
        K = training_gram(kernel, X, None if n == raw_length(X) else rows, np.float64)
        Y = np.where(label[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        if len(self.classes_) == 2:
            Y = Y[:, 1:]
        middle = K.mean(axis=0)
        M = K - middle[None, :] - middle[:, None] + middle.mean()
        M[np.diag_indices(n)] += self.alpha / weight
        factor = linalg.cho_factor(M, overwrite_a=True, check_finite=False)
        one = linalg.cho_solve(factor, np.ones(n), check_finite=False)
        free = linalg.cho_solve(factor, Y, check_finite=False)
        A = free - one[:, None] * (free.sum(axis=0) / one.sum())[None, :]
        A -= A.mean(axis=0)
        F = K @ A
        self.intercept_ = np.average(Y - F - self.alpha * A / weight[:, None], axis=0)
        residual = Y - F - self.intercept_
        self._objective = 0.5 * float((weight[:, None] * residual**2).sum()) + 0.5 * self.alpha * float((A * F).sum())
        self._identity = float(np.abs(A - weight[:, None] * residual / self.alpha).max() / (np.abs(A).max() or 1.0))
        self.kernel_ = kernel
        self.support_ = rows
        self.X_fit_ = None if kernel is None else pick_rows(X, rows)
        self._width = raw_length(X)
        self.dual_coef_ = A
        if self.leave_one_out:
            inverse, _ = linalg.lapack.dpotri(factor[0], lower=factor[1])
            corrected = np.diagonal(inverse) - one**2 / one.sum()
            held = Y - A / corrected[:, None]
            self.loo_decision_ = held[:, 0] if held.shape[1] == 1 else held
            self.loo_accuracy_ = float(np.average(self._label(held) == self.classes_[label]))

    def _label(self, decision: np.ndarray) -> np.ndarray:
        if decision.shape[1] == 1:
            return self.classes_[(decision[:, 0] > 0).astype(int)]
        return self.classes_[np.argmax(decision, axis=1)]

    def _decision(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        expansion = Expansion(self.kernel_, self.X_fit_, self.support_, self._width)
        return expansion.apply(X, np.ascontiguousarray(self.dual_coef_)) + self.intercept_

    def decision_function(self, X: Any) -> np.ndarray:
        """f(x) + b: one column per class, or one number for two classes, positive for the second."""
        decision = self._decision(X)
        return decision[:, 0] if decision.shape[1] == 1 else decision

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest decision."""
        return self._label(self._decision(X))
