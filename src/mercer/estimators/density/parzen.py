"""Kernel density estimation (Parzen windows)."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from scipy.spatial import KDTree
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from mercer.aliases import KernelLike, ParameterRules, RandomState, RawSamples, Targets, Weights
from mercer.domains.base import Batch, Domain
from mercer.errors import ParameterError
from mercer.estimators.common.base import KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.kernel_choice import Choice
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import begin
from mercer.estimators.common.validation import check_fitted, warn_of_ignored
from mercer.estimators.density.bandwidths import as_array, likeliest, log_sums
from mercer.estimators.density.integrals import core, log_integral
from mercer.estimators.density.metrics import (
    METRICS,
    check_metric,
    is_euclidean,
    log_sums_by_metric,
)
from mercer.estimators.density.windows import WINDOWS, Window
from mercer.gram.fill import check_diagonal
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.radial import RBF, RadialKernel
from mercer.state import State

_SPARSE = 0.05  # the share of neighbors in reach below which a tree pays
_BLOCK = 1024  # new samples whose neighbors are found at a time


class KernelDensity(DensityMixin, KernelEstimator):
    """Kernel density estimation: Parzen's estimate f(x) = Σ w_i k(x, x_i) / (Σ w_i ∫k).

    The sums are exact: windows that reach everywhere are summed tile by tile, compact ones over the
    neighbors that a KD-tree finds, where those are few. For the Gaussian window f(x) is an inner
    product with the mean in feature space. Parameters are those of scikit-learn's class of the same
    name.

    Parameters
    ----------
    bandwidth : float or {"scott", "silverman", "reference", "likelihood"}, default=1.0
        The width of the window. "scott" and "silverman" are rules for columns of unit variance, as
        in scikit-learn; "reference" is Silverman's rule times the mean standard deviation;
        "likelihood" maximizes the leave-one-out log-likelihood.
    algorithm : {"auto", "tile", "tree", "kd_tree", "ball_tree"}, default="auto"
        How compact windows are summed; "kd_tree" and "ball_tree" mean "tree".
    kernel : str, Kernel or callable, default="gaussian"
        The window: "gaussian", "tophat", "epanechnikov", "exponential", "linear" or "cosine"; or a
        mercer kernel, an expression of kernels, a function or "precomputed", which have a width of
        their own. A kernel of vectors has to have a finite integral over R^d, as multiples, sums
        and most products of radial kernels have; functions, precomputed matrices and kernels of
        other samples give a density up to a factor.
    metric : str, default="euclidean"
        The distance, by any name that scikit-learn's trees know. For others than the Euclidean
        one the estimate is a density up to a factor, as in scikit-learn.
    atol : float, default=0
        Accepted for compatibility; sums are exact.
    rtol : float, default=0
        Accepted for compatibility; sums are exact.
    breadth_first : bool, default=True
        Accepted for compatibility.
    leaf_size : int, default=40
        Accepted for compatibility.
    metric_params : dict or None, default=None
        Parameters of the distance, such as ``{"p": 3}`` of "minkowski".
    random_state : int, RandomState or None, default=None
        Chooses the samples on which bandwidths are judged, if there are more than 2,000.

    Attributes
    ----------
    bandwidth_ : float or None
        The bandwidth in use; None for a kernel that has a width of its own.
    normalized_ : bool
        Whether the estimate integrates to 1; else it is one up to a factor.
    loo_log_likelihood_ : float
        The mean leave-one-out log-likelihood; only for ``bandwidth="likelihood"``.
    kernel_ : Kernel or None
        The kernel in use; None for a precomputed Gram matrix.
    X_fit_ : collection or None
        The training samples of positive weight; None for a precomputed Gram matrix.
    support_ : ndarray of shape (n_support,)
        The positions of the samples of positive weight.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    References
    ----------
    .. [1] E. Parzen. On estimation of a probability density function and mode. Annals of
       Mathematical Statistics 33, 1962.
    .. [2] B. W. Silverman. Density estimation for statistics and data analysis. Chapman & Hall,
       1986.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelDensity
    >>> model = KernelDensity(bandwidth=0.5).fit([[0.0], [1.0]])
    >>> float(np.exp(model.score_samples([[0.5]]))[0]).__round__(4)
    0.4839
    """

    needs: ClassVar[str] = "any"
    samples_must_differ: ClassVar[bool] = False  # a wide window is the same for all of them
    stored: ClassVar[State] = State(
        finite=("bandwidth_", "loo_log_likelihood_", "_weight", "_n", "_log_integral"),
        plain=(
            *("kernel_", "X_fit_", "support_", "normalized_", "report_"),
            *("_n_training", "_use_tree"),
        ),
        rebuilt=("_tree",),
        samples=("X_fit_",),
        per_sample=("support_", "_weight"),
        positions={"support_": "_n_training"},
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "bandwidth": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"scott", "silverman", "reference", "likelihood"}),
        ],
        "algorithm": [StrOptions({"auto", "tile", "tree", "kd_tree", "ball_tree"})],
        "metric": [StrOptions(METRICS)],
        "atol": [Interval(Real, 0, None, closed="left")],
        "rtol": [Interval(Real, 0, None, closed="left")],
        "breadth_first": ["boolean"],
        "leaf_size": [Interval(Integral, 1, None, closed="left")],
        "metric_params": [None, dict],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        bandwidth: float | str = 1.0,
        algorithm: str = "auto",
        kernel: KernelLike = "gaussian",
        metric: str = "euclidean",
        atol: float = 0,
        rtol: float = 0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: dict[str, object] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params
        self.random_state = random_state

    # -- the window --------------------------------------------------------------------------------

    def _window(self) -> Window | None:
        return WINDOWS.get(self.kernel) if isinstance(self.kernel, str) else None

    def _domain(self) -> Domain | None:
        window = self._window()
        if window is None:
            return super()._domain()
        return window.kernel.domain

    def _choose(self, X: RawSamples, weight: Weights = None) -> Choice:
        window = self._window()
        if window is None:
            warn_of_ignored(self, "bandwidth")
            return super()._choose(X, weight)
        return Choice(window.kernel(length_scale=1.0), False)

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Remember the training samples and choose the bandwidth.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Training samples, or their Gram matrix if it is precomputed.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight counts a sample several times.

        Returns
        -------
        KernelDensity
            The fitted estimator.
        """
        start = time.perf_counter()
        self.__dict__.pop("loo_log_likelihood_", None)  # of an earlier fit
        data = begin(self, X, None, sample_weight, target="none")
        window = self._window()
        self.X_fit_ = data.samples()
        self.support_, self._n_training = data.rows, data.n_given
        self._weight, self._n = data.weight, float(data.weight.sum())
        self._tree: KDTree | None = None
        if window is None:
            self._keep_kernel(data.kernel, data.X)
        else:
            self._keep_window(window)
        self._use_tree = self._tree is not None
        plan = "tiles"
        if self._use_tree:
            plan = "neighbors from a tree"
        elif self.kernel_ is None:
            plan = "precomputed matrix"
        solver = "mean of the kernel over the samples"
        if self.bandwidth_ is not None:
            solver = f"bandwidth {self.bandwidth_}"
        self.report_ = FitReport(data.kernel, plan, solver, data.count, time.perf_counter() - start)
        return self

    def _keep_kernel(self, kernel: Kernel | None, X: RawSamples) -> None:
        """A kernel with a width of its own: its integral over R^d makes the sum a density."""
        self.kernel_ = kernel
        self.bandwidth_: float | None = None
        if kernel is not None:
            # samples that the kernel cannot read, or that overflow, are refused now
            check_diagonal(kernel.diagonal(kernel.prepare(Batch(X))))
        integral = log_integral(core(kernel), vars(self).get("n_features_in_", 0))
        self.normalized_ = integral is not None
        self._log_integral = integral or 0.0

    def _keep_window(self, window: Window) -> None:
        self.X_fit_ = as_array(self.X_fit_)
        euclidean = is_euclidean(self.metric, self.metric_params)
        check_metric(self.metric, self.algorithm)
        if self.bandwidth == "likelihood" and not euclidean:
            rule = "needs Euclidean distances"
            raise ParameterError("bandwidth", self.bandwidth, rule, "give a number")
        bandwidth = self._bandwidth(window)
        self.bandwidth_ = bandwidth
        self.kernel_ = window.kernel(length_scale=bandwidth)
        self.normalized_ = euclidean
        self._log_integral = window.log_integral(self.n_features_in_, bandwidth)
        if window.compact and euclidean:
            self._tree = self._paying_tree(bandwidth)

    def _paying_tree(self, bandwidth: float) -> KDTree | None:
        """A tree of the samples; None where summing all windows is faster."""
        n = len(self.X_fit_)
        automatic = self.algorithm == "auto"
        small = automatic and (n < 2000 or self.n_features_in_ > 12)
        if self.algorithm == "tile" or small:
            return None
        tree = KDTree(self.X_fit_)
        if not automatic:
            return tree
        some = self.X_fit_[:: max(1, n // 20)][:20]
        reached = np.mean(tree.query_ball_point(some, bandwidth, return_length=True))
        return tree if float(reached) < _SPARSE * n else None

    def _rebuild(self) -> None:
        self._tree = None
        if self._use_tree:
            self._tree = KDTree(self.X_fit_)

    def _bandwidth(self, window: Window) -> float:
        if not isinstance(self.bandwidth, str):
            return float(self.bandwidth)
        n, d = self._n, self.n_features_in_
        silverman = float((n * (d + 2) / 4) ** (-1 / (d + 4)))
        if self.bandwidth == "scott":
            return float(n ** (-1 / (d + 4)))
        if self.bandwidth == "silverman":
            return silverman
        mean = self._weight @ self.X_fit_ / n
        spread = float(np.sqrt(self._weight @ (self.X_fit_ - mean) ** 2 / n).mean())
        if spread == 0:
            rule = "needs samples that differ"
            raise ParameterError("bandwidth", self.bandwidth, rule, "give a number")
        reference = silverman * spread
        if self.bandwidth == "reference":
            return reference
        h, self.loo_log_likelihood_ = likeliest(
            window, self.X_fit_, self._weight, reference, self.random_state
        )
        return h

    # -- the estimate ------------------------------------------------------------------------------

    def score_samples(self, X: RawSamples) -> np.ndarray:
        """Logarithms of the density.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples,)
            The logarithms.
        """
        check_fitted(self)
        X = self._check_X(X, reset=False)
        return self._log_sums(X) - (np.log(self._n) + self._log_integral)

    def _log_sums(self, X: RawSamples) -> np.ndarray:
        """log Σ w_i k(x, x_i)."""
        if self._use_tree:
            return self._by_tree(as_array(X))
        kernel = core(self.kernel_)
        if self._window() is not None and not is_euclidean(self.metric, self.metric_params):
            assert isinstance(kernel, RadialKernel)
            samples = as_array(X), as_array(self.X_fit_), self._weight
            return log_sums_by_metric(kernel, *samples, self.metric, self.metric_params)
        is_window = self._window() is not None or isinstance(kernel, RBF)
        if is_window and isinstance(kernel, RadialKernel):
            return log_sums(kernel, as_array(X), as_array(self.X_fit_), self._weight)
        expansion = Expansion(kernel, self.X_fit_, self.support_, self._n_training)
        sums = expansion.apply(X, self._weight[:, None])[:, 0]
        if sums.min() < 0:
            row = int(np.argmin(sums))
            rule = "is negative: the kernel takes negative values"
            raise ParameterError(f"f(x[{row}])", float(sums[row]), rule)
        with np.errstate(divide="ignore"):
            return np.log(sums)

    def _by_tree(self, X: np.ndarray) -> np.ndarray:
        assert isinstance(self.kernel_, RadialKernel)
        tree, h = self._tree, self.bandwidth_
        sums = np.zeros(len(X))
        for start in range(0, len(X), _BLOCK):
            part = X[start : start + _BLOCK]
            near = KDTree(part).sparse_distance_matrix(tree, h, output_type="ndarray")
            values = self.kernel_.profile((near["v"] / h) ** 2)
            terms = values * self._weight[near["j"]]
            sums[start : start + _BLOCK] = np.bincount(near["i"], terms, minlength=len(part))
        with np.errstate(divide="ignore"):
            return np.log(sums)

    def score(self, X: RawSamples, y: Targets = None) -> float:
        """The total log-likelihood.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.
        y : None
            Ignored.

        Returns
        -------
        float
            The sum of the log-densities.
        """
        return float(np.sum(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> np.ndarray:
        """Draw from the estimate: a training sample by its weight, and a step from the window.

        Parameters
        ----------
        n_samples : int, default=1
            The number of draws.
        random_state : int, RandomState or None, default=None
            Seed of the draws.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            The draws.
        """
        check_fitted(self)
        window = self._window()
        scale: float | np.ndarray | None = self.bandwidth_
        kernel = core(self.kernel_)
        if window is None and isinstance(kernel, RBF):
            window, scale = WINDOWS["gaussian"], np.asarray(kernel.length_scale)
        if window is None:
            remedy = f"use one of {', '.join(WINDOWS)}, or RBF"
            raise ParameterError("kernel", self.kernel_, "cannot be drawn from", remedy)
        if not isinstance(n_samples, Integral) or n_samples < 1:
            raise ParameterError("n_samples", n_samples, "must be a positive integer")
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
        X = as_array(self.X_fit_)
        middle = rng.choice(len(X), size=int(n_samples), p=self._weight / self._n)
        return X[middle] + scale * window.draw(rng, int(n_samples), X.shape[1])
