"""Support vector regression."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils._param_validation import StrOptions

from mercer.aliases import (
    CentersLike,
    Gamma,
    KernelLike,
    ParameterRules,
    RandomState,
    RawSamples,
    Targets,
    Weights,
)
from mercer.errors import ParameterError
from mercer.estimators.centers.data import Opened, open_rows
from mercer.estimators.common.fitting import fits
from mercer.estimators.svm.base import SingleMachine, filled
from mercer.estimators.svm.on_centers import EXACT_STEPS, fit_tube
from mercer.solvers.margin.dual import Bounds, DualSolution
from mercer.solvers.margin.problem import MarginProblem
from mercer.state import State


class MarginRegressor(MultiOutputMixin, RegressorMixin, SingleMachine):
    """Base class of support vector regression."""

    C: float
    loss: str = "epsilon_insensitive"

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples, or their Gram matrix if the kernel is "precomputed".
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values. Several outputs are solved one after the other on the same Gram matrix.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies C for its sample.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = time.perf_counter()
        opened = Opened(X, y, sample_weight)
        if "centers" in vars(self):
            opened = open_rows(self, X, y, sample_weight, target="numbers", steps=EXACT_STEPS)
            if opened.data is not None:
                fit_tube(self, opened.data, start)
                return self
            X, y, sample_weight = opened.X, opened.y, opened.weight
        shape = np.asarray(y).shape
        several = len(shape) == 2 and shape[1] > 1
        data = self._begin(X, y, sample_weight, "numbers" if several else "number")
        problem = self._problem(data)
        limit = self.C * data.weight
        outputs = np.ascontiguousarray(np.atleast_2d(data.y.T))
        results = [self._solve(problem, output, limit) for output in outputs]
        solutions, intercepts = [list(part) for part in zip(*results, strict=True)]
        betas = [solution.beta.sum(axis=0) for solution in solutions]
        self._keep_width(solutions)
        self._finish(problem, data, betas, intercepts, solutions, start)
        if opened.notes:
            opened.annotate(self)
        return self

    def _solve(
        self, problem: MarginProblem, y: np.ndarray, limit: np.ndarray
    ) -> tuple[DualSolution, float]:
        """Solve the dual problem with |β| ≤ limit: the solution and the intercept."""
        raise NotImplementedError(type(self).__name__)

    def _keep_width(self, solutions: list[DualSolution]) -> None:
        """Keep the width of the tube, where it is learned."""

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict the targets of new samples.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            f(x) = Σ β_i k(x, x_i) + b.
        """
        return self._value(X)


class SVR(MarginRegressor):
    """ε-support vector regression: errors smaller than ε are not penalized.

    It minimizes C Σ w max(0, |y − f(x) − b| − ε) + ½ ‖f‖². Use it where few samples should carry
    the function, or where outliers should not count with their squares. Names and defaults are
    scikit-learn's. Conditionally positive definite kernels are enough.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression such as ``"0.5 * RBF() + Linear()"``, a scikit-learn name, a
        function of two collections or of two samples, or "precomputed", where X is the Gram matrix.
    degree : int, default=3
        The degree of the kernel named "poly"; ignored by all others.
    gamma : {"scale", "auto", "sigest", "median"} or float, default="scale"
        The coefficient of the kernels named "rbf", "poly", "sigmoid", "laplacian" and "chi2":
        "scale" is 1 / (n_features · variance of X), "auto" is 1 / n_features, and "sigest" and
        "median" come from distances between samples. Kernel objects have their own parameters.
    coef0 : float, default=0.0
        The constant term of the kernels named "poly" and "sigmoid".
    tol : float, default=1e-3
        The gap in the Karush-Kuhn-Tucker conditions at which the dual problem is solved.
    C : float, default=1.0
        The inverse strength of the penalty ½ ‖f‖²: the loss is multiplied by C. ``inf`` asks that
        no error exceeds epsilon, and is an error where no function achieves that.
    epsilon : float, default=0.1
        Half the width of the tube within which errors are not penalized.
    shrinking : bool, default=True
        Accepted as in scikit-learn, without effect on the solver.
    cache_size : float, default=200
        Accepted without effect: the setting ``memory_budget`` limits the memory.
    verbose : bool, default=False
        Whether the report of the fit is printed.
    max_iter : int, default=-1
        The largest number of steps of the solver; -1 for no limit.
    centers : {"auto", "all"}, int or array-like, default="auto"
        The rows c that the function f(x) = Σ a_j k(x, c_j) + b is made of: "all" training rows, a
        number of rows drawn uniformly, or given rows. "auto" is "all" up to 500,000 rows, and then
        10 √n. On centers the loss of all rows is minimized in the primal; ``support_`` and
        ``dual_coef_`` are then the positions of all centers and their coefficients in f.
    random_state : int, RandomState instance or None, default=0
        What draws the centers.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        The loss on centers: the distance from the tube, with parabolas of a quarter of the targets'
        standard deviation instead of its kinks; or its square. With all rows, only the first.
    repair : {"clip", "flip", "shift"} or None, default=None
        How the Gram matrix of an indefinite kernel is made positive semi-definite: negative
        eigenvalues are set to zero, replaced by their magnitudes, or the diagonal is raised. None
        refuses such kernels.
    warm_start : bool, default=False
        Whether a fit of the same rows begins at the coefficients of the last one.

    Attributes
    ----------
    kernel_ : Kernel or None
        The fitted kernel; None where it is precomputed.
    support_ : ndarray of shape (n_SV,)
        Positions of the support vectors among the training samples.
    support_vectors_ : array-like or collection of n_SV
        The support vectors; empty where the kernel is precomputed.
    n_support_ : ndarray of shape (n_outputs,)
        Number of support vectors of each output.
    dual_coef_ : ndarray or CSR matrix of shape (n_outputs, n_SV)
        Coefficients of the support vectors; CSR where the samples are sparse.
    intercept_ : ndarray of shape (n_outputs,)
        The bias.
    coef_ : ndarray or CSR matrix of shape (n_outputs, n_features)
        The weight of each feature, read-only; only for the linear kernel.
    n_iter_ : int or ndarray of shape (n_outputs,)
        Number of steps of the solver, for each of several outputs.
    fit_status_ : int
        0 if the fit has converged, else 1 (with a warning).
    shape_fit_ : tuple of int
        The shape of the training samples.
    report_ : FitReport
        How the model was fitted: plan of the Gram matrix, solver, convergence, time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    NuSVR : The same with a bound on the share of samples outside the tube.
    KernelRidge : Regression by squared errors.

    References
    ----------
    .. [1] A. J. Smola and B. Schölkopf, "A tutorial on support vector regression", Statistics and
           Computing 14 (2004) 199-222.

    Examples
    --------
    >>> from mercer import RBF, SVR
    >>> model = SVR(kernel=RBF(), C=100.0, epsilon=0.01).fit(
    ...     [[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0]
    ... )
    >>> model.predict([[1.0]]).round(2).tolist()
    [0.99]
    """

    _parameter_constraints: ClassVar[ParameterRules] = {
        **MarginRegressor._parameter_constraints,
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
    }

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
        warm_start: bool = False,
        centers: CentersLike = "auto",
        random_state: RandomState = 0,
        loss: str = "epsilon_insensitive",
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair
        self.warm_start = warm_start
        self.centers = centers
        self.random_state = random_state
        self.loss = loss

    def _solve(
        self, problem: MarginProblem, y: np.ndarray, limit: np.ndarray
    ) -> tuple[DualSolution, float]:
        bounds = Bounds(-limit[None], limit[None])
        beta = np.zeros((1, len(y)))
        solution = problem.solve(y[None], bounds, beta, float(self.epsilon), self.max_iter)
        if np.isinf(self.C) and not solution.converged:
            rule = f"asks that all targets are met within epsilon={self.epsilon}; none was found"
            raise ParameterError(
                "C", self.C, f"{rule} ({solution.reason})", "give a finite C, or another kernel"
            )
        return solution, float(solution.levels[0])


class NuSVR(MarginRegressor):
    """ν-support vector regression: the width of the tube follows from a share of samples.

    In place of ε it takes ν, which bounds the share of samples outside the tube from above and that
    of support vectors from below. Names and defaults are scikit-learn's.

    Parameters
    ----------
    nu : float, default=0.5
        An upper bound on the share of samples outside the tube and a lower bound on the share of
        support vectors, between 0 and 1.
    C : float, default=1.0
        The inverse strength of the penalty ½ ‖f‖²: the loss is multiplied by C.
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression such as ``"0.5 * RBF() + Linear()"``, a scikit-learn name, a
        function of two collections or of two samples, or "precomputed", where X is the Gram matrix.
    degree : int, default=3
        The degree of the kernel named "poly"; ignored by all others.
    gamma : {"scale", "auto", "sigest", "median"} or float, default="scale"
        The coefficient of the kernels named "rbf", "poly", "sigmoid", "laplacian" and "chi2":
        "scale" is 1 / (n_features · variance of X), "auto" is 1 / n_features, and "sigest" and
        "median" come from distances between samples. Kernel objects have their own parameters.
    coef0 : float, default=0.0
        The constant term of the kernels named "poly" and "sigmoid".
    shrinking : bool, default=True
        Accepted as in scikit-learn, without effect on the solver.
    tol : float, default=1e-3
        The gap in the Karush-Kuhn-Tucker conditions at which the dual problem is solved.
    cache_size : float, default=200
        Accepted without effect: the setting ``memory_budget`` limits the memory.
    verbose : bool, default=False
        Whether the report of the fit is printed.
    max_iter : int, default=-1
        The largest number of steps of the solver; -1 for no limit.
    repair : {"clip", "flip", "shift"} or None, default=None
        How the Gram matrix of an indefinite kernel is made positive semi-definite: negative
        eigenvalues are set to zero, replaced by their magnitudes, or the diagonal is raised. None
        refuses such kernels.
    warm_start : bool, default=False
        Whether a fit of the same rows begins at the coefficients of the last one.

    Attributes
    ----------
    epsilon_ : float or ndarray of shape (n_outputs,)
        Half the width of the tube, for each of several outputs.
    kernel_ : Kernel or None
        The fitted kernel; None where it is precomputed.
    support_ : ndarray of shape (n_SV,)
        Positions of the support vectors among the training samples.
    support_vectors_ : array-like or collection of n_SV
        The support vectors; empty where the kernel is precomputed.
    n_support_ : ndarray of shape (n_outputs,)
        Number of support vectors of each output.
    dual_coef_ : ndarray or CSR matrix of shape (n_outputs, n_SV)
        Coefficients of the support vectors; CSR where the samples are sparse.
    intercept_ : ndarray of shape (n_outputs,)
        The bias.
    coef_ : ndarray or CSR matrix of shape (n_outputs, n_features)
        The weight of each feature, read-only; only for the linear kernel.
    n_iter_ : int or ndarray of shape (n_outputs,)
        Number of steps of the solver, for each of several outputs.
    fit_status_ : int
        0 if the fit has converged, else 1 (with a warning).
    shape_fit_ : tuple of int
        The shape of the training samples.
    report_ : FitReport
        How the model was fitted: plan of the Gram matrix, solver, convergence, time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    SVR : The same with a tube of given width.

    References
    ----------
    .. [1] B. Schölkopf, A. J. Smola, R. C. Williamson and P. L. Bartlett, "New support vector
           algorithms", Neural Computation 12 (2000) 1207-1245.

    Examples
    --------
    >>> from mercer import RBF, NuSVR
    >>> model = NuSVR(kernel=RBF(), C=100.0, nu=0.5).fit(
    ...     [[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0]
    ... )
    >>> model.predict([[1.0]]).round(2).tolist()
    [1.0]
    """

    stored: ClassVar[State] = State(finite=("epsilon_",))

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
        warm_start: bool = False,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair
        self.warm_start = warm_start

    def _solve(
        self, problem: MarginProblem, y: np.ndarray, limit: np.ndarray
    ) -> tuple[DualSolution, float]:
        if np.isinf(self.C):
            raise ParameterError("C", self.C, "leaves nu without a meaning", "give a finite C")
        zero = np.zeros_like(limit)
        start = filled(limit, self.nu * limit.sum() / 2)
        bounds = Bounds(np.vstack([zero, -limit]), np.vstack([limit, zero]))
        beta = np.vstack([start, -start])
        solution = problem.solve(np.vstack([y, y]), bounds, beta, 0.0, self.max_iter)
        return solution, float(solution.levels.mean())

    def _keep_width(self, solutions: list[DualSolution]) -> None:
        widths = [(one.levels[0] - one.levels[1]) / 2 for one in solutions]
        self.epsilon_ = np.array(widths) if len(widths) > 1 else float(widths[0])
