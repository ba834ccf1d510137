"""Rows of collections in memory, and of memory maps: arrays, sparse matrices, frames, lists."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.raw import pick_rows, raw_length
from mercer.gram.blocks.base import Block, Rows, entries, rows_per_block
from mercer.gram.blocks.checksum import block_bytes


@dataclasses.dataclass(frozen=True, eq=False)
class Slice:
    """Consecutive rows of a collection; what was sliced is sent elsewhere, not the whole."""

    block: Block

    def load(self) -> Block:
        """The rows."""
        return self.block


class ArrayRows(Rows):
    """Rows of a collection that can be sliced.

    Parameters
    ----------
    X : array, sparse matrix, data frame, list or memory map
        The samples.
    y, weight : ndarray or None
        The targets and the weights of the rows.
    block_rows : int or None
        Rows of a block.
    """

    def __init__(
        self,
        X: RawSamples,
        y: np.ndarray | None = None,
        weight: np.ndarray | None = None,
        block_rows: int | None = None,
    ) -> None:
        super().__init__()
        self.X, self.y, self.weight = X, y, weight
        shape: tuple[int, ...] = getattr(X, "shape", ())
        step = rows_per_block(shape[1] if len(shape) == 2 else 1, block_rows)
        n = raw_length(X)
        self.edges = [(start, min(n, start + step)) for start in range(0, n, step)]
        self.lengths = [stop - start for start, stop in self.edges]

    def _parts(self) -> Sequence[Slice]:
        return [Slice(self._block(start, stop)) for start, stop in self.edges]

    def _block(self, start: int, stop: int) -> Block:
        rows = slice(start, stop)
        X = rows_between(self.X, start, stop)
        return Block(X, entries(self.y, rows), entries(self.weight, rows))

    def take(self, index: np.ndarray) -> Block:
        X = pick_rows(self.X, index)
        return Block(X, entries(self.y, index), entries(self.weight, index))

    def keep(self, most_bytes: int) -> bool:
        self.bytes = block_bytes(self.X)  # what a memory map takes if it is loaded
        return True  # it is in memory, or mapped into it, already


def rows_between(X: RawSamples, start: int, stop: int) -> RawSamples:
    """Consecutive rows, without a copy where that is possible."""
    if hasattr(X, "iloc"):
        return X.iloc[start:stop]
    return X[start:stop]
