"""Logistic regression in feature space, with probabilities that are fitted."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from scipy.special import expit, softmax
from sklearn.exceptions import ConvergenceWarning
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
from mercer.errors import warn
from mercer.estimators.centers.changes import Times
from mercer.estimators.centers.classes import keep_on_centers
from mercer.estimators.centers.data import RowData, open_rows
from mercer.estimators.centers.problem import CenterProblem, Task
from mercer.estimators.common.base import CENTER_RULES, KERNEL_RULES
from mercer.estimators.common.dual_classifier import DualClassifier
from mercer.estimators.common.fitting import fits, iteration_callback
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin_classes
from mercer.gram.matrix import Centered, Matrix
from mercer.gram.plan import COPY
from mercer.gram.stored import Stored
from mercer.linalg.cholesky import pivoted_cholesky
from mercer.solvers.newton import Binary, Loss, Multinomial, NewtonSolution, newton
from mercer.solvers.nystrom.losses import Logistic, SmoothLoss
from mercer.solvers.nystrom.losses import Multinomial as CenterMultinomial
from mercer.state import State

_EXACT_STEPS = 90.0  # products with the whole matrix
_RANK = 300  # of the preconditioner
_SYSTEM = 2000  # rows of the system that the preconditioner factors


class KernelLogisticRegression(DualClassifier):
    """Kernel logistic regression: class probabilities from functions in feature space.

    It minimizes C Σ w · log-loss(y, f(x) + b) + ½ ‖f‖² by Newton's method on the dual; for more
    than two classes the loss is multinomial. Use it where probabilities matter: they are fitted,
    not calibrated afterwards. With the linear kernel it is scikit-learn's ``LogisticRegression``.
    The bias is not penalized, so that conditionally positive definite kernels are enough.

    Parameters
    ----------
    C : float, default=1.0
        The inverse strength of the penalty ½ ‖f‖²: the loss is multiplied by C.
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
    fit_intercept : bool, default=True
        Whether there is a bias, which is not penalized.
    class_weight : dict or "balanced", default=None
        Weights by class label, which multiply the weights of samples; "balanced" weighs classes
        inversely to their sizes.
    centers : {"auto", "all"}, int or array-like, default="auto"
        The rows c that the functions f(x) = Σ a_j k(x, c_j) are made of, as in `KernelRidge`:
        "auto" takes all rows up to about 80,000, and then 10 √n of them. The loss is that of all
        rows, by L-BFGS; ``tol`` is then the relative size of the gradient, and at least 2e-4 where
        tiles are in single precision.
    random_state : int, RandomState instance or None, default=0
        What draws the centers.
    tol : float, default=1e-6
        The largest entry of the gradient |a + C·dL/df| / C at which the fit has converged.
    max_iter : int, default=100
        The largest number of Newton steps.
    warm_start : bool, default=False
        Whether a fit begins at the last solution, where the numbers of samples and of classes are
        the same.

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
    n_iter_ : int
        Number of Newton steps, or of L-BFGS on centers.
    report_ : FitReport
        How the model was fitted: plan of the Gram matrix, solver, convergence, time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    SVC : Decisions by few samples.
    GaussianProcessClassifier : Probabilities averaged over a posterior.

    References
    ----------
    .. [1] J. Zhu and T. Hastie, "Kernel logistic regression and the import vector machine", Journal
           of Computational and Graphical Statistics 14 (2005) 185-205.

    Examples
    --------
    >>> from mercer import RBF, KernelLogisticRegression
    >>> model = KernelLogisticRegression(kernel=RBF(), C=10.0)
    >>> model = model.fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> model.predict([[0.5], [4.5]]).tolist()
    ['low', 'high']
    >>> model.predict_proba([[2.5]]).round(6).tolist()
    [[0.5, 0.5]]
    """

    # The command line sets the second one: the files that the model was fitted on.
    stored: ClassVar[State] = State(plain=("n_iter_", "source_"))

    _parameter_constraints: ClassVar[ParameterRules] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        **KERNEL_RULES,
        "fit_intercept": ["boolean"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        **CENTER_RULES,
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
        centers: CentersLike = "auto",
        random_state: RandomState = 0,
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
        self.centers = centers
        self.random_state = random_state

    @property
    def needs(self) -> str:  # type: ignore[override]
        """With a bias the coefficients sum to zero: then conditional definiteness is enough."""
        return "cpd" if self.fit_intercept else "psd"

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
            Each weight multiplies the loss of its sample.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = time.perf_counter()
        self.__dict__.pop("source_", None)
        opened = open_rows(self, X, y, sample_weight, target="labels", steps=_EXACT_STEPS)
        if opened.data is not None:
            self._fit_on_centers(opened.data, start)
            return self
        earlier = self._earlier_solution()
        data = begin_classes(self, opened.X, opened.y, opened.weight)
        loss = self._loss(data)
        matrix, row_means = self._matrix(data)
        warm = None
        if earlier is not None and earlier[0].shape == (data.count, loss.outputs):
            warm = earlier[0].copy(), earlier[1] + earlier[0].T @ row_means
        direct = matrix.plan.stored and loss.outputs == 1
        low = None
        if not direct:
            low = pivoted_cholesky(matrix, min(_RANK, _SYSTEM // loss.outputs, data.count))
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
        self._keep_samples(data)
        self.dual_coef_ = solution.dual
        self.intercept_ = solution.bias - solution.dual.T @ row_means
        self.n_iter_ = solution.iterations
        solver = "Newton by Cholesky"
        if not direct:
            solver = f"Newton by conjugate gradients, {solution.products} products"
        self._report(data, str(matrix.plan), solver, solution, time.perf_counter() - start)
        if opened.notes:
            opened.annotate(self)
        return self

    def _fit_on_centers(self, rows: RowData, start: float) -> None:
        """Minimize the loss of all rows over functions on the centers."""
        loss: SmoothLoss = Logistic()
        n_outputs = 1
        if len(self.classes_) > 2:
            loss, n_outputs = CenterMultinomial(), len(self.classes_)
        task = Task(
            loss, np.ones(1), n_outputs, self.fit_intercept, curvature=loss.curvature, tol=self.tol
        )
        problem = CenterProblem(self, rows)
        problem.change(Times(float(self.C)))
        fitted = keep_on_centers(self, rows, problem, task, start)
        self.n_iter_ = fitted.solution.iterations

    def _earlier_solution(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Coefficients and biases of the last fit, where it is to be continued."""
        if not self.warm_start or not hasattr(self, "dual_coef_"):
            return None
        return self.dual_coef_, self.intercept_

    def _loss(self, data: Training) -> Loss:
        """The weighted log-loss of the classes."""
        weight = self.C * data.weight
        if len(self.classes_) == 2:
            return Binary(data.y, weight)
        return Multinomial(data.y, weight, len(self.classes_))

    def _matrix(self, data: Training) -> tuple[Matrix, np.ndarray]:
        """K and the means of its rows; a stored K is centered if there is a bias.

        Centering changes the bias by Σ a·row_means only.
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
        """Set ``report_``; warn of a fit that has not converged."""
        facts = {
            "residual": solution.residual,
            "tol": self.tol,
            "objective": solution.objective,
            "iterations": solution.iterations,
        }
        converged = solution.converged
        self.report_ = FitReport(data.kernel, plan, solver, data.count, seconds, converged, facts)
        if converged:
            return
        reached = f"residual {solution.residual:.3g}, tolerance {self.tol:.3g}"
        advice = "scale the features, lower C, or raise max_iter or tol"
        problem = f"KernelLogisticRegression did not converge ({solution.reason})"
        warn(f"{problem}: {reached}; {advice}", ConvergenceWarning)

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """Predict class probabilities.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, classes in the order of ``classes_``.
        """
        values = self._values(X)
        if values.shape[1] == 1:
            return np.column_stack([expit(-values), expit(values)])
        return softmax(values, axis=1)

    def predict_log_proba(self, X: RawSamples) -> np.ndarray:
        """Predict logarithms of class probabilities, also where these underflow.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Logarithms of `predict_proba`, classes in the order of ``classes_``.
        """
        values = self._values(X)
        if values.shape[1] == 1:
            values = np.column_stack([-values, values]) / 2
        values = values - values.max(axis=1, keepdims=True)
        return values - np.log(np.exp(values).sum(axis=1, keepdims=True))
