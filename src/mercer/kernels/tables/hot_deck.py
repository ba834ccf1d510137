"""Imputation from the training table: by the usual value of a column, or by values of similar rows.

What a row is filled with depends on what is seen of it, not on where it occurs: the generator is
seeded by its content. So a filled row is a function of the row, and a kernel of filled rows is a
pull-back.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.domains.tables.columns import (
    Markers,
    Row,
    missing_values,
    rows_with_missing,
    table_columns,
)
from mercer.errors import WidthError
from mercer.kernels.tables.expectations import as_table, fill_row, is_number, no_value
from mercer.state import State, storable

__all__: list[str] = []

_KEEP = 20_000  # rows whose draws are remembered

Drawn = dict[int, list[Any]]  # for every column in which a row has no value, those drawn for it


def _mode(counts: Counter[Hashable]) -> Hashable:
    """The most frequent value; of several the first by name, whatever the order of the rows."""
    most = max(counts.values())
    return min((value for value, count in counts.items() if count == most), key=str)


@storable
class _Column:
    """A training column: its values, their places on an axis of distances, and the usual one.

    Model files store its attributes: ``holes`` is where values are missing.
    """

    stored: ClassVar[State] = State(
        finite=("range",), plain=("values", "holes", "numeric", "usual", "codes", "places")
    )

    def __init__(self, values: list[Any], missing: np.ndarray, numeric: bool) -> None:
        present = np.flatnonzero(~missing).tolist()
        seen = [values[row] for row in present]
        self.values = values
        self.holes = missing
        self.numeric = numeric and all(map(is_number, seen))
        if self.numeric:
            numbers = np.array(seen, dtype=float)
            self.range = float(np.ptp(numbers)) or 1.0
            self.usual: Any = float(np.mean(numbers))
        else:
            counts = Counter(seen)
            self.usual = _mode(counts)
            self.codes = {value: code for code, value in enumerate(counts)}
        self.places = np.full(len(values), np.nan)
        self.places[present] = [self.place(value) for value in seen]

    def place(self, value: Any) -> float:
        if self.numeric:
            return float(value) / self.range
        return float(self.codes.get(value, -1))


@storable
class HotDeck:
    """A training table from which the missing values of other tables are filled.

    A row is filled ``draws`` times by values of its ``donors`` most similar training rows, or once
    by the usual values of the columns if ``draws`` is 0.
    """

    stored: ClassVar[State] = State(
        plain=("missing", "draws", "donors", "seed", "empty", "columns", "places", "nominal"),
        rebuilt=("_drawn_before",),
    )

    def __init__(
        self,
        raw: RawSamples,
        missing: Markers,
        draws: int,
        donors: int = 10,
        seed: int = 0,
        numeric: bool = True,
    ) -> None:
        self.missing = missing
        self.draws, self.donors, self.seed = draws, donors, seed
        columns, names = table_columns(Batch(raw))
        self.empty = raw[:0] if hasattr(raw, "columns") else None  # a data frame's names and types
        self.columns = []
        for values, name in zip(columns, names, strict=True):
            is_missing = missing_values(values, missing)
            if is_missing.all():
                raise no_value(name)
            self.columns.append(_Column(values, is_missing, numeric))
        self.places = np.column_stack([column.places for column in self.columns])
        self.nominal = np.array([not column.numeric for column in self.columns])
        self._drawn_before: dict[int, Drawn] = {}

    def _rebuild(self) -> None:
        self._drawn_before = {}

    def completions(self, raw: RawSamples, side: str = "X") -> list[list[Row]]:
        """The filled versions of every row."""
        columns, _ = table_columns(Batch(raw))
        if len(columns) != len(self.columns):
            rule = f"must have the {len(self.columns)} columns it was fitted on"
            raise WidthError(side, f"{len(columns)} columns", rule)
        table = rows_with_missing(columns, self.missing)
        return [self._filled(row, missing) for row, missing in table]

    def table(self, completions: list[list[Row]], number: int) -> RawSamples:
        """One version of every row, as a table of the kind that was given."""
        return as_table([rows[number] for rows in completions], self.empty)

    def _filled(self, row: Row, missing: list[int]) -> list[Row]:
        if not missing:
            return [row] * max(1, self.draws)
        if self.draws == 0:
            return fill_row(row, missing, [[self.columns[k].usual for k in missing]])
        drawn = self._drawn(row, missing)
        return fill_row(row, missing, zip(*(drawn[k] for k in missing), strict=True))

    def _drawn(self, row: Row, missing: list[int]) -> Drawn:
        content = _content(row, missing)
        if content not in self._drawn_before:
            if len(self._drawn_before) >= _KEEP:
                self._drawn_before.clear()
            rng = np.random.default_rng([self.seed, content])
            self._drawn_before[content] = self._draw(row, missing, rng)
        return self._drawn_before[content]

    def _draw(self, row: Row, missing: list[int], rng: np.random.Generator) -> Drawn:
        distances = self._distances(row, missing)
        order = np.lexsort((rng.random(len(distances)), distances))  # equals in a random order
        drawn = {}
        for k in missing:
            column = self.columns[k]
            donors = order[~column.holes[order]][: self.donors]
            drawn[k] = [column.values[i] for i in rng.choice(donors, self.draws)]
        return drawn

    def _distances(self, row: Row, missing: list[int]) -> np.ndarray:
        """Gower's distances to every training row.

        The mean over the columns in which both rows have a value: of categories 0 or 1, of numbers
        the difference as a share of the range.
        """
        places = np.full(len(row), np.nan)
        for k, value in enumerate(row):
            if k not in missing:
                places[k] = self.columns[k].place(value)
        gaps = np.abs(self.places - places)
        shown = ~np.isnan(gaps)
        gaps = np.where(self.nominal, gaps > 0, gaps)
        shared = shown.sum(axis=1)
        means = np.where(shown, gaps, 0.0).sum(axis=1) / np.maximum(shared, 1)
        return np.where(shared > 0, means, 1.0)


def _content(row: Row, missing: list[int]) -> int:
    """A number for what is seen of a row; 1 and 1.0 are the same."""
    seen = [
        (k, float(value) if isinstance(value, (Real, np.bool_)) else str(value))
        for k, value in enumerate(row)
        if k not in missing
    ]
    text = repr(seen).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
