"""Rows against few centers: the tiles of K_nm, of which nothing is ever stored.

A tile has all centers as columns and as many rows as stay in the cache. Tiles are in single
precision where the kernel has it, and all sums are in double precision.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared, RawSamples
from mercer.domains.base import Batch
from mercer.domains.raw import raw_length
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.columns import QuickKernel, QuickTiles, WideTile, quick_tiles, strip_rows
from mercer.gram.fill import blocks, compute_tile, overflow_at
from mercer.gram.plan import FLOAT32, FLOAT64
from mercer.gram.single import EPS, SingleTiles


class CenterKernel(QuickKernel, Protocol):
    """What is asked of a kernel beyond its tiles."""

    def prepare(self, batch: Batch, /) -> Prepared: ...


class Centers:
    """The centers, and tiles of rows against them.

    It can be sent to other processes: what is prepared of the centers is prepared there again.

    Parameters
    ----------
    kernel : Kernel
        The fitted kernel.
    samples : array-like or collection
        The centers.
    single : bool, default=True
        Whether tiles may be in single precision.
    """

    def __init__(self, kernel: CenterKernel, samples: RawSamples, single: bool = True) -> None:
        self.kernel, self.samples, self.single = kernel, samples, single

    def __getstate__(self) -> dict[str, object]:
        return {"kernel": self.kernel, "samples": self.samples, "single": self.single}

    def __len__(self) -> int:
        return raw_length(self.samples)

    @functools.cached_property
    def batch(self) -> Batch:
        """The centers, with what was read of them."""
        return Batch(self.samples)

    @functools.cached_property
    def prepared(self) -> Prepared:
        """The centers as the kernel reads them."""
        return self.kernel.prepare(self.batch)

    @functools.cached_property
    def quick(self) -> QuickTiles | SingleTiles | None:
        """Tiles in single precision; None where the kernel has none, or none are wanted."""
        if not self.single:
            return None
        return quick_tiles(self.kernel, self.prepared)

    @property
    def dtype(self) -> np.dtype:
        """The precision of tiles."""
        return FLOAT64 if self.quick is None else FLOAT32

    @property
    def rounding(self) -> float:
        """The relative error of an entry of a tile."""
        if self.quick is None:
            return 4 * float(np.finfo(float).eps)
        return self.quick.rounding * EPS

    def in_double_precision(self) -> Centers:
        """The same centers with tiles in double precision."""
        return Centers(self.kernel, self.samples, single=False)

    def strip_rows(self) -> int:
        """How many rows a tile has: as many as the cache holds."""
        return strip_rows(len(self), self.dtype)

    def read(self, X: RawSamples) -> Prepared:
        """Rows as tiles need them."""
        samples = self.kernel.prepare(Batch(X, like=self.batch.fork(), new=True))
        return samples if self.quick is None else self.quick.scaled(samples)

    def tile(self, x: Prepared, start: int, stop: int, work: Workspace) -> WideTile:
        """k of some rows, as `read` gives them, with all centers."""
        if self.quick is not None:
            work.serial_blas()
            out = work.scratch(stop - start, len(self), np.float32)
            self.quick.fill_rows(x, start, stop, out)
            return [(out, 0)]
        return list(self._double_tiles(x, start, stop, work))

    def _double_tiles(
        self, x: Prepared, start: int, stop: int, work: Workspace
    ) -> Iterator[tuple[np.ndarray, int]]:
        room = work.scratch(1, (stop - start) * len(self), np.float64)[0]
        for left, right in blocks(len(self)):
            place = (start, stop), (left, right)
            part = room[(stop - start) * left : (stop - start) * right]
            tile = part.reshape(stop - start, right - left)
            compute_tile(self.kernel, x, self.prepared, place, tile, work)
            if not np.isfinite(tile).all():
                raise overflow_at(x, self.prepared, tile, place)
            yield tile, left

    def rows(self, X: RawSamples) -> np.ndarray:
        """k of rows with all centers as a matrix, in the precision of tiles."""
        x = self.read(X)
        count, step = raw_length(X), self.strip_rows()
        out = np.empty((count, len(self)), dtype=self.dtype)

        def compute(number: int, work: Workspace) -> None:
            start = number * step
            stop = min(count, start + step)
            for tile, left in self.tile(x, start, stop, work):
                out[start:stop, left : left + tile.shape[1]] = tile

        run(-(-count // step), compute, "rows of the centers")
        return out

    def apply(self, X: RawSamples, U: np.ndarray) -> np.ndarray:
        """k(X, centers) @ U, tile by tile."""
        x, vectors = self.read(X), np.ascontiguousarray(U.T, dtype=np.float64)
        count, step = raw_length(X), self.strip_rows()
        out = np.zeros((count, U.shape[1]))

        def compute(number: int, work: Workspace) -> None:
            start = number * step
            stop = min(count, start + step)
            for tile, left in self.tile(x, start, stop, work):
                _compiled.fused.add_products(tile, vectors, left, out[start:stop])

        run(-(-count // step), compute, "rows of the centers")
        return out
