"""Detection of novelties by a half-space in feature space."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import OutlierMixin

from mercer.aliases import CentersLike, Gamma, KernelLike, RandomState, RawSamples, Targets, Weights
from mercer.estimators.centers.data import open_rows
from mercer.estimators.common.fitting import fits
from mercer.estimators.svm.base import SingleMachine, filled
from mercer.estimators.svm.on_centers import EXACT_STEPS, fit_half_space
from mercer.solvers.margin.dual import Bounds, DualSolution
from mercer.state import State


def boundary_level(solution: DualSolution, diagonal: np.ndarray) -> float:
    """The level of the boundary.

    Once the support vectors are known exactly, those on the boundary lie inside, rounding included.
    """
    scale = float(np.abs(solution.beta).sum()) * float(np.abs(diagonal).max())
    if solution.gap <= 1e-9 * max(scale, 1e-300):
        return float(solution.edges[0]) + 1e-12 * scale
    return float(solution.levels[0])


class NoveltyDetector(OutlierMixin, SingleMachine):
    """Base class of both novelty detectors: their parameters, scores and labels."""

    stored: ClassVar[State] = State(finite=("offset_",))

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
        warm_start: bool = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.repair = repair
        self.warm_start = warm_start

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Evaluate the decision function.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive inside, negative outside.
        """
        return self._value(X)

    def score_samples(self, X: RawSamples) -> np.ndarray:
        """Evaluate the decision function before the offset is subtracted.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Larger values for samples that are more like those of training.
        """
        return self.decision_function(X) + self.offset_

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict whether samples lie inside.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            +1 inside, -1 outside.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)


class OneClassSVM(NoveltyDetector):
    """One-class support vector machine: a half-space in feature space that holds most samples.

    The half-space f(x) = Σ β_i k(x, x_i) ≥ ρ is as far from the origin as possible while a share of
    about ν of the samples lies outside. Use it for the detection of novelties. Names and defaults
    are scikit-learn's.

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
    centers : {"auto", "all"}, int or array-like, default="auto"
        f is a combination of these samples: of all that the dual problem takes, of so many drawn
        uniformly, or of given ones. On centers the kink of the loss is smoothed, ``support_`` are
        the centers, and ``dual_coef_`` may be negative. "auto" takes all up to about 500,000.
    random_state : int, RandomState or None, default=None
        Seed of the centers.

    Attributes
    ----------
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
    offset_ : ndarray of shape (1,)
        What is subtracted from `score_samples` for the decision function.
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
    SVDD : A ball in place of the half-space.

    References
    ----------
    .. [1] B. Schölkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola and R. C. Williamson, "Estimating
           the support of a high-dimensional distribution", Neural Computation 13 (2001) 1443-1471.

    Examples
    --------
    >>> from mercer import RBF, OneClassSVM
    >>> model = OneClassSVM(kernel=RBF(), nu=0.5).fit([[-1.0], [0.0], [1.0]])
    >>> model.predict([[0.1], [5.0]]).tolist()
    [1, -1]
    """

    needs: ClassVar[str] = "psd"

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        repair: str | None = None,
        warm_start: bool = False,
        centers: CentersLike = "auto",
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            tol=tol,
            nu=nu,
            shrinking=shrinking,
            cache_size=cache_size,
            verbose=verbose,
            max_iter=max_iter,
            repair=repair,
            warm_start=warm_start,
        )
        self.centers = centers
        self.random_state = random_state

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
        opened = open_rows(self, X, None, sample_weight, target="none", steps=EXACT_STEPS)
        if opened.data is not None:
            fit_half_space(self, opened.data, start)
            self.offset_ = -self.intercept_
            return self
        data = self._begin(opened.X, None, opened.weight, "none")
        problem = self._problem(data)
        room = data.weight
        beta = filled(room, self.nu * room.sum())[None]
        zero = np.zeros_like(beta)
        bounds = Bounds(zero.copy(), room[None].copy())
        solution = problem.solve(zero, bounds, beta, 0.0, self.max_iter)
        level = boundary_level(solution, problem.diagonal)
        self._finish(problem, data, [solution.beta[0]], [level], [solution], start)
        self.offset_ = -self.intercept_
        opened.annotate(self)
        return self
