"""A Gram matrix held in memory."""

from __future__ import annotations

import numpy as np

from mercer import _compiled
from mercer.domains.vectors.domain import TILE
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.matrix import Matrix
from mercer.gram.plan import Plan
from mercer.linalg.products import product

FEW = 4  # columns that a stored matrix multiplies at the price of one


class Stored(Matrix):
    """An array with the interface of all Gram matrices."""

    def __init__(self, array: np.ndarray, plan: Plan) -> None:
        self.array = array
        self.plan = plan

    @property
    def shape(self) -> tuple[int, int]:
        return self.array.shape

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        few = V.shape[1] <= FEW < len(self.array) and self.array.flags.c_contiguous
        if few:
            return times_few(self.array, V)
        return product(self.array, V)

    def rows(self, index: np.ndarray) -> Stored:
        return Stored(self.array[index], self.plan)

    def columns(self, index: np.ndarray) -> Stored:
        # the matrix of one collection is symmetric, and its rows are contiguous
        if self.shape[0] == self.shape[1]:
            return Stored(self.array[index].T, self.plan)
        return Stored(self.array[:, index], self.plan)

    def row(self, i: int) -> np.ndarray:
        return self.array[i]

    def diagonal(self) -> np.ndarray:
        return self.array.diagonal().copy()

    def dense(self) -> np.ndarray:
        return self.array


def times_few(K: np.ndarray, V: np.ndarray) -> np.ndarray:
    """K V for at most four columns, at the speed of reading K once.

    It runs on mercer's own threads, so BLAS should be serial around it.
    """
    n, n_columns = len(K), V.shape[1]
    vectors = np.zeros((FEW, K.shape[1]))
    vectors[:n_columns] = V.T
    out = np.empty((n, FEW))
    strips = _strips(n)

    def multiply_strip(number: int, _: Workspace) -> None:
        start, stop = strips[number]
        _compiled.storage.times_four(K[start:stop], vectors, out[start:stop])

    run(len(strips), multiply_strip, "product")
    return out[:, :n_columns]


def _strips(n: int) -> list[tuple[int, int]]:
    """Ranges of rows; the compiled loop takes rows two by two, so no range has a single one."""
    strips = [(start, min(n, start + TILE)) for start in range(0, n, TILE)]
    if len(strips) > 1 and n - strips[-1][0] < 2:
        strips[-2:] = [(strips[-2][0], n)]
    return strips
