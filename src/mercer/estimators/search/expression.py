"""Kernels in the form that the search works with: sums of weighted products of base kernels."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Iterator

from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.kernels.parameters import show_value
from mercer.kernels.vectors.coordinate import Periodic
from mercer.kernels.vectors.gaussian_mixtures import RationalQuadratic
from mercer.kernels.vectors.radial import RBF

_SMOOTH = (RBF, RationalQuadratic)


def innermost(kernel: Kernel) -> Kernel:
    """The kernel itself, without the choice of columns."""
    return kernel.kernel if isinstance(kernel, On) else kernel


def form(kernel: Kernel) -> str:
    """The text of a kernel without the values of its continuous parameters, which are learned."""
    children = kernel.named_children()
    shown = [form(child) for child in children.values()]
    for name, value in kernel.get_params(deep=False).items():
        if name not in children and name not in kernel._continuous:
            shown.append(f"{name}={show_value(value)}")
    return f"{type(kernel).__name__}({', '.join(shown)})"


def columns_of(kernel: Kernel) -> str:
    """The columns that a base kernel looks at, as text; empty for all of them."""
    return show_value(kernel.columns) if isinstance(kernel, On) else ""


@dataclasses.dataclass(frozen=True)
class Term:
    """A weight times a product of base kernels."""

    weight: float
    factors: tuple[Kernel, ...]

    def kernel(self, scale: float = 1.0) -> Kernel:
        """The term as a kernel, times a number."""
        return scale * self.weight * functools.reduce(operator.mul, self.factors)

    @property
    def form(self) -> str:
        """The same for terms that differ in learned parameters, or in the order of factors."""
        return " * ".join(sorted(map(form, self.factors)))

    def times(self, factor: Kernel, weight: float) -> Term:
        """The term with one factor more, last."""
        return Term(weight, (*self.factors, factor))

    def takes(self, factor: Kernel) -> bool:
        """Whether a product with a factor is another kind of function.

        A product of smooth kernels of the same columns is smooth again, and one of two periods has
        no period.
        """
        alike = [each for each in self.factors if columns_of(each) == columns_of(factor)]
        for kind in (_SMOOTH, Periodic):
            if isinstance(innermost(factor), kind):
                return not any(isinstance(innermost(each), kind) for each in alike)
        return True


@dataclasses.dataclass(frozen=True)
class Expression:
    """A sum of terms, and the variance of the noise."""

    terms: tuple[Term, ...]
    noise: float

    def kernel(self, scale: float = 1.0) -> Kernel:
        """The sum as a kernel, without the noise, times a number."""
        return functools.reduce(operator.add, (term.kernel(scale) for term in self.terms))

    @property
    def form(self) -> str:
        """The same for sums that differ in learned parameters, or in the order of terms."""
        return " + ".join(sorted(term.form for term in self.terms))

    @property
    def depth(self) -> int:
        """The number of operators."""
        return sum(len(term.factors) for term in self.terms) - 1

    def with_term(self, at: int, *new: Term) -> Expression:
        """The sum with the term at a place replaced by others, or by none."""
        return dataclasses.replace(self, terms=(*self.terms[:at], *new, *self.terms[at + 1 :]))

    def without_one(self) -> Iterator[Expression]:
        """All sums without one factor."""
        for at, term in enumerate(self.terms):
            for place in range(len(term.factors)):
                rest = term.factors[:place] + term.factors[place + 1 :]
                if rest:
                    yield self.with_term(at, Term(term.weight, rest))
                elif len(self.terms) > 1:
                    yield self.with_term(at)

    def replaced(self, others: Callable[[Kernel], list[Kernel]]) -> Iterator[Expression]:
        """All sums with one factor replaced by another one."""
        for at, term in enumerate(self.terms):
            for place, factor in enumerate(term.factors):
                before, after = term.factors[:place], term.factors[place + 1 :]
                for other in others(factor):
                    yield self.with_term(at, Term(term.weight, (*before, other, *after)))
