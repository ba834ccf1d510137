"""Functions of a distance.

A new radial kernel needs ``profile`` and ``slope`` only; the ones here fill tiles with compiled code instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from mercer import _compiled
from mercer.aliases import LengthScale, Prepared
from mercer.config import get_config
from mercer.definiteness import DIVISIBLE, PSD, SEPARATES, STRICT, Certificate, Definite, Where
from mercer.definiteness.rules import conformal_rule, exp_rule
from mercer.domains.base import Batch
from mercer.domains.vectors import WIDE, CsrSamples, VectorSamples
from mercer.errors import NotDifferentiableError, WidthError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.vectors.single_precision import DenseRows, SingleRows, SparseRows
from mercer.params import param, positive, positive_or_inf, positive_or_per_column

__all__ = ["RBF", "Exponential", "Gaussian", "Laplacian", "Matern", "RationalQuadratic"]


def check_width(kernel: Kernel, name: str, value: Any, width: int) -> None:
    """One value per column must fit the columns."""
    if np.ndim(value) and len(value) != width:
        raise WidthError(
            f"{type(kernel).__name__}: {name}",
            f"{len(value)} values",
            f"must have one per column of X, which has {width}",
        )


class ScaledDistance(Kernel, abstract=True):
    """What `RadialKernel` does, without saying where among the fields the length scale stands."""

    if TYPE_CHECKING:
        length_scale: LengthScale

    def profile(self, s2: np.ndarray) -> np.ndarray:
        raise NotImplementedError(
            f"{type(self).__name__} must define profile(s2), or tile(pair, out)"
        )

    def slope(self, s2: np.ndarray) -> np.ndarray:
        raise NotDifferentiableError(
            "gradient", self, "is not defined", f"{type(self).__name__} must define slope(s2)"
        )

    @property
    def invariance(self) -> str:  # type: ignore[override]
        return "translation" if np.ndim(self.length_scale) else "radial"

    def prepare(self, batch: Batch) -> Any:
        samples = super().prepare(batch)
        check_width(self, "length_scale", self.length_scale, samples.n_features)
        return samples

    def scaled(self, pair: Pair, out: np.ndarray | None = None) -> tuple[np.ndarray, float]:
        """A tile and a factor whose product is s²: leaves of different length scale share the tile."""
        if np.ndim(self.length_scale):
            scale = np.asarray(self.length_scale, dtype=float)
            return pair.sqdist(1.0 / (scale * scale), out), 1.0
        return pair.sqdist(None, out), float(
            1.0 / (np.float64(self.length_scale) * np.float64(self.length_scale))
        )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        tile, factor = self.scaled(pair, out)
        np.multiply(tile, factor, out=out)
        np.copyto(out, self.profile(out))

    def diagonal(self, side: Prepared) -> np.ndarray:
        return np.full(len(side), float(self.profile(np.zeros(1))[0]))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        tile, factor = self.scaled(pair)
        s2 = tile * factor
        slope = self.slope(s2)
        yield from self.scale_derivatives(pair, slope, s2)

    def weighted_derivatives(
        self, pair: Pair, weights: np.ndarray
    ) -> Iterator[tuple[str, Any, float]]:
        """One scale per column: Σ M (x − y)² of all columns at once, from the sums of M and one product with it."""
        scale = np.asarray(self.length_scale, dtype=float)
        if (
            scale.ndim == 0
            or self._continuous != ("length_scale",)
            or not isinstance(pair.x, VectorSamples)
        ):
            yield from super().weighted_derivatives(pair, weights)
            return
        centre = pair.x.mean
        x, y = pair.x.x[pair.i0 : pair.i1] - centre, pair.y.x[pair.j0 : pair.j1] - centre
        if float(max(np.abs(x).max(), np.abs(y).max())) > 1e3 * float(
            scale.min()
        ):  # a difference of squares would lose too much
            yield from super().weighted_derivatives(pair, weights)
            return
        tile, factor = self.scaled(pair)
        s2 = tile * factor
        with np.errstate(all="ignore"):
            M = np.where(s2 > 0, weights * self.slope(s2), 0.0)
        pair.work.serial_blas()
        sums = (
            M.sum(axis=1) @ (x * x)
            + M.sum(axis=0) @ (y * y)
            - 2.0 * np.einsum("if,if->f", x, M @ y)
        )
        for f, value in enumerate(sums / scale**3):
            yield "length_scale", f, float(value)

    def scale_derivatives(
        self, pair: Pair, slope: np.ndarray, s2: np.ndarray
    ) -> Iterator[Derivative]:
        if not np.ndim(self.length_scale):
            # slope may be infinite where s² is 0; the product is 0 there
            yield "length_scale", None, np.where(s2 > 0, slope * s2, 0.0) / float(self.length_scale)
            return
        slope = np.where(s2 > 0, slope, 0.0)
        out = pair.buffer()
        for f, scale in enumerate(np.asarray(self.length_scale, dtype=float)):
            pair.squared_difference(f, out)
            out *= slope
            out /= scale**3
            yield "length_scale", f, out


class RadialKernel(ScaledDistance, abstract=True):
    """k(x, y) = profile(s²), s² = Σ ((x_j − y_j)/ℓ_j)², with one length scale or one per column.

    ``slope(s²)`` is −2 dk/d(s²); the derivative in every length scale follows from it.
    """

    length_scale: LengthScale = param(default=1.0, check=positive_or_per_column, continuous=True)


class RBF(RadialKernel):
    """The Gaussian: k(x, y) = exp(−½ Σ ((x_j − y_j)/ℓ_j)²).

    >>> from mercer import RBF
    >>> RBF(length_scale=2.0)([[0.0], [2.0]]).round(4).tolist()
    [[1.0, 0.6065], [0.6065, 1.0]]
    """

    definite = Definite(
        STRICT,
        "Bochner: the Fourier transform of a Gaussian is a Gaussian, positive everywhere",
        facts=(DIVISIBLE,),
    )

    @classmethod
    def from_sigma(cls, sigma: float) -> Self:
        """exp(−‖x−y‖²/(2σ²))."""
        return cls(length_scale=sigma)

    @classmethod
    def from_gamma(cls, gamma: float) -> Self:
        """exp(−γ‖x−y‖²)."""
        positive.check("gamma", gamma)
        return cls(length_scale=1.0 / math.sqrt(2.0 * gamma))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        tile, factor = self.scaled(pair, out)
        _compiled.profiles.exponential_down(tile, -0.5 * factor, out)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * s2)

    slope = profile

    def algebraic_certificate(self) -> Certificate:
        """The proof by the closure rules: g(x) g(y) exp(⟨x, y⟩/ℓ²), g(x) = exp(−‖x‖²/(2ℓ²))."""
        space = Where("R^d")
        dot = Certificate(
            PSD, "⟨x, y⟩/ℓ²", "inner product: φ(x) = x/ℓ", space, facts=frozenset({SEPARATES})
        )
        return conformal_rule(
            f"{self!r} = g(x) exp(⟨x, y⟩/ℓ²) g(y), g(x) = exp(−‖x‖²/2ℓ²)",
            exp_rule("exp(⟨x, y⟩/ℓ²)", dot),
            nonzero=True,
        )

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        if truncate is None:
            return super().map_features(batch, truncate)
        from mercer.kernels.vectors.monomials import exponential_features

        samples = self.prepare(batch)
        x = (samples.x.toarray() if samples.sparse else samples.x) / np.asarray(
            self.length_scale, dtype=float
        )
        return np.exp(-0.5 * np.einsum("ij,ij->i", x, x))[:, None] * exponential_features(
            x, truncate
        )

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(length_scale=2.5)]

    def single_precision(self, side: Prepared) -> SingleRows | None:
        """The samples ready for tiles in single precision, where there is a quick way: few columns, or sparse rows."""
        scale = np.sqrt(0.5) / np.asarray(self.length_scale)
        if isinstance(side, VectorSamples) and side.n_features <= WIDE:
            # centred first: far from the origin single precision would see no differences
            return DenseRows(((side.x - side.mean) * scale).astype(np.float32))
        if (
            isinstance(side, CsrSamples)
            and 4 * len(side) * side.n_features <= get_config().memory_budget // 8
        ):
            scaled = (
                side.x.multiply(np.broadcast_to(scale, (side.n_features,))[None, :])
                .tocsr()
                .astype(np.float32)
            )
            return SparseRows(scaled)
        return None


Gaussian = RBF


class Exponential(RadialKernel):
    """k(x, y) = exp(−s), s the scaled Euclidean distance (Matérn ½, Ornstein–Uhlenbeck)."""

    definite = Definite(
        STRICT,
        "Schoenberg: exp of minus a distance, and ‖x−y‖ is conditionally negative definite",
        facts=(DIVISIBLE,),
    )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        tile, factor = self.scaled(pair, out)
        _compiled.profiles.exponential_root(tile, factor, out)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.exp(-np.sqrt(s2))

    def slope(self, s2: np.ndarray) -> np.ndarray:
        s = np.sqrt(s2)
        return np.exp(-s) / s


class Laplacian(Kernel):
    """k(x, y) = exp(−Σ |x_j − y_j|/ℓ_j), with one length scale or one per column."""

    definite = Definite(
        STRICT,
        "Schoenberg: exp of minus an L1 distance, a product of exponentials over columns",
        facts=(DIVISIBLE,),
    )
    invariance: ClassVar[str] = "translation"
    length_scale: LengthScale = param(default=1.0, check=positive_or_per_column, continuous=True)

    def prepare(self, batch: Batch) -> Any:
        samples = super().prepare(batch)
        check_width(self, "length_scale", self.length_scale, samples.n_features)
        return samples

    def _scaled(self, pair: Pair, out: np.ndarray | None = None) -> tuple[np.ndarray, float]:
        if np.ndim(self.length_scale):
            return pair.l1(1.0 / np.asarray(self.length_scale, dtype=float), out), 1.0
        return pair.l1(np.ones(pair.x.n_features), out), float(1.0 / np.float64(self.length_scale))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        tile, factor = self._scaled(pair, out)
        _compiled.profiles.exponential_down(tile, -factor, out)

    def diagonal(self, side: Prepared) -> np.ndarray:
        return np.ones(len(side))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        tile, factor = self._scaled(pair)
        value = np.exp(-factor * tile)
        if not np.ndim(self.length_scale):
            yield "length_scale", None, value * tile * factor * factor
            return
        for f, scale in enumerate(np.asarray(self.length_scale, dtype=float)):
            out = pair.squared_difference(f, np.empty(pair.shape))
            yield "length_scale", f, np.sqrt(out) * value / (scale * scale)


def _log_bessel_k(order: float, z: np.ndarray) -> np.ndarray:
    """log K_order(z) where it is too large for a float: the leading term at small z, else Debye's expansion."""
    from scipy.special import gammaln

    if order < 100:  # only tiny z get here: K = ½ Γ(ν) (2/z)^ν (1 − z²/(4(ν−1)) + ...)
        small = z * z / 4.0
        series = 1.0 + small / (1.0 - order) * (1.0 + small / (2.0 * (2.0 - order)))
        return math.log(0.5) + gammaln(order) + order * np.log(2.0 / z) + np.log(series)
    x = z / order
    root = np.sqrt(1.0 + x * x)
    t = 1.0 / root
    eta = root + np.log(x / (1.0 + root))
    u1 = (3 * t - 5 * t**3) / 24
    u2 = (81 * t**2 - 462 * t**4 + 385 * t**6) / 1152
    u3 = (30375 * t**3 - 369603 * t**5 + 765765 * t**7 - 425425 * t**9) / 414720
    u4 = (
        4465125 * t**4 - 94121676 * t**6 + 349922430 * t**8 - 446185740 * t**10 + 185910725 * t**12
    ) / 39813120
    correction = 1 - u1 / order + u2 / order**2 - u3 / order**3 + u4 / order**4
    return (
        0.5 * np.log(np.pi / (2.0 * order)) - order * eta - 0.5 * np.log(root) + np.log(correction)
    )


class Matern(RadialKernel):
    """k = 2^(1−ν)/Γ(ν) z^ν K_ν(z), z = √(2ν) s; closed forms at ν = ½, 3/2, 5/2 and ∞ (the Gaussian).

    ``nu`` is an order: it is not differentiated.
    """

    definite = Definite(
        STRICT,
        "Bochner: the spectral density (1 + ‖ω‖²)^(−ν−d/2) is positive in every dimension",
        facts=(DIVISIBLE,),
    )
    length_scale: LengthScale = param(default=1.0, check=positive_or_per_column, continuous=True)
    nu: float = param(default=1.5, check=positive_or_inf)

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

    def _bessel(self, z: np.ndarray, order: float, shift: float) -> np.ndarray:
        """2^(1−ν)/Γ(ν) z^shift K_order(z), in logarithms."""
        from scipy.special import gammaln, kve

        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            scaled = kve(order, z)
            log = np.where(np.isfinite(scaled), np.log(scaled) - z, _log_bessel_k(order, z))
            return np.exp(
                log + shift * np.log(z) + (1.0 - self.nu) * math.log(2.0) - gammaln(self.nu)
            )

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
            return (5.0 / 3.0) * (1.0 + z) * np.exp(-z)
        return 2.0 * nu * self._bessel(z, abs(nu - 1.0), nu - 1.0)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(nu=0.5), cls(nu=2.5, length_scale=2.0), cls(nu=0.8), cls(nu=math.inf)]


class RationalQuadratic(RadialKernel):
    """k = (1 + s²/(2α))^(−α)."""

    definite = Definite(
        STRICT,
        "mixture: a Gamma mixture of Gaussians over the inverse squared length",
        facts=(DIVISIBLE,),
    )
    length_scale: LengthScale = param(default=1.0, check=positive_or_per_column, continuous=True)
    alpha: float = param(default=1.0, check=positive, continuous=True)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        tile, factor = self.scaled(pair, out)
        _compiled.profiles.rational(tile, factor / (2.0 * self.alpha), float(self.alpha), out)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.exp(-self.alpha * np.log1p(s2 / (2.0 * self.alpha)))

    def slope(self, s2: np.ndarray) -> np.ndarray:
        return np.exp(-(self.alpha + 1.0) * np.log1p(s2 / (2.0 * self.alpha)))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        yield from super().tile_derivatives(pair)
        tile, factor = self.scaled(pair)
        u = tile * (factor / (2.0 * self.alpha))
        yield "alpha", None, np.exp(-self.alpha * np.log1p(u)) * (u / (1.0 + u) - np.log1p(u))
