"""Kernel canonical correlation analysis of two or more views of the same samples."""

from __future__ import annotations

import itertools
import time
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, MultiOutputMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_array

from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets, Weights
from mercer.errors import ParameterError, explain, warn
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.kernel_choice import VECTOR_NAMES, has_own_parameters
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.validation import check_fitted, warn_of_ignored
from mercer.estimators.projection.views import Counted, FittedView, as_view, count_samples, fit_view
from mercer.gram.plan import rows_at_a_time
from mercer.linalg.signs import sign_flips
from mercer.solvers.projection.cca import View, correlate, decompose
from mercer.state import State


class KernelCCA(
    ClassNamePrefixFeaturesOutMixin, MultiOutputMixin, TransformerMixin, KernelEstimator
):
    """Kernel canonical correlation analysis: functions f of each view that maximize corr(f_1, f_2).

    The functions come from the feature spaces of the views' kernels; further ones are uncorrelated
    with those before. The views may be anything that kernels take: texts beside vectors, sets
    beside tables. Each Gram matrix K is replaced by an incomplete Cholesky factor, so that time and
    memory are linear in the number of samples. The regularization is that of Bach and Jordan, with
    (K_c + nκ/2)² in the denominator for the centered K_c. For κ = 0 and linear kernels this is
    canonical correlation analysis.

    Parameters
    ----------
    n_components : int, default=2
        The number of functions of each view.
    kernel : Kernel, str, callable or list of these, default="rbf"
        One kernel for all views, or a list with one for each view: a mercer kernel, an expression
        of kernels, one of scikit-learn's names ("linear", "poly", "rbf", "sigmoid", "laplacian",
        "cosine", "chi2"), a function of two collections or samples, or "precomputed", where the
        view is a Gram matrix.
    gamma : {"scale", "auto", "sigest", "median"} or float, default="scale"
        The coefficient of a kernel that is given by name. "scale" is 1/(n_features · X.var()),
        "auto" is 1/n_features, "sigest" and "median" come from distances between samples.
    degree : float, default=3
        The degree of the polynomial kernel that is given by name.
    coef0 : float, default=1.0
        The constant term of the polynomial and the sigmoid kernel that are given by name.
    kappa : float, default=0.02
        The regularization κ ≥ 0. 0 is for kernels of few dimensions only: with as many dimensions
        as samples, everything correlates perfectly.
    max_rank : int, default=500
        The largest rank of the factors.
    tol : float, default=1e-10
        The share of the trace that a factor may leave out.

    Attributes
    ----------
    correlations_ : ndarray of shape (n_components,)
        The regularized canonical correlations, the largest first; for m > 2 views (λ − 1)/(m − 1)
        with the eigenvalues λ of the matrix of all correlations.
    training_correlations_ : ndarray of shape (n_components,)
        The plain correlations of the variates of the training samples, averaged over all two views.
    ranks_ : ndarray of shape (n_views,)
        The ranks of the factors.
    kernel_ : list of Kernel or None
        The kernel of each view; None for a precomputed Gram matrix.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``, the first view.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    KernelPCA : Directions of the largest variance of a single view.

    References
    ----------
    .. [1] F. R. Bach, M. I. Jordan. Kernel independent component analysis. Journal of Machine
       Learning Research 3, 2002.
    .. [2] D. R. Hardoon, S. Szedmak, J. Shawe-Taylor. Canonical correlation analysis: an overview
       with application to learning methods. Neural Computation 16, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, KernelCCA
    >>> t = np.linspace(0, 6, 60)
    >>> model = KernelCCA(1, kernel=RBF()).fit(
    ...     t[:, None], np.column_stack([np.sin(t), np.cos(t)])
    ... )
    >>> bool(model.training_correlations_[0] > 0.95), model.transform(t[:2, None]).shape
    (True, (2, 1))
    """

    needs: ClassVar[str] = "cpd"
    kernel_parameters: ClassVar[tuple[str, ...]] = ()  # there is one warning for all views
    stored: ClassVar[State] = State(
        finite=("correlations_", "training_correlations_"),
        plain=("ranks_", "kernel_", "report_", "_views", "_n_features_out"),
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        **KERNEL_RULES,
        "kappa": [Interval(Real, 0, None, closed="left")],
        "max_rank": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        kappa: float = 0.02,
        max_rank: int = 500,
        tol: float = 1e-10,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kappa = kappa
        self.max_rank = max_rank
        self.tol = tol

    def _given_kernel(self) -> KernelLike:
        """The kernel of the first view, which is X to scikit-learn."""
        several = isinstance(self.kernel, (list, tuple)) and len(self.kernel) > 0
        return self.kernel[0] if several else self.kernel

    @fits
    def fit(
        self, X: RawSamples, y: Targets = None, *more: RawSamples, sample_weight: Weights = None
    ) -> Self:
        """Find the functions that correlate most.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            The first view of the samples.
        y : array-like, sparse matrix or collection of length n_samples
            The second view of the same samples. Numbers in one dimension are a column.
        *more : array-like, sparse matrix or collection of length n_samples
            Further views, as ``y``.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight counts a sample several times in all means and covariances.

        Returns
        -------
        KernelCCA
            The fitted estimator.
        """
        start = time.perf_counter()
        if y is None:
            missing = "estimator requires y to be passed, but the target y is None"
            raise ValueError(f"This {type(self).__name__} {missing}; y is the second view")
        views = [self._check_X(X, reset=True)]
        views += [as_view(view, f"view {number}") for number, view in enumerate((y, *more), 1)]
        n = count_samples(views)
        counted = Counted.of(sample_weight, n)
        factors = self._factor_views(views, self._kernels(len(views)), counted)
        count = self._count_components(factors, len(counted.rows))
        self.correlations_, weights = correlate(factors, count)
        self._keep_variates(factors, weights, counted)
        self.ranks_ = np.array([view.rank for view in self._views])
        self.kernel_ = [view.kernel for view in self._views]
        self._n_features_out = count
        self.report_ = self._report(n, time.perf_counter() - start)
        return self

    def _report(self, n: int, seconds: float) -> FitReport:
        names = ["precomputed" if kernel is None else repr(kernel) for kernel in self.kernel_]
        plan = "incomplete Cholesky factors, linear in the samples"
        solver = "eigenvalues of the regularized correlations"
        facts = {
            "ranks": self.ranks_.tolist(),
            "unexplained": [view.left for view in self._views],
            "correlations": self.correlations_.tolist(),
            "training": self.training_correlations_.tolist(),
        }
        return FitReport("; ".join(names), plan, solver, n, seconds, facts=facts)

    # -- views -------------------------------------------------------------------------------------

    def _kernels(self, n_views: int) -> list[KernelLike]:
        if not isinstance(self.kernel, (list, tuple)):
            return [self.kernel] * n_views
        if len(self.kernel) != n_views:
            rule = f"must be one, or one for each of the {n_views} views"
            raise ParameterError("kernel", f"{len(self.kernel)} kernels", rule)
        return list(self.kernel)

    def _factor_views(
        self, views: list[RawSamples], kernels: list[KernelLike], counted: Counted
    ) -> list[View]:
        """Fit the kernel of every view, and decompose its Gram matrix."""
        if all(map(has_own_parameters, kernels)):
            warn_of_ignored(self, *KernelEstimator.kernel_parameters)
        elif not any(isinstance(kernel, str) and kernel in VECTOR_NAMES for kernel in kernels):
            because = "no view has a kernel by name"
            names = KernelEstimator.kernel_parameters
            warn_of_ignored(self, *names, because=because, remedy="leave it out")
        self._views: list[FittedView] = []
        factors = []
        for number, (X, kernel) in enumerate(zip(views, kernels, strict=True)):
            # an estimator of its own checks the samples of each view and chooses the kernel
            owner = KernelCCA(kernel=kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
            name = f"view {number}"
            samples = X if number == 0 else _checked(owner, X, name)
            # a factor per view, two to work with
            room = rows_at_a_time(len(counted.rows), 1 / (len(views) + 2))
            view, G = fit_view(owner, samples, counted, self.max_rank, self.tol, name, room)
            self._views.append(view)
            factors.append(decompose(counted.weighed(G), counted.total * float(self.kappa) / 2))
        return factors

    def _count_components(self, factors: list[View], n: int) -> int:
        """As many components as are asked for and every view has; warnings where that is few."""
        ranks = [len(factor.s) for factor in factors]
        count = min(self.n_components, *ranks)
        if count == 0:
            rule = "has nothing that could correlate: all samples are the same"
            raise ParameterError(f"view {int(np.argmin(ranks))}", "constant", rule)
        if count < self.n_components:
            rule = f"is more than the rank of a view, {min(ranks)}: {count} are kept"
            warn(explain("n_components", self.n_components, rule), UserWarning)
        if self.kappa == 0 and max(ranks) >= n - 1:
            dimensions = "with kernels of as many dimensions as samples"
            rule = f"{dimensions} makes everything correlate perfectly"
            warn(explain("kappa", 0, rule, "take kappa > 0"), UserWarning)
        return count

    def _keep_variates(
        self, factors: list[View], weights: list[np.ndarray], counted: Counted
    ) -> None:
        """Make the views' maps end at variates of unit variance, with signs that reproduce."""
        variates, scales = [], []
        for factor, weight in zip(factors, weights, strict=True):
            values = counted.unweighed(factor.U @ (factor.share[:, None] * weight))
            size = np.sqrt(counted.means(values**2))
            scales.append(np.where(size > 0, size, 1.0))
            variates.append(values / scales[-1])
        signs = sign_flips(variates[0])
        total = np.zeros(len(signs))
        for a, b in itertools.combinations(variates, 2):
            total += counted.means(a * b)
        self.training_correlations_ = total / (len(factors) * (len(factors) - 1) / 2)
        for view, factor, weight, scale in zip(self._views, factors, weights, scales, strict=True):
            view.rotate(factor, weight, scale, signs)

    # -- variates ----------------------------------------------------------------------------------

    def transform_view(self, X: RawSamples, view: int) -> np.ndarray:
        """The variates of one view.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, as that view has them.
        view : int
            The number of the view, from 0.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The variates.
        """
        check_fitted(self)
        n_views = len(self._views)
        if not isinstance(view, Integral) or not 0 <= view < n_views:
            rule = f"must be one of the {n_views} views: 0 to {n_views - 1}"
            raise ParameterError("view", view, rule)
        if view == 0:
            return self._views[0].variates(self._check_X(X, reset=False))
        fitted = self._views[view]
        X = fitted.owner._check_X(as_view(X, f"view {view}"), reset=False)
        return fitted.variates(X)

    def transform(
        self, X: RawSamples, y: Targets = None, *more: RawSamples
    ) -> np.ndarray | tuple[np.ndarray, ...]:
        """The variates of the first view, or of every view that is given.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            The first view of new samples.
        y : array-like, sparse matrix or collection of length n_samples, default=None
            The second view.
        *more : array-like, sparse matrix or collection of length n_samples
            Further views.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or a tuple of such
            The variates of ``X`` alone, or of each view if ``y`` is given.
        """
        if y is None:
            return self.transform_view(X, 0)
        views = enumerate((X, y, *more))
        return tuple(self.transform_view(samples, number) for number, samples in views)

    def fit_transform(
        self, X: RawSamples, y: Targets = None, *more: RawSamples, sample_weight: Weights = None
    ) -> np.ndarray | tuple[np.ndarray, ...]:
        """Fit, and return the variates of the first view, as a pipeline needs them.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            The first view.
        y : array-like, sparse matrix or collection of length n_samples
            The second view.
        *more : array-like, sparse matrix or collection of length n_samples
            Further views.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, as in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The variates of ``X``; ``transform(X, y)`` gives those of both views.
        """
        return self.fit(X, y, *more, sample_weight=sample_weight).transform(X)

    def loadings(self, X: RawSamples, view: int = 0) -> np.ndarray:
        """Correlations of the columns of a view with its variates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples that are numbers, as that view has them.
        view : int, default=0
            The number of the view, from 0.

        Returns
        -------
        ndarray of shape (n_features, n_components)
            The correlations.
        """
        columns = check_array(as_view(X, f"view {view}"), dtype=np.float64, ensure_2d=True)
        variates = self.transform_view(X, view)
        a, b = columns - columns.mean(axis=0), variates - variates.mean(axis=0)
        size = np.linalg.norm(a, axis=0)[:, None] * np.linalg.norm(b, axis=0)
        return np.where(size > 0, a.T @ b / np.where(size > 0, size, 1.0), 0.0)

    def score(self, X: RawSamples, y: Targets, *more: RawSamples) -> float:
        """The mean correlation of the variates, over components and all two views.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            The first view of new samples.
        y : array-like, sparse matrix or collection of length n_samples
            The second view.
        *more : array-like, sparse matrix or collection of length n_samples
            Further views.

        Returns
        -------
        float
            The score.
        """
        variates = [v - v.mean(axis=0) for v in self.transform(X, y, *more)]
        unit = [v / np.maximum(np.linalg.norm(v, axis=0), 1e-300) for v in variates]
        return float(np.mean([np.sum(a * b, axis=0) for a, b in itertools.combinations(unit, 2)]))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _checked(owner: KernelCCA, X: RawSamples, name: str) -> RawSamples:
    """The samples of a view as its kernel can read them; errors name the view."""
    try:
        return owner._check_X(X, reset=True)
    except ValueError as error:
        raise type(error)(f"{name}: {error}") from None
