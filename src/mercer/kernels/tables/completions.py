"""Expectations of any kernel over fillings: rows are completed, in all ways or by draws."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer.aliases import Prepared, RawSamples
from mercer.domains.base import Batch, Domain
from mercer.domains.tables.columns import Row, rows_with_missing, table_columns
from mercer.errors import ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative
from mercer.kernels.tables.categories import Shares
from mercer.kernels.tables.expectations import (
    DerivativeSum,
    Expected,
    as_table,
    column_shares,
    fill_row,
    incomplete_domain,
    read_numbers,
)
from mercer.params import boolean, integer, param
from mercer.state import State, storable

__all__: list[str] = []

_MOST = 4096  # completions of one row that are enumerated


@storable
class Completed(Expected, abstract=True):
    """The mean of any kernel over all pairs of completions of two rows.

    Rows are completed in all ways, or by one table of draws that all rows share.
    """

    draws: int = param(default=32, check=integer(1))
    enumerate: bool = param(default=False, check=boolean)
    stored: ClassVar[State] = State(finite=("shares_",), plain=("table_", "inner_"))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return incomplete_domain(self.kernel, self.missing)

    def fit_batch(self, batch: Batch) -> Self:
        from mercer.kernels.distributions.embeddings import MeanEmbedding

        batch = read_numbers(batch, self.domain)
        self.shares_ = column_shares(batch, self.missing, self.uniform, self.values)
        # Draws for each pair of rows apart would not be positive: one table serves all rows.
        rng = np.random.default_rng(0)
        self.table_ = [self._draw(rng, share) for share in self.shares_]
        table = rows_with_missing(table_columns(batch)[0], self.missing)
        complete_rows = [row for row, missing in table if not missing]
        rows = complete_rows or list(zip(*self.table_, strict=True))
        self.inner_ = MeanEmbedding(self.kernel.copy())
        self.inner_.kernel.fit(as_table(rows, batch.raw))
        return self

    def _draw(self, rng: np.random.Generator, share: Shares) -> list[Any]:
        values = list(share)
        return [values[i] for i in rng.choice(len(values), self.draws, p=list(share.values()))]

    def _fillings(self, missing: list[int]) -> Iterator[Row]:
        """The values that fill the missing columns; of a complete row, one empty filling."""
        if missing and not self.enumerate:
            return zip(*(self.table_[k] for k in missing), strict=True)
        shares = [self.shares_[k] for k in missing]
        count = float(np.prod(list(map(len, shares))))
        if count > _MOST:
            rule = f"would have {count:.0f} completions of one row, where {_MOST} are allowed"
            raise ParameterError("Completions", self.kernel, rule, "use MissingAware, which draws")
        return itertools.product(*shares)

    def bags(self, raw: RawSamples) -> list[RawSamples]:
        """The table of the completions of every row."""
        bags = []
        for row, missing in rows_with_missing(table_columns(Batch(raw))[0], self.missing):
            completions = fill_row(row, missing, self._fillings(missing))
            bags.append(as_table(completions, raw))
        return bags

    def prepare(self, batch: Batch) -> Prepared:
        batch = read_numbers(batch, self.domain)
        self._check_columns("shares_", len(table_columns(batch)[0]), batch.argument)
        return self.inner_.prepare(batch.apply(self.bags))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.inner_.tile(pair, out)

    def diagonal(self, prepared: Prepared) -> np.ndarray:
        return self.inner_.diagonal(prepared)

    def rounding_error(self, prepared: Prepared) -> float:
        return self.inner_.rounding_error(prepared)

    # The parameters of the embedding's kernel are those of this kernel.

    def _set_params(self, params: dict[str, Any]) -> Self:
        self.inner_.kernel.set_params(**params)
        return super()._set_params(params)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name, index, tile in self.inner_.tile_derivatives(pair):
            yield name.removeprefix("kernel__"), index, tile

    def weighted_derivatives(self, pair: Pair, weights: np.ndarray) -> Iterator[DerivativeSum]:
        for name, index, value in self.inner_.weighted_derivatives(pair, weights):
            yield name.removeprefix("kernel__"), index, value
