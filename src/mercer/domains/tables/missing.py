"""Tables of numbers with missing values, which are NaN."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any, cast

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.tables.columns import Markers, missing_values, table_columns
from mercer.errors import InputTypeError, NotFiniteError, WidthError


class IncompleteSamples(Samples):
    """Rows of numbers, NaN where one is missing."""

    def __init__(self, x: np.ndarray, names: list[str]) -> None:
        self.x = x
        self.names = names

    def __len__(self) -> int:
        return len(self.x)

    @property
    def n_columns(self) -> int:
        return self.x.shape[1]

    def columns(self) -> np.ndarray:
        """The numbers column by column, each contiguous: compiled loops run along them."""
        return self.once("columns", lambda: np.ascontiguousarray(self.x.T))

    def take(self, rows: np.ndarray) -> IncompleteSamples:
        taken = IncompleteSamples(np.ascontiguousarray(self.x[rows]), self.names)
        taken._inherit(self, rows)
        return taken


@dataclasses.dataclass(frozen=True, repr=False)
class IncompleteNumbers(Domain):
    """Rows of numbers with missing values: NaN, None, and further ``markers``."""

    name = "tables of numbers with missing values"
    accepts = frozenset({"matrix", "tables"})
    markers: Markers = ()

    def encode(self, batch: Batch) -> IncompleteSamples:
        samples = self._read(batch)
        infinite = np.argwhere(np.isinf(samples.x))
        if len(infinite):
            row, k = infinite[0]
            where = f"{batch.argument}[{row}], {samples.names[k]}"
            remedy = "give NaN where a value is missing"
            raise NotFiniteError(where, float(samples.x[row, k]), "is infinite", remedy)
        if batch.like is not None:
            like = cast(IncompleteSamples, batch.like.encode(self))
            if like.n_columns != samples.n_columns:
                rule = f"must have as many columns as {batch.other}: {like.n_columns}"
                raise WidthError(batch.argument, f"{samples.n_columns} columns", rule)
        return samples

    def _read(self, batch: Batch) -> IncompleteSamples:
        raw: RawSamples = batch.raw
        if not self.markers and _is_numeric_array(raw):
            x = np.ascontiguousarray(raw, dtype=np.float64)
            return IncompleteSamples(x, [f"column {k}" for k in range(x.shape[1])])
        columns, names = table_columns(batch)
        x = np.empty((len(columns[0]), len(columns)))
        for k, values in enumerate(columns):
            x[:, k] = self._numbers(values, names[k], batch.argument)
        return IncompleteSamples(x, names)

    def _numbers(self, values: list[Any], name: str, side: str) -> list[float]:
        missing = missing_values(values, self.markers).tolist()
        numbers = []
        for row, (value, is_missing) in enumerate(zip(values, missing, strict=True)):
            try:
                numbers.append(np.nan if is_missing else float(value))
            except (TypeError, ValueError):
                remedy = "use a kernel of categories there, or name the marker: missing=(...,)"
                rule = "is not a number"
                raise InputTypeError(f"{side}[{row}], {name}", value, rule, remedy) from None
        return numbers

    def sample(self, n_samples: int, n_columns: int, rng: np.random.Generator) -> np.ndarray:
        X = rng.standard_normal((n_samples, n_columns))
        X[rng.random(X.shape) < 0.25] = np.nan
        X[0] = rng.standard_normal(n_columns)
        X[1] = rng.standard_normal(n_columns)
        return X

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[np.ndarray]:
        """All rows of 0, 1 and a missing value, and random rows on two scales."""
        rows = itertools.product([0.0, 1.0, np.nan], repeat=min(n_columns, 3))
        grid = np.array(list(rows))
        grid[-1] = 2.0
        return [grid, self.sample(50, n_columns, rng), 10.0 * self.sample(50, n_columns, rng)]


def _is_numeric_array(raw: RawSamples) -> bool:
    """Whether the samples are a table that needs no reading value by value."""
    if not isinstance(raw, np.ndarray) or raw.ndim != 2:
        return False
    return raw.dtype.kind in "fiub" and raw.size > 0
