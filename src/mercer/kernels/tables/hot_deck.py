"""Holes filled from the training table: by the usual value of a column, or by values drawn from rows that are alike.

What a row gets depends on what is seen of it, not on where it occurs: the generator is seeded by its own content. So a filled row is a
function of the row, and a kernel of filled rows is a pull-back.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable
from numbers import Real
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.domains.categories import is_missing, table_columns
from mercer.errors import WidthError
from mercer.kernels.tables.expectations import as_table, no_value

__all__: list[str] = []

_KEEP = 20_000  # rows whose draws are remembered


class _Column:
    """One training column: its values, as places on an axis where a distance can be taken, and what is usual."""

    def __init__(self, values: list[Any], holes: np.ndarray, numeric: bool) -> None:
        seen = [value for value, hole in zip(values, holes, strict=True) if not hole]
        self.values, self.holes = values, holes
        self.numeric = numeric and all(
            isinstance(v, Real) and not isinstance(v, (bool, np.bool_)) for v in seen
        )
        if self.numeric:
            numbers = np.array(seen, dtype=float)
            self.range = float(np.ptp(numbers)) or 1.0
            self.usual: Any = float(np.mean(numbers))
        else:
            count = Counter(seen)
            most = max(count.values())
            self.usual = min(
                (value for value, number in count.items() if number == most), key=str
            )  # whatever the order of the rows
            self.codes = {value: code for code, value in enumerate(count)}
        self.places = np.array(
            [np.nan if hole else self.place(v) for v, hole in zip(values, holes, strict=True)]
        )

    def place(self, value: Any) -> float:
        return float(value) / self.range if self.numeric else float(self.codes.get(value, -1))


class HotDeck:
    """A training table that fills the holes of others: ``draws`` times by donors, or once by what is usual if ``draws`` is 0."""

    def __init__(
        self,
        raw: RawSamples,
        missing: tuple[Hashable, ...],
        draws: int,
        donors: int = 10,
        seed: int = 0,
        numeric: bool = True,
    ) -> None:
        self.missing, self.draws, self.donors, self.seed = missing, draws, donors, seed
        columns, names = table_columns(Batch(raw))
        self.empty = raw[:0] if hasattr(raw, "columns") else None  # a data frame's names and types
        self.columns = []
        for values, name in zip(columns, names, strict=True):
            holes = np.array([self._is_missing(value) for value in values])
            if holes.all():
                raise no_value(name)
            self.columns.append(_Column(values, holes, numeric))
        self.places = np.column_stack([column.places for column in self.columns])
        self.nominal = np.array([not column.numeric for column in self.columns])
        self._drawn_before: dict[int, dict[int, list[Any]]] = {}

    def _is_missing(self, value: Any) -> bool:
        return is_missing(value) or value in self.missing

    def completions(self, raw: RawSamples, side: str = "X") -> list[list[tuple[Any, ...]]]:
        """For every row its filled versions."""
        columns, _ = table_columns(Batch(raw))
        if len(columns) != len(self.columns):
            rule = f"must have the {len(self.columns)} columns it was fitted on"
            raise WidthError(side, f"{len(columns)} columns", rule)
        return [self._filled(row) for row in zip(*columns, strict=True)]

    def table(self, completions: list[list[tuple[Any, ...]]], number: int) -> Any:
        """One version of every row, as a table of the kind that was given."""
        return as_table([rows[number] for rows in completions], self.empty)

    def _filled(self, row: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        holes = [k for k, value in enumerate(row) if self._is_missing(value)]
        if not holes:
            return [row] * max(1, self.draws)
        drawn = (
            {k: [self.columns[k].usual] for k in holes}
            if self.draws == 0
            else self._drawn(row, holes)
        )
        return [
            tuple(drawn[k][d] if k in drawn else value for k, value in enumerate(row))
            for d in range(max(1, self.draws))
        ]

    def _drawn(self, row: tuple[Any, ...], holes: list[int]) -> dict[int, list[Any]]:
        content = _content(row, holes)
        if content not in self._drawn_before:
            if len(self._drawn_before) >= _KEEP:
                self._drawn_before.clear()
            self._drawn_before[content] = self._draw(
                row, holes, np.random.default_rng([self.seed, content])
            )
        return self._drawn_before[content]

    def _draw(
        self, row: tuple[Any, ...], holes: list[int], rng: np.random.Generator
    ) -> dict[int, list[Any]]:
        apart = self._distances(row, holes)
        order = np.lexsort((rng.random(len(apart)), apart))  # equals in a random order
        made = {}
        for k in holes:
            donors = order[~self.columns[k].holes[order]][: self.donors]
            made[k] = [self.columns[k].values[i] for i in rng.choice(donors, self.draws)]
        return made

    def _distances(self, row: tuple[Any, ...], holes: list[int]) -> np.ndarray:
        """Gower's, to every training row: the mean over the columns that both show, of 0 or 1 of categories, of shares of the range."""
        at = np.array(
            [np.nan if k in holes else self.columns[k].place(value) for k, value in enumerate(row)]
        )
        gaps = np.abs(self.places - at)
        shown = ~np.isnan(gaps)
        gaps = np.where(self.nominal, gaps > 0, gaps)
        shared = shown.sum(axis=1)
        return np.where(
            shared > 0, np.where(shown, gaps, 0.0).sum(axis=1) / np.maximum(shared, 1), 1.0
        )


def _content(row: tuple[Any, ...], holes: list[int]) -> int:
    """A number for what is seen of a row; 1 and 1.0 are the same."""
    seen = [
        (k, float(v) if isinstance(v, (Real, np.bool_)) else str(v))
        for k, v in enumerate(row)
        if k not in holes
    ]
    return int.from_bytes(
        hashlib.blake2b(repr(seen).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
    )
