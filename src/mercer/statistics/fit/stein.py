"""Stein kernels: h(x, y) = sᵀs′ k + sᵀ∇_y k + s′ᵀ∇_x k + tr ∇_x∇_y k, with the scores s and s′.

For a kernel k = g(q) of q = Σ w_j (x_j − y_j)², with δ = x − y,

    h = sᵀs′ g + 2g′ (s′ − s)ᵀWδ − 2g′ Σ w_j − 4g″ Σ w_j² δ_j²,

whose mean over y of the density with score s is 0 for every x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import NotDifferentiableError
from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.vectors.distance import InverseMultiquadric
from mercer.kernels.vectors.gaussian_mixtures import Matern, RationalQuadratic
from mercer.kernels.vectors.radial import RBF

Profile = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]  # g, g′ and g″ of q
Term = tuple[float, Profile, np.ndarray]  # a factor, the profile, and the weights w of the columns

_KNOWN = "RBF, RationalQuadratic, InverseMultiquadric or Matern(nu=2.5), and sums of them"


def _gaussian(q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    g = np.exp(-0.5 * q)
    return g, -0.5 * g, 0.25 * g


def _inverse_power(alpha: float) -> Profile:
    """(1 + q/(2α))^(−α)."""

    def profile(q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        base = 1.0 + q / (2.0 * alpha)
        g = base**-alpha
        first = -0.5 * g / base
        return g, first, -0.5 * (1.0 + 1.0 / alpha) * first / base

    return profile


def _inverse_root(c: float) -> Profile:
    """(q + c²)^(−½)."""

    def profile(q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        base = q + c**2
        g = base**-0.5
        return g, -0.5 * g / base, 0.75 * g / base**2

    return profile


def _matern(q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(1 + u + u²/3) e^(−u) with u = √(5q)."""
    u = np.sqrt(5.0 * q)
    decay = np.exp(-u)
    return (1.0 + u + u**2 / 3.0) * decay, -5.0 / 6.0 * (1.0 + u) * decay, 25.0 / 12.0 * decay


_PROFILES: dict[type[Kernel], Callable[[Any], Profile | None]] = {
    RBF: lambda kernel: _gaussian,
    RationalQuadratic: lambda kernel: _inverse_power(float(kernel.alpha)),
    InverseMultiquadric: lambda kernel: _inverse_root(float(kernel.c)),
    Matern: lambda kernel: _matern if kernel.nu == 2.5 else None,
}


def stein_terms(kernel: Kernel, d: int) -> list[Term]:
    """A kernel on R^d as a sum of profiles with weights of the columns.

    Raises `NotDifferentiableError` for kernels whose second derivatives are not known.
    """
    if isinstance(kernel, Sum):
        return [term for child in kernel.terms for term in stein_terms(child, d)]
    if isinstance(kernel, Scaled):
        factor = float(kernel.factor)
        return [(factor * a, g, w) for a, g, w in stein_terms(kernel.kernel, d)]
    if isinstance(kernel, On) and kernel.positions(d) == list(range(d)):
        return stein_terms(kernel.kernel, d)
    profile = _profile(kernel)
    if profile is None:
        rule = "has no second derivatives here, which a Stein kernel needs"
        raise NotDifferentiableError("kernel", kernel, rule, f"use {_KNOWN}")
    lengths: Any = getattr(kernel, "length_scale", 1.0)
    weights = np.broadcast_to(np.asarray(lengths, dtype=float), (d,)) ** -2.0
    return [(1.0, profile, weights)]


def _profile(kernel: Kernel) -> Profile | None:
    """The profile of a radial kernel; None of others."""
    profile_of = _PROFILES.get(type(kernel))
    return None if profile_of is None else profile_of(kernel)


def stein_block(
    terms: list[Term], X: np.ndarray, S: np.ndarray, start: int, stop: int
) -> np.ndarray:
    """Rows of the matrix of h(x_i, x_j), for i from start to stop.

    Parameters
    ----------
    terms : list
        What `stein_terms` returned.
    X, S : ndarray of shape (n, d)
        Samples and their scores.
    start, stop : int
        The rows.
    """
    rows = slice(start, stop)
    scores = S[rows] @ S.T
    total = np.zeros_like(scores)
    for factor, profile, w in terms:
        q, slope, square = (np.zeros_like(scores) for _ in range(3))
        for j in range(X.shape[1]):  # column by column: δ would be an array of three dimensions
            delta = X[rows, j, None] - X[None, :, j]
            weighted = w[j] * delta
            q += weighted * delta
            slope += (S[None, :, j] - S[rows, j, None]) * weighted
            square += weighted**2
        g, first, second = profile(q)
        total += factor * (g * scores + 2.0 * first * (slope - w.sum()) - 4.0 * second * square)
    return total
