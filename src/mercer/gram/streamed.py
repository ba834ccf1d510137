"""A Gram matrix that is never stored: tiles are computed again whenever they are needed."""

from __future__ import annotations

import dataclasses
from typing import cast

import numpy as np

from mercer.aliases import Prepared
from mercer.gram.columns import Columns, QuickKernel, quick_tiles
from mercer.gram.fill import Fills, Visitor, check_diagonal, dense, multiply, visit_rows
from mercer.gram.matrix import Matrix
from mercer.gram.plan import FLOAT32, FLOAT64, Plan

_WIDE = 2048  # columns of a panel, and rows of a task


class Streamed(Matrix):
    """k between two collections of prepared samples, in double precision."""

    def __init__(self, kernel: Fills, x: Prepared, y: Prepared, plan: Plan) -> None:
        self.kernel = kernel
        self.x, self.y = x, y
        self.plan = plan

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.x), len(self.y)

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        return multiply(self.kernel, self.x, self.y, V)

    def rows(self, index: np.ndarray) -> Streamed:
        return Streamed(self.kernel, self.x.take(index), self.y, self.plan)

    def columns(self, index: np.ndarray) -> Streamed:
        return Streamed(self.kernel, self.x, self.y.take(index), self.plan)

    def diagonal(self) -> np.ndarray:
        with np.errstate(all="ignore"):
            diagonal = np.asarray(self.kernel.diagonal(self.x), dtype=np.float64)
            return check_diagonal(diagonal, samples=self.x)

    def dense(self) -> np.ndarray:
        return dense(self.kernel, self.x, self.y, FLOAT64)

    def visit(self, visitor: Visitor, label: str = "samples") -> None:
        """Call ``visitor(tile, rows, columns)`` for every tile, those of the same rows in order."""
        visit_rows(self.kernel, self.x, self.y, visitor, label)


class SingleStreamed(Streamed):
    """k of a collection with itself, in products alone of single precision, summed in double.

    A tile above the diagonal serves both triangles, so that the matrix that is multiplied is
    exactly symmetric. ``rounding`` is the relative error of an entry, known after a product.
    """

    kernel: QuickKernel

    def __init__(self, kernel: QuickKernel, x: Prepared, plan: Plan) -> None:
        super().__init__(kernel, x, x, dataclasses.replace(plan, dtype=FLOAT32))
        self.rounding = 0.0

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        V = np.ascontiguousarray(V, dtype=np.float64)
        out, n = np.zeros(V.shape), len(self)
        for first in range(0, n, _WIDE):
            last = min(n, first + _WIDE)
            panel = self.panel(np.arange(first, last))
            self.rounding = max(self.rounding, panel.rounding)
            vectors = np.ascontiguousarray(V[first:last].T)  # compiled loops read whole rows
            slopes = panel.sweep(out, vectors, V, first=first, twice_from=last)
            out[first:last] += slopes.T
        return out

    def panel(self, places: np.ndarray) -> Columns:
        """Some columns, those of the samples at these places."""
        tiles = quick_tiles(self.kernel, self.x.take(places))
        assert tiles is not None
        return Columns(tiles, self.x, len(places))


def in_single_precision(matrix: Matrix) -> SingleStreamed | None:
    """A matrix that is not stored, with products in single precision; None without such tiles."""
    if not isinstance(matrix, Streamed) or matrix.x is not matrix.y:
        return None
    kernel = cast(QuickKernel, matrix.kernel)
    if quick_tiles(kernel, matrix.x.take(np.arange(1))) is None:
        return None
    return SingleStreamed(kernel, matrix.x, matrix.plan)
