"""Sums of windows, and the bandwidth that makes left-out samples most likely."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.utils import check_random_state

from mercer import _compiled
from mercer.aliases import RandomState, RawSamples
from mercer.errors import ParameterError
from mercer.estimators.common.prepared import prepare_both
from mercer.estimators.density.windows import Window
from mercer.gram.fill import Range, visit_rows
from mercer.kernels.vectors.gaussian_mixtures import Exponential
from mercer.kernels.vectors.radial import RBF, ScaledDistance

_TINY = 1e-280  # a sum below this is computed again with logarithms
_HELD = 2000  # samples on which a bandwidth is judged
_IMPOSSIBLE = 1e300  # the loss of a bandwidth that leaves a sample without a neighbor


def as_array(X: RawSamples) -> np.ndarray:
    """Dense rows of any samples of numbers."""
    if hasattr(X, "toarray"):
        X = X.toarray()
    return np.ascontiguousarray(X)


def log_sums(
    kernel: ScaledDistance,
    X: np.ndarray,
    Y: np.ndarray,
    weight: np.ndarray,
    without: np.ndarray | None = None,
) -> np.ndarray:
    """log Σ_j w_j k(x_i, y_j), with the sample ``without[i]`` left out of row i."""
    x, y = prepare_both(kernel, X, Y)
    sums = np.zeros(len(X))

    def visit(tile: np.ndarray, rows: Range, cols: Range) -> None:
        if without is not None:
            out = without[slice(*rows)]
            inside = np.flatnonzero((out >= cols[0]) & (out < cols[1]))
            tile[inside, out[inside] - cols[0]] = 0.0
        _compiled.storage.times_vector(tile, weight[slice(*cols)], sums[slice(*rows)])

    visit_rows(kernel, x, y, visit, "density")
    with np.errstate(divide="ignore"):
        logs = np.log(sums)
    if type(kernel) not in (RBF, Exponential):
        return logs
    underflow = np.flatnonzero(sums < _TINY)
    for start in range(0, len(underflow), 64):
        some = underflow[start : start + 64]
        terms = _log_values(kernel, X[some], Y) + np.log(weight)
        if without is not None:
            terms[np.arange(len(some)), without[some]] = -np.inf
        logs[some] = logsumexp(terms, axis=1)
    return logs


def _log_values(kernel: ScaledDistance, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Logarithms of the Gaussian or the exponential window, where the values underflow."""
    s = cdist(X / kernel.length_scale, Y / kernel.length_scale)
    if type(kernel) is RBF:
        return -0.5 * s * s
    return -s


def likeliest(
    window: Window, X: np.ndarray, weight: np.ndarray, reference: float, random_state: RandomState
) -> tuple[float, float]:
    """The bandwidth of largest leave-one-out likelihood, and the logarithm of that.

    A coarse search over two decades is followed by Brent's method around the best. Equal samples
    are left out together, as one of their weight: otherwise ever smaller windows would be likelier.
    """
    total = float(weight.sum())
    X, which = np.unique(X, axis=0, return_inverse=True)
    weight = np.bincount(which.ravel(), weight)
    n, d = X.shape
    if n < 2:
        rule = "needs samples that differ"
        raise ParameterError("bandwidth", "likelihood", rule, "give a number")
    held = np.arange(n)
    if n > _HELD:
        held = np.sort(check_random_state(random_state).permutation(n)[:_HELD])
    share = weight[held] / weight[held].sum()

    def loss(log_h: float) -> float:
        h = float(np.exp(log_h))
        sums = log_sums(window.kernel(length_scale=h), X[held], X, weight, without=held)
        mean = float(share @ (sums - np.log(total - weight[held])))
        value = mean - window.log_integral(d, h)
        if not np.isfinite(value):
            return _IMPOSSIBLE
        return -value

    grid = list(np.log(reference) + np.linspace(-3.0, 1.6, 13))
    values = [loss(log_h) for log_h in grid]
    best = int(np.argmin(values))
    while best == 0 and len(grid) < 40:
        # clusters are far apart, and the reference is much too wide
        grid.insert(0, grid[0] - 0.4)
        values.insert(0, loss(grid[0]))
        best = int(np.argmin(values))
    if values[best] >= _IMPOSSIBLE:
        rule = "leaves some sample without a neighbor at every width tried"
        remedy = "use kernel='gaussian', or give a number"
        raise ParameterError("bandwidth", "likelihood", rule, remedy)
    bounds = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
    refined = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-3})
    if refined.fun <= values[best]:
        return float(np.exp(refined.x)), -float(refined.fun)
    return float(np.exp(grid[best])), -float(values[best])
