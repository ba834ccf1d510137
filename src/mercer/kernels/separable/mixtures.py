"""Radial kernels as mixtures of Gaussians, by quadrature: k(s) ≈ Σ_q w_q exp(−τ_q s²/2).

The rational quadratic kernel has τ ~ Gamma(α, rate α), the Matérn kernel 1/τ ~ Gamma(ν, rate ν).
In u = log of that variable the density is analytic and falls off on both sides, so that the
trapezoidal rule converges exponentially with the number of nodes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.errors import NotSeparableError

__all__: list[str] = []

_TOLERANCE = 1e-8  # of the values of a kernel that is 1 at distance 0
_STEPS = (0.7, 0.55, 0.45, 0.35, 0.25)  # of the trapezoidal rule
_MOST_NODES = 400


def gaussian_mixture(
    profile: Callable[[np.ndarray], np.ndarray], shape: float, inverse: bool
) -> tuple[np.ndarray, np.ndarray, float]:
    """Factors τ of s², weights, and the largest error on a grid of distances.

    Parameters
    ----------
    profile : callable
        The kernel as a function of s².
    shape : float
        The shape of the Gamma distribution, whose rate is the same.
    inverse : bool
        Whether 1/τ has that distribution, instead of τ.

    Returns
    -------
    tuple of two ndarray and float
        τ, the weights, which sum to about 1, and the error.
    """
    squares = np.concatenate([[0.0], np.logspace(-14.0, 8.0, 400)])
    exact = profile(squares)
    for step in _STEPS:
        tau, weight = _nodes(shape, step)
        if inverse:
            tau = 1.0 / tau
        values = np.exp(-0.5 * np.outer(squares, tau)) @ weight
        error = float(np.abs(values - exact).max())
        if error <= 10.0 * _TOLERANCE:
            return tau, weight, 1.5 * error  # between the points of the grid it may be larger
    rule = "is too flat, or too peaked, for a mixture of few Gaussians"
    raise NotSeparableError("shape", shape, rule, "explain by sampling")


def _nodes(shape: float, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Values of a Gamma variable and their weights, without its tails."""
    from scipy.special import gammainccinv, gammaincinv, gammaln

    low = np.log(max(gammaincinv(shape, _TOLERANCE), 1e-300) / shape)
    high = np.log(gammainccinv(shape, _TOLERANCE) / shape)
    count = int(np.ceil((high - low) / step)) + 1
    if count > _MOST_NODES:
        rule = "has too heavy tails for a mixture of few Gaussians"
        raise NotSeparableError("shape", shape, rule, "explain by sampling")
    u = high - step * np.arange(count)
    log_density = shape * (np.log(shape) + u - np.exp(u)) - gammaln(shape)
    return np.exp(u), step * np.exp(log_density)
