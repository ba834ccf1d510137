"""Scores ∇ log p of densities: of functions, kernel densities, mixtures, and SciPy's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mercer.errors import InputTypeError, ParameterError, ShapeError
from mercer.gram.plan import rows_at_a_time
from mercer.kernels.vectors.radial import RBF

Score = Callable[[np.ndarray], np.ndarray]
ScoreLike = Score | Sequence[Any] | Any  # a function, or distributions

_STEP = 1e-3  # of a numerical derivative, in units of the spread of a distribution
_VANISHES = 1e-3  # of the largest density, at the boundary of a support
_WAYS = (
    "give a function that returns ∇ log p, a fitted KernelDensity or GaussianMixture, or a frozen"
    " continuous distribution of SciPy"
)


def score_function(score: ScoreLike, d: int) -> Score:
    """A function of rows of d numbers that returns their scores, checked.

    Parameters
    ----------
    score : callable, or a distribution
        What `ksd_test` takes.
    d : int
        The number of columns.

    Returns
    -------
    callable
        A function from arrays of shape (n, d) to arrays of shape (n, d).

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import norm
    >>> from mercer import score_function
    >>> score_function(norm(loc=1.0), 1)(np.array([[0.0], [3.0]])).round(6)
    array([[ 1.],
           [-2.]])
    """
    function = _function(score, d)

    def checked(X: np.ndarray) -> np.ndarray:
        values = _numbers(function(X))
        if values.shape == (len(X),) and d == 1:
            values = values[:, None]
        if values.shape != X.shape:
            rule = f"must have the shape of the samples, {X.shape}: ∇ log p in every row"
            raise ShapeError("score(X)", f"array of shape {values.shape}", rule)
        if not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
            rule = "is not finite: the density is 0 there, or has no derivative"
            raise ShapeError(f"score(X)[{at}]", values[at].tolist(), rule, "leave the row out")
        return values

    return checked


def _numbers(values: Any) -> np.ndarray:
    """What a score function returned, as an array."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        rule = "holds no numbers"
        remedy = "return ∇ log p, one row of numbers for each sample"
        raise InputTypeError("score(X)", type(values).__name__, rule, remedy) from None


def _function(score: ScoreLike, d: int) -> Callable[[np.ndarray], Any]:
    """The score of whatever was given."""
    if isinstance(score, (list, tuple)):
        return _by_columns(score, d)
    name = type(score).__name__
    if name == "rv_continuous_frozen" or _is_frozen(score):
        return _by_columns([score], d)
    if name == "multivariate_normal_frozen":
        return _normal(score, d)
    if hasattr(score, "precisions_cholesky_") and hasattr(score, "weights_"):
        return _mixture(score, d)
    if hasattr(score, "score_samples"):
        return _kernel_density(score)
    if callable(score):
        return score
    raise InputTypeError("score", score, "has no score that is known here", _WAYS)


# -- SciPy -----------------------------------------------------------------------------------------


def _is_frozen(value: object) -> bool:
    """Whether a value is a frozen continuous distribution of one variable."""
    inner = getattr(value, "dist", None)
    return inner is not None and hasattr(inner, "_pdf") and hasattr(value, "logpdf")


def _by_columns(distributions: Sequence[Any], d: int) -> Score:
    """Independent columns, each of a distribution of SciPy's."""
    for one in distributions:
        if not _is_frozen(one):
            raise InputTypeError("score", one, "is no frozen continuous distribution", _WAYS)
        _check_boundary(one)
    if len(distributions) != d:
        rule = f"must be one distribution for each of the {d} columns"
        raise ShapeError("score", f"{len(distributions)} distributions", rule)

    def score(X: np.ndarray) -> np.ndarray:
        columns = [_derivative(one, X[:, j]) for j, one in enumerate(distributions)]
        return np.stack(columns, axis=1)

    return score


def _check_boundary(distribution: Any) -> None:
    """Refuse a density that does not vanish where its support ends: Stein's identity fails."""
    low, high = distribution.support()
    middle = distribution.pdf(distribution.ppf(np.linspace(0.05, 0.95, 19))).max()
    for end, inward in ((low, 1.0), (high, -1.0)):
        if not np.isfinite(end):
            continue
        near = end + inward * 1e-9 * float(distribution.ppf(0.75) - distribution.ppf(0.25))
        if not distribution.pdf(near) <= _VANISHES * middle:
            name = distribution.dist.name
            rule = f"does not vanish at {end:g}, where its support ends: KSD is not valid"
            remedy = f"test norm.ppf({name}.cdf(X)) for the standard normal distribution instead"
            raise ParameterError("score", f"the density of {name}", rule, remedy)


def _derivative(distribution: Any, x: np.ndarray) -> np.ndarray:
    """The derivative of the logarithm of a density, by differences of the fourth order."""
    spread = float(distribution.ppf(0.75) - distribution.ppf(0.25))
    low, high = distribution.support()
    h = np.minimum(_STEP * spread, 0.25 * np.minimum(x - low, high - x))
    f = distribution.logpdf
    with np.errstate(all="ignore"):
        near, far = f(x + h) - f(x - h), f(x + 2 * h) - f(x - 2 * h)
        return np.asarray((8.0 * near - far) / (12.0 * h))


def _normal(distribution: Any, d: int) -> Score:
    """Σ⁻¹(μ − x) of a frozen multivariate normal distribution."""
    mean = np.atleast_1d(distribution.mean)
    if len(mean) != d:
        rule = f"must have the {d} columns of the samples"
        raise ShapeError("score", f"a distribution of {len(mean)} columns", rule)
    precision = np.linalg.inv(np.atleast_2d(distribution.cov))
    return lambda X: (mean - X) @ precision


# -- mixtures and kernel densities -----------------------------------------------------------------


def _mixture(model: Any, d: int) -> Score:
    """Σ_k r_k(x) Σ_k⁻¹(μ_k − x) of a fitted Gaussian mixture, with responsibilities r."""
    if model.means_.shape[1] != d:
        rule = f"must have the {d} columns of the samples"
        raise ShapeError("score", f"a mixture in {model.means_.shape[1]} columns", rule)
    kind, factors = model.covariance_type, model.precisions_cholesky_

    def score(X: np.ndarray) -> np.ndarray:
        shares = model.predict_proba(X)
        total = np.zeros_like(X)
        for k, mean in enumerate(model.means_):
            factor = factors if kind == "tied" else factors[k]
            difference = mean - X
            if kind in ("diag", "spherical"):
                part = difference * factor**2
            else:
                part = difference @ factor @ factor.T
            total += shares[:, [k]] * part
        return total

    return score


def _kernel_density(model: Any) -> Score:
    """Σ w_i ∇k(x, x_i) / Σ w_i k(x, x_i) of a fitted kernel density."""
    centers, weights, kernel = _windows(model)
    if isinstance(kernel, RBF):
        return lambda X: _gaussian_windows(X, centers, weights, kernel)

    def score(X: np.ndarray) -> np.ndarray:
        density = kernel(X, centers) @ weights
        with np.errstate(all="ignore"):
            return np.asarray(kernel.input_gradient(X, weights, centers)) / density[:, None]

    return score


def _windows(model: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """The centers, weights and the kernel of a kernel density, mercer's or scikit-learn's."""
    if hasattr(model, "X_fit_") and getattr(model, "kernel_", None) is not None:
        centers = np.asarray(model.X_fit_, dtype=float)
        return centers, np.asarray(model._weight, dtype=float).ravel(), model.kernel_
    if hasattr(model, "tree_") and getattr(model, "kernel", "") == "gaussian":
        centers = np.asarray(model.tree_.data)
        weights = getattr(model.tree_, "sample_weight", None)
        weights = np.ones(len(centers)) if weights is None else np.asarray(weights)
        return centers, weights, RBF(length_scale=float(model.bandwidth_))
    remedy = "fit it first, with a smooth window such as 'gaussian', or give a function"
    raise ParameterError("score", model, "has no density with a derivative", remedy)


def _gaussian_windows(
    X: np.ndarray, centers: np.ndarray, weights: np.ndarray, kernel: RBF
) -> np.ndarray:
    """The score of Gaussian windows, by shares of the windows that never underflow."""
    width = np.broadcast_to(np.asarray(kernel.length_scale, dtype=float), (X.shape[1],))
    out = np.empty_like(X)
    step = rows_at_a_time(len(centers), 0.05, most=512)
    for start in range(0, len(X), step):
        rows = X[start : start + step] / width
        square = ((rows[:, None] - centers / width) ** 2).sum(axis=2)
        with np.errstate(divide="ignore"):
            logs = np.log(weights) - 0.5 * square
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        out[start : start + step] = (shares @ centers - X[start : start + step]) / width**2
    return out
