"""Ridge regression with learned weights of several kernels."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from typing import ClassVar, Self, TypeVar

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils._param_validation import StrOptions

from mercer.aliases import KernelLike, ParameterRules, RawSamples, Splitter, Targets, Weights
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits, iteration_callback
from mercer.estimators.common.training import Training, begin
from mercer.estimators.common.validation import check_fitted, check_squares
from mercer.estimators.mkl.base import MKL_RULES, MultipleKernelEstimator
from mercer.estimators.mkl.learning import RIDGE_METHODS, Result, Task, learn
from mercer.estimators.mkl.ridge import ridge
from mercer.estimators.mkl.terms import Terms
from mercer.estimators.ridge.base import as_columns, as_targets
from mercer.solvers.mkl.grams import Grams
from mercer.solvers.mkl.loo import Folds
from mercer.state import State

_ROUNDING = 1e-14  # a spread, as a share of the largest target, that is rounding error
T = TypeVar("T")


class MultipleKernelRegressor(MultiOutputMixin, RegressorMixin, MultipleKernelEstimator):
    """Ridge regression with the kernel Σ w_k k_k, whose weights w ≥ 0 are learned.

    Each kernel is divided by the mean of k(x, x) over the training samples, so that weights compare
    kernels of any unit, and the weights of the divided kernels sum to 1: they are the *shares* of
    the kernels. The prediction is the mean of the targets plus Σ a_i k(x, x_i), with a =
    (K + λI)⁻¹ (y − mean), as in `KernelRidge`; it is also the mean of a Gaussian process with this
    covariance and noise λ. Use it where several descriptions of the samples, or several kernels,
    may matter and nobody knows how much: groups of columns, texts beside numbers, widths.

    Parameters
    ----------
    kernels : list of Kernel or str
        The kernels, or expressions such as ``"RBF(length_scale=2.0)"``. Kernels of some columns of
        a table are written ``k.on(["a", "b"])``, so that they may read different kinds of samples.
    weights : {"evidence", "loo", "alignment", "average"}, default="evidence"
        How weights are learned: by the marginal likelihood of a Gaussian process ("evidence"), by
        the squared error of samples that are left out ("loo"), or by the largest centered alignment
        of the kernel with the targets ("alignment"). "average" gives all kernels the same share.
    alpha : float or None, default=None
        The penalty λ, in units of a kernel whose k(x, x) is 1 on average. None learns it by the
        same objective, and by leave-one-out errors for "alignment" and "average".
    groups : array-like of n_kernels labels or None, default=None
        Kernels with the same label share one weight.
    sparse : bool, default=False
        Whether kernels are dropped whose removal raises the leave-one-out loss by no more than the
        standard error of the difference; the lightest are tried first, and the weights of the
        others are learned again.
    per_target : bool, default=False
        Whether each target has its own weights. Otherwise several targets, each divided by its
        standard deviation, share one kernel.
    cv : int, splitter or None, default=None
        The folds of "loo"; None leaves out one sample at a time. Both are computed in closed form.

    Attributes
    ----------
    kernel_ : Sum or list of Sum
        The learned kernel, with its kernels of positive weight; a list with one for each target
        where ``per_target`` is set. It may be used in any other learner.
    weights_ : ndarray of shape (n_kernels,) or (n_targets, n_kernels)
        The weights of the kernels as they were given.
    shares_ : ndarray of shape (n_kernels,) or (n_targets, n_kernels)
        The weights of the divided kernels, which sum to 1.
    alpha_ : float or ndarray of shape (n_targets,)
        The penalty λ.
    path_ : ndarray of shape (n_steps, n_kernels), or a list of them
        The shares after every step of the solver.
    dual_coef_ : ndarray of shape (n_kept, n_targets)
        Coefficients a of the samples of positive weight.
    intercept_ : ndarray of shape (n_targets,)
        The means of the targets.
    loo_error_ : ndarray of shape (n_targets,)
        The mean squared error of samples left out one at a time, in the units of the targets. The
        weights, the penalty and the means have seen these samples.
    X_fit_ : array-like or collection of n_kept
        The training samples of positive weight.
    report_ : TermsReport
        How the model was fitted, with a table of the kernels: weight, share, and the leave-one-out
        loss without each; a list where ``per_target`` is set.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    MultipleKernelClassifier : The same for labels.
    KernelRidge : Ridge regression with one kernel.
    GaussianProcessRegressor : Learns the parameters inside kernels too.

    Notes
    -----
    A step costs one factorization of the Gram matrix and one pass over all of them. They are stored
    once, as triangles, while these fit half the memory budget, and computed again beyond. Weights
    by "alignment" and "evidence" can be worse than equal ones for prediction: where the
    leave-one-out errors say so by more than two standard errors, equal weights are kept, and the
    report has a note.

    References
    ----------
    .. [1] C. Cortes, M. Mohri and A. Rostamizadeh, "Algorithms for learning kernels based on
           centered alignment", Journal of Machine Learning Research 13 (2012) 795-828.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, MultipleKernelRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (80, 3))
    >>> y = np.sin(2 * X[:, 0]) + X[:, 2] + 0.1 * rng.standard_normal(80)
    >>> kernels = [RBF().on([0]), RBF().on([1]), RBF().on([2])]
    >>> model = MultipleKernelRegressor(kernels).fit(X, y)
    >>> model.shares_.round(1).tolist()
    [0.5, 0.0, 0.5]
    >>> len(model.kernel_.terms)
    2
    """

    stored: ClassVar[State] = State(
        finite=("weights_", "shares_", "alpha_", "path_", "dual_coef_", "intercept_", "loo_error_"),
        plain=("kernel_", "X_fit_", "support_", "_n_training", "_single", "report_"),
        samples=("X_fit_",),
        per_sample=("dual_coef_", "support_"),
        positions={"support_": "_n_training"},
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "weights": [StrOptions(set(RIDGE_METHODS))],
        "per_target": ["boolean"],
        **MKL_RULES,
    }

    def __init__(
        self,
        kernels: Sequence[KernelLike],
        weights: str = "evidence",
        *,
        alpha: float | None = None,
        groups: Sequence[Hashable] | None = None,
        sparse: bool = False,
        per_target: bool = False,
        cv: Splitter = None,
    ) -> None:
        self.kernels = kernels
        self.weights = weights
        self.alpha = alpha
        self.groups = groups
        self.sparse = sparse
        self.per_target = per_target
        self.cv = cv

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Learn the weights, and fit the ridge regression.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Each weight multiplies the squared error of its sample.

        Returns
        -------
        self : MultipleKernelRegressor
            The fitted estimator.
        """
        start = time.perf_counter()
        data = begin(self, X, y, sample_weight, target="numbers")
        check_squares(data.y)
        if data.count < 2:
            size = f"Found array with {data.count} sample(s)"
            raise ValueError(f"{size} while a minimum of 2 is required by {type(self).__name__}.")
        terms = Terms(data, self.groups)
        grams = terms.grams()
        Y = as_columns(data.y)
        self.intercept_ = np.average(Y, axis=0, weights=data.weight)
        centered = terms.root[:, None] * (Y - self.intercept_)
        folds = self._folds(data)
        each = [centered]
        if self.per_target:
            each = np.split(centered, Y.shape[1], axis=1)
        results = [self._learn(data, grams, some, folds) for some in each]
        self._keep(data, terms, results)
        self._keep_solutions(data, terms, grams, results, each)
        seconds = time.perf_counter() - start
        solver = f"weights by {self.weights}, then Cholesky"
        reports = [
            self._terms_report(terms, grams, result, some, solver, seconds)
            for result, some in zip(results, each, strict=True)
        ]
        self.report_ = self._one_or_each(reports)
        return self

    def _learn(self, data: Training, grams: Grams, centered: np.ndarray, folds: Folds) -> Result:
        """Weights for some targets, which count alike whatever their units are."""
        spread = np.sqrt((centered**2).sum(axis=0) / data.weight.sum())
        constant = spread <= _ROUNDING * np.abs(data.y).max()
        Y = np.where(constant, 0.0, centered) / np.where(constant, 1.0, spread)
        callback = iteration_callback(self)
        varying = np.ascontiguousarray(Y[:, ~constant])
        task = Task(self.weights, varying, data.weight, self.alpha, folds, callback)
        return learn(task, grams, self.sparse)

    def _one_or_each(self, values: list[T]) -> T | list[T]:
        """What belongs to the targets: one for all of them, or one for each."""
        return values if self.per_target else values[0]

    def _keep(self, data: Training, terms: Terms, results: list[Result]) -> None:
        """Set the weights, the kernel and the samples."""
        shares = [terms.shares(result.weights.shares) for result in results]
        paths = [np.array(list(map(terms.shares, result.weights.path))) for result in results]
        self.shares_ = np.asarray(self._one_or_each(shares))
        self.weights_ = self.shares_ / terms.scale
        self.path_ = self._one_or_each(paths)
        self.kernel_ = self._one_or_each(list(map(terms.kernel, shares)))
        alphas = [result.alpha for result in results]
        self.alpha_ = np.array(alphas) if self.per_target else alphas[0]
        self.support_ = data.rows
        self.X_fit_ = data.samples()
        self._n_training = data.n_given
        self._single = data.y.ndim == 1

    def _keep_solutions(
        self,
        data: Training,
        terms: Terms,
        grams: Grams,
        results: list[Result],
        each: list[np.ndarray],
    ) -> None:
        """Set the coefficients, and the errors of samples left out."""
        root = terms.root[:, None]
        dual, errors = [], []
        for result, some in zip(results, each, strict=True):
            solved, left_out = ridge(grams, result, some)
            dual.append(root * solved)
            errors.append(left_out)
        self.dual_coef_ = np.hstack(dual)
        self.loo_error_ = (np.hstack(errors) ** 2).sum(axis=0) / data.weight.sum()

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict the targets of new samples.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            The mean of the targets plus Σ a_i k(x, x_i).
        """
        check_fitted(self)
        X = self._check_X(X, reset=False)
        kernels = self.kernel_ if isinstance(self.kernel_, list) else [self.kernel_]
        dual = np.split(self.dual_coef_, len(kernels), axis=1)
        values = []
        for kernel, some in zip(kernels, dual, strict=True):
            expansion = Expansion(kernel, self.X_fit_, self.support_, self._n_training)
            values.append(expansion.apply(X, np.ascontiguousarray(some)))
        return as_targets(np.hstack(values) + self.intercept_, 1 if self._single else 2)
