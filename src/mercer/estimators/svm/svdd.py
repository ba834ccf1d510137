"""Detection of novelties by a ball in feature space."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np

from mercer.aliases import RawSamples, Targets, Weights
from mercer.errors import ParameterError
from mercer.estimators.common.fitting import fits
from mercer.estimators.svm.base import filled
from mercer.estimators.svm.one_class import NoveltyDetector, boundary_level
from mercer.solvers.margin.dual import Bounds
from mercer.state import State


class SVDD(NoveltyDetector):
    """Support vector data description: the smallest ball in feature space that holds most samples.

    The ball has its center at Σ β_i φ(x_i); a share of about ν of the samples lies outside. With a
    kernel of constant k(x, x) it is the one-class support vector machine. Use it for the detection
    of novelties; unlike that machine it also takes conditionally positive definite kernels.

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
    nu : float, default=0.5
        An upper bound on the share of training samples outside and a lower bound on the share of
        support vectors, between 0 and 1.
    shrinking : bool, default=True
        Accepted as in scikit-learn, without effect on the solver.
    cache_size : float, default=200
        Accepted as in scikit-learn, without effect: the setting ``memory_budget`` limits the
        memory.
    verbose : bool, default=False
        Whether the report of the fit is printed.
    max_iter : int, default=-1
        The largest number of steps of the solver; -1 for no limit.
    repair : {"clip", "flip", "shift"} or None, default=None
        How the Gram matrix of an indefinite kernel is made positive semi-definite: negative
        eigenvalues are set to zero, replaced by their magnitudes, or the diagonal is raised. None
        refuses such kernels.
    warm_start : bool, default=False
        Whether a fit begins at the coefficients of the last one, where the samples of a problem are
        the same rows.

    Attributes
    ----------
    radius_ : float
        The radius of the ball.
    offset_ : ndarray of shape (1,)
        What is subtracted from `score_samples` for the decision function.
    kernel_ : Kernel or None
        The fitted kernel; None where it is precomputed.
    support_ : ndarray of shape (n_SV,)
        Positions of the support vectors among the training samples.
    support_vectors_ : array-like or collection of n_SV
        The support vectors; empty where the kernel is precomputed.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or CSR matrix of shape (1, n_SV)
        Coefficients of the support vectors; CSR where the samples are sparse.
    intercept_ : ndarray of shape (1,)
        The bias.
    coef_ : ndarray or CSR matrix of shape (1, n_features)
        The weight of each feature, read-only; only for the linear kernel.
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
    OneClassSVM : A half-space in place of the ball.

    References
    ----------
    .. [1] D. M. J. Tax and R. P. W. Duin, "Support vector data description", Machine Learning 54
           (2004) 45-66.

    Examples
    --------
    >>> from mercer import SVDD, NegativeDistance
    >>> model = SVDD(kernel=NegativeDistance(power=2.0), nu=0.5).fit([[-1.0], [0.0], [1.0]])
    >>> model.predict([[0.1], [3.0]]).tolist()
    [1, -1]
    """

    stored: ClassVar[State] = State(finite=("radius_",), plain=("_diagonal",))

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples, or their Gram matrix if the kernel is "precomputed".
        y : Ignored
            Present for scikit-learn's interface.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight counts its sample so many times.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = time.perf_counter()
        data = self._begin(X, None, sample_weight, "none")
        problem = self._problem(data)
        # solved on the scale of the one-class machine, where the tolerance means the same
        share = self.nu * float(data.weight.sum())
        total = max(share, 1.0)
        room = data.weight * (total / share)
        target = total * problem.diagonal[None] / 2
        beta = filled(room, total)[None]
        bounds = Bounds(np.zeros_like(beta), room[None].copy())
        solution = problem.solve(target, bounds, beta, 0.0, self.max_iter)
        within = float(solution.beta[0] @ (target[0] - solution.slack[0])) / total**2
        level = boundary_level(solution, problem.diagonal) / total
        self.radius_ = float(np.sqrt(max(2 * level + within, 0.0)))
        first = float(problem.diagonal[0])
        self._diagonal = None
        if np.ptp(problem.diagonal) <= 1e-12 * abs(first):
            self._diagonal = first
        beta = 2 * solution.beta[0] / total
        self._finish(problem, data, [beta], [2 * level], [solution], start)
        self.offset_ = np.array([-(self.radius_**2)])
        return self

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Evaluate the squared radius less the squared distance from the center.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive inside, negative outside.
        """
        value = self._value(X)
        if self.kernel_ is not None:
            return value - self.kernel_.diag(self._check_X(X, reset=False))
        if self._diagonal is None:
            rule = "does not hold k(x, x) of new samples, which SVDD needs unless it is constant"
            remedy = "normalize the kernel, or give a kernel object"
            raise ParameterError("kernel", "precomputed", rule, remedy)
        return value - self._diagonal
