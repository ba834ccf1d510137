"""Ridge regression in feature space."""

from __future__ import annotations

import time
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval

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
from mercer.domains.base import Batch
from mercer.errors import ParameterError
from mercer.estimators.centers.data import open_rows
from mercer.estimators.common.base import CENTER_RULES
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.training import Training, begin
from mercer.estimators.ridge.base import (
    RIDGE_RULES,
    RidgeRegressor,
    RidgeSolution,
    as_columns,
    as_targets,
)
from mercer.estimators.ridge.on_centers import EXACT_STEPS, fit_on_centers
from mercer.gram.plan import FACTOR, Plan, plan_features
from mercer.solvers.ridge.primal import solve_primal
from mercer.solvers.ridge.system import RidgeSystem


class KernelRidge(RidgeRegressor):
    """Kernel ridge regression: least squares in feature space with a penalty on the norm.

    It minimizes ½ Σ w (y − f(x))² + ½ λ ‖f‖², so that f(x) = Σ a_i k(x, x_i) with a = (K + λ/w)⁻¹
    y. There is no bias, and λ = ``alpha`` is not multiplied by n, as in scikit-learn. Use it for
    smooth regression where every sample may carry the function.

    Where the kernel has an explicit feature map with fewer features than half the samples, the
    normal equations are solved instead. Otherwise it is Cholesky's method on the dense Gram matrix
    while this fits the memory budget, and preconditioned conjugate gradients beyond: from 20,000
    rows on in single precision, to a residual of a thousandth of the spread of the target.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        The penalty λ ≥ 0, one for all targets or one for each.
    kernel : Kernel, str or callable, default="linear"
        A mercer kernel, an expression such as ``"0.5 * RBF() + Linear()"``, a scikit-learn name, a
        function of two collections or of two samples, or "precomputed", where X is the Gram matrix.
    gamma : {"scale", "auto", "sigest", "median"}, float or None, default=None
        The coefficient of the kernels named "rbf", "poly", "sigmoid", "laplacian" and "chi2": None
        and "auto" are 1 / n_features, "scale" is 1 / (n_features · variance of X), and "sigest" and
        "median" come from distances between samples. Kernel objects have their own parameters.
    degree : float, default=3
        The degree of the kernel named "poly", a whole number; ignored by all others.
    coef0 : float, default=1
        The constant term of the kernels named "poly" and "sigmoid".
    kernel_params : dict or None, default=None
        Keyword arguments of a kernel that is given as a function.
    centers : {"auto", "all"}, int or array-like, default="auto"
        The rows c that the function f(x) = Σ a_j k(x, c_j) is made of: "all" training rows, a
        number of rows drawn uniformly, or given rows. "auto" takes all of them up to about 150,000
        rows, and then 10 √n. The loss is always that of all rows, which are read block by block;
        the target is then centered, unless all rows are centers.
    random_state : int, RandomState instance or None, default=0
        What draws the centers.

    Attributes
    ----------
    kernel_ : Kernel or None
        The fitted kernel; None where it is precomputed.
    X_fit_ : array-like or collection of n_samples
        The training samples, or the given Gram matrix; the centers, where there are such.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Coefficients a of the training samples, or of the centers.
    intercept_ : float or ndarray of shape (n_targets,)
        The mean of the targets, where they were centered: with fewer centers than rows.
    primal_coef_ : ndarray of shape (n_explicit_features,) or (n_explicit_features, n_targets)
        Weights of the explicit features; only where the normal equations were solved.
    report_ : FitReport
        How the model was fitted: plan of the Gram matrix, solver, convergence, time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    KernelRidgeCV : The same with a penalty chosen by leave-one-out errors.
    SVR : Regression by few samples, robust against outliers.
    GaussianProcessRegressor : The same mean, with a standard deviation.

    References
    ----------
    .. [1] C. Saunders, A. Gammerman and V. Vovk, "Ridge regression learning algorithm in dual
           variables", International Conference on Machine Learning (1998) 515-521.

    Examples
    --------
    >>> from mercer import RBF, KernelRidge
    >>> model = KernelRidge(alpha=0.1, kernel=RBF()).fit(
    ...     [[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0]
    ... )
    >>> model.predict([[1.0]]).round(2).tolist()
    [0.8]
    """

    memory_remedy: ClassVar[str] = "take alpha > 0, for which no large matrix is stored"
    _parameter_constraints: ClassVar[ParameterRules] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        **RIDGE_RULES,
        "kernel_params": [dict, None],
        **CENTER_RULES,
    }

    def __init__(
        self,
        alpha: ArrayLike = 1,
        *,
        kernel: KernelLike = "linear",
        gamma: Gamma = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, object] | None = None,
        centers: CentersLike = "auto",
        random_state: RandomState = 0,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.centers = centers
        self.random_state = random_state

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, collection of n_samples, or source of rows
            Training samples, or their Gram matrix if the kernel is "precomputed"; or what
            `mercer.scan` takes: a path or a pattern, a dask collection, a function that yields
            blocks.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), or str
            Target values, or the name of their column in files.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies the squared error of its sample.

        Returns
        -------
        self : KernelRidge
            The fitted estimator.
        """
        start = time.perf_counter()
        opened = open_rows(self, X, y, sample_weight, target="numbers", steps=EXACT_STEPS)
        if opened.data is not None:
            penalty = self._penalties(opened.data.n_targets)
            fit_on_centers(self, opened.data, penalty, start)
            return self
        data = begin(self, opened.X, opened.y, opened.weight, target="numbers")
        penalty = self._penalties(as_columns(data.y).shape[1])
        solution = None
        if penalty.min() > 0:
            solution = _by_features(data, penalty)
        if solution is None:
            solution = _by_matrix(data, penalty)
        self._keep(data, solution.dual)
        if solution.primal is not None:
            self.primal_coef_ = as_targets(solution.primal, data.y.ndim)
        self._report(data, solution, penalty, start)
        if opened.notes:
            opened.annotate(self)
        return self

    def _penalties(self, n_targets: int) -> np.ndarray:
        """One penalty >= 0, or one for each target."""
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


def _by_features(data: Training, penalty: np.ndarray) -> RidgeSolution | None:
    """Normal equations of explicit features; None where they are many or linearly dependent."""
    plan = _feature_plan(data)
    if plan is None:
        return None
    assert data.kernel is not None
    Y = as_columns(data.y)
    features = data.kernel.map_features(Batch(data.samples()), None)
    solution = RidgeSolution(Y.shape)
    solution.primal = np.empty((features.shape[1], Y.shape[1]))
    for value, targets in _by_penalty(penalty, Y.shape[1]):
        part = solve_primal(features, data.weight, value, Y[:, targets])
        if part is None:
            return None
        solution.primal[:, targets] = part.weights
        solution.dual[:, targets], solution.values[:, targets] = part.dual, part.values
    solution.plan, solution.solver = plan, "Cholesky of the normal equations"
    return solution


def _by_matrix(data: Training, penalty: np.ndarray) -> RidgeSolution:
    """(K + λ/w) a = y."""
    Y = as_columns(data.y)
    solution = RidgeSolution(Y.shape)
    for value, targets in _by_penalty(penalty, Y.shape[1]):
        matrix = data.matrix(FACTOR, required=value == 0)
        system = RidgeSystem(matrix, value, data.weight)
        A = system.solve(Y[:, targets])
        F = system.image(A, Y[:, targets], data.products)
        solution.dual[:, targets], solution.values[:, targets] = A, F
        solution.plan, solution.solver = system.plan, system.solver
    return solution
