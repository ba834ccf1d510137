"""The lower triangle of a symmetric matrix in single precision: half the memory of the matrix."""

from __future__ import annotations

import numpy as np

from mercer.aliases import Prepared
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.single import SingleTiles

STRIP = 256  # rows of the matrix that are stored one after the other


class Triangle:
    """A symmetric matrix of n rows as strips of rows, each up to the end of its diagonal block.

    It is multiplied strip by strip, in an order that does not depend on the number of threads. BLAS
    should be serial around it.
    """

    def __init__(self, n: int) -> None:
        self.shape = (n, n)
        self.starts = range(0, n, STRIP)
        sizes = [(min(n, start + STRIP) - start) * min(n, start + STRIP) for start in self.starts]
        ends = np.cumsum(sizes).tolist()
        values = np.empty(ends[-1], dtype=np.float32)
        self.strips = [
            values[end - size : end].reshape(-1, min(n, start + STRIP))
            for start, size, end in zip(self.starts, sizes, ends, strict=True)
        ]

    @classmethod
    def of(cls, tiles: SingleTiles, samples: Prepared) -> Triangle:
        """The Gram matrix of the fixed samples of the tiles, given once more as rows."""
        triangle = cls(len(samples))
        z = tiles.scaled(samples)

        def fill_strip(number: int, work: Workspace) -> None:
            work.serial_blas()
            out = triangle.strips[number]
            start = triangle.starts[number]
            tiles.fill_rows(z, start, start + len(out), out)

        run(len(triangle.strips), fill_strip, "kernel values")
        return triangle

    @classmethod
    def copy(cls, K: np.ndarray) -> Triangle:
        """The triangle of a matrix that is stored."""
        triangle = cls(len(K))
        for start, strip in zip(triangle.starts, triangle.strips, strict=True):
            strip[...] = K[start : start + len(strip), : strip.shape[1]]
        return triangle

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        out = np.empty(V.shape, dtype=np.float32)
        mirrored: list[np.ndarray] = [np.empty(0)] * len(self.strips)

        def multiply_strip(number: int, _: Workspace) -> None:
            start, strip = self.starts[number], self.strips[number]
            own = slice(start, strip.shape[1])
            out[own] = strip @ V[: strip.shape[1]]
            mirrored[number] = strip[:, :start].T @ V[own]

        run(len(self.strips), multiply_strip, "product")
        total = out.astype(np.float64)
        for start, part in zip(self.starts, mirrored, strict=True):
            total[:start] += part
        return total

    def rows(self, places: np.ndarray) -> np.ndarray:
        """Some rows of the matrix."""
        out = np.empty((len(places), len(self)), dtype=np.float32)
        for start, strip in zip(self.starts, self.strips, strict=True):
            stop = strip.shape[1]
            below = np.flatnonzero(places < start)
            out[below, start:stop] = strip[:, places[below]].T
            own = np.flatnonzero((places >= start) & (places < stop))
            out[own, :stop] = strip[places[own] - start]
        return out

    def diagonal(self) -> np.ndarray:
        """The values along the diagonal."""
        blocks = zip(self.starts, self.strips, strict=True)
        return np.concatenate([strip[:, start:].diagonal() for start, strip in blocks])

    def __len__(self) -> int:
        return self.shape[0]
