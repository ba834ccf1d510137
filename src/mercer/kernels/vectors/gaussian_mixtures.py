"""Radial kernels that are mixtures of Gaussians: exponential, Matérn, rational quadratic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer import _compiled
from mercer.aliases import LengthScale
from mercer.definiteness import DIVISIBLE, STRICT, Definite
from mercer.definiteness.means import SPECTRUM
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.separable.mixtures import gaussian_mixture
from mercer.kernels.separable.terms import Columns, Separation
from mercer.kernels.vectors.radial import RBF, RadialKernel
from mercer.kernels.vectors.single_tiles import Formula
from mercer.params import param, positive, positive_or_inf, positive_or_per_column

__all__ = ["Exponential", "Matern", "RationalQuadratic"]

# in single precision, with the factor of s² in it, by the order ν
_FORMULAS = {
    0.5: (Formula("EXPONENTIAL", smooth=False), 1.0),
    1.5: (Formula("MATERN32"), 3.0),
    2.5: (Formula("MATERN52"), 5.0),
    math.inf: (Formula("GAUSSIAN"), 0.5),
}


def mixture_form(kernel: Any, columns: Columns) -> Separation:
    """Gaussians of several widths, each a product over the columns.

    ``kernel.mixture()`` has the shape of the Gamma distribution of τ, the factor of s², and
    whether it is that of 1/τ instead.
    """
    shape, inverse = kernel.mixture()
    if math.isinf(shape):
        return RBF(kernel.length_scale).separation(columns)
    tau, weights, error = gaussian_mixture(kernel.profile, shape, inverse)
    terms = []
    for factor, weight in zip(tau, weights, strict=True):
        scale = np.asarray(kernel.length_scale, dtype=float) / math.sqrt(factor)
        terms += RBF(scale.tolist()).separation(columns).scaled(float(weight)).terms
    return Separation(terms, error, 1.0)


class Exponential(RadialKernel, splits=mixture_form):
    """k(x, y) = exp(−s), s the scaled Euclidean distance (Matérn ½, Ornstein–Uhlenbeck).

    Parameters
    ----------
    length_scale : float or array-like of shape (n_features,), default 1.0
        One length scale for all columns or one per column.

    Examples
    --------
    >>> from mercer import Exponential
    >>> Exponential(length_scale=2.0)([[0.0], [2.0]]).round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    """

    definite = Definite(
        STRICT,
        "Schoenberg: exp of minus ‖x−y‖, which is conditionally negative definite and 0 only at "
        "x = y",
        facts=(DIVISIBLE,),
        means=SPECTRUM,
    )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        tile, factor = self.scaled(pair, out)
        _compiled.profiles.exponential_root(tile, factor, out)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.exp(-np.sqrt(s2))

    def log_profile(self, s2: np.ndarray) -> np.ndarray:
        return -np.sqrt(s2)

    def formula(self) -> tuple[Formula, float]:
        return Formula("EXPONENTIAL", smooth=False), 1.0

    def mixture(self) -> tuple[float, bool]:
        return 0.5, True

    def slope(self, s2: np.ndarray) -> np.ndarray:
        s = np.sqrt(s2)
        return np.exp(-s) / s


def _log_bessel_k(order: float, z: np.ndarray) -> np.ndarray:
    """log K_order(z) where it is too large for a float.

    That is the leading term at small z, and Debye's expansion for a large order.
    """
    if order >= 100:
        return _debye_log_bessel_k(order, z)
    from scipy.special import gammaln

    # only tiny z get here: K = ½ Γ(ν) (2/z)^ν (1 − z²/(4(ν−1)) + ...)
    small = z * z / 4.0
    series = 1.0 + small / (1.0 - order) * (1.0 + small / (2.0 * (2.0 - order)))
    return math.log(0.5) + gammaln(order) + order * np.log(2.0 / z) + np.log(series)


def _debye_log_bessel_k(order: float, z: np.ndarray) -> np.ndarray:
    """log K_order(z) by Debye's expansion in powers of 1/order."""
    x = z / order
    root = np.sqrt(1.0 + x * x)
    t = 1.0 / root
    eta = root + np.log(x / (1.0 + root))
    u1 = (3 * t - 5 * t**3) / 24
    u2 = (81 * t**2 - 462 * t**4 + 385 * t**6) / 1152
    u3 = (30375 * t**3 - 369603 * t**5 + 765765 * t**7 - 425425 * t**9) / 414720
    u4 = 4465125 * t**4 - 94121676 * t**6 + 349922430 * t**8
    u4 = (u4 - 446185740 * t**10 + 185910725 * t**12) / 39813120
    correction = 1 - u1 / order + u2 / order**2 - u3 / order**3 + u4 / order**4
    leading = 0.5 * np.log(np.pi / (2.0 * order)) - order * eta
    return leading - 0.5 * np.log(root) + np.log(correction)


class Matern(RadialKernel, splits=mixture_form):
    """k = 2^(1−ν)/Γ(ν) z^ν K_ν(z), z = √(2ν) s, s the scaled distance: the Matérn kernel.

    There are closed forms at ν = ½, 3/2, 5/2 and ∞ (the Gaussian).

    Parameters
    ----------
    length_scale : float or array-like of shape (n_features,), default 1.0
        One length scale for all columns or one per column.
    nu : float, default 1.5
        The order ν, positive or infinite: sample paths are ⌈ν⌉ − 1 times differentiable. It is
        not differentiated.

    References
    ----------
    Rasmussen and Williams, "Gaussian Processes for Machine Learning", MIT Press 2006, chapter 4.
    Grosswald, "The Student t-distribution of any degree of freedom is infinitely divisible",
    Zeitschrift für Wahrscheinlichkeitstheorie 36, 1976.

    Examples
    --------
    >>> from mercer import Matern
    >>> Matern(nu=1.5)([[0.0], [1.0]]).round(4).tolist()
    [[1.0, 0.4834], [0.4834, 1.0]]
    """

    length_scale: LengthScale = param(default=1.0, check=positive_or_per_column, continuous=True)
    nu: float = param(default=1.5, check=positive_or_inf)

    def claim(self) -> Definite:
        if math.isinf(self.nu):
            rule = "Bochner: for ν = ∞ it is the Gaussian"
            return Definite(STRICT, rule, facts=(DIVISIBLE,), means=SPECTRUM)
        rule = "Bochner: the spectral density ∝ (2ν + ‖ℓω‖²)^(−ν−d/2) is positive for every d"
        # for powers: it is the Laplace transform of an inverse Gamma distribution at s²
        rule += "; infinitely divisible as the t distribution is (Grosswald 1976)"
        return Definite(STRICT, rule, facts=(DIVISIBLE,), means=SPECTRUM)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        profiles = _compiled.profiles
        tile, factor = self.scaled(pair, out)
        if self.nu == 0.5:
            profiles.exponential_root(tile, factor, out)
        elif self.nu == 1.5:
            profiles.matern32(tile, 3.0 * factor, out)
        elif self.nu == 2.5:
            profiles.matern52(tile, 5.0 * factor, out)
        elif math.isinf(self.nu):
            profiles.exponential_down(tile, -0.5 * factor, out)
        else:
            super().tile(pair, out)

    def formula(self) -> tuple[Formula, float] | None:
        return _FORMULAS.get(float(self.nu))

    def mixture(self) -> tuple[float, bool]:
        return float(self.nu), True

    def _bessel(self, z: np.ndarray, order: float, shift: float) -> np.ndarray:
        """2^(1−ν)/Γ(ν) z^shift K_order(z), in logarithms."""
        from scipy.special import gammaln, kve

        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            scaled = kve(order, z)
            log = np.where(np.isfinite(scaled), np.log(scaled) - z, _log_bessel_k(order, z))
            log = log + shift * np.log(z) + (1.0 - self.nu) * math.log(2.0)
            # SciPy has no values of K at arguments of 1e9; those from 1e4 on underflow anyway
            return np.where((z > 1e4) & (order < 100), 0.0, np.exp(log - gammaln(self.nu)))

    def profile(self, s2: np.ndarray) -> np.ndarray:
        if math.isinf(self.nu):
            return np.exp(-0.5 * s2)
        z = np.sqrt(2.0 * self.nu * s2)
        return np.where(z > 0, np.minimum(self._bessel(z, self.nu, self.nu), 1.0), 1.0)

    def slope(self, s2: np.ndarray) -> np.ndarray:
        nu = self.nu
        if math.isinf(nu):
            return np.exp(-0.5 * s2)
        z = np.sqrt(2.0 * nu * s2)
        if nu == 1.5:
            return 3.0 * np.exp(-z)
        if nu == 2.5:
            z = np.minimum(z, 1e4)  # ∞ · 0 is no number
            return (5.0 / 3.0) * (1.0 + z) * np.exp(-z)
        return 2.0 * nu * self._bessel(z, abs(nu - 1.0), nu - 1.0)

    def curvature(self, s2: np.ndarray) -> np.ndarray | None:
        if math.isinf(self.nu):
            return np.exp(-0.5 * s2)
        if self.nu == 2.5:
            return (25.0 / 3.0) * np.exp(-np.sqrt(5.0 * s2))
        return None

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(nu=0.5), cls(nu=2.5, length_scale=2.0), cls(nu=0.8), cls(nu=math.inf)]


class RationalQuadratic(RadialKernel, splits=mixture_form):
    """k = (1 + s²/(2α))^(−α), s the scaled Euclidean distance: the rational quadratic kernel.

    Parameters
    ----------
    length_scale : float or array-like of shape (n_features,), default 1.0
        One length scale for all columns or one per column.
    alpha : float, default 1.0
        The exponent; as it grows the kernel approaches the Gaussian.

    References
    ----------
    Rasmussen and Williams, "Gaussian Processes for Machine Learning", MIT Press 2006, chapter 4.

    Examples
    --------
    >>> from mercer import RationalQuadratic
    >>> RationalQuadratic(length_scale=2.0)([[0.0], [2.0]]).round(4).tolist()
    [[1.0, 0.6667], [0.6667, 1.0]]
    """

    definite = Definite(
        STRICT,
        "mixture: Gaussians exp(−t s²/2), t of a Gamma distribution, so with weights > 0",
        facts=(DIVISIBLE,),
        means=SPECTRUM,
    )
    length_scale: LengthScale = param(default=1.0, check=positive_or_per_column, continuous=True)
    alpha: float = param(default=1.0, check=positive, continuous=True)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        tile, factor = self.scaled(pair, out)
        # a larger power of a distance beyond all numbers is 0 as well; of a smaller one the value
        # is lost
        if self.alpha < 1.0 and not np.isfinite(tile).all():
            tile = np.where(np.isinf(tile), np.nan, tile)
        _compiled.profiles.rational(tile, factor / (2.0 * self.alpha), float(self.alpha), out)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.exp(-self.alpha * np.log1p(s2 / (2.0 * self.alpha)))

    def formula(self) -> tuple[Formula, float]:
        alpha = float(self.alpha)
        return Formula("RATIONAL", a=alpha, slope=max(1.0, alpha)), 0.5 / alpha

    def mixture(self) -> tuple[float, bool]:
        return float(self.alpha), False

    def slope(self, s2: np.ndarray) -> np.ndarray:
        return np.exp(-(self.alpha + 1.0) * np.log1p(s2 / (2.0 * self.alpha)))

    def curvature(self, s2: np.ndarray) -> np.ndarray:
        return (1.0 + 1.0 / self.alpha) * self.slope(s2) / (1.0 + s2 / (2.0 * self.alpha))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        yield from super().tile_derivatives(pair)
        tile, factor = self.scaled(pair)
        u = tile * (factor / (2.0 * self.alpha))
        yield "alpha", None, np.exp(-self.alpha * np.log1p(u)) * (u / (1.0 + u) - np.log1p(u))
