"""Some columns of a Gram matrix in single precision: computed tile by tile, multiplied, forgotten.

Sums are in double precision, in an order that depends on the sizes only.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.execution.cancel import check_stop
from mercer.execution.engine import tree_sum
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.fill import Fills
from mercer.gram.plan import FLOAT32, FLOAT64
from mercer.gram.single import EPS, SingleTiles

CACHED = 2**20  # bytes of a tile
_MANY = 12  # columns from which on BLAS is worth a tile in double precision
_GROUP = 2048  # rows of a task
_LEAST, _MOST = 16, 256  # rows of a tile

WideTile = list[tuple[np.ndarray, int]]  # tiles side by side, each with its first column


class QuickTiles(Protocol):
    """Tiles in single precision, as a kernel may give them."""

    rounding: float

    def scaled(self, samples: Prepared, /) -> Prepared: ...
    def fill_rows(self, z: Prepared, start: int, stop: int, out: np.ndarray, /) -> None: ...


class QuickKernel(Fills, Protocol):
    """A kernel that may have tiles in single precision."""

    def single_precision(self, samples: Prepared, /) -> QuickTiles | None: ...
    def single_tiles(self, centers: Prepared, /) -> SingleTiles | None: ...


def quick_tiles(kernel: QuickKernel, columns: Prepared) -> QuickTiles | SingleTiles | None:
    """Tiles in single precision against fixed samples; None where the kernel has none."""
    quick = kernel.single_precision(columns)
    if getattr(quick, "scaling", None) is None:
        return kernel.single_tiles(columns)
    return quick


def strip_rows(columns: int, dtype: np.dtype) -> int:
    """How many rows a tile of so many columns has: as many as the cache holds."""
    rows = CACHED // (dtype.itemsize * max(1, columns))
    return max(_LEAST, min(_MOST, rows // 8 * 8))


class Columns:
    """k of all samples with some fixed ones, of which nothing is stored.

    Parameters
    ----------
    tiles : QuickTiles
        Tiles against the fixed samples.
    x : Samples
        All samples, prepared.
    count : int
        The number of fixed samples.
    """

    def __init__(self, tiles: QuickTiles | SingleTiles, x: Prepared, count: int) -> None:
        self.tiles, self.x, self.count = tiles, x, count
        self.rounding = tiles.rounding * EPS
        self.step = strip_rows(count, FLOAT32)

    def sweep(
        self,
        out: np.ndarray | None = None,
        vectors: np.ndarray | None = None,
        weights: np.ndarray | None = None,
        *,
        first: int = 0,
        twice_from: int = 0,
    ) -> np.ndarray:
        """Add the products with vectors to ``out``, and return those of the transpose.

        Parameters
        ----------
        out : ndarray of shape (n, k), optional
            What the product with ``vectors`` is added to.
        vectors : ndarray of shape (k, count), optional
            Coefficients of the columns.
        weights : ndarray of shape (n, k), optional
            Coefficients of the rows.
        first : int, default=0
            The first row that is looked at.
        twice_from : int, default=0
            The first row that the transposed product counts.

        Returns
        -------
        ndarray of shape (k, count)
            The transposed product, 0 without weights.
        """
        n = len(self.x)
        columns = _count_columns(vectors, weights)
        slopes = [np.zeros((columns, self.count))] * -(-(n - first) // _GROUP)

        def compute(number: int, work: Workspace) -> None:
            start = first + number * _GROUP
            places = np.arange(start, min(n, start + _GROUP))
            z = self.tiles.scaled(self.x.take(places))
            own = np.zeros((columns, self.count))
            for left in range(0, len(places), self.step):
                check_stop()
                right = min(len(places), left + self.step)
                rows = slice(start + left, start + right)
                tile = self._tile(z, left, right, work, columns)
                if vectors is not None and out is not None:
                    add_products(tile, vectors, out[rows])
                if weights is not None and start + left >= twice_from:
                    add_transposed(tile, weights[rows], own)
            slopes[number] = own

        run(len(slopes), compute, "Gram product")
        return np.asarray(tree_sum(slopes))

    def values(self, places: np.ndarray) -> np.ndarray:
        """The rows of some samples, as a matrix."""
        z = self.tiles.scaled(self.x.take(places))
        out = np.empty((len(places), self.count), dtype=np.float32)

        def compute(number: int, work: Workspace) -> None:
            work.serial_blas()
            start = number * self.step
            stop = min(len(places), start + self.step)
            self.tiles.fill_rows(z, start, stop, out[start:stop])

        run(-(-len(places) // self.step), compute, "rows of some columns")
        return out

    def _tile(self, z: Prepared, start: int, stop: int, work: Workspace, columns: int) -> WideTile:
        work.serial_blas()
        tile = work.scratch(stop - start, self.count, np.float32)
        self.tiles.fill_rows(z, start, stop, tile)
        return for_products([(tile, 0)], columns, work)


def _count_columns(vectors: np.ndarray | None, weights: np.ndarray | None) -> int:
    """How many columns are multiplied at a time."""
    if vectors is not None:
        return len(vectors)
    assert weights is not None
    return int(weights.shape[1])


def for_products(tiles: WideTile, columns: int, work: Workspace) -> WideTile:
    """Tiles as their products with so many columns want them: of many, BLAS makes products."""
    if columns < _MANY:
        return tiles
    work.serial_blas()
    if tiles[0][0].dtype == FLOAT64:
        return tiles
    out = work.out(*tiles[0][0].shape)
    np.copyto(out, tiles[0][0])
    return [(out, 0)]


def add_products(tiles: WideTile, vectors: np.ndarray, values: np.ndarray) -> None:
    """Add the products of tiles with vectors, a row for each, to values by rows."""
    for tile, left in tiles:
        if len(vectors) >= _MANY and tile.dtype == FLOAT64:
            values += tile @ vectors[:, left : left + tile.shape[1]].T
        else:
            _compiled.fused.add_products(tile, vectors, left, values)


def add_transposed(tiles: WideTile, weights: np.ndarray, slopes: np.ndarray) -> None:
    """Add the products of transposed tiles with weights to slopes, a row for each column."""
    for tile, left in tiles:
        if weights.shape[1] >= _MANY and tile.dtype == FLOAT64:
            slopes[:, left : left + tile.shape[1]] += weights.T @ tile
        else:
            _compiled.fused.add_transposed(tile, weights, left, slopes)
