"""One tile of a Gram matrix as a kernel sees it: two slices of samples, and what they share."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.aliases import Prepared
from mercer.domains.base import Tile
from mercer.execution.workspace import Workspace


class Pair:
    """Rows ``i0:i1`` of ``x`` against rows ``j0:j1`` of ``y``.

    Inner products and distances are computed once per tile, when a leaf first asks, and written on a board that
    all leaves of a composite read: never write into what `dot`, `sqdist` or `l1` return. A kernel of one leaf has
    nobody to share with: ``board`` is None, and the products are written where the result will be (``out``), which
    saves a tile's room in the cache.
    """

    __slots__ = ("board", "i0", "i1", "j0", "j1", "work", "x", "y")

    def __init__(
        self,
        x: Prepared,
        y: Prepared,
        i0: int,
        i1: int,
        j0: int,
        j1: int,
        work: Workspace,
        board: dict[Any, np.ndarray] | None = None,
    ) -> None:
        self.x, self.y = x, y
        self.i0, self.i1, self.j0, self.j1 = i0, i1, j0, j1
        self.work = work
        self.board = board

    @property
    def shape(self) -> tuple[int, int]:
        return self.i1 - self.i0, self.j1 - self.j0

    @property
    def rows(self) -> slice:
        return slice(self.i0, self.i1)

    @property
    def cols(self) -> slice:
        return slice(self.j0, self.j1)

    def of(self, x: Prepared, y: Prepared) -> Pair:
        """The same tile of other samples (the parts of a composite)."""
        return Pair(x, y, self.i0, self.i1, self.j0, self.j1, self.work, self.board)

    def _written(self, key: Any, out: np.ndarray | None) -> tuple[np.ndarray, bool]:
        if self.board is None:
            return self.work.shared(
                self.i1 - self.i0, self.j1 - self.j0
            ) if out is None else out, False
        found = self.board.get(key)
        if found is not None:
            return found, True
        found = self.work.shared(self.i1 - self.i0, self.j1 - self.j0)
        self.board[key] = found
        return found, False

    def dot(self, out: np.ndarray | None = None) -> np.ndarray:
        """Inner products of the rows."""
        tile, done = self._written(("dot", id(self.x), id(self.y)), out)
        if not done:
            self.x.dot(self.y, Tile(self.rows, self.cols, tile, self.work))
        return tile

    def sqdist(
        self, weights: np.ndarray | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Σ weights (x − y)²."""
        key = ("sqdist", id(self.x), id(self.y), None if weights is None else weights.tobytes())
        tile, done = self._written(key, out)
        if not done:
            self.x.sqdist(self.y, weights, Tile(self.rows, self.cols, tile, self.work))
        return tile

    def l1(self, weights: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Σ weights |x − y|."""
        tile, done = self._written(("l1", id(self.x), id(self.y), weights.tobytes()), out)
        if not done:
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
        """Room for one tile; returned with ``work.release``."""
        return self.work.temporary(self.i1 - self.i0, self.j1 - self.j0)
