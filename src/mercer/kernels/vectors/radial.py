"""Functions of a scaled Euclidean distance.

A new radial kernel needs ``profile`` and ``slope`` only; these fill tiles with compiled code.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from mercer import _compiled
from mercer.aliases import LengthScale, Prepared, SparseMatrix
from mercer.definiteness import DIVISIBLE, PSD, SEPARATES, STRICT, Certificate, Definite, Where
from mercer.definiteness.means import SPECTRUM, finite
from mercer.definiteness.rules import conformal_rule, exp_rule
from mercer.domains.base import Batch
from mercer.domains.vectors.domain import WIDE, CsrSamples, VectorSamples
from mercer.errors import NotDifferentiableError, WidthError
from mercer.gram.plan import FLOAT32, PANELS, fits
from mercer.gram.single import SingleTiles
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel, WeightedSum
from mercer.kernels.separable.separable import product_form
from mercer.kernels.vectors.dot import dense_rows
from mercer.kernels.vectors.inputs import weighted_differences
from mercer.kernels.vectors.monomials import exponential_features
from mercer.kernels.vectors.single_precision import DenseRows, SinglePrecisionRows, SparseRows
from mercer.kernels.vectors.single_tiles import Formula, vector_tiles
from mercer.params import param, positive, positive_or_per_column

__all__ = ["RBF", "Gaussian", "SquaredExponential"]

_STRIP = 8192  # rows that are scaled at a time

_FAR = 1e5  # in length scales from the mean
_FEW_FEATURES = 128  # beyond them, BLAS computes the whole matrix sooner than a loop a part of it


def check_per_column(kernel: Kernel, name: str, value: LengthScale, n_columns: int) -> None:
    """Raise WidthError if a parameter has one value per column, and not as many as columns."""
    if np.ndim(value) and len(value) != n_columns:
        what, rule = f"{type(kernel).__name__}: {name}", "must have one per column of X, which has"
        raise WidthError(what, f"{len(value)} values", f"{rule} {n_columns}")


class ScaledDistance(Kernel, abstract=True):
    """k(x, y) = profile(s²), s² = Σ ((x_j − y_j)/ℓ_j)²; subclasses declare the length scale ℓ.

    `RadialKernel` declares it as the first parameter; a kernel with another order of parameters
    derives from this class.
    """

    if TYPE_CHECKING:

        @property
        def length_scale(self) -> LengthScale: ...

    def profile(self, s2: np.ndarray) -> np.ndarray:
        """The kernel's values for these squared scaled distances."""
        raise NotImplementedError(
            f"{type(self).__name__} must define profile(s2), or tile(pair, out)"
        )

    def slope(self, s2: np.ndarray) -> np.ndarray:
        """−2 dk/d(s²), from which the derivatives in the length scales follow."""
        remedy = f"{type(self).__name__} must define slope(s2)"
        raise NotDifferentiableError("gradient", self, "is not defined", remedy)

    def curvature(self, s2: np.ndarray) -> np.ndarray | None:
        """4 d²k/d(s²)², if k has second derivatives in x everywhere, and they are known."""
        return None

    def log_profile(self, s2: np.ndarray) -> np.ndarray:
        """The logarithm of the profile, also where the profile itself is too small for a float."""
        with np.errstate(divide="ignore"):
            return np.log(self.profile(s2))

    @property
    def invariance(self) -> str:  # type: ignore[override]
        return "translation" if np.ndim(self.length_scale) else "radial"

    def prepare(self, batch: Batch) -> Prepared:
        samples = super().prepare(batch)
        if np.ndim(self.length_scale):
            check_per_column(self, "length_scale", self.length_scale, samples.n_features)
        return samples

    def scaled(self, pair: Pair, out: np.ndarray | None = None) -> tuple[np.ndarray, float]:
        """A tile and a factor whose product is s²: other length scales share the tile."""
        if np.ndim(self.length_scale):
            per_column = np.asarray(self.length_scale, dtype=float)
            return pair.sqdist(1.0 / (per_column * per_column), out), 1.0
        scale = np.float64(self.length_scale)
        return pair.sqdist(None, out), float(1.0 / (scale * scale))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        tile, factor = self.scaled(pair, out)
        np.multiply(tile, factor, out=out)
        np.copyto(out, self.profile(out))

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return np.full(len(samples), float(self.profile(np.zeros(1))[0]))

    def formula(self) -> tuple[Formula, float] | None:
        """The formula in single precision and the factor of s² in it; None without one."""
        return None

    def single_tiles(self, centers: Prepared) -> SingleTiles | None:
        scaled_formula = self.formula()
        if scaled_formula is None:
            return None
        formula, factor = scaled_formula
        scale = math.sqrt(factor) / np.asarray(self.length_scale, dtype=float)
        return vector_tiles(formula, centers, scale, 1.0)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        tile, factor = self.scaled(pair)
        s2 = tile * factor
        yield from self.scale_derivatives(pair, self.slope(s2), s2)

    def weighted_derivatives(self, pair: Pair, weights: np.ndarray) -> Iterator[WeightedSum]:
        """Yield the derivatives of Σ weights∘k; those in one length scale per column at once.

        Σ M (x − y)² of all columns follows from the sums of M and one product with it.
        """
        centered = self._centered_rows(pair)
        if centered is None:
            yield from super().weighted_derivatives(pair, weights)
            return
        x, y = centered
        tile, factor = self.scaled(pair)
        s2 = tile * factor
        with np.errstate(all="ignore"):
            M = np.where(s2 > 0, weights * self.slope(s2), 0.0)
        pair.work.serial_blas()
        squares = M.sum(axis=1) @ (x * x) + M.sum(axis=0) @ (y * y)
        sums = squares - 2.0 * np.einsum("if,if->f", x, M @ y)
        for f, value in enumerate(sums / np.asarray(self.length_scale, dtype=float) ** 3):
            yield "length_scale", f, float(value)

    def tile_input_gradients(self, pair: Pair, weights: np.ndarray) -> np.ndarray:
        tile, factor = self.scaled(pair)
        s2 = tile * factor
        with np.errstate(all="ignore"):
            slope = np.where(s2 > 0, self.slope(s2), 0.0)
        scale = np.asarray(self.length_scale, dtype=float)
        return -weighted_differences(pair, slope, weights) / (scale * scale)

    def _centered_rows(self, pair: Pair) -> tuple[np.ndarray, np.ndarray] | None:
        """The rows of both samples, centered; None where `weighted_derivatives` has no shorter way.

        It has one for dense rows and one length scale per column, if the rows are not so far from
        their center that a difference of squares would lose too much.
        """
        scale = np.asarray(self.length_scale, dtype=float)
        only_scales = scale.ndim > 0 and self._continuous == ("length_scale",)
        if not only_scales or not isinstance(pair.x, VectorSamples):
            return None
        center = pair.x.mean
        x = pair.x.x[pair.rows] - center
        y = pair.y.x[pair.cols] - center
        largest = float(max(np.abs(x).max(), np.abs(y).max()))
        if largest > 1e3 * float(scale.min()):
            return None
        return x, y

    def scale_derivatives(
        self, pair: Pair, slope: np.ndarray, s2: np.ndarray
    ) -> Iterator[Derivative]:
        """Yield dk/dℓ of one tile for every length scale, given the slope and s²."""
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

    Parameters
    ----------
    length_scale : float or array-like of shape (n_features,), default 1.0
        ℓ, one length scale for all columns or one per column.
    """

    length_scale: LengthScale = param(default=1.0, check=positive_or_per_column, continuous=True)


class RBF(RadialKernel, splits=product_form):
    """The Gaussian: k(x, y) = exp(−½ Σ ((x_j − y_j)/ℓ_j)²).

    Parameters
    ----------
    length_scale : float or array-like of shape (n_features,), default 1.0
        ℓ, one length scale for all columns or one per column (automatic relevance determination).

    Examples
    --------
    >>> from mercer import RBF
    >>> RBF(length_scale=2.0)([[0.0], [2.0]]).round(4).tolist()
    [[1.0, 0.6065], [0.6065, 1.0]]
    """

    definite = Definite(
        STRICT,
        "Bochner: the Fourier transform of a Gaussian is a Gaussian, positive everywhere",
        facts=(DIVISIBLE,),
        means=SPECTRUM,
    )
    hints: ClassVar[dict[str, str]] = {
        "gamma": "write RBF.from_gamma(gamma): length_scale = 1/√(2 gamma)",
        "sigma": "write RBF.from_sigma(sigma): length_scale = sigma",
    }

    @classmethod
    def from_sigma(cls, sigma: float) -> Self:
        """exp(−‖x−y‖²/(2σ²)), the Gaussian given by its standard deviation."""
        return cls(length_scale=sigma)

    @classmethod
    def from_gamma(cls, gamma: float) -> Self:
        """exp(−γ‖x−y‖²), the Gaussian given by the factor of the squared distance."""
        positive.check("gamma", gamma)
        return cls(length_scale=1.0 / math.sqrt(2.0 * gamma))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        tile, factor = self.scaled(pair, out)
        _compiled.profiles.exponential_down(tile, -0.5 * factor, out)

    def profile(self, s2: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * s2)

    slope = profile
    curvature = profile

    def log_profile(self, s2: np.ndarray) -> np.ndarray:
        return -0.5 * s2

    def formula(self) -> tuple[Formula, float]:
        return Formula("GAUSSIAN"), 0.5

    def algebraic_certificate(self) -> Certificate:
        """The proof by the closure rules alone: g(x) g(y) exp(⟨x, y⟩/ℓ²), g(x) = exp(−‖x‖²/(2ℓ²)).

        It needs no Fourier transform, unlike that of `certificate`. ``mercer check --algebraic``
        prints it.

        Returns
        -------
        Certificate
            A conformal change of an exponential of an inner product.

        Examples
        --------
        >>> from mercer import RBF
        >>> print(RBF().algebraic_certificate())  # doctest: +ELLIPSIS
        RBF() = g(x) exp(⟨x, y⟩/ℓ²) g(y), g(x) = exp(−‖x‖²/2ℓ²)
          is strictly positive definite on R^d
          by conformal change: feature map f(x) φ(x); strict because f(x) ≠ 0
            exp(⟨x, y⟩/ℓ²)
              is strictly positive definite on R^d
              by exponential: the power series of exp; strict because ...
                ⟨x, y⟩/ℓ²
                  is positive semi-definite on R^d
                  by inner product: φ(x) = x/ℓ
                  and k(x,x) + k(y,y) − 2k(x,y) > 0 for x ≠ y
        """
        rule, facts = "inner product: φ(x) = x/ℓ", frozenset({SEPARATES})
        where, means = Where("R^d"), finite("x/ℓ")
        dot = Certificate(PSD, "⟨x, y⟩/ℓ²", rule, where, facts=facts, means=means)
        claim = f"{self!r} = g(x) exp(⟨x, y⟩/ℓ²) g(y), g(x) = exp(−‖x‖²/2ℓ²)"
        return conformal_rule(claim, exp_rule("exp(⟨x, y⟩/ℓ²)", dot), nonzero=True)

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        if truncate is None:
            return super().map_features(batch, truncate)
        x = dense_rows(self.prepare(batch)) / np.asarray(self.length_scale, dtype=float)
        factors = np.exp(-0.5 * np.einsum("ij,ij->i", x, x))
        return factors[:, None] * exponential_features(x, truncate)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(length_scale=2.5)]

    def gaussian_rows(self, samples: Prepared) -> np.ndarray | None:
        if not isinstance(samples, VectorSamples) or samples.n_features > _FEW_FEATURES:
            return None
        rows = (samples.x - samples.mean) * (np.sqrt(0.5) / np.asarray(self.length_scale))
        # beside a sample that is far away, rounding would hide the differences of the others
        return rows if np.abs(rows).max() < _FAR else None

    def single_precision(self, samples: Prepared) -> SinglePrecisionRows | None:
        """Samples for tiles in single precision, if that is quick: few columns, or sparse rows."""
        scale = np.sqrt(0.5) / np.asarray(self.length_scale)
        if isinstance(samples, VectorSamples) and samples.n_features <= WIDE:
            # centered first: far from the origin single precision would see no differences
            scaling = partial(_scaled_rows, mean=samples.mean, scale=scale)
            return DenseRows(scaling(samples), scaling)
        if not isinstance(samples, CsrSamples):
            return None
        if not fits(len(samples), samples.n_features, PANELS, FLOAT32):
            return None
        per_column = np.broadcast_to(scale, (samples.n_features,))[None, :]
        scaling = partial(_scaled_sparse, scale=per_column)
        return SparseRows(scaling(samples), scaling)


def _scaled_rows(samples: VectorSamples, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    out = np.empty(samples.x.shape, dtype=np.float32)
    for start in range(0, len(out), _STRIP):  # copies in double precision stay small
        rows = slice(start, start + _STRIP)
        out[rows] = (samples.x[rows] - mean) * scale
    return out


def _scaled_sparse(samples: CsrSamples, scale: np.ndarray) -> SparseMatrix:
    return samples.x.multiply(scale).tocsr().astype(np.float32)


Gaussian = RBF
SquaredExponential = RBF
