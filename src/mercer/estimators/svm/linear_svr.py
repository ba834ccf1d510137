"""Linear support vector regression in the primal."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions

from mercer.aliases import ParameterRules, RandomState, RawSamples, Targets, Weights
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.numbers import read_numbers
from mercer.estimators.common.validation import check_weights
from mercer.estimators.svm.linear import FLOATS, LinearMachine
from mercer.solvers.margin.linear import LinearProblem


class LinearSVR(RegressorMixin, LinearMachine):
    """Linear support vector regression, without a Gram matrix.

    It minimizes ½ ‖w‖² + C Σ max(0, |y − ⟨w, x⟩ − b| − ε), or the squares of these errors. Time and
    memory grow with the size of X, not with its square. The intercept is penalized, as in
    LIBLINEAR. Names and defaults are scikit-learn's.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube within which errors are not penalized.
    tol : float, default=1e-4
        The tolerance of the solver, in LIBLINEAR's units.
    C : float, default=1.0
        The inverse strength of the penalty: the loss is multiplied by C.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        The errors beyond the tube, or their squares.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept_scaling : float, default=1.0
        The value of the constant column whose weight is the intercept; a larger one is penalized
        less.
    dual : bool or "auto", default="auto"
        Accepted as in scikit-learn: the solver follows from the loss.
    verbose : int, default=0
        Whether the report of the fit is printed.
    random_state : int, RandomState instance or None, default=None
        Determines the order of coordinate descent, with ``loss="epsilon_insensitive"``.
    max_iter : int, default=1000
        The largest number of rounds over the samples, or of Newton steps.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights of the columns.
    intercept_ : ndarray of shape (1,)
        The intercept.
    n_iter_ : int
        The number of iterations.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        Number of columns of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    SVR : Any kernel.

    References
    ----------
    .. [1] C.-H. Ho and C.-J. Lin, "Large-scale linear support vector regression", Journal of
           Machine Learning Research 13 (2012) 3323-3348.

    Examples
    --------
    >>> from mercer import LinearSVR
    >>> model = LinearSVR(C=100.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[3.0]]).round(2).tolist()
    [7.0]
    """

    _remedy: ClassVar[str] = "use SVR(Linear(), centers=...), which reads blocks of rows"
    _parameter_constraints: ClassVar[ParameterRules] = {
        **LinearMachine._parameter_constraints,
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: bool | str = "auto",
        verbose: int = 0,
        random_state: RandomState = None,
        max_iter: int = 1000,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
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
        if self.loss == "epsilon_insensitive" and self.dual is False:
            words = f"penalty='l2', loss={self.loss!r}, dual={self.dual}"
            raise ValueError(f"Unsupported set of arguments: {words}")
        X, y = read_numbers(self, X, y, accept_sparse="csr", dtype=FLOATS, y_numeric=True)
        weight = check_weights(sample_weight, X.shape[0])
        y = np.asarray(y, dtype=np.float64)
        problem = LinearProblem(self._columns(X), y, self.C * weight, float(self.epsilon))
        solution = self._solve(problem, 1.0)
        coef, self.intercept_ = self._split(solution.w[None])
        self.coef_ = coef[0]
        self._finish([solution], X.shape[0], start)
        return self

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict the targets of new samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            ⟨w, x⟩ + b.
        """
        return self._values(X)[:, 0]
