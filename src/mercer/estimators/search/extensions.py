"""The expressions that the search tries next, each with the values that learning begins with."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import numpy as np

from mercer.estimators.search.expression import Expression, Term, columns_of, form, innermost
from mercer.estimators.search.likelihood import Samples
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.coordinate import Periodic

_NOISE = 0.1  # the first guess, of the variance of the targets
_SHARES = (0.3, 0.01)  # first weights of a new term, of the variance of the targets

# The starts of every candidate, by its form: lists of those with the parameters learned before, and
# of those with long length scales. The best of either is followed, because a smooth kernel of short
# range explains all, before learning, that it explained alone.
Candidates = dict[str, list[list[Expression]]]


@dataclasses.dataclass(frozen=True)
class Extensions:
    """The extensions of an expression by base kernels and operators.

    Learning begins with the parameters learned before, and once more with long length scales in
    their place: a single smooth kernel of short range has to make room for a period.
    """

    samples: Samples
    bases: list[Kernel]
    operators: frozenset[str]
    depth: int

    def first(self, y: np.ndarray) -> Candidates:
        """Every base kernel alone."""
        candidates: Candidates = {}
        for base in self.bases:
            for start in self.samples.ranges.starts(base, [y]):
                expression = Expression((self._term(start, 1.0),), _NOISE)
                candidates.setdefault(expression.form, [[]])[0].append(expression)
        return candidates

    def of(self, expression: Expression, *targets: np.ndarray) -> Candidates:
        """Every sum and product with one more base kernel, and with another one in a place."""
        candidates: Candidates = {}
        for base in self.bases:
            starts = self.samples.ranges.starts(base, list(targets))
            for at, known in enumerate((expression, self._relaxed(expression))):
                for new in self._extended(known, starts):
                    candidates.setdefault(new.form, [[], []])[at].append(new)
        return candidates

    def _extended(self, expression: Expression, starts: list[Kernel]) -> Iterator[Expression]:
        """The extensions of an expression by one base kernel, at several first values."""
        for at, term in enumerate(expression.terms):
            for new in self._exchanged(term, starts):
                yield expression.with_term(at, new)
        if expression.depth == self.depth:
            return
        if "+" in self.operators:
            yield from self._sums(expression, starts)
        if "*" in self.operators:
            yield from self._products(expression, starts)

    def _sums(self, expression: Expression, starts: list[Kernel]) -> Iterator[Expression]:
        """The expression with one term more."""
        if self._is_multiple(expression, starts[0]):
            return
        for start, share in itertools.product(starts, _SHARES):
            terms = (*expression.terms, self._term(start, share))
            yield dataclasses.replace(expression, terms=terms)

    def _products(self, expression: Expression, starts: list[Kernel]) -> Iterator[Expression]:
        """The expression with one factor more in a term."""
        for at, term in enumerate(expression.terms):
            if not term.takes(starts[0]):
                continue
            for start in starts:
                weight = term.weight / self.samples.leaf(start).size()
                yield expression.with_term(at, term.times(start, weight))

    def _exchanged(self, term: Term, starts: list[Kernel]) -> Iterator[Term]:
        """The term with another base kernel on the same columns in the place of a factor."""
        size = self.samples.leaf(starts[0]).size()
        for at, factor in enumerate(term.factors):
            rest = Term(term.weight, (*term.factors[:at], *term.factors[at + 1 :]))
            same = form(factor) == form(starts[0]) or columns_of(factor) != columns_of(starts[0])
            if not same and rest.takes(starts[0]):
                weight = term.weight * self.samples.leaf(factor).size() / size
                yield from (rest.times(start, weight) for start in starts)

    def _is_multiple(self, expression: Expression, kernel: Kernel) -> bool:
        """Whether a kernel without parameters is a term already."""
        if self.samples.leaf(kernel).count:
            return False
        return any(term.form == form(kernel) for term in expression.terms)

    def _term(self, kernel: Kernel, share: float) -> Term:
        return Term(share / self.samples.leaf(kernel).size(), (kernel,))

    def _relaxed(self, expression: Expression) -> Expression:
        relaxed = self.samples.ranges.relaxed
        terms = [Term(term.weight, tuple(map(relaxed, term.factors))) for term in expression.terms]
        return dataclasses.replace(expression, terms=tuple(terms))

    def replacements(self, factor: Kernel) -> list[Kernel]:
        """Base kernels on the same columns that have fewer parameters than a factor.

        A long length scale may stand for a straight line, and a rational quadratic kernel with a
        large exponent for a Gaussian. The length scale is kept, where there is one.
        """
        count = self.samples.leaf(factor).count
        kernels = []
        for base in self.bases:
            if columns_of(base) == columns_of(factor) and self.samples.leaf(base).count < count:
                kept = {
                    name: value
                    for name, value in factor.continuous_params().items()
                    if name.endswith("length_scale")
                    and name in base.continuous_params()
                    and not isinstance(innermost(factor), Periodic)
                }
                kernels.append(base.copy().set_params(**kept))
        return kernels
