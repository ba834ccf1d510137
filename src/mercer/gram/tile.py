"""One tile of a Gram matrix as a kernel sees it: two slices of samples, and what they share."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from mercer.aliases import Prepared
from mercer.domains.base import Tile
from mercer.execution.workspace import Workspace


class Pair:
    """Rows ``i0:i1`` of ``x`` against rows ``j0:j1`` of ``y``.

    Inner products and distances are computed once per tile, when a formula first asks, and shared
    by all formulas of a composite kernel: never write into what `dot`, `sqdist` or `l1` return. A
    kernel of one formula has nothing to share: ``shared`` is None, and the products are written
    where the result will be (``out``), which saves the cache one tile.
    """

    __slots__ = ("cols", "i0", "i1", "j0", "j1", "rows", "shape", "shared", "work", "x", "y")

    def __init__(
        self,
        x: Prepared,
        y: Prepared,
        i0: int,
        i1: int,
        j0: int,
        j1: int,
        work: Workspace,
        shared: dict[Hashable, np.ndarray] | None = None,
    ) -> None:
        self.x, self.y = x, y
        self.i0, self.i1, self.j0, self.j1 = i0, i1, j0, j1
        self.rows, self.cols = slice(i0, i1), slice(j0, j1)  # of x and of y
        self.shape = i1 - i0, j1 - j0
        self.work = work
        self.shared = shared

    def of(self, x: Prepared, y: Prepared) -> Pair:
        """The same tile of other samples."""
        return Pair(x, y, self.i0, self.i1, self.j0, self.j1, self.work, self.shared)

    def part(self, at: int) -> Pair:
        """The same tile of the samples that a child of a composite kernel prepared."""
        x, y = self.x.sides[at], self.y.sides[at]  # of `Parts`
        return Pair(x, y, self.i0, self.i1, self.j0, self.j1, self.work, self.shared)

    def _tile(self, key: Hashable, out: np.ndarray | None) -> tuple[np.ndarray, bool]:
        """Where a product is, or is to be, written; and whether it is there already."""
        if self.shared is None:
            return self.work.shared.take(*self.shape) if out is None else out, False
        tile = self.shared.get(key)
        if tile is not None:
            return tile, True
        tile = self.work.shared.take(*self.shape)
        self.shared[key] = tile
        return tile, False

    def dot(self, out: np.ndarray | None = None) -> np.ndarray:
        """Inner products of the rows."""
        tile, ready = self._tile(("dot", id(self.x), id(self.y)), out)
        if not ready:
            self.x.dot(self.y, Tile(self.rows, self.cols, tile, self.work))
        return tile

    def sqdist(
        self, weights: np.ndarray | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Σ weights (x − y)²."""
        key = ("sqdist", id(self.x), id(self.y), None if weights is None else weights.tobytes())
        tile, ready = self._tile(key, out)
        if not ready:
            self.x.sqdist(self.y, weights, Tile(self.rows, self.cols, tile, self.work))
        return tile

    def l1(self, weights: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Σ weights |x − y|."""
        tile, ready = self._tile(("l1", id(self.x), id(self.y), weights.tobytes()), out)
        if not ready:
            self.x.l1(self.y, weights, Tile(self.rows, self.cols, tile, self.work))
        return tile

    def squared_difference(self, column: int, out: np.ndarray) -> np.ndarray:
        """(x_f − y_f)² of one column."""
        self.x.squared_difference(self.y, column, Tile(self.rows, self.cols, out, self.work))
        return out

    def coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows of x and the panel of y, for kernels that look at every coordinate."""
        return self.x.x[self.i0 : self.i1], self.y.panel(self.j0)

    def buffer(self) -> np.ndarray:
        """Room for one tile, free again once ``work.temporary.used`` is what it was."""
        return self.work.temporary.take(*self.shape)
