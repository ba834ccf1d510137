"""The basis functions of a relevance vector machine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.fill import Range
from mercer.gram.matrix import Matrix
from mercer.gram.stored import Stored
from mercer.gram.streamed import Streamed

_STRIP = 256  # functions that a thread looks at at a time


class Basis:
    """The matrix Φ: the constant, if wanted, beside the columns of a Gram matrix."""

    def __init__(self, matrix: Matrix, constant: bool) -> None:
        self.matrix, self.constant = matrix, int(constant)
        self.count = len(matrix) + self.constant

    def columns(self, which: np.ndarray) -> np.ndarray:
        """Some functions at all samples."""
        values = np.ones((len(self.matrix), len(which)))
        real = np.flatnonzero(which >= self.constant)
        if len(real):
            values[:, real] = self.matrix.rows(which[real] - self.constant).dense().T
        return values

    def correlate(self, V: np.ndarray) -> np.ndarray:
        """ΦᵀV."""
        if isinstance(self.matrix, Stored):
            product = self._by_strips(self.matrix.array, V.shape[1:], lambda strip: strip @ V)
        else:
            product = self.matrix @ np.ascontiguousarray(V)
        if not self.constant:
            return product
        return np.vstack([V.sum(axis=0), product])

    def energy(self, b: np.ndarray) -> np.ndarray:
        """Σ b_i φ_i² of every function."""
        if isinstance(self.matrix, Stored):
            sums = self._by_strips(self.matrix.array, (), lambda strip: np.square(strip) @ b)
        else:
            assert isinstance(self.matrix, Streamed)
            sums = _squares_by_tiles(self.matrix, b)
        if not self.constant:
            return sums
        return np.append(b.sum(), sums)

    def _by_strips(
        self, K: np.ndarray, shape: tuple[int, ...], compute: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """One result per row, strips of rows on mercer's threads: BLAS is serial around it."""
        out = np.empty((len(K), *shape))

        def compute_strip(number: int, _: Workspace) -> None:
            rows = slice(number * _STRIP, (number + 1) * _STRIP)
            out[rows] = compute(K[rows])

        run(-(-len(K) // _STRIP), compute_strip)
        return out


class WeightedBasis(Basis):
    """√W Φ for weights W of the samples: rows that count w times."""

    def __init__(self, matrix: Matrix, constant: bool, weight: np.ndarray) -> None:
        super().__init__(matrix, constant)
        self.weight, self.root = weight, np.sqrt(weight)

    def columns(self, which: np.ndarray) -> np.ndarray:
        return self.root[:, None] * super().columns(which)

    def correlate(self, V: np.ndarray) -> np.ndarray:
        return super().correlate(self.root[:, None] * V)

    def energy(self, b: np.ndarray) -> np.ndarray:
        return super().energy(self.weight * b)


def _squares_by_tiles(matrix: Streamed, b: np.ndarray) -> np.ndarray:
    """Σ b_i φ_i² of the columns of a matrix that is not stored."""
    sums = np.zeros(len(matrix))

    def add(tile: np.ndarray, rows: Range, cols: Range) -> None:
        sums[slice(*rows)] += np.square(tile) @ b[slice(*cols)]

    matrix.visit(add)
    return sums
