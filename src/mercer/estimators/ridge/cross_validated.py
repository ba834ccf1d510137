"""Ridge regression in feature space with a penalty chosen by leave-one-out errors."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

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
from mercer.domains.base import pick_rows
from mercer.errors import ParameterError
from mercer.estimators.centers.data import RowData, open_rows
from mercer.estimators.common.base import CENTER_RULES
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.training import Training, begin
from mercer.estimators.common.validation import check_squares
from mercer.estimators.ridge.base import (
    RIDGE_RULES,
    RidgeRegressor,
    RidgeSolution,
    as_columns,
    as_targets,
)
from mercer.estimators.ridge.on_centers import fit_on_centers, held_out_errors
from mercer.gram.plan import WHOLE, plan_matrix
from mercer.solvers.ridge.path import ridge_path
from mercer.state import State


class KernelRidgeCV(RidgeRegressor):
    """Kernel ridge regression with a penalty chosen by leave-one-out errors.

    The error y_i − f₋ᵢ(x_i) of the model without sample i is a_i / ((K + λ/w)⁻¹)_ii, so that one
    eigendecomposition of the Gram matrix gives the errors of all samples for all penalties. Use it
    in place of a grid search over the penalty.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,), default=(0.1, 1.0, 10.0)
        The penalties λ > 0 to choose from.
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
    centers : {"auto", "all"}, int or array-like, default="auto"
        The rows that the function is made of, as in `KernelRidge`; "auto" takes all of them while
        the Gram matrix fits half the memory budget. With fewer, the penalty is the best one for
        rows that are held out, a fifth of them and at most 5,000; all penalties are tried in the
        same passes.
    random_state : int, RandomState instance or None, default=0
        What draws the centers and the rows that are held out.

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    loo_errors_ : ndarray of shape (n_alphas,)
        The mean squared leave-one-out error of every penalty; with centers, that of rows held out.
    loo_predictions_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        What the model without a sample predicts for it, at the chosen penalty; not with centers.
    kernel_ : Kernel or None
        The fitted kernel; None where it is precomputed.
    X_fit_ : array-like or collection of n_samples
        The training samples, or the given Gram matrix; the centers, where there are such.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Coefficients a of the training samples, or of the centers.
    intercept_ : float or ndarray of shape (n_targets,)
        The mean of the targets, where they were centered: with fewer centers than rows.
    report_ : FitReport
        How the model was fitted: plan of the Gram matrix, solver, convergence, time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    KernelRidge : The same with a given penalty.

    References
    ----------
    .. [1] R. M. Rifkin and R. A. Lippert, "Notes on regularized least squares", MIT technical
           report MIT-CSAIL-TR-2007-025 (2007).

    Examples
    --------
    >>> from mercer import RBF, KernelRidgeCV
    >>> model = KernelRidgeCV(alphas=[0.01, 100.0], kernel=RBF())
    >>> model.fit([[0.0], [0.5], [1.0], [1.5]], [0.0, 0.5, 1.0, 1.5]).alpha_
    0.01
    """

    memory_remedy: ClassVar[str] = "use KernelRidge, which stores no large matrix"
    stored: ClassVar[State] = State(
        # The command line sets the last one: the files that the model was fitted on.
        plain=("alpha_", "loo_errors_", "loo_predictions_", "source_")
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "alphas": ["array-like"],
        **RIDGE_RULES,
        **CENTER_RULES,
    }

    def __init__(
        self,
        alphas: ArrayLike = (0.1, 1.0, 10.0),
        *,
        kernel: KernelLike = "linear",
        gamma: Gamma = None,
        degree: float = 3,
        coef0: float = 1,
        centers: CentersLike = "auto",
        random_state: RandomState = 0,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.centers = centers
        self.random_state = random_state

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Fit the model, choosing the penalty among ``alphas``.

        Parameters
        ----------
        X : array-like, collection of n_samples, or source of rows
            Training samples, or their Gram matrix if the kernel is "precomputed"; or what
            `mercer.scan` takes.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), or str
            Target values, or the name of their column in files.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies the squared error of its sample, in the fit and in the score.

        Returns
        -------
        self : KernelRidgeCV
            The fitted estimator.
        """
        start = time.perf_counter()
        self.__dict__.pop("source_", None)
        alphas = self._checked_alphas()
        opened = open_rows(self, X, y, sample_weight, target="numbers", steps=np.inf)
        if opened.data is not None:
            self._fit_on_centers(opened.data, alphas, start)
            return self
        data = begin(self, opened.X, opened.y, opened.weight, target="numbers")
        check_squares(data.y)
        if data.count < 2:
            size = f"Found array with {data.count} sample(s)"
            raise ValueError(f"{size} while a minimum of 2 is required by {type(self).__name__}.")
        K = data.gram()
        solution = RidgeSolution(as_columns(data.y).shape)
        solution.dual, left_out = self._choose_penalty(K, data, alphas)
        solution.values = K @ solution.dual
        solution.plan = plan_matrix(data.count, WHOLE, given=True)
        solution.solver = f"one eigendecomposition for {len(alphas)} penalties"
        self._keep(data, solution.dual)
        self._keep_left_out(data, solution.dual, left_out)
        self._report(data, solution, np.array([self.alpha_]), start)
        if opened.notes:
            opened.annotate(self)
        return self

    def _fit_on_centers(self, rows: RowData, alphas: np.ndarray, start: float) -> None:
        """Choose the penalty by rows held out, then fit on all rows."""
        self.loo_errors_ = held_out_errors(self, rows, alphas)
        self.alpha_ = float(alphas[int(np.argmin(self.loo_errors_))])
        self.__dict__.pop("loo_predictions_", None)
        fit_on_centers(self, rows, np.array([self.alpha_]), start)

    def _checked_alphas(self) -> np.ndarray:
        """The penalties to choose from, as an array."""
        alphas = np.asarray(self.alphas, dtype=np.float64).ravel()
        if alphas.size == 0 or not np.isfinite(alphas).all() or alphas.min() <= 0:
            remedy = "leave-one-out needs a penalty > 0"
            raise ParameterError("alphas", self.alphas, "must be positive numbers", remedy)
        return alphas

    def _choose_penalty(
        self, K: np.ndarray, data: Training, alphas: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of the best penalty, and what is predicted for samples left out."""
        path = ridge_path(K, as_columns(data.y), data.weight, alphas)
        self.loo_errors_ = path.losses
        self.alpha_ = float(alphas[path.best])
        return path.dual, path.left_out

    def _keep_left_out(self, data: Training, dual: np.ndarray, left_out: np.ndarray) -> None:
        """Set what is predicted for samples that are left out."""
        predictions = np.empty((data.n_given, left_out.shape[1]))
        predictions[data.rows] = left_out
        if not data.all_count:  # without a sample of weight 0 the model is the same
            rest = np.setdiff1d(np.arange(data.n_given), data.rows)
            predictions[rest] = data.expansion().apply(pick_rows(data.X, rest), dual)
        self.loo_predictions_ = as_targets(predictions, data.y.ndim)
