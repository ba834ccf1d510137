"""Radial kernels as mixtures of Gaussians, by quadrature: k(s) ≈ Σ_q w_q exp(−τ_q s²/2).

The rational quadratic kernel has τ ~ Gamma(α, rate α), the Matérn kernel 1/τ ~ Gamma(ν, rate ν).
In u = log of that variable the density is analytic and falls off on both sides, so that the
trapezoidal rule converges exponentially with the number of nodes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from mercer.errors import NotSeparableError

__all__: list[str] = []

# Errors of the values of a kernel that is 1 at distance 0: the second one where the first needs too
# many nodes. Shapley values multiply them by the coefficients of a model.
_TOLERANCES = (1e-11, 1e-8)
_STEPS = (0.7, 0.55, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2)  # of the trapezoidal rule, up to shape 4
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
    for tolerance, step in itertools.product(_TOLERANCES, _STEPS):
        tau, weight = _nodes(shape, step, tolerance)
        if inverse:
            tau = 1.0 / tau
        values = np.exp(-0.5 * np.outer(squares, tau)) @ weight
        error = float(np.abs(values - exact).max())
        if len(tau) <= _MOST_NODES and error <= 10.0 * tolerance:
            return tau, weight, 1.5 * error  # between the points of the grid it may be larger
    rule = "is too flat, or too peaked, for a mixture of few Gaussians"
    raise NotSeparableError("shape", shape, rule, "explain by sampling")


def _nodes(shape: float, step: float, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Values of a Gamma variable and their weights, without tails of this probability."""
    from scipy.special import gammainccinv, gammaincinv, gammaln

    low = np.log(max(gammaincinv(shape, tail), 1e-300) / shape)
    high = np.log(gammainccinv(shape, tail) / shape)
    step *= min(1.0, 2.0 / np.sqrt(shape))  # as narrow as the density
    count = min(int(np.ceil((high - low) / step)), _MOST_NODES) + 1  # one more is too many
    u = high - step * np.arange(count)
    log_density = shape * (np.log(shape) + u - np.exp(u)) - gammaln(shape)
    return np.exp(u), step * np.exp(log_density)
