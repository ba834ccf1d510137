"""Expectations over fillings of kernels that only ask whether two categories agree."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import ClassVar, Self, cast

import numpy as np

from mercer import _compiled
from mercer.domains.base import Batch, Domain
from mercer.domains.tables.categories import Categories, CategorySamples
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative
from mercer.kernels.combine.maps import Warp
from mercer.kernels.separable.separable import mean_form, product_form
from mercer.kernels.separable.terms import Columns, Separation
from mercer.kernels.tables.categories import Overlap, WeightedOverlap, rarity
from mercer.kernels.tables.expectations import ColumnTerms, Expected, column_shares
from mercer.kernels.vectors.radial import RBF
from mercer.state import State, storable

__all__: list[str] = []

# What a column adds: for each value where both rows have it, for each value where the other row's
# is missing, and where both are missing.
Terms = tuple[np.ndarray, np.ndarray, float]
TermsOf = Callable[[int, list[Hashable], np.ndarray], Terms]  # of a column, its values and shares


@storable
class ExpectedMatches(Expected, abstract=True):
    """The expectation of `Overlap`, `WeightedOverlap` or RBF @ one_hot, in closed form.

    The first is a sum over columns; the others are products, of which the logarithms are summed.
    """

    stored: ClassVar[State] = State(finite=("shares_", "rarities_"))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Categories(allow_missing=True, markers=self.missing)

    def fit_batch(self, batch: Batch) -> Self:
        self.shares_ = column_shares(batch, self.missing, self.uniform, self.values)
        self.rarities_ = None
        if isinstance(self.kernel, WeightedOverlap):
            # how rare a category is depends on the data, not on what missing values are filled with
            self.rarities_ = column_shares(batch, self.missing)
        return self

    @property
    def _product(self) -> bool:
        return not isinstance(self.kernel, Overlap)

    def _agree(self, k: int, values: list[Hashable]) -> tuple[np.ndarray, np.ndarray]:
        """What agreement on each value of a column adds, and its derivative in the parameter."""
        if isinstance(self.kernel, WeightedOverlap):
            assert self.rarities_ is not None
            alpha, shares = float(self.kernel.alpha), self.rarities_[k]
            weights = np.array([rarity(shares.get(value, 0.0), alpha) for value in values])
            weights /= len(self.shares_)
            return float(self.kernel.gamma) * weights, weights
        return np.full(len(values), 0.0 if self._product else 1.0), np.zeros(len(values))

    def _differ(self) -> tuple[float, float]:
        """What a column adds in which two rows differ, and its derivative in the parameter."""
        if not isinstance(self.kernel, Warp):
            return 0.0, 0.0
        scale = float(cast(RBF, self.kernel.kernel).length_scale)
        return -1.0 / scale**2, 2.0 / scale**3

    def _means(self, k: int, values: list[Hashable], share: np.ndarray) -> Terms:
        """The expectations of a column's terms, or of products their logarithms."""
        agree, _ = self._agree(k, values)
        alike = float((share * share).sum())
        if not self._product:
            return agree, share * agree, alike
        differ, _ = self._differ()
        # the logarithm of 0 is −∞, and its exponential 0 again
        with np.errstate(divide="ignore"):
            one = np.logaddexp(np.log(share) + agree, np.log1p(-share) + differ)
            unlike = np.log(max(0.0, 1.0 - alike)) + differ
            both = np.logaddexp.reduce([*(2 * np.log(share) + agree), unlike])
        return agree, one, float(both)

    def _slopes(self, k: int, values: list[Hashable], share: np.ndarray) -> Terms:
        """The derivatives of `_means`: each term's, weighted by its part of the expectation."""
        agree, agree_slope = self._agree(k, values)
        differ, differ_slope = self._differ()
        _, one, both = self._means(k, values, share)
        of_one = share * np.exp(agree - one) * agree_slope
        of_one = of_one + (1.0 - share) * np.exp(differ - one) * differ_slope
        alike = share * share
        unlike = max(0.0, 1.0 - float(alike.sum()))
        of_both = alike @ (np.exp(agree - both) * agree_slope)
        of_both = of_both + unlike * np.exp(differ - both) * differ_slope
        return agree_slope, of_one, float(of_both)

    def separation(self, columns: Columns) -> Separation:
        form = product_form if self._product else mean_form
        return form(self, columns)

    def of_column(self, position: int, n_columns: int) -> ExpectedMatches:
        inner = self.kernel.copy()
        if isinstance(inner, WeightedOverlap):
            inner.gamma = float(inner.gamma) / n_columns
        kernel = ExpectedMatches(inner, self.missing, self.uniform)
        kernel.shares_ = [self.shares_[position]]
        kernel.rarities_ = None if self.rarities_ is None else [self.rarities_[position]]
        return kernel

    def _column_terms(self, samples: CategorySamples, terms_of: TermsOf) -> ColumnTerms:
        n, d = samples.codes.shape
        same, one, both = np.empty((n, d)), np.empty((n, d)), np.empty(d)
        for k, vocabulary in enumerate(samples.vocabularies):
            shares = self.shares_[k]
            # the values of the codes come first
            values = list(dict.fromkeys([*vocabulary, *shares]))
            share = np.array([shares.get(value, 0.0) for value in values])
            of_same, of_one, both[k] = terms_of(k, values, share)
            # the code of a missing value, −1, finds a last term that is never used
            same[:, k] = of_same[samples.codes[:, k]]
            one[:, k] = of_one[samples.codes[:, k]]
        return ColumnTerms(samples, same=same, one=one, both=both)

    def prepare(self, batch: Batch) -> ColumnTerms:
        samples = cast(CategorySamples, batch.encode(self.domain))
        self._check_columns("shares_", samples.n_columns, batch.argument)
        return self._column_terms(samples, self._means)

    def _sum(
        self, pair: Pair, x: ColumnTerms, y: ColumnTerms, differ: float, out: np.ndarray
    ) -> None:
        rows, cols = pair.rows, pair.cols
        codes, same, one = x[0].codes[rows], x.extra["same"][rows], x.extra["one"][rows]
        columns, one_y = y[0].columns()[:, cols], y.one_columns()[:, cols]
        _compiled.categories.expected_matches(codes, same, one, columns, one_y, x.both, differ, out)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self._sum(pair, pair.x, pair.y, self._differ()[0], out)
        if self._product:
            np.exp(out, out=out)
        else:
            out /= pair.x[0].n_columns

    def diagonal(self, terms: ColumnTerms) -> np.ndarray:
        samples: CategorySamples = terms[0]
        total = np.zeros(len(terms))
        # summed in the order of the tiles, so that the two agree to the bit
        for column in np.where(samples.codes >= 0, terms.extra["same"], terms.both).T:
            total += column
        if self._product:
            return np.exp(total)
        return total / samples.n_columns

    def _slope_terms(self, terms: ColumnTerms) -> ColumnTerms:
        return terms.once("slopes", lambda: self._column_terms(terms[0], self._slopes))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name in self.continuous_params():  # one, or none
            x, y = self._slope_terms(pair.x), self._slope_terms(pair.y)
            value, slope = np.empty(pair.shape), np.empty(pair.shape)
            self.tile(pair, value)
            self._sum(pair, x, y, self._differ()[1], slope)
            yield name, None, np.multiply(slope, value, out=slope)
