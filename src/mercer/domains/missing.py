"""Tables with missing values: numbers with NaN for a hole, or anything with holes marked as the user says."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.categories import is_missing, table_columns
from mercer.errors import InputTypeError, NotFiniteError, WidthError


class IncompleteSamples(Samples):
    """Rows of numbers, NaN where one is missing."""

    def __init__(self, x: np.ndarray, names: list[str]) -> None:
        self.x = x
        self.names = names
        self.origin = self

    def __len__(self) -> int:
        return len(self.x)

    def columns(self) -> np.ndarray:
        return self.once("columns", lambda: np.ascontiguousarray(self.x.T))

    def take(self, rows: np.ndarray) -> IncompleteSamples:
        taken = IncompleteSamples(np.ascontiguousarray(self.x[rows]), self.names)
        taken._inherit(self, rows)
        return taken


class IncompleteNumbers(Domain):
    """Rows of numbers with holes: NaN, None, and further ``markers``."""

    name = "tables of numbers with holes"
    accepts = frozenset({"matrix", "tables"})

    def __init__(self, markers: tuple[Hashable, ...] = ()) -> None:
        self.markers = markers

    def __hash__(self) -> int:
        return hash((IncompleteNumbers, self.markers))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IncompleteNumbers) and other.markers == self.markers

    def encode(self, batch: Batch) -> IncompleteSamples:
        raw: RawSamples = batch.raw
        if (
            isinstance(raw, np.ndarray)
            and raw.dtype.kind in "fiub"
            and raw.ndim == 2
            and raw.size
            and not self.markers
        ):
            x, names = (
                np.ascontiguousarray(raw, dtype=np.float64),
                [f"column {k}" for k in range(raw.shape[1])],
            )
        else:
            columns, names = table_columns(batch)
            x = np.empty((len(columns[0]), len(columns)))
            for k, values in enumerate(columns):
                x[:, k] = [
                    self._number(value, f"{batch.argument}[{row}], {names[k]}")
                    for row, value in enumerate(values)
                ]
        if np.isinf(x).any():
            row, k = np.argwhere(np.isinf(x))[0]
            remedy = "give NaN where a value is missing"
            raise NotFiniteError(
                f"{batch.argument}[{row}], {names[k]}", float(x[row, k]), "is infinite", remedy
            )
        if batch.like is not None and (width := batch.like.encode(self).x.shape[1]) != x.shape[1]:  # type: ignore[attr-defined]
            raise WidthError(
                batch.argument,
                f"{x.shape[1]} columns",
                f"must have as many columns as {batch.other}: {width}",
            )
        return IncompleteSamples(x, names)

    def _number(self, value: Any, where: str) -> float:
        if is_missing(value) or value in self.markers:
            return np.nan
        try:
            return float(value)
        except (TypeError, ValueError):
            remedy = (
                "use a kernel of categories for that column, or name the marker: missing=(...,)"
            )
            raise InputTypeError(where, value, "is not a number", remedy) from None

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        X = rng.standard_normal((count, width))
        X[rng.random(X.shape) < 0.25] = np.nan
        X[0] = rng.standard_normal(width)
        X[1] = rng.standard_normal(width)
        return X

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        import itertools

        few = min(width, 3)
        grid = np.array(list(itertools.product([0.0, 1.0, np.nan], repeat=few)))
        grid[-1] = 2.0
        return [grid, self.sample(50, width, rng), 10.0 * self.sample(50, width, rng)]
