"""Means over fillings of kernels that only ask whether two categories agree, in closed form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.domains.base import Batch, Domain
from mercer.domains.categories import Categories
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative
from mercer.kernels.combine.maps import Warp
from mercer.kernels.tables.categories import Overlap, WeightedOverlap, rarity
from mercer.kernels.tables.expectations import Expected, Sides, column_shares

__all__: list[str] = []

Column = tuple[
    np.ndarray, np.ndarray, float
]  # per value: where both rows have it, where the other has a hole; where both have holes


class ExpectedMatches(Expected, abstract=True):
    """Of `Overlap`, `WeightedOverlap` and RBF @ one_hot: sums over columns, or products, of which the logarithms are summed."""

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Categories(holes=True, markers=self.missing)

    def fit_batch(self, batch: Batch) -> Self:
        self.shares_ = column_shares(batch, self.missing, self.uniform, self.values)
        # how rare a category is, is a matter of the data, whatever holes are filled with
        self.rarities_ = (
            column_shares(batch, self.missing) if isinstance(self.kernel, WeightedOverlap) else None
        )
        return self

    @property
    def _product(self) -> bool:
        return not isinstance(self.kernel, Overlap)

    def _worth(self, k: int, values: list[Any]) -> tuple[np.ndarray, np.ndarray]:
        """What agreement on each value of a column adds, and its derivative in the one parameter."""
        if isinstance(self.kernel, WeightedOverlap):
            shares: Any = self.rarities_[k]  # type: ignore[index]
            rare = np.array(
                [rarity(shares.get(value, 0.0), float(self.kernel.alpha)) for value in values]
            ) / len(self.shares_)
            return float(self.kernel.gamma) * rare, rare
        return np.full(len(values), 0.0 if self._product else 1.0), np.zeros(len(values))

    def _differ(self) -> tuple[float, float]:
        """What a column adds in which two rows differ, and its derivative in the one parameter."""
        if not isinstance(self.kernel, Warp):
            return 0.0, 0.0
        scale = float(self.kernel.kernel.length_scale)  # type: ignore[attr-defined]
        return -1.0 / scale**2, 2.0 / scale**3

    def _means(self, k: int, values: list[Any], share: np.ndarray) -> Column:
        agree, _ = self._worth(k, values)
        alike = float((share * share).sum())
        if not self._product:
            return agree, share * agree, alike
        differ, _ = self._differ()
        with np.errstate(divide="ignore"):  # the logarithm of 0 is −∞, and its exponential 0 again
            one = np.logaddexp(np.log(share) + agree, np.log1p(-share) + differ)
            both = np.logaddexp.reduce(
                [*(2 * np.log(share) + agree), np.log(max(0.0, 1.0 - alike)) + differ]
            )
        return agree, one, float(both)

    def _slopes(self, k: int, values: list[Any], share: np.ndarray) -> Column:
        """The derivatives of `_means`: those of the logarithms of means, so the terms by their parts of the mean."""
        (agree, rise), (differ, drop) = self._worth(k, values), self._differ()
        _, one, both = self._means(k, values, share)
        of_one = share * np.exp(agree - one) * rise + (1.0 - share) * np.exp(differ - one) * drop
        alike = share * share
        of_both = (
            alike @ (np.exp(agree - both) * rise)
            + max(0.0, 1.0 - float(alike.sum())) * np.exp(differ - both) * drop
        )
        return rise, of_one, float(of_both)

    def _laid_out(
        self, side: Prepared, of_column: Callable[[int, list[Any], np.ndarray], Column]
    ) -> Sides:
        n, d = side.codes.shape
        same, one, both = np.empty((n, d)), np.empty((n, d)), np.empty(d)
        for k, vocabulary in enumerate(side.vocabularies):
            values = list(
                dict.fromkeys([*vocabulary, *self.shares_[k]])
            )  # those of the codes come first
            of_same, of_one, both[k] = of_column(
                k, values, np.array([self.shares_[k].get(value, 0.0) for value in values])
            )
            # the code of a hole, −1, finds a last value that is never used
            same[:, k], one[:, k] = of_same[side.codes[:, k]], of_one[side.codes[:, k]]
        return Sides(side, same=same, one=one, both=both)

    def prepare(self, batch: Batch) -> Sides:
        side: Prepared = batch.encode(self.domain)
        self._fitted("shares_", side.codes.shape[1], batch.argument)
        return self._laid_out(side, self._means)

    def _sum(self, pair: Pair, x: Sides, y: Sides, differ: float, out: np.ndarray) -> None:
        _compiled.categories.expected_matches(
            x[0].codes[pair.i0 : pair.i1],
            x.extra["same"][pair.rows],
            x.extra["one"][pair.rows],
            y[0].columns()[:, pair.j0 : pair.j1],
            y.one_columns()[:, pair.j0 : pair.j1],
            x.both,
            differ,
            out,
        )

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self._sum(pair, pair.x, pair.y, self._differ()[0], out)
        if self._product:
            np.exp(out, out=out)
        else:
            out /= pair.x[0].width

    def diagonal(self, side: Prepared) -> np.ndarray:
        parts = np.where(side[0].codes >= 0, side.extra["same"], side.both)
        total = np.zeros(len(side))
        for column in parts.T:  # in the order of the tiles, so that the bits agree
            total += column
        return np.exp(total) if self._product else total / side[0].width

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name in self.continuous_params():  # one, or none
            x, y = (
                side.once("slopes", lambda side=side: self._laid_out(side[0], self._slopes))
                for side in (pair.x, pair.y)
            )
            value, slope = np.empty(pair.shape), np.empty(pair.shape)
            self.tile(pair, value)
            self._sum(pair, x, y, self._differ()[1], slope)
            yield name, None, np.multiply(slope, value, out=slope)
