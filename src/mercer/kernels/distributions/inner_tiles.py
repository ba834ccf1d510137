"""The tiles of samples below a tile of bags.

A tile of bags needs the inner kernel between all samples of its bags. They are visited in strips of
TILE rows of samples, which threads share, and within a strip in tiles of TILE columns, always in
the same order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from mercer.domains.vectors.domain import TILE
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.tile import Pair

__all__: list[str] = []

Result = TypeVar("Result")


@dataclasses.dataclass
class InnerTile:
    """One tile of samples: which bags its rows and its columns belong to, and where each begins."""

    pair: Pair
    skip: int  # columns before the first that counts: a tile begins at a multiple of TILE
    row_starts: np.ndarray
    cols: slice  # of the outer tile: the bags that the columns belong to
    col_starts: np.ndarray
    weight: float  # ½ on the diagonal of a symmetric sum, of which the upper half is computed

    def sums(self, tile: np.ndarray) -> np.ndarray:
        """The sum of a tile's values over the samples of every two bags."""
        by_columns = _sums_from(tile[:, self.skip :], self.col_starts, axis=1)
        return self.weight * _sums_from(by_columns, self.row_starts, axis=0)

    def spread(self, weights: np.ndarray) -> np.ndarray:
        """The weight of every two bags, given to each two of their samples."""
        m, n = self.pair.shape
        row_counts = np.diff(self.row_starts, append=m)
        col_counts = np.diff(self.col_starts, append=n - self.skip)
        rows = np.repeat(self.weight * weights[:, self.cols], row_counts, axis=0)
        spread = np.zeros((m, n))
        spread[:, self.skip :] = np.repeat(rows, col_counts, axis=1)
        return spread


@dataclasses.dataclass
class Strip:
    """Rows ``r0:r1`` of samples of a tile of bags, and where each of their bags begins."""

    pair: Pair
    r0: int
    r1: int
    rows: slice  # of the outer tile: the bags that the samples belong to
    row_starts: np.ndarray

    def zeros(self) -> np.ndarray:
        """Room for the strip's share of the outer tile."""
        return np.zeros((len(self.row_starts), self.pair.shape[1]))

    def tiles(self, work: Workspace, shared: bool, upper: bool = False) -> Iterator[InnerTile]:
        """The tiles of the strip, with ``upper`` from the diagonal on.

        If products are ``shared`` by several formulas of the inner kernel, each tile has a board
        for them.
        """
        x, y = self.pair.x, self.pair.y
        left, right = int(y.offsets[self.pair.j0]), int(y.offsets[self.pair.j1])
        first = self.r0 if upper else left
        first -= first % TILE
        for c0 in range(first, right, TILE):
            check_stop()
            work.reset()
            c1 = min(c0 + TILE, right)
            skip = max(left - c0, 0)
            cols, col_starts = _bags_in(y.offsets, c0 + skip, c1, self.pair.j0)
            board: dict[object, np.ndarray] | None = {} if shared else None
            inner = Pair(x.elements, y.elements, self.r0, self.r1, c0, c1, work, board)
            weight = 0.5 if upper and c0 == first else 1.0
            yield InnerTile(inner, skip, self.row_starts, cols, col_starts, weight)


def _sums_from(tile: np.ndarray, starts: np.ndarray, axis: int) -> np.ndarray:
    """Sums over consecutive rows or columns; those of bags without samples are 0."""
    sums = np.add.reduceat(tile, starts, axis=axis)
    empty = np.flatnonzero(starts[1:] == starts[:-1])  # for which reduceat gives one entry
    if len(empty):
        np.moveaxis(sums, axis, 0)[empty] = 0.0
    return sums


def on_strips(
    pair: Pair, compute: Callable[[Strip, Workspace], Result]
) -> list[tuple[slice, Result]]:
    """Call ``compute`` on every strip of a tile of bags: rows of the tile, and their results."""
    offsets = pair.x.offsets
    top, bottom = int(offsets[pair.i0]), int(offsets[pair.i1])
    starts = range(top - top % TILE, bottom, TILE)
    results: dict[int, tuple[slice, Result]] = {}

    def work_on(number: int, work: Workspace) -> None:
        r0 = max(starts[number], top)
        r1 = min(starts[number] + TILE, bottom)
        rows, row_starts = _bags_in(offsets, r0, r1, pair.i0)
        results[number] = rows, compute(Strip(pair, r0, r1, rows, row_starts), work)

    pair.work.serial_blas()
    run(len(starts), work_on, "bags")
    return [results[number] for number in range(len(starts))]


def _bags_in(offsets: np.ndarray, start: int, stop: int, origin: int) -> tuple[slice, np.ndarray]:
    """The bags with samples from start to stop, counted from ``origin``, and where each begins."""
    first = int(np.searchsorted(offsets, start, side="right")) - 1
    last = int(np.searchsorted(offsets, stop, side="left"))
    return slice(first - origin, last - origin), np.maximum(offsets[first:last], start) - start
