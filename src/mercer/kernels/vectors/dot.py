"""Functions of an inner product, subclasses of `DotKernel`; the constant kernel and white noise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.definiteness import (
    DIVISIBLE,
    INDEFINITE,
    POSITIVE_DIAGONAL,
    PSD,
    SEPARATES,
    STRICT,
    UNKNOWN,
    Certificate,
    Definite,
    Where,
    Witness,
)
from mercer.definiteness.means import ATOMS, GAUSSIAN, finite
from mercer.domains.base import Anything, Batch, Domain
from mercer.errors import DefinitenessError, KernelOverflowError
from mercer.gram.single import ConstantTiles, SingleTiles
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.separable.separable import constant_form, noise_form, product_form, sum_form
from mercer.kernels.separable.terms import Columns, Separation, constant
from mercer.kernels.vectors.inputs import tile_rows
from mercer.kernels.vectors.monomials import dot_power_features, exponential_features
from mercer.kernels.vectors.single_tiles import Formula, vector_tiles
from mercer.params import integer, nonnegative, param, positive, real

__all__ = ["Constant", "ExponentialDot", "Linear", "Polynomial", "White"]

_ANYTHING = Anything()
_DIRECTIONS = "inner product: a direction for each sample, orthogonal to all others"


def dense_rows(samples: Prepared) -> np.ndarray:
    """The rows of dense or sparse prepared samples as an array."""
    return samples.x.toarray() if samples.sparse else samples.x


class DotKernel(Kernel, abstract=True):
    """k(x, y) = profile(⟨x, y⟩): the base class of functions of an inner product."""

    invariance: ClassVar[str] = "dot"

    def profile(self, dots: np.ndarray) -> np.ndarray:
        """The kernel's values for these inner products."""
        raise NotImplementedError(
            f"{type(self).__name__} must define profile(dots), or values(dots, out)"
        )

    def values(self, dots: np.ndarray, out: np.ndarray) -> None:
        """Fill ``out``, which may be ``dots`` itself, with the profile."""
        np.copyto(out, self.profile(dots))

    def _refuted(self, rule: str, candidates: list[tuple[np.ndarray, np.ndarray]]) -> Certificate:
        """Indefinite by the best of some points and coefficients.

        If rounding leaves none of the quadratic forms negative the status is unknown.
        """
        best = min(itertools.starmap(self._witness, candidates), key=lambda form: form.value)
        if best.value < 0:
            return Certificate(INDEFINITE, repr(self), rule, Where("R^d"), witness=best)
        rule = f"no rule: the quadratic form that refutes it is 0 in floating point ({rule})"
        return Certificate(UNKNOWN, repr(self), rule, Where("R^d"))

    def _witness(self, points: np.ndarray, coefficients: np.ndarray) -> Witness:
        """The quadratic form of these; it is infinite where the kernel overflows."""
        try:
            value = float(coefficients @ self(points) @ coefficients)
        except KernelOverflowError:
            value = math.inf
        return Witness(points, coefficients, value)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.values(pair.dot(out), out)

    def diagonal(self, samples: Prepared) -> np.ndarray:
        out = np.empty((1, len(samples)))
        self.values(samples.norms[None, :], out)
        return out[0]

    def _single(self, centers: Prepared, formula: Formula) -> SingleTiles | None:
        """Tiles of a formula in single precision."""
        largest = float(np.abs(self.diagonal(centers)).max(initial=0.0))
        return vector_tiles(formula, centers, 1.0, largest)


class Linear(DotKernel, splits=sum_form):
    """k(x, y) = ⟨x, y⟩, the linear kernel.

    Examples
    --------
    >>> from mercer import Linear
    >>> Linear()([[1.0, 2.0], [3.0, 4.0]]).tolist()
    [[5.0, 11.0], [11.0, 25.0]]
    """

    definite = Definite(PSD, "inner product: φ(x) = x", facts=(SEPARATES,), means=finite("x"))

    def values(self, dots: np.ndarray, out: np.ndarray) -> None:
        np.copyto(out, dots)

    def single_tiles(self, centers: Prepared) -> SingleTiles | None:
        return self._single(centers, Formula("POWER", "PRODUCTS"))

    def tile_input_gradients(self, pair: Pair, weights: np.ndarray) -> np.ndarray:
        every_row = np.broadcast_to(weights, (len(weights), *pair.shape))
        return every_row @ tile_rows(pair)[1]

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        return self.prepare(batch).x

    def feature_dim(self, p: int) -> float:
        return p


def power_form(kernel: Polynomial, columns: Columns) -> Separation:
    """(scale ⟨x, y⟩ + offset)^degree, multiplied out."""
    inner = Linear().separation(columns).scaled(float(kernel.scale))
    if kernel.offset != 0:
        inner = inner.plus(constant(float(kernel.offset)))
    return inner.raised(int(kernel.degree))


class Polynomial(DotKernel, splits=power_form):
    """k(x, y) = (scale ⟨x, y⟩ + offset)^degree, the polynomial kernel.

    With a negative offset it is indefinite, and its certificate says so.

    Parameters
    ----------
    degree : int
        The power, at least 1.
    scale : float, default 1.0
        The positive factor of the inner product.
    offset : float, default 1.0
        What is added to it; without an offset all monomials have exactly this degree.

    Examples
    --------
    >>> from mercer import Polynomial
    >>> Polynomial(degree=2)([[1.0], [2.0]]).tolist()
    [[4.0, 9.0], [9.0, 25.0]]
    """

    hints: ClassVar[dict[str, str]] = {"gamma": "write scale", "coef0": "write offset"}
    degree: int = param(check=integer(1, 2**31))
    scale: float = param(default=1.0, check=positive, continuous=True)
    offset: float = param(default=1.0, check=real, continuous=True)

    def certify(self, d: int | None) -> Certificate:
        if self.offset >= 0:
            return super().certify(d)
        rule = "a negative offset: the binomial expansion has a negative coefficient"
        return self._refuted(rule, [self._negative_form(d or 1)])

    def claim(self) -> Definite:
        facts: tuple[str, ...] = (SEPARATES, POSITIVE_DIAGONAL)
        which = "up to this degree, by the binomial theorem"
        if self.offset == 0:
            facts = (SEPARATES,) if self.degree % 2 else ()
            which = "of exactly this degree, by the multinomial theorem"
        rule = f"inner product: φ(x) = all monomials {which}"
        return Definite(PSD, rule, facts=facts, means=finite("monomials"))

    def _negative_form(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Points and coefficients that give a negative quadratic form with a negative offset.

        At x = 0 the value is offset^degree. Where scale·y² = −offset the diagonal vanishes, but
        k(0, y) does not.
        """
        if self.degree % 2:
            return np.zeros((1, d)), np.ones(1)
        points = np.zeros((2, d))
        points[1, 0] = math.sqrt(-self.offset / self.scale)
        return points, np.array([-1.0, 2.0])

    def values(self, dots: np.ndarray, out: np.ndarray) -> None:
        scale, offset = float(self.scale), float(self.offset)
        _compiled.profiles.integer_power(dots, scale, offset, int(self.degree), out)

    def single_tiles(self, centers: Prepared) -> SingleTiles | None:
        numbers = float(self.scale), float(self.offset), int(self.degree), float(self.degree)
        return self._single(centers, Formula("POWER", "PRODUCTS", *numbers))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        dots = pair.dot()
        outer = self.degree * (self.scale * dots + self.offset) ** (self.degree - 1)
        yield "scale", None, outer * dots
        yield "offset", None, outer

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        n, scale, offset = self.degree, float(self.scale), float(self.offset)
        if offset < 0:
            rule, remedy = "< 0 has no real feature map", "give an offset >= 0"
            raise DefinitenessError("Polynomial: offset", self.offset, rule, remedy)
        try:
            weights = [math.comb(n, j) * offset ** (n - j) * scale**j for j in range(n + 1)]
        except OverflowError:
            rule = "is too large for a feature map in floating point"
            raise KernelOverflowError("Polynomial: degree", n, rule) from None
        return dot_power_features(dense_rows(self.prepare(batch)), weights)

    def feature_dim(self, p: int) -> float:
        variables = p + 1 if self.offset else p  # an offset counts as one variable more
        return math.comb(variables + self.degree - 1, self.degree)

    @classmethod
    def examples(cls) -> list[Kernel]:
        indefinite = cls(degree=2, offset=-1.0)
        return [cls(degree=3), cls(degree=2, scale=0.5), cls(degree=4, offset=0.0), indefinite]


class ExponentialDot(DotKernel, splits=product_form):
    """k(x, y) = exp(α ⟨x, y⟩), the exponential of an inner product.

    Parameters
    ----------
    alpha : float, default 1.0
        The positive factor of the inner product.

    Examples
    --------
    >>> from mercer import ExponentialDot
    >>> ExponentialDot(alpha=0.5)([[1.0], [2.0]]).round(3).tolist()
    [[1.649, 2.718], [2.718, 7.389]]
    """

    definite = Definite(
        STRICT,
        "power series: exp has positive coefficients, and ⟨x, y⟩ separates points",
        facts=(DIVISIBLE,),
        means=GAUSSIAN,
    )
    alpha: float = param(default=1.0, check=positive, continuous=True)

    def values(self, dots: np.ndarray, out: np.ndarray) -> None:
        _compiled.profiles.exponential(dots, float(self.alpha), out)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        dots = pair.dot()
        yield "alpha", None, np.exp(self.alpha * dots) * dots

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        if truncate is None:
            return super().map_features(batch, truncate)
        rows = math.sqrt(self.alpha) * dense_rows(self.prepare(batch))
        return exponential_features(rows, truncate)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(alpha=0.3)]


class Constant(Kernel, splits=constant_form):
    """k(x, y) = c ≥ 0, the same for any two samples: the prior variance of a bias term.

    Parameters
    ----------
    c : float, default 1.0
        The value, not negative.

    Examples
    --------
    >>> from mercer import Constant
    >>> Constant(2.0)(["anything", "else"]).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """

    domain: ClassVar[Domain] = _ANYTHING
    invariance: ClassVar[str] = "radial"
    is_constant: ClassVar[bool] = True
    c: float = param(default=1.0, check=nonnegative, continuous=True)

    def claim(self) -> Definite:
        facts = (POSITIVE_DIAGONAL,) if self.c > 0 else ()
        rule = "inner product: φ(x) = √c"
        return Definite(PSD, rule, "any set", facts=facts, means=finite("√c"))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        out.fill(self.c)

    def single_tiles(self, centers: Prepared) -> SingleTiles:
        return ConstantTiles(len(centers), float(self.c))

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return np.full(len(samples), float(self.c))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        yield "c", None, np.ones(pair.shape)

    def tile_input_gradients(self, pair: Pair, weights: np.ndarray) -> np.ndarray:
        # It looks at no columns: the derivatives of the other terms show how many there are.
        return np.zeros((len(weights), pair.shape[0], 1))

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        return np.full((len(batch), 1), math.sqrt(self.c))

    def feature_dim(self, p: int) -> float:
        return 1


class White(Kernel, splits=noise_form):
    """k(X) is the identity and k(X, Y) is 0: white noise, independent from sample to sample.

    The noise belongs to a sample, not to its value: two equal rows have independent noise.

    Examples
    --------
    >>> from mercer import White
    >>> White()([[1.0], [1.0]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    definite = Definite(STRICT, _DIRECTIONS, "any set", means=ATOMS)
    domain: ClassVar[Domain] = _ANYTHING
    invariance: ClassVar[str] = "none"

    @property
    def constant_diagonal(self) -> bool:
        return True

    @property
    def has_white_noise(self) -> bool:
        return True

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        if pair.x.origin is not pair.y.origin:
            out.fill(0.0)
            return
        same = pair.x.identities()[pair.rows, None] == pair.y.identities()[None, pair.cols]
        np.copyto(out, same)

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return np.ones(len(samples))
