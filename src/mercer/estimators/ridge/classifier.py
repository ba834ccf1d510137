"""Least-squares support vector machines: ridge regression on ±1 with a bias that is not penalised."""

from __future__ import annotations

import time
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
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
from mercer.errors import MemoryBudgetError
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin_classes
from mercer.gram.plan import FACTOR
from mercer.solvers.ridge.system import RidgeSystem


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

    _parameter_constraints: ClassVar[ParameterRules] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        **KERNEL_RULES,
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "leave_one_out": ["boolean"],
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        class_weight: ClassWeight = None,
        leave_one_out: bool = False,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.leave_one_out = leave_one_out

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit on samples ``X`` with labels ``y``; a weight multiplies a sample's squared error."""
        start = time.perf_counter()
        data = begin_classes(self, X, y, sample_weight)
        system = RidgeSystem(data.matrix(FACTOR), float(self.alpha), data.weight, centered=True)
        if self.leave_one_out and not system.stored:
            rule = (
                f"needs the Gram matrix of {data.count} samples, more than half the memory budget"
            )
            remedy = "raise the budget, or use cross-validation"
            raise MemoryBudgetError("leave_one_out", True, rule, remedy)
        facts = self._solve(data, system)
        self.report_ = FitReport(
            data.kernel,
            str(system.plan),
            f"{system.solver}, centred matrix",
            data.count,
            time.perf_counter() - start,
            facts=facts,
        )
        return self

    def _solve(self, data: Training, system: RidgeSystem) -> dict[str, float]:
        """(PKP + λ/w) a + b = y with Σa = 0.

        Centring changes nothing where Σa = 0, and makes a conditionally positive K positive.
        """
        Y = self._targets(data)
        solution = system.solve(np.column_stack([np.ones(data.count), Y]))
        one, free = solution[:, :1], solution[:, 1:]
        A = free - one * (free.sum(axis=0) / one.sum())
        A -= A.mean(axis=0)
        self.kernel_ = data.kernel
        self.support_ = data.rows
        self.X_fit_ = data.samples()
        self._n_training = data.n_given
        self.dual_coef_ = A
        # f on the training samples, not centred: what new samples will get
        F = data.products() @ A
        weight = data.weight[:, None]
        self.intercept_ = np.average(Y - F - self.alpha * A / weight, axis=0)
        if self.leave_one_out:
            corrected = system.inverse_diagonal() - one[:, 0] ** 2 / one.sum()
            self._keep_left_out(data, Y - A / corrected[:, None])
        residual = Y - F - self.intercept_
        loss = 0.5 * float((weight * residual**2).sum())
        norm = 0.5 * self.alpha * float((A * F).sum())
        largest = float(np.abs(A).max()) or 1.0
        identity = float(np.abs(A - weight * residual / self.alpha).max()) / largest
        return {"objective": loss + norm, "identity": identity}

    def _targets(self, data: Training) -> np.ndarray:
        """±1 for every class against the rest; one column for two classes."""
        Y = np.where(data.y[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        return Y[:, 1:] if len(self.classes_) == 2 else Y

    def _keep_left_out(self, data: Training, decision: np.ndarray) -> None:
        self.loo_decision_ = decision[:, 0] if decision.shape[1] == 1 else decision
        self.loo_accuracy_ = float(np.average(self._label(decision) == self.classes_[data.y]))

    def _label(self, decision: np.ndarray) -> np.ndarray:
        if decision.shape[1] == 1:
            return self.classes_[(decision[:, 0] > 0).astype(int)]
        return self.classes_[np.argmax(decision, axis=1)]

    def _decision(self, X: RawSamples) -> np.ndarray:
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        expansion = Expansion(self.kernel_, self.X_fit_, self.support_, self._n_training)
        return expansion.apply(X, np.ascontiguousarray(self.dual_coef_)) + self.intercept_

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """f(x) + b: one column per class, or one number for two classes, positive for the second."""
        decision = self._decision(X)
        return decision[:, 0] if decision.shape[1] == 1 else decision

    def predict(self, X: RawSamples) -> np.ndarray:
        """The class with the largest decision."""
        return self._label(self._decision(X))
