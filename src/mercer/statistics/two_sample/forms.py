"""Quadratic forms of a Gram matrix for many columns of labels, tile by tile.

With a column a of zeros and ones, aᵀKa and aᵀK1 are all that a two-sample statistic needs of K.
Each tile above the diagonal is computed once and multiplied by all columns while it is in the
cache. Neither K nor K S is stored: beside the labels, in bytes, there is room for a few hundred
rows of K S. Sums are made in an order that does not depend on the number of threads.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer.aliases import Prepared
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.fill import Fills, Range, blocks, check_diagonal, compute_tile, overflow_at


@dataclasses.dataclass
class Forms:
    """Sums of a Gram matrix K over the rows and columns that columns of labels name.

    Parameters
    ----------
    inner : ndarray of shape (n_columns,)
        aᵀKa for every column a.
    linear : ndarray of shape (n_columns,)
        aᵀK1.
    total : float
        1ᵀK1.
    diagonal : ndarray of shape (n,)
        k(x, x).
    """

    inner: np.ndarray
    linear: np.ndarray
    total: float
    diagonal: np.ndarray


_Sums = tuple[np.ndarray, np.ndarray, float]


class _RowBlock:
    """Sums of the tiles to the right of the diagonal in one block of rows."""

    def __init__(self, rows: Range, labels: np.ndarray) -> None:
        self.rows = rows
        self.labels = labels
        n_rows, n_columns = rows[1] - rows[0], labels.shape[1]
        self.beside = np.zeros((n_rows, n_columns))  # K S of the tiles beside the diagonal
        self.sums = np.zeros(n_rows)  # K 1 of them
        self.product = np.empty((n_rows, n_columns))

    def add(self, tile: np.ndarray, cols: Range) -> None:
        """One more tile beside the diagonal."""
        np.matmul(tile, self.labels[slice(*cols)].astype(np.float64), out=self.product)
        self.beside += self.product
        self.sums += tile.sum(axis=1)

    def results(self, tile: np.ndarray) -> _Sums:
        """The sums, with the tile on the diagonal: aᵀKa, aᵀK1 and 1ᵀK1."""
        own = self.labels[slice(*self.rows)].astype(np.float64)
        np.matmul(tile, own, out=self.product)
        linear = self.product.sum(axis=0) + self.beside.sum(axis=0) + self.sums @ own
        self.beside *= 2.0
        self.beside += self.product
        inner = np.einsum("ij,ij->j", own, self.beside)
        return inner, linear, float(tile.sum()) + 2.0 * float(self.sums.sum())


def quadratic_forms(kernel: Fills, samples: Prepared, labels: np.ndarray) -> Forms:
    """The sums of the Gram matrix of prepared samples, for all columns of labels.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    samples : Samples
        What ``kernel.prepare`` returned for n samples.
    labels : ndarray of shape (n, n_columns)
        Columns of zeros and ones, in bytes.
    """
    ranges = blocks(len(samples))
    results: dict[int, _Sums] = {}

    def compute(number: int, work: Workspace) -> None:
        work.serial_blas()
        rows = ranges[number]
        part = _RowBlock(rows, labels)
        for cols in ranges[number + 1 :]:
            check_stop()
            part.add(_tile(kernel, samples, rows, cols, work), cols)
        results[number] = part.results(_tile(kernel, samples, rows, rows, work))

    run(len(ranges), compute, "permutations")
    inner, linear, total = results[0]
    for number in range(1, len(ranges)):
        part = results[number]
        inner, linear, total = inner + part[0], linear + part[1], total + part[2]
    with np.errstate(all="ignore"):
        diagonal = np.asarray(kernel.diagonal(samples), dtype=np.float64)
    return Forms(inner, linear, total, check_diagonal(diagonal, samples=samples))


def _tile(
    kernel: Fills, samples: Prepared, rows: Range, cols: Range, work: Workspace
) -> np.ndarray:
    """One tile in the thread's own memory, checked to be finite."""
    tile = work.out(rows[1] - rows[0], cols[1] - cols[0])
    compute_tile(kernel, samples, samples, (rows, cols), tile, work)
    if not np.isfinite(tile).all():
        raise overflow_at(samples, samples, tile, (rows, cols))
    return tile
