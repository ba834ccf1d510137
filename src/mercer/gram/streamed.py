"""A Gram matrix that is never stored: tiles are computed again whenever they are needed."""

from __future__ import annotations

import numpy as np

from mercer.aliases import Prepared
from mercer.gram.fill import Fills, Visitor, check_diagonal, dense, multiply, visit_rows
from mercer.gram.matrix import Matrix
from mercer.gram.plan import FLOAT64, Plan


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
