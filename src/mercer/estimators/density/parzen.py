"""Density by windows (Parzen): the mean of a window over the training samples."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer import _compiled
from mercer.aliases import KernelLike, ParameterRules, RandomState, RawSamples, Targets, Weights
from mercer.domains.base import Batch, raw_length
from mercer.errors import ParameterError
from mercer.estimators.common.base import KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.kernel_choice import Choice
from mercer.estimators.common.prepared import prepare_both
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import begin
from mercer.estimators.density.windows import WINDOWS, Window
from mercer.gram.fill import check_diagonal, visit_rows
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.radial import RBF

_TINY = 1e-280  # a sum below this is computed again with logarithms
_HELD = 2000  # samples on which a bandwidth is judged
_SPARSE = 0.05  # the share of neighbours in reach below which a tree pays


class KernelDensity(DensityMixin, KernelEstimator):
    """Parzen's estimate f(x) = Σ w_i k(x, x_i) / (Σw ∫k), in any number of dimensions; as in scikit-learn.

    Exact: windows that reach everywhere are summed tile by tile, compact ones over the neighbours
    that a tree finds, where those are few. For the Gaussian window f(x) is an inner product with
    the mean in feature space.

    Parameters
    ----------
    bandwidth : a number; "scott" or "silverman", as in scikit-learn for columns of unit variance; "reference", Silverman's rule
        times the mean standard deviation; or "likelihood": the width that maximises the
        leave-one-out log-likelihood
    kernel : "gaussian", "tophat", "epanechnikov", "exponential", "linear" or "cosine"; or a mercer kernel, an expression or a function,
        which have their own width: an `RBF` gives a density, others (``normalized_`` is False) one
        up to a factor
    algorithm : "auto", "tile" or "tree" ("kd_tree" and "ball_tree" mean "tree") random_state :
    chooses the samples that judge a bandwidth, if there are more than 2,000 metric, metric_params,
    atol, rtol, breadth_first, leaf_size : accepted for the sake of existing programs; Euclidean and
    exact

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelDensity
    >>> model = KernelDensity(bandwidth=0.5).fit([[0.0], [1.0]])
    >>> float(np.exp(model.score_samples([[0.5]]))[0]).__round__(4)
    0.4839
    """

    needs: ClassVar[str] = "any"

    _parameter_constraints: ClassVar[ParameterRules] = {
        "bandwidth": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"scott", "silverman", "reference", "likelihood"}),
        ],
        "algorithm": [StrOptions({"auto", "tile", "tree", "kd_tree", "ball_tree"})],
        "metric": [StrOptions({"euclidean", "l2", "minkowski"})],
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
        bandwidth: Any = 1.0,
        algorithm: str = "auto",
        kernel: KernelLike = "gaussian",
        metric: str = "euclidean",
        atol: float = 0,
        rtol: float = 0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: dict[str, Any] | None = None,
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

    # -- the window --------------------------------------------------------------------------------------------------

    def _window(self) -> Window | None:
        return WINDOWS.get(self.kernel) if isinstance(self.kernel, str) else None

    def _domain(self) -> Any:
        window = self._window()
        return window.kernel.domain if window is not None else super()._domain()

    def _choose(self, X: RawSamples, weight: Any = None) -> Any:
        window = self._window()
        if window is None:
            return super()._choose(X, weight)
        return Choice(window.kernel(length_scale=1.0), False)  # type: ignore[call-arg]

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Remember the samples ``X``, and choose the bandwidth; ``y`` is ignored."""
        start = time.perf_counter()
        data = begin(self, X, None, sample_weight, target="none")
        window = self._window()
        self.X_fit_, self.support_, self._n_training = data.samples(), data.rows, data.n_given
        self._weight, self._n = data.weight, float(data.weight.sum())
        if window is None:
            self.kernel_, self.bandwidth_ = data.kernel, None
            if data.kernel is not None:
                # samples that the kernel cannot read, or that overflow, are refused now
                check_diagonal(data.kernel.diagonal(data.kernel.prepare(Batch(data.X))))
            self.normalized_ = isinstance(data.kernel, RBF)
            scales = (
                np.broadcast_to(data.kernel.length_scale, (self.n_features_in_,))  # type: ignore[union-attr]
                if self.normalized_
                else np.ones(0)
            )
            self._log_integral = float(np.log(scales).sum() + 0.5 * len(scales) * np.log(2 * np.pi))
        else:
            self.X_fit_ = self._as_array(self.X_fit_)
            self.bandwidth_ = self._bandwidth(window)
            self.kernel_ = window.kernel(length_scale=self.bandwidth_)  # type: ignore[call-arg]
            self.normalized_ = True
            self._log_integral = window.log_integral(self.n_features_in_, self.bandwidth_)
        self._use_tree = window is not None and window.compact and self._tree_pays()
        plan = "tiles"
        if self._use_tree:
            plan = "neighbours from a tree"
        elif self.kernel_ is None:
            plan = "precomputed matrix"
        solver = f"bandwidth {self.bandwidth_}"
        seconds = time.perf_counter() - start
        self.report_ = FitReport(data.kernel, plan, solver, data.count, seconds)
        return self

    @staticmethod
    def _as_array(X: RawSamples) -> np.ndarray:
        return np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X)

    def _tree_pays(self) -> bool:
        if self.algorithm in ("tile", "auto") and (
            self.algorithm == "tile" or len(self.X_fit_) < 2000 or self.n_features_in_ > 12
        ):
            return False
        self._tree = KDTree(self.X_fit_)
        if self.algorithm != "auto":
            return True
        some = self.X_fit_[:: max(1, len(self.X_fit_) // 20)][:20]
        near = float(
            np.mean(self._tree.query_ball_point(some, self.bandwidth_, return_length=True))
        )
        return near < _SPARSE * len(self.X_fit_)

    # -- bandwidths --------------------------------------------------------------------------------------------------

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
        return (
            reference if self.bandwidth == "reference" else self._by_likelihood(window, reference)
        )

    def _by_likelihood(self, window: Window, reference: float) -> float:
        """Leave-one-out: a coarse search over two decades, then Brent's method around the best.

        Equal samples are left out together, as one of their weight: else ever smaller windows would
        be likelier.
        """
        X, which = np.unique(self.X_fit_, axis=0, return_inverse=True)
        weight = np.bincount(which.ravel(), self._weight)
        n = len(X)
        if n < 2:
            raise ParameterError(
                "bandwidth", "likelihood", "needs samples that differ", "give a number"
            )
        held = np.arange(n)
        if n > _HELD:
            held = np.sort(check_random_state(self.random_state).permutation(n)[:_HELD])

        def loss(log_h: float) -> float:
            h = float(np.exp(log_h))
            kernel = window.kernel(length_scale=h)  # type: ignore[call-arg]
            sums = _log_sums(kernel, X[held], X, weight, without=held)
            share = weight[held] / weight[held].sum()
            value = float(share @ (sums - np.log(self._n - weight[held]))) - window.log_integral(
                self.n_features_in_, h
            )
            return -value if np.isfinite(value) else 1e300

        grid = list(np.log(reference) + np.linspace(-3.0, 1.6, 13))
        values = [loss(g) for g in grid]
        best = int(np.argmin(values))
        while best == 0 and len(grid) < 40:  # clusters far apart: the reference is much too wide
            grid.insert(0, grid[0] - 0.4)
            values.insert(0, loss(grid[0]))
            best = int(np.argmin(values))
        if values[best] >= 1e300:
            rule = "leaves some sample without a neighbour at every width tried"
            raise ParameterError(
                "bandwidth", "likelihood", rule, "use kernel='gaussian', or give a number"
            )
        span = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
        found = minimize_scalar(loss, bounds=span, method="bounded", options={"xatol": 1e-3})
        log_h, value = (
            (found.x, found.fun) if found.fun <= values[best] else (grid[best], values[best])
        )
        self.loo_log_likelihood_ = -float(value)
        return float(np.exp(log_h))

    # -- the estimate ------------------------------------------------------------------------------------------------

    def score_samples(self, X: RawSamples) -> np.ndarray:
        """Log-density of every sample."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        if isinstance(self.kernel_, RBF):
            logs = _log_sums(
                self.kernel_, self._as_array(X), self._as_array(self.X_fit_), self._weight
            )
        elif self._window() is None:
            sums = Expansion(self.kernel_, self.X_fit_, self.support_, self._n_training).apply(
                X, self._weight[:, None]
            )[:, 0]
            if sums.min() < 0:
                row = int(np.argmin(sums))
                raise ParameterError(
                    f"f(x[{row}])",
                    float(sums[row]),
                    "is negative: the kernel takes negative values",
                )
            with np.errstate(divide="ignore"):
                logs = np.log(sums)
        else:
            X = self._as_array(X)
            assert self.kernel_ is not None
            logs = (
                self._by_tree(X)
                if self._use_tree
                else _log_sums(self.kernel_, X, self.X_fit_, self._weight)
            )
        return logs - (np.log(self._n) + self._log_integral)

    def _by_tree(self, X: np.ndarray) -> np.ndarray:
        assert isinstance(self.kernel_, Kernel)
        sums = np.zeros(len(X))
        for start in range(0, len(X), 1024):
            part = X[start : start + 1024]
            near = KDTree(part).sparse_distance_matrix(
                self._tree, self.bandwidth_, output_type="ndarray"
            )
            values = self.kernel_.profile((near["v"] / self.bandwidth_) ** 2)  # type: ignore[attr-defined]
            sums[start : start + 1024] = np.bincount(
                near["i"], values * self._weight[near["j"]], minlength=len(part)
            )
        with np.errstate(divide="ignore"):
            return np.log(sums)

    def score(self, X: RawSamples, y: Targets = None) -> float:
        """The total log-likelihood."""
        return float(np.sum(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> np.ndarray:
        """Draw from the estimate: a training sample by its weight, and a step from the window."""
        check_is_fitted(self)
        window = self._window()
        scale: Any = self.bandwidth_
        if window is None and isinstance(self.kernel_, RBF):
            window, scale = WINDOWS["gaussian"], np.asarray(self.kernel_.length_scale)
        if window is None:
            raise ParameterError(
                "kernel",
                self.kernel_,
                "cannot be drawn from",
                f"use one of {', '.join(WINDOWS)}, or RBF",
            )
        if not isinstance(n_samples, Integral) or n_samples < 1:
            raise ParameterError("n_samples", n_samples, "must be a positive integer")
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
        X = self._as_array(self.X_fit_)
        middle = rng.choice(raw_length(X), size=int(n_samples), p=self._weight / self._n)
        return X[middle] + scale * window.draw(rng, int(n_samples), X.shape[1])


def _log_sums(
    kernel: Kernel,
    X: np.ndarray,
    Y: np.ndarray,
    weight: np.ndarray,
    without: np.ndarray | None = None,
) -> np.ndarray:
    """log Σ_j w_j k(x_i, y_j), with the sample ``without[i]`` left out of row i."""
    x, y = prepare_both(kernel, X, Y)
    sums = np.zeros(len(X))

    def visit(tile: np.ndarray, rows: tuple[int, int], cols: tuple[int, int]) -> None:
        if without is not None:
            out = without[rows[0] : rows[1]]
            inside = np.flatnonzero((out >= cols[0]) & (out < cols[1]))
            tile[inside, out[inside] - cols[0]] = 0.0
        _compiled.storage.times_vector(tile, weight[cols[0] : cols[1]], sums[rows[0] : rows[1]])

    visit_rows(kernel, x, y, visit, "density")
    with np.errstate(divide="ignore"):
        logs = np.log(sums)
    log_window = {"RBF": lambda s: -0.5 * s * s, "Exponential": lambda s: -s}.get(
        type(kernel).__name__
    )
    far = np.flatnonzero(sums < _TINY) if log_window is not None else np.empty(0, dtype=int)
    scale = getattr(kernel, "length_scale", 1.0)
    for start in range(0, len(far), 64):  # where all windows underflow: slowly, with logarithms
        some = far[start : start + 64]
        terms = log_window(cdist(X[some] / scale, Y / scale)) + np.log(weight)  # type: ignore[misc]
        if without is not None:
            terms[np.arange(len(some)), without[some]] = -np.inf
        logs[some] = logsumexp(terms, axis=1)
    return logs
