"""Quantile regression in feature space."""

from __future__ import annotations

import time
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
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
from mercer.domains.base import raw_length
from mercer.errors import ParameterError
from mercer.estimators.centers.data import open_rows
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.validation import check_fitted, check_squares
from mercer.estimators.svm.base import SupportVectorMachine
from mercer.estimators.svm.on_centers import EXACT_STEPS, fit_quantiles
from mercer.solvers.margin.dual import Bounds
from mercer.state import State


class KernelQuantileRegressor(RegressorMixin, SupportVectorMachine):
    """Kernel quantile regression: conditional quantiles by functions in feature space.

    It minimizes C Σ w · pinball loss(y − f(x) − b) + ½ ‖f‖² for each quantile τ; about a share τ of
    the samples lies below f_τ. Use it for prediction intervals, or for the median where outliers
    are to be expected. The dual problem is that of support vector machines, with coefficients
    between −C(1 − τ) and Cτ. Quantiles are sorted at prediction, so that they do not cross.

    Parameters
    ----------
    quantile : float or array-like of shape (n_quantiles,), default=0.5
        One level τ or several, strictly between 0 and 1.
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
    tol : float, default=1e-3
        The gap in the Karush-Kuhn-Tucker conditions at which the dual problem is solved, as a share
        of the standard deviation of y.
    verbose : bool, default=False
        Whether the report of the fit is printed.
    max_iter : int, default=-1
        The largest number of steps of the solver; -1 for no limit.
    repair : {"clip", "flip", "shift"} or None, default=None
        How the Gram matrix of an indefinite kernel is made positive semi-definite: negative
        eigenvalues are set to zero, replaced by their magnitudes, or the diagonal is raised. None
        refuses such kernels.
    centers : {"auto", "all"}, int or array-like, default="auto"
        The rows c that the function f(x) = Σ a_j k(x, c_j) + b is made of: "all" training rows, a
        number of rows drawn uniformly, or given rows. "auto" is "all" up to 500,000 rows, and then
        10 √n. On centers the loss has a parabola of width 0.02 standard deviations at its kink,
        which ``report_`` says; ``support_`` and ``dual_coef_`` are then the positions of all
        centers and their coefficients in f.
    random_state : int, RandomState instance or None, default=0
        What draws the centers.
    warm_start : bool, default=False
        Whether a fit begins at the coefficients of the last one, where the samples of a problem are
        the same rows.

    Attributes
    ----------
    kernel_ : Kernel or None
        The fitted kernel; None where it is precomputed.
    support_ : ndarray of shape (n_SV,)
        Positions of the support vectors among the training samples.
    support_vectors_ : array-like or collection of n_SV
        The support vectors; empty where the kernel is precomputed.
    dual_coef_ : ndarray of shape (n_quantiles, n_SV)
        Coefficients of the support vectors, a row for each quantile.
    intercept_ : ndarray of shape (n_quantiles,)
        The bias of each quantile.
    coef_ : ndarray of shape (n_quantiles, n_features)
        The weights of the features; only for the linear kernel.
    n_iter_ : int
        Number of steps of the solver.
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
    SVR : Regression with the ε-insensitive loss.
    KernelRidge : Regression of the mean.

    References
    ----------
    .. [1] I. Takeuchi, Q. V. Le, T. D. Sears and A. J. Smola, "Nonparametric quantile estimation",
           Journal of Machine Learning Research 7 (2006) 1231-1264.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, KernelQuantileRegressor
    >>> x = np.linspace(0, 3, 40)[:, None]
    >>> y = 10 + np.sin(x[:, 0]) + np.resize([-1.0, 0.0, 1.0], 40)
    >>> model = KernelQuantileRegressor([0.1, 0.5, 0.9], kernel=RBF()).fit(x, y)
    >>> model.predict([[1.5]]).round().tolist()
    [[10.0, 11.0, 12.0]]
    """

    stored: ClassVar[State] = State(finite=("_levels",))

    _parameter_constraints: ClassVar[ParameterRules] = {
        **SupportVectorMachine._parameter_constraints,
        "quantile": [Interval(Real, 0, 1, closed="neither"), "array-like"],
    }

    def __init__(
        self,
        quantile: ArrayLike = 0.5,
        *,
        C: float = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
        warm_start: bool = False,
        centers: CentersLike = "auto",
        random_state: RandomState = 0,
    ) -> None:
        self.quantile = quantile
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair
        self.warm_start = warm_start
        self.centers = centers
        self.random_state = random_state

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples, or their Gram matrix if the kernel is "precomputed".
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies C for its sample.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = time.perf_counter()
        levels = self._checked_levels()
        opened = open_rows(self, X, y, sample_weight, target="number", steps=EXACT_STEPS)
        if opened.data is not None:
            fit_quantiles(self, opened.data, levels.ravel(), start)
            self._levels = levels
            return self
        data = self._begin(opened.X, opened.y, opened.weight, "number")
        check_squares(data.y)
        bound = self.C * data.weight
        problem = self._problem(data)
        problem.tol = self.tol * (float(data.y.std()) or 1.0)
        solutions = []
        for level in levels.ravel():
            bounds = Bounds(-bound[None] * (1 - level), bound[None] * level)
            beta = np.zeros((1, data.count))
            solutions.append(problem.solve(data.y[None], bounds, beta, 0.0, self.max_iter))
        dual = np.vstack([problem.coefficients(solution.beta[0]) for solution in solutions])
        used = np.flatnonzero(dual.any(axis=0))
        self._keep_support(data.kernel, data.X, data.rows[used])
        self._dual_coef = dual[:, used]
        self.intercept_ = np.array([float(solution.levels[0]) for solution in solutions])
        self._levels = levels
        seconds = time.perf_counter() - start
        self._report(data.kernel, problem.plan, solutions, seconds, problem.tol)
        if opened.notes:
            opened.annotate(self)
        self.n_iter_ = self.report_.iterations
        return self

    def _checked_levels(self) -> np.ndarray:
        """The quantiles as an array."""
        levels = np.asarray(self.quantile, dtype=np.float64)
        inside = (levels > 0) & (levels < 1)
        if levels.ndim > 1 or levels.size == 0 or not inside.all():
            raise ParameterError("quantile", self.quantile, "must lie strictly between 0 and 1")
        return levels

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict the quantiles of new samples.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_quantiles)
            One number per sample, or a column for each quantile, in the order of ``quantile``.
        """
        check_fitted(self)
        X = self._check_X(X, reset=False)
        coefficients = np.ascontiguousarray(self._dual_coef.T)
        values = self._expansion().apply(X, coefficients) + self.intercept_
        if self._levels.ndim == 0:
            return values[:, 0]
        order = np.argsort(self._levels, kind="stable")
        values[:, order] = np.sort(values, axis=1)
        return values

    def score(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> float:
        """The share of the pinball loss of the best constants that is avoided, D².

        Parameters
        ----------
        X : array-like or collection of n_samples
            Samples.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            1 − loss / loss of the best constants; the mean over the quantiles.
        """
        from sklearn.metrics import d2_pinball_score  # its import takes 60 MB

        values = self.predict(X).reshape(raw_length(X), -1)
        scores = [
            d2_pinball_score(y, values[:, k], sample_weight=sample_weight, alpha=float(level))
            for k, level in enumerate(np.atleast_1d(self._levels))
        ]
        return float(np.mean(scores))
