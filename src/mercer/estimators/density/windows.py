"""The windows of density estimation: profile, integral, and how to draw from each."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from scipy import integrate, special

from mercer.definiteness import Definite
from mercer.kernels.vectors.gaussian_mixtures import Exponential
from mercer.kernels.vectors.radial import RBF, RadialKernel
from mercer.state import storable

Draw = Callable[[np.random.Generator, int, int], np.ndarray]


class _Window(RadialKernel, abstract=True):
    """A radial window of which only the values are used; it need not be positive definite."""

    definite: ClassVar[Definite | None] = None


@storable
class Tophat(_Window, abstract=True):
    """1 within a bandwidth; a sample one bandwidth away is outside, in spite of rounding error."""

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.where(s2 < 1 - 1e-14, 1.0, 0.0)


@storable
class Epanechnikov(_Window, abstract=True):
    """1 − s² within a bandwidth."""

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.maximum(1 - s2, 0.0)


@storable
class Triangle(_Window, abstract=True):
    """1 − s within a bandwidth."""

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.maximum(1 - np.sqrt(s2), 0.0)


@storable
class CosineArch(_Window, abstract=True):
    """cos(πs/2) within a bandwidth."""

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.where(s2 < 1, np.cos(0.5 * np.pi * np.sqrt(np.minimum(s2, 1.0))), 0.0)


def _radii_of_cosine(rng: np.random.Generator, count: int, d: int) -> np.ndarray:
    """Draw from r^{d−1} cos(πr/2) by rejection from r^{d−1}(1 − r).

    Because cos(πr/2) ≤ (π/2)(1 − r), at least 2/π of the draws are kept.
    """
    kept = np.empty(0)
    while len(kept) < count:
        r = rng.beta(d, 2, size=2 * count)
        accepted = rng.uniform(size=r.size) * (0.5 * np.pi * (1 - r)) <= np.cos(0.5 * np.pi * r)
        kept = np.concatenate([kept, r[accepted]])
    return kept[:count]


def _cosine_moment(d: int) -> float:
    def density(r: float) -> float:
        return r ** (d - 1) * np.cos(0.5 * np.pi * r)

    return float(np.log(integrate.quad(density, 0, 1, epsabs=0, epsrel=1e-12)[0]))


def log_surface(d: int) -> float:
    """Log of the surface of the unit sphere of R^d."""
    return float(np.log(2) + 0.5 * d * np.log(np.pi) - special.gammaln(0.5 * d))


@dataclasses.dataclass(frozen=True)
class Window:
    """A window by name. ``radii`` draws distances from the middle, in bandwidths."""

    kernel: type[RadialKernel]
    compact: bool
    moment: Callable[[int], float]  # log ∫ r^{d−1} w(r) dr
    radii: Draw

    def log_integral(self, d: int, bandwidth: float) -> float:
        """Log of ∫ w(‖x‖/h) dx over R^d: the surface of the unit sphere times the moment."""
        return float(log_surface(d) + self.moment(d) + d * np.log(bandwidth))

    def draw(self, rng: np.random.Generator, count: int, d: int) -> np.ndarray:
        """Steps in bandwidths, one row each."""
        direction = rng.standard_normal((count, d))
        direction /= np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-300)
        return direction * self.radii(rng, count, d)[:, None]


WINDOWS = {
    "gaussian": Window(
        RBF,
        False,
        lambda d: (0.5 * d - 1) * np.log(2) + special.gammaln(0.5 * d),
        lambda rng, count, d: np.sqrt(rng.chisquare(d, count)),
    ),
    "exponential": Window(
        Exponential, False, special.gammaln, lambda rng, count, d: rng.gamma(d, size=count)
    ),
    "tophat": Window(
        Tophat, True, lambda d: -np.log(d), lambda rng, count, d: rng.uniform(size=count) ** (1 / d)
    ),
    "epanechnikov": Window(
        Epanechnikov,
        True,
        lambda d: np.log(2) - np.log(d) - np.log(d + 2),
        lambda rng, count, d: np.sqrt(rng.beta(0.5 * d, 2, count)),
    ),
    "linear": Window(
        Triangle,
        True,
        lambda d: -np.log(d) - np.log(d + 1),
        lambda rng, count, d: rng.beta(d, 2, count),
    ),
    "cosine": Window(CosineArch, True, _cosine_moment, _radii_of_cosine),
}
