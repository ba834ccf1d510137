"""Linear support vector classification in the primal."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.utils import compute_class_weight
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets

from mercer.aliases import (
    ClassWeight,
    Features,
    ParameterRules,
    RandomState,
    RawSamples,
    Targets,
    Weights,
)
from mercer.estimators.common.fitting import fits, iteration_callback
from mercer.estimators.common.numbers import read_numbers
from mercer.estimators.common.training import long_labels_as_objects
from mercer.estimators.common.validation import check_weights
from mercer.estimators.svm.linear import FLOATS, LinearMachine
from mercer.solvers.margin.linear import LinearProblem, LinearSolution
from mercer.solvers.margin.linear_classes import solve_classes
from mercer.solvers.margin.linear_l1 import solve_l1
from mercer.state import State

_SPARSE_ROWS, _SPARSE_COLUMNS = (
    4.0,
    3.5,
)  # copies of all numbers while they become sparse, and later


class LinearSVC(ClassifierMixin, SparseCoefMixin, LinearMachine):
    """Linear support vector classification, one class against the rest, without a Gram matrix.

    It minimizes ½ ‖w‖² + C Σ loss(y (⟨w, x⟩ + b)). Time and memory grow with the size of X, not
    with its square, so that it suits many samples with few or sparse columns. The intercept is
    penalized, as in LIBLINEAR. Names and defaults are scikit-learn's.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        The norm of the weights that is penalized: ½ ‖w‖², or Σ |wⱼ|, with which many weights are
        zero (``loss="squared_hinge"`` only).
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        The loss: max(0, 1 − y f)², or max(0, 1 − y f).
    dual : bool or "auto", default="auto"
        Accepted as in scikit-learn: the solver follows from the loss.
    tol : float, default=1e-4
        The tolerance of the solver, in LIBLINEAR's units.
    C : float, default=1.0
        The inverse strength of the penalty: the loss is multiplied by C.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        How several classes are separated: each against the rest, or all in one problem, which
        has no use for ``penalty`` and ``loss``.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept_scaling : float, default=1.0
        The value of the constant column whose weight is the intercept; a larger one is penalized
        less.
    class_weight : dict or "balanced", default=None
        Weights by class label, which multiply C.
    verbose : int, default=0
        Whether the report of the fit is printed.
    random_state : int, RandomState instance or None, default=None
        Determines the order of coordinate descent, where that is the solver.
    max_iter : int, default=1000
        The largest number of rounds over the samples, or of Newton steps.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights of the columns.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_iter_ : int
        The largest number of iterations of all classes.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        Number of columns of the training samples.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    SVC : Any kernel, and classes one against one.

    References
    ----------
    .. [1] C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, "A dual
           coordinate descent method for large-scale linear SVM", ICML 2008.
    .. [2] G.-X. Yuan, K.-W. Chang, C.-J. Hsieh and C.-J. Lin, "A comparison of optimization
           methods and software for large-scale L1-regularized linear classification", Journal of
           Machine Learning Research 11 (2010) 3183-3234.
    .. [3] S. S. Keerthi, S. Sundararajan, K.-W. Chang, C.-J. Hsieh and C.-J. Lin, "A sequential
           dual method for large scale multi-class linear SVMs", KDD 2008.

    Examples
    --------
    >>> from mercer import LinearSVC
    >>> model = LinearSVC().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> model.predict([[0.5], [4.5]]).tolist()
    [0, 1]
    """

    stored: ClassVar[State] = State(plain=("classes_",))
    _remedy: ClassVar[str] = "use SVC(Linear(), centers=...), which reads blocks of rows"
    _parameter_constraints: ClassVar[ParameterRules] = {
        **LinearMachine._parameter_constraints,
        "penalty": [StrOptions({"l1", "l2"})],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
        "class_weight": [None, dict, StrOptions({"balanced"})],
    }

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: bool | str = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: ClassWeight = None,
        verbose: int = 0,
        random_state: RandomState = None,
        max_iter: int = 1000,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
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
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies C for its sample.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        start = time.perf_counter()
        self._check_combination()
        y = long_labels_as_objects(y)
        X, y = read_numbers(self, X, y, accept_sparse="csr", dtype=FLOATS)
        check_classification_targets(y)
        weight = check_weights(sample_weight, X.shape[0])
        self.classes_ = np.unique(y[weight > 0])
        if len(self.classes_) < 2:
            got = f"got {len(self.classes_)} class"
            raise ValueError(f"The number of classes has to be greater than one; {got}")
        rows, penalty = self._columns(X), self.C * weight * self._class_weights(y)
        if self.multi_class == "crammer_singer":
            solutions = self._all_at_once(rows, y, penalty)
        else:
            solutions = self._one_against_the_rest(rows, y, penalty)
        weights = np.vstack([solution.w for solution in solutions])
        if len(self.classes_) == 2 and len(weights) == 2:
            weights = weights[1:] - weights[:1]
        self.coef_, self.intercept_ = self._split(weights)
        self._finish(solutions, X.shape[0], start)
        return self

    def _one_against_the_rest(
        self, rows: Features, y: np.ndarray, penalty: np.ndarray
    ) -> list[LinearSolution]:
        solutions = []
        for one in self.classes_[1:] if len(self.classes_) == 2 else self.classes_:
            sign = np.where(y == one, 1.0, -1.0)
            share = float(min(np.mean(sign > 0), np.mean(sign < 0)))
            problem = LinearProblem(rows, sign, penalty, None)
            solutions.append(self._solve(problem, max(share, 1.0 / len(sign))))
        return solutions

    def _all_at_once(
        self, rows: Features, y: np.ndarray, penalty: np.ndarray
    ) -> list[LinearSolution]:
        label = np.searchsorted(self.classes_, y)
        rest = self.tol, self.max_iter, self._seed(), iteration_callback(self)
        return [solve_classes(rows, label, penalty, *rest)]

    def _solve(self, problem: LinearProblem, share: float) -> LinearSolution:
        if self.penalty == "l1":
            rest = self.max_iter, self._seed(), iteration_callback(self)
            return solve_l1(problem, self.tol * share, *rest)
        return super()._solve(problem, share)

    def _copies(self, d: int) -> float:
        if self.multi_class == "crammer_singer":
            return _SPARSE_ROWS + len(self.classes_) * 2 / (d + 1)
        if self.penalty == "l1":
            return _SPARSE_COLUMNS
        return super()._copies(d)

    def _check_combination(self) -> None:
        """Refuse what LIBLINEAR does not offer."""
        if self.multi_class == "crammer_singer":
            return
        words = f"penalty={self.penalty!r}, loss={self.loss!r}, dual={self.dual}"
        impossible = self.loss == "hinge" and (self.penalty == "l1" or self.dual is False)
        if impossible or (self.penalty == "l1" and self.dual is True):
            raise ValueError(f"Unsupported set of arguments: {words}")

    def _class_weights(self, y: np.ndarray) -> np.ndarray:
        """The weight of each sample's class."""
        if self.class_weight is None:
            return np.ones(len(y))
        classes, number = np.unique(y, return_inverse=True)
        return compute_class_weight(self.class_weight, classes=classes, y=y)[number]

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Evaluate the decision function.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number for two classes, positive for the second; else a column for each class.
        """
        values = self._values(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict class labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        values = self._values(X)
        if len(self.classes_) == 2:
            return self.classes_[(values[:, 0] > 0).astype(int)]
        return self.classes_[np.argmax(values, axis=1)]
