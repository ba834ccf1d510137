"""Gram matrix entries that are computed one by one, and how threads share them.

Such an entry compares two sequences by a recursion over a rectangle of cells with one row for each
element of the first and one column for each element of the second: its cost is the product of the
two lengths.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.tile import Pair

__all__: list[str] = []

# One call of compiled code is long enough to hide its overhead, and short enough to be interrupted.
_CELLS_PER_CALL = 20_000_000
_CELLS_WORTH_SORTING = 100_000
# Two ranks below 256 make one number of 16 bits, which NumPy sorts in a single pass.
_RANKS = 256

Fill = Callable[[np.ndarray, np.ndarray, slice], None]
Compute = Callable[[np.ndarray, np.ndarray, np.ndarray], None]


@dataclasses.dataclass(frozen=True)
class Entries:
    """Entries of a Gram matrix: sample ``left[i]`` of ``x`` with sample ``right[i]`` of ``y``."""

    x: Prepared  # sequences, or other samples with ``lengths``
    y: Prepared
    left: np.ndarray
    right: np.ndarray
    work: Workspace | None = None

    @classmethod
    def of_diagonal(cls, samples: Prepared) -> Entries:
        """Every sample against itself."""
        each = np.arange(len(samples))
        return cls(samples, samples, each, each)

    @classmethod
    def of_tile(cls, pair: Pair) -> Entries:
        """All entries of a tile, or its upper triangle where the matrix is symmetric."""
        if _is_symmetric(pair):
            rows, cols = np.triu_indices(pair.i1 - pair.i0)
        else:
            rows, cols = (place.ravel() for place in np.indices(pair.shape))
        return cls(pair.x, pair.y, rows + pair.i0, cols + pair.j0, pair.work)

    def scatter(self, pair: Pair, values: np.ndarray, out: np.ndarray) -> None:
        """Write one value for each entry of a tile into its place in ``out``."""
        out[self.left - pair.i0, self.right - pair.j0] = values
        if _is_symmetric(pair):
            _compiled.storage.mirror(out)

    def tile(self, pair: Pair, compute: Compute) -> np.ndarray:
        """A tile of these entries, whose values ``compute`` writes into its last argument."""
        values = np.empty(len(self.left))

        def fill(left: np.ndarray, right: np.ndarray, where: slice) -> None:
            compute(left, right, values[where])

        self.run(fill)
        tile = np.empty(pair.shape)
        self.scatter(pair, values, tile)
        return tile

    def order_by_length(self) -> np.ndarray:
        """An order in which neighboring entries compare sequences of similar lengths.

        It sorts by the shorter sequence first, then by the longer one, alternately up and down.
        """
        if self.x.lengths[self.left] @ self.y.lengths[self.right] < _CELLS_WORTH_SORTING:
            return np.arange(len(self.left))
        levels = np.unique(np.concatenate([self.x.lengths, self.y.lengths]))
        ranks = np.arange(len(levels)) * min(len(levels), _RANKS) // len(levels)
        x_ranks = ranks[np.searchsorted(levels, self.x.lengths)][self.left]
        y_ranks = ranks[np.searchsorted(levels, self.y.lengths)][self.right]
        shorter = np.minimum(x_ranks, y_ranks)
        longer = np.maximum(x_ranks, y_ranks)
        key = shorter * _RANKS + np.where(shorter % 2, _RANKS - 1 - longer, longer)
        return np.argsort(key.astype(np.uint16), kind="stable")

    def run(self, fill: Fill, multiple: int = 1) -> None:
        """Call ``fill(left, right, where)`` on slices of about equal cost, on all threads.

        Slices begin at multiples of ``multiple``. Within a tile that is one of many, whose threads
        are busy already, they are computed one after the other.
        """
        edges = self._edges(multiple)
        count = len(edges) - 1

        def work_on(number: int, work: Workspace) -> None:
            where = slice(edges[number], edges[number + 1])
            if where.stop > where.start:
                fill(self.left[where], self.right[where], where)

        if self.work is None or self.work.run is None:
            run(count, work_on, "alignments")
            return
        for number in range(count):
            check_stop()
            work_on(number, self.work)

    def _edges(self, multiple: int) -> list[int]:
        """Where slices of about equal cost begin and end."""
        if not len(self.left):
            return [0]
        # Eight more rows and columns stand for the overhead of an entry.
        cells = np.cumsum((self.x.lengths[self.left] + 8) * (self.y.lengths[self.right] + 8))
        count = min(len(self.left), -(-int(cells[-1]) // _CELLS_PER_CALL))
        inner = np.searchsorted(cells, np.linspace(0, cells[-1], count + 1)[1:-1])
        return [0, *(inner // multiple * multiple).tolist(), len(self.left)]


def _is_symmetric(pair: Pair) -> bool:
    """Whether a tile lies on the diagonal of a symmetric matrix."""
    return pair.x is pair.y and pair.rows == pair.cols
