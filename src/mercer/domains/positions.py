"""Samples that are positions in a given matrix."""

from __future__ import annotations

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.errors import EmptyInputError, InputTypeError

_RULE = "must be positions in the matrix"


class PositionSamples(Samples):
    """Positions in a matrix."""

    def __init__(self, at: np.ndarray) -> None:
        self.at = at

    def __len__(self) -> int:
        return len(self.at)

    def take(self, rows: np.ndarray) -> PositionSamples:
        taken = PositionSamples(self.at[rows])
        taken._inherit(self, rows)
        return taken


def _are_whole(values: np.ndarray) -> bool:
    """Whether all values are whole numbers, of an integer type or not."""
    if values.dtype.kind == "f":
        return bool((np.isfinite(values) & (values == np.floor(values))).all())
    return values.dtype.kind in "iu"


class Positions(Domain):
    """Whole numbers from 0, as a list, a vector, or one column."""

    name = "positions"
    accepts = frozenset({"indices"})

    def __init__(self, count: int) -> None:
        self.count = count

    def __hash__(self) -> int:
        return hash((Positions, self.count))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Positions) and other.count == self.count

    def encode(self, batch: Batch) -> PositionSamples:
        at = self._read(batch)
        if at.size == 0:
            raise EmptyInputError(batch.argument, "no positions", "is empty")
        if at.ndim != 1 or not _are_whole(at):
            value = f"{at.dtype} of shape {at.shape}"
            raise InputTypeError(batch.argument, value, _RULE, "give whole numbers")
        return PositionSamples(at.astype(np.int64))

    @staticmethod
    def _read(batch: Batch) -> np.ndarray:
        """The positions as an array; one column is a vector."""
        try:
            at = np.asarray(batch.raw)
        except ValueError:
            value = "a ragged list"
            raise InputTypeError(batch.argument, value, _RULE, "give whole numbers") from None
        if at.ndim == 2 and at.shape[1] == 1:
            return at[:, 0]
        return at

    def sample(self, n_samples: int, n_features: int, rng: np.random.Generator) -> RawSamples:
        return rng.integers(0, self.count, n_samples)

    def lattices(self, n_features: int, rng: np.random.Generator) -> list[RawSamples]:
        return [np.arange(self.count)]
