"""Least-squares support vector machines: ridge regression on ±1 with a bias."""

from __future__ import annotations

import time
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from mercer.aliases import (
    CentersLike,
    ClassWeight,
    Gamma,
    KernelLike,
    ParameterRules,
    RandomState,
    RawSamples,
    Targets,
    Weights,
)
from mercer.errors import MemoryBudgetError, ParameterError
from mercer.estimators.centers.changes import AsSigns
from mercer.estimators.centers.classes import keep_on_centers
from mercer.estimators.centers.data import RowData, open_rows
from mercer.estimators.centers.problem import CenterProblem, Task
from mercer.estimators.common.base import CENTER_RULES, KERNEL_RULES
from mercer.estimators.common.dual_classifier import DualClassifier, single_column_as_vector
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin_classes
from mercer.estimators.common.validation import check_weights
from mercer.estimators.ridge.base import as_columns
from mercer.estimators.ridge.on_centers import EXACT_STEPS
from mercer.gram.plan import FACTOR
from mercer.solvers.nystrom.losses import Squared
from mercer.solvers.ridge.system import RidgeSystem
from mercer.state import State


class KernelRidgeClassifier(DualClassifier):
    """Least-squares support vector machine: ridge regression on ±1 with a bias.

    It minimizes ½ Σ w (y − f(x) − b)² + ½ λ ‖f‖² on targets ±1, for every class against the rest if
    there are more than two. Use it where one linear system is preferred to the iterations of `SVC`,
    or for leave-one-out decisions in closed form. The bias is not penalized, so that the
    coefficients sum to zero and conditionally positive definite kernels are enough.

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty λ > 0.
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression such as ``"0.5 * RBF() + Linear()"``, a scikit-learn name, a
        function of two collections or of two samples, or "precomputed", where X is the Gram matrix.
    gamma : {"scale", "auto", "sigest", "median"} or float, default="scale"
        The coefficient of the kernels named "rbf", "poly", "sigmoid", "laplacian" and "chi2":
        "scale" is 1 / (n_features · variance of X), "auto" is 1 / n_features, and "sigest" and
        "median" come from distances between samples. Kernel objects have their own parameters.
    degree : float, default=3
        The degree of the kernel named "poly", a whole number; ignored by all others.
    coef0 : float, default=0.0
        The constant term of the kernels named "poly" and "sigmoid".
    class_weight : dict or "balanced", default=None
        Weights by class label, which multiply the weights of samples; "balanced" weighs classes
        inversely to their sizes.
    centers : {"auto", "all"}, int or array-like, default="auto"
        The rows c that the functions f(x) = Σ a_j k(x, c_j) are made of, as in `KernelRidge`.
    random_state : int, RandomState instance or None, default=0
        What draws the centers.
    leave_one_out : bool, default=False
        Whether ``loo_decision_`` and ``loo_accuracy_`` are computed, in closed form and at about
        twice the cost of the fit.

    Attributes
    ----------
    kernel_ : Kernel or None
        The fitted kernel; None where it is precomputed.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    support_ : ndarray of shape (n_kept,)
        Positions of the samples of positive weight, or of the centers, among the training samples.
    X_fit_ : array-like or collection of n_kept
        The training samples of positive weight, or the centers; None where the kernel is
        precomputed.
    dual_coef_ : ndarray of shape (n_kept, n_outputs)
        Coefficients of the samples, a column per class, or one column for two classes.
    intercept_ : ndarray of shape (n_outputs,)
        The biases.
    loo_decision_ : ndarray of shape (n_kept,) or (n_kept, n_classes)
        The decision for each sample of the model without it; only with ``leave_one_out``.
    loo_accuracy_ : float
        The share of samples, by their weights, whose label these decisions give; only with
        ``leave_one_out``.
    report_ : FitReport
        How the model was fitted: plan of the Gram matrix, solver, convergence, time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    SVC : Decisions by few samples.
    KernelLogisticRegression : Decisions with probabilities.

    References
    ----------
    .. [1] J. A. K. Suykens and J. Vandewalle, "Least squares support vector machine classifiers",
           Neural Processing Letters 9 (1999) 293-300.

    Examples
    --------
    >>> from mercer import RBF, KernelRidgeClassifier
    >>> model = KernelRidgeClassifier(alpha=0.1, kernel=RBF())
    >>> model = model.fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [4.5]]).tolist()
    ['low', 'high']
    """

    needs: ClassVar[str] = "cpd"
    stored: ClassVar[State] = State(plain=("loo_decision_", "loo_accuracy_"))

    _parameter_constraints: ClassVar[ParameterRules] = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        **KERNEL_RULES,
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "leave_one_out": ["boolean"],
        **CENTER_RULES,
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
        centers: CentersLike = "auto",
        random_state: RandomState = 0,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.leave_one_out = leave_one_out
        self.centers = centers
        self.random_state = random_state

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, collection of n_samples, or source of rows
            Training samples, or their Gram matrix if the kernel is "precomputed"; or what
            `mercer.scan` takes.
        y : array-like of shape (n_samples,), or str
            Class labels, or the name of their column in files.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies the squared error of its sample.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = time.perf_counter()
        opened = open_rows(self, X, y, sample_weight, target="labels", steps=EXACT_STEPS)
        if opened.data is not None:
            self._fit_on_centers(opened.data, start)
            return self
        data = begin_classes(self, opened.X, opened.y, opened.weight)
        system = RidgeSystem(data.matrix(FACTOR), float(self.alpha), data.weight, centered=True)
        if self.leave_one_out and not system.stored:
            size = f"the Gram matrix of {data.count} samples"
            rule = f"needs {size}, more than half the memory budget"
            remedy = "raise the budget, or use cross-validation"
            raise MemoryBudgetError("leave_one_out", True, rule, remedy)
        facts = self._solve(data, system)
        if self.leave_one_out:
            counts = check_weights(opened.weight, data.n_given)[data.rows]
            right = self._labels(as_columns(self.loo_decision_)) == self.classes_[data.y]
            self.loo_accuracy_ = float(np.average(right, weights=counts))
        solver = f"{system.solver}, centered matrix"
        seconds = time.perf_counter() - start
        plan = str(system.plan)
        self.report_ = FitReport(data.kernel, plan, solver, data.count, seconds, facts=facts)
        if opened.notes:
            opened.annotate(self)
        return self

    def _fit_on_centers(self, rows: RowData, start: float) -> None:
        """Minimize the squared loss of all rows over functions on the centers."""
        if self.leave_one_out:
            rule = "needs all rows as centers"
            raise ParameterError("leave_one_out", True, rule, "set centers='all'")
        n_classes = len(self.classes_)
        problem = CenterProblem(self, rows)
        problem.change(AsSigns(n_classes))
        n_outputs = 1 if n_classes == 2 else n_classes
        task = Task(Squared(), np.array([float(self.alpha)]), n_outputs, intercept=True)
        keep_on_centers(self, rows, problem, task, start)

    def _solve(self, data: Training, system: RidgeSystem) -> dict[str, float]:
        """(PKP + λ/w) a + b = y with Σa = 0.

        Centering changes nothing where Σa = 0, and makes a conditionally positive K positive.
        """
        Y = self._targets(data)
        solution = system.solve(np.column_stack([np.ones(data.count), Y]))
        one, free = solution[:, :1], solution[:, 1:]
        A = free - one * (free.sum(axis=0) / one.sum())
        A -= A.mean(axis=0)
        self._keep_samples(data)
        self.dual_coef_ = A
        # f on the training samples, not centered: what new samples will get
        F = system.products(data.products) @ A
        weight = data.weight[:, None]
        self.intercept_ = np.average(Y - F - self.alpha * A / weight, axis=0)
        if self.leave_one_out:
            corrected = system.inverse_diagonal() - one[:, 0] ** 2 / one.sum()
            self.loo_decision_ = single_column_as_vector(Y - A / corrected[:, None])
        residual = Y - F - self.intercept_
        loss = 0.5 * float((weight * residual**2).sum())
        norm = 0.5 * self.alpha * float((A * F).sum())
        largest = float(np.abs(A).max()) or 1.0
        identity = float(np.abs(A - weight * residual / self.alpha).max()) / largest
        return {"objective": loss + norm, "identity": identity}

    def _targets(self, data: Training) -> np.ndarray:
        """±1 for every class against the rest; one column for two classes."""
        Y = np.where(data.y[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        if len(self.classes_) == 2:
            return Y[:, 1:]
        return Y
