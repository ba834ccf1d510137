"""Means over fillings of any kernel: the rows are completed, in all ways or by draws."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from mercer.aliases import Prepared, RawSamples
from mercer.domains.base import Batch, Domain
from mercer.domains.categories import Categories, is_missing, table_columns
from mercer.domains.missing import IncompleteNumbers
from mercer.domains.vectors import Vectors
from mercer.errors import ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative
from mercer.kernels.tables.expectations import Expected, as_table, column_shares, read_numbers
from mercer.params import boolean, integer, param

__all__: list[str] = []

_MOST = 4096  # completions of one row that are enumerated


class Completed(Expected, abstract=True):
    """Of any kernel: rows completed in all ways, or by one shared table of draws, and the mean over all pairs of completions."""

    draws: int = param(default=32, check=integer(1))
    enumerate: bool = param(default=False, check=boolean)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        numbers = isinstance(self.kernel.domain, Vectors)
        return (
            IncompleteNumbers(self.missing)
            if numbers
            else Categories(holes=True, markers=self.missing)
        )

    def fit_batch(self, batch: Batch) -> Self:
        from mercer.kernels.distributions.embeddings import MeanEmbedding

        batch = read_numbers(batch, self.domain)
        self.shares_ = column_shares(batch, self.missing, self.uniform, self.values)
        rng = np.random.default_rng(0)
        # draws for each pair apart would not be positive: one table serves all rows
        self.table_ = [
            [values[i] for i in self._drawn(rng, share)]
            for share in self.shares_
            for values in [list(share)]
        ]
        columns, _ = table_columns(batch)
        whole = [row for row in zip(*columns, strict=True) if not any(map(self._is_missing, row))]
        self.inner_ = MeanEmbedding(self.kernel.copy())
        self.inner_.kernel.fit(as_table(whole or list(zip(*self.table_, strict=True)), batch.raw))
        return self

    def _drawn(self, rng: np.random.Generator, share: dict[Any, float]) -> np.ndarray:
        return rng.choice(len(share), self.draws, p=list(share.values()))

    def _is_missing(self, value: Any) -> bool:
        return is_missing(value) or value in self.missing

    def _completions(self, row: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        holes = [k for k, value in enumerate(row) if self._is_missing(value)]
        if not holes:
            return [row]
        if self.enumerate:
            count = float(np.prod([len(self.shares_[k]) for k in holes]))
            if count > _MOST:
                rule = f"would have {count:.0f} completions of one row, where {_MOST} are allowed"
                raise ParameterError(
                    "Completions", self.kernel, rule, "use MissingAware, which draws some"
                )
            fills: Any = itertools.product(*(self.shares_[k] for k in holes))
        else:
            fills = zip(*(self.table_[k] for k in holes), strict=True)
        made = []
        for fill in fills:
            filled = list(row)
            for k, value in zip(holes, fill, strict=True):
                filled[k] = value
            made.append(tuple(filled))
        return made

    def bags(self, raw: RawSamples) -> list[Any]:
        columns, _ = table_columns(Batch(raw))
        return [as_table(self._completions(row), raw) for row in zip(*columns, strict=True)]

    def prepare(self, batch: Batch) -> Any:
        batch = read_numbers(batch, self.domain)
        self._fitted("shares_", len(table_columns(batch)[0]), batch.argument)
        return self.inner_.prepare(batch.apply(self.bags))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.inner_.tile(pair, out)

    def diagonal(self, side: Prepared) -> np.ndarray:
        return self.inner_.diagonal(side)

    def rounding_error(self, side: Prepared) -> float:
        return self.inner_.rounding_error(side)

    # what the embedding says of its kernel's parameters is said of ours

    def _set_params(self, params: dict[str, Any]) -> Self:
        self.inner_.kernel.set_params(**params)
        return super()._set_params(params)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name, index, tile in self.inner_.tile_derivatives(pair):
            yield name.removeprefix("kernel__"), index, tile

    def weighted_derivatives(
        self, pair: Pair, weights: np.ndarray
    ) -> Iterator[tuple[str, Any, float]]:
        for name, index, value in self.inner_.weighted_derivatives(pair, weights):
            yield name.removeprefix("kernel__"), index, value
