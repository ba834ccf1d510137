"""Powers and exponentials of kernels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import Features
from mercer.definiteness import Certificate
from mercer.definiteness.rules import exp_rule, power_rule
from mercer.domains.base import Batch
from mercer.errors import DomainError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import Profile, as_dense, within
from mercer.kernels.parameters import show_value
from mercer.kernels.separable.terms import Columns, ColumnTerm, Separation
from mercer.kernels.vectors.distance import NegativeDistance
from mercer.kernels.vectors.dot import Linear
from mercer.kernels.vectors.monomials import dot_power_features
from mercer.kernels.vectors.radial import RBF
from mercer.params import Constraint, is_real, param

__all__ = ["Exp", "Power"]

_LARGEST = 2**31  # what compiled loops count to
_exponent = Constraint(
    f"positive and at most {_LARGEST}",
    lambda v: is_real(v) and 0 < v <= _LARGEST,
    "give an integer >= 1, or a real > 0",
)


class Power(Profile):
    """k ** exponent: an integer ≥ 1, or any positive real if k is infinitely divisible.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    exponent : float
        The power; one that is not an integer is differentiated as a parameter.

    Examples
    --------
    >>> from mercer import Linear
    >>> (Linear() ** 2)([[1.0]], [[3.0]]).tolist()
    [[9.0]]
    """

    precedence: ClassVar[int] = 4
    exponent: float = param(check=_exponent)

    @property
    def whole(self) -> bool:
        """Whether the exponent is an integer."""
        return float(self.exponent).is_integer()

    def certify(self, d: int | None) -> Certificate:
        return power_rule(repr(self), self.exponent, self.kernel.certify(d))

    def __repr__(self) -> str:
        return f"{within(self.kernel, 5)} ** {show_value(self.exponent)}"

    def values(self, inner: np.ndarray, out: np.ndarray) -> None:
        if self.whole:
            _compiled.profiles.integer_power(inner, 1.0, 0.0, int(self.exponent), out)
            return
        if inner.size and inner.min() < 0:
            i, j = np.argwhere(inner < 0)[0]
            what = f"k at ({i}, {j}) of the tile"
            rule = f"is negative and has no real power {self.exponent:g}"
            raise DomainError(what, float(inner[i, j]), rule, "use an integer exponent")
        np.power(inner, float(self.exponent), out=out)

    def continuous_params(self) -> dict[str, Any]:
        params = super().continuous_params()
        if self.whole:
            return params
        return {"exponent": self.exponent, **params}

    def separation(self, columns: Columns) -> Separation:
        """A power of a product is a product of powers; of a sum the multinomial theorem."""
        inner = self.kernel.separation(columns)
        if len(inner.terms) == 1 and not inner.error:
            return Separation([self._of_term(inner.terms[0])], 0.0, inner.bound**self.exponent)
        if not self.whole:
            return super().separation(columns)
        return inner.raised(int(self.exponent))

    def _of_term(self, term: ColumnTerm) -> ColumnTerm:
        factors = {j: Power(factor, self.exponent) for j, factor in term.factors.items()}
        return ColumnTerm(term.weight**self.exponent, factors)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        part = pair.part(0)
        base = np.empty(pair.shape)
        self.kernel.tile(part, base)
        p = self.exponent
        if not self.whole:
            positive = base > 0
            log = np.log(np.where(positive, base, 1.0))
            yield "exponent", None, np.where(positive, base**p * log, 0.0)
        slope = np.ones_like(base) if p == 1 else p * base ** (p - 1)
        for inner, place, tile in self.kernel.tile_derivatives(part):
            yield f"kernel__{inner}", place, tile * slope

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        if not self.whole:
            return super().map_features(batch, truncate)
        inner = as_dense(self.kernel.map_features(batch, truncate))
        return dot_power_features(inner, [0.0] * int(self.exponent) + [1.0])

    def feature_dim(self, p: int) -> float:
        inner = self.kernel.feature_dim(p)
        if math.isinf(inner) or not self.whole:
            return math.inf
        return math.comb(int(inner) + int(self.exponent) - 1, int(self.exponent))

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [
            cls(kernel=Linear(), exponent=2),
            cls(kernel=RBF(), exponent=0.5),
            cls(kernel=Linear() + 0.5, exponent=3),
        ]


class Exp(Profile):
    """exp(k), the exponential of every value, written ``k.exp()``.

    Parameters
    ----------
    kernel : Kernel
        The kernel k, positive semi-definite or conditionally so.

    Examples
    --------
    >>> from mercer import Linear
    >>> Linear().exp()([[0.0]]).tolist()
    [[1.0]]
    """

    def certify(self, d: int | None) -> Certificate:
        return exp_rule(repr(self), self.kernel.certify(d))

    def __repr__(self) -> str:
        return f"{within(self.kernel, 9)}.exp()"

    def values(self, inner: np.ndarray, out: np.ndarray) -> None:
        _compiled.profiles.exponential(inner, 1.0, out)

    def separation(self, columns: Columns) -> Separation:
        """The exponential of a sum over columns is a product."""
        inner = self.kernel.separation(columns)
        is_sum = all(len(term.factors) <= 1 for term in inner.terms) and not inner.error
        if not is_sum or len(columns) == 1:
            return super().separation(columns)
        product = ColumnTerm(1.0, {})
        for term in inner.terms:
            product = product.times(_exponential(term))
        return Separation([product])

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        value = np.empty(pair.shape)
        self.tile(pair, value)
        for inner, place, tile in self.kernel.tile_derivatives(pair.part(0)):
            yield f"kernel__{inner}", place, tile * value

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(kernel=0.1 * Linear()), cls(kernel=0.5 * NegativeDistance())]


def _exponential(term: ColumnTerm) -> ColumnTerm:
    """The exponential of a term of one column, or of a constant."""
    if not term.factors:
        return ColumnTerm(math.exp(term.weight), {})
    return ColumnTerm(1.0, {j: Exp(term.weight * factor) for j, factor in term.factors.items()})
