"""Stein kernels: h(x, y) = sᵀs′ k + sᵀ∇_y k + s′ᵀ∇_x k + tr ∇_x∇_y k, with the scores s and s′.

For a kernel k = g(q) of q = Σ w_j (x_j − y_j)², with the slope −2g′, the curvature 4g″ and
δ = x − y,

    h = sᵀs′ g − 2g′ (Σ w_j − (s′ − s)ᵀWδ) − 4g″ Σ w_j² δ_j²,

whose mean over y of the density with score s is 0 for every x.
"""

from __future__ import annotations

import functools

import numpy as np

from mercer.errors import NotDifferentiableError
from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.vectors.distance import DistanceKernel
from mercer.kernels.vectors.radial import ScaledDistance

Radial = ScaledDistance | DistanceKernel
Term = tuple[float, Radial, np.ndarray]  # a factor, the kernel, and the weights w of the columns

_KNOWN = "RBF, RationalQuadratic, InverseMultiquadric or Matern(nu=2.5), and sums of them"


@functools.singledispatch
def stein_terms(kernel: Kernel, d: int) -> list[Term]:
    """A kernel on R^d as a sum of radial kernels with weights of the columns.

    Raises `NotDifferentiableError` for kernels whose second derivatives are not known.
    """
    rule = "has no second derivatives here, which a Stein kernel needs"
    raise NotDifferentiableError("kernel", kernel, rule, f"use {_KNOWN}")


@stein_terms.register
def _(kernel: Sum, d: int) -> list[Term]:
    return [term for child in kernel.terms for term in stein_terms(child, d)]


@stein_terms.register
def _(kernel: Scaled, d: int) -> list[Term]:
    return [(float(kernel.factor) * a, radial, w) for a, radial, w in stein_terms(kernel.kernel, d)]


@stein_terms.register
def _(kernel: On, d: int) -> list[Term]:
    if kernel.positions(d) == list(range(d)):
        return stein_terms(kernel.kernel, d)
    return stein_terms.dispatch(Kernel)(kernel, d)


@stein_terms.register
def _(kernel: ScaledDistance, d: int) -> list[Term]:
    scale = np.asarray(kernel.length_scale, dtype=float)
    return _radial_term(kernel, np.broadcast_to(scale, (d,)) ** -2.0)


@stein_terms.register
def _(kernel: DistanceKernel, d: int) -> list[Term]:
    return _radial_term(kernel, np.ones(d))


def _radial_term(kernel: Radial, weights: np.ndarray) -> list[Term]:
    if kernel.curvature(np.zeros(1)) is None:
        return stein_terms.dispatch(Kernel)(kernel, len(weights))
    return [(1.0, kernel, weights)]


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
    for factor, radial, w in terms:
        q, slope, square = (np.zeros_like(scores) for _ in range(3))
        for j in range(X.shape[1]):  # column by column: δ would be an array of three dimensions
            delta = X[rows, j, None] - X[None, :, j]
            weighted = w[j] * delta
            q += weighted * delta
            slope += (S[None, :, j] - S[rows, j, None]) * weighted
            square += weighted**2
        curvature = radial.curvature(q)
        assert curvature is not None
        products = radial.profile(q) * scores + radial.slope(q) * (w.sum() - slope)
        total += factor * (products - curvature * square)
    return total
