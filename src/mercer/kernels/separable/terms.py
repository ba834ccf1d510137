"""Kernels as sums of products over columns: k(x, y) = Σ_t w_t Π_j f_tj(x_j, y_j).

Exact explanations are computed from this form. A leaf names its form in its class statement,
``class RBF(RadialKernel, splits=product_form)``; composite kernels combine the forms of their
parts.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from mercer.errors import NotSeparableError

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__: list[str] = []

_MOST_TERMS = 2000  # beyond, sampling is quicker

Columns = Sequence[Hashable]  # the names of a table's columns, or their positions


@dataclasses.dataclass(frozen=True)
class ColumnTerm:
    """w Π f_j: a weight, and kernels that read the sample but look at one column each."""

    weight: float
    factors: Mapping[int, Kernel]

    def times(self, other: ColumnTerm) -> ColumnTerm:
        """The product of two terms; factors of the same column are multiplied."""
        factors = dict(self.factors)
        for column, factor in other.factors.items():
            factors[column] = factors[column] * factor if column in factors else factor
        return ColumnTerm(self.weight * other.weight, factors)


@dataclasses.dataclass(frozen=True)
class Separation:
    """A sum of products over columns.

    Attributes
    ----------
    terms : list of ColumnTerm
        The products.
    error : float
        How far the sum is from the kernel at most; 0 where it is the kernel itself.
    bound : float
        The largest absolute value of the kernel; infinite where none is known.
    """

    terms: list[ColumnTerm]
    error: float = 0.0
    bound: float = math.inf

    def scaled(self, factor: float) -> Separation:
        """A multiple."""
        terms = [ColumnTerm(factor * term.weight, term.factors) for term in self.terms]
        return Separation(terms, abs(factor) * self.error, _product(abs(factor), self.bound))

    def plus(self, other: Separation) -> Separation:
        """The sum of two."""
        terms = [*self.terms, *other.terms]
        return Separation(terms, self.error + other.error, self.bound + other.bound)

    def times(self, other: Separation) -> Separation:
        """The product of two: every term with every other."""
        check_count(len(self.terms) * len(other.terms))
        pairs = itertools.product(self.terms, other.terms)
        error = _product(self.error, other.bound) + _product(other.error, self.bound)
        error += self.error * other.error
        terms = [first.times(second) for first, second in pairs]
        return Separation(terms, error, _product(self.bound, other.bound))

    def raised(self, exponent: int) -> Separation:
        """The power of a sum of terms, by the multinomial theorem."""
        check_count(math.comb(len(self.terms) + exponent - 1, exponent))
        terms = []
        for chosen in itertools.combinations_with_replacement(self.terms, exponent):
            repeats = Counter(map(id, chosen)).values()
            weight = math.factorial(exponent) / math.prod(map(math.factorial, repeats))
            one = ColumnTerm(float(weight), {})
            for term in chosen:
                one = one.times(term)
            terms.append(one)
        return Separation(terms, 0.0 if self.error == 0 else math.inf, self.bound**exponent)

    def mapped(
        self, change: Callable[[Kernel], Kernel], places: Sequence[int] | None = None
    ) -> Separation:
        """Every factor changed; column j becomes column ``places[j]``."""
        terms = []
        for term in self.terms:
            renamed = ColumnTerm(term.weight, {})
            for column, factor in term.factors.items():
                place = column if places is None else places[column]
                renamed = renamed.times(ColumnTerm(1.0, {place: change(factor)}))
            terms.append(renamed)
        return Separation(terms, self.error, self.bound)


def constant(value: float) -> Separation:
    """A constant: a term that looks at no column."""
    return Separation([ColumnTerm(value, {})], 0.0, abs(value))


def _product(a: float, b: float) -> float:
    """a · b, where 0 · ∞ is 0."""
    return a * b if a and b else 0.0


def check_count(n_terms: int) -> None:
    """Refuse more terms than are quicker than sampling."""
    if n_terms > _MOST_TERMS:
        rule = f"are more products over columns than {_MOST_TERMS}"
        raise NotSeparableError("terms", n_terms, rule, "explain by sampling")
