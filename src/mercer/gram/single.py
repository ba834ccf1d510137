"""Values of a kernel with fixed samples in single precision, for passes over many rows.

A kernel that has them returns them from ``kernel.single_tiles(centers)``. They take a third to a
fifth of the time of tiles in double precision; what is summed with them is summed in double.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.aliases import Prepared
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace

EPS = 2.0**-24  # the relative rounding error of a number in single precision
STRIP = 128  # rows of a tile
_LARGEST = 1e30  # values beyond which squares and products would overflow

Rows = Any  # samples as tiles in single precision read them: what `SingleTiles.scaled` returns


class SingleTiles:
    """k(x, y) of any samples x with fixed samples y, in single precision.

    Attributes
    ----------
    count : int
        The number of fixed samples, the columns.
    largest : float
        The largest |k(y, y)| of the fixed samples.
    error : float
        The rounding error to expect of one value, as a number.
    """

    def __init__(self, count: int, largest: float, error: float) -> None:
        self.count, self.largest, self.error = count, largest, error

    @property
    def rounding(self) -> float:
        """The error of a value over the largest one, in units of the rounding of storing it."""
        return self.error / (EPS * max(self.largest, 1e-300))

    def scaled(self, samples: Prepared) -> Rows:
        """Samples as `fill_rows` reads them: work that is done once per block."""
        raise NotImplementedError(type(self).__name__)

    def fill_rows(self, z: Rows, start: int, stop: int, out: np.ndarray) -> None:
        """k of some rows with the first columns, as many as ``out`` has, on the calling thread.

        Call BLAS on one thread.
        """
        raise NotImplementedError(type(self).__name__)

    def matrix(self, samples: Prepared) -> np.ndarray:
        """k of all samples with all columns, strip by strip on all threads."""
        n = len(samples)
        out = np.empty((n, self.count), dtype=np.float32)
        z = self.scaled(samples)

        def fill_strip(number: int, work: Workspace) -> None:
            work.serial_blas()
            start, stop = number * STRIP, min(n, (number + 1) * STRIP)
            self.fill_rows(z, start, stop, out[start:stop])

        run(-(-n // STRIP), fill_strip, "kernel values")
        return out

    def times(self, samples: Prepared, dual: np.ndarray) -> np.ndarray:
        """K A, summed in double, for the matrix of all samples and columns, which is not stored."""
        n = len(samples)
        out = np.empty((n, dual.shape[1]))
        z = self.scaled(samples)

        def multiply_strip(number: int, work: Workspace) -> None:
            work.serial_blas()
            start, stop = number * STRIP, min(n, (number + 1) * STRIP)
            values = np.empty((stop - start, self.count), dtype=np.float32)
            self.fill_rows(z, start, stop, values)
            out[start:stop] = values.astype(np.float64) @ dual

        run(-(-n // STRIP), multiply_strip, "kernel values")
        return out


class CombinedTiles(SingleTiles):
    """Sums, products or multiples of tiles, in place; the arguments are those of `SingleTiles`."""

    def __init__(self, parts: list[SingleTiles], combine: Callable[..., Any]) -> None:
        self.parts, self.combine = parts, combine
        sizes = np.array([part.largest for part in parts])
        errors = np.array([part.error for part in parts])
        if combine is np.add:
            largest, error = float(sizes.sum()), float(errors.sum())
        else:
            largest = float(sizes.prod())
            error = float(largest * (errors / np.maximum(sizes, 1e-300)).sum())
        super().__init__(parts[0].count, largest, error + EPS * largest * (len(parts) - 1))

    def scaled(self, samples: Prepared) -> Rows:
        return [part.scaled(side) for part, side in zip(self.parts, samples.sides, strict=True)]

    def fill_rows(self, z: Rows, start: int, stop: int, out: np.ndarray) -> None:
        self.parts[0].fill_rows(z[0], start, stop, out)
        other = np.empty_like(out)
        for tiles, own in zip(self.parts[1:], z[1:], strict=True):
            tiles.fill_rows(own, start, stop, other)
            self.combine(out, other, out=out)


class ScaledTiles(SingleTiles):
    """A multiple of tiles, of the samples that a child of a kernel prepared."""

    def __init__(self, inner: SingleTiles, factor: float = 1.0) -> None:
        size = abs(factor)
        super().__init__(inner.count, size * inner.largest, size * (inner.error + EPS))
        self.inner, self.factor = inner, np.float32(factor)

    def scaled(self, samples: Prepared) -> Rows:
        return self.inner.scaled(samples.sides[0])

    def fill_rows(self, z: Rows, start: int, stop: int, out: np.ndarray) -> None:
        self.inner.fill_rows(z, start, stop, out)
        if self.factor != 1.0:
            out *= self.factor


class ConstantTiles(SingleTiles):
    """The same value everywhere."""

    def __init__(self, count: int, value: float) -> None:
        super().__init__(count, abs(value), EPS * abs(value))
        self.value = value

    def scaled(self, samples: Prepared) -> Rows:
        return None

    def fill_rows(self, z: Rows, start: int, stop: int, out: np.ndarray) -> None:
        out.fill(self.value)


def in_range(largest: float) -> bool:
    """Whether values of this size, and sums of some of them, are finite in single precision."""
    return bool(largest < _LARGEST)
