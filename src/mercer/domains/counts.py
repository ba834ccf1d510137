"""Samples as rows of counts: each feature has a column, known by a hash of 64 bits.

Counts are whole numbers, and so are their products, whatever the order in which they are added.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.aliases import Prepared, SparseMatrix
from mercer.domains.base import Samples, Tile
from mercer.domains.raw import starts_of
from mercer.domains.vectors.domain import CsrSamples
from mercer.execution.memo import shared_lock

_DENSE = 0.05  # dense rows are quicker if samples have more than this share of the features
_FREQUENT = 0.1  # a dense column is quicker if more than this share of the samples have a feature
_ROOM = 2**30  # bytes of dense rows, at most
_EXACT = 2.0**24  # single precision holds all whole numbers below


@dataclass
class NgramCounts:
    """Counts of the features of strings: one column for each hash, in any order, no hash twice."""

    counts: SparseMatrix
    hashes: np.ndarray


@dataclass(eq=False)
class NgramSamples(Samples):
    """Counts of features, the columns of the features, and ‖φ‖².

    Counts are sparse rows, or dense rows of the first columns, for which BLAS is quicker, beside
    sparse ones of all others, the ``rest``. Dense columns are those of the features that many
    samples of the first collection have, or of all its features.
    """

    counts: Prepared  # an array, or CsrSamples
    known: Vocabulary
    norms: np.ndarray
    rest: CsrSamples | None = None

    def __len__(self) -> int:
        return len(self.norms)

    @property
    def sparse(self) -> bool:
        return isinstance(self.counts, CsrSamples)

    @property
    def largest(self) -> float:
        """The largest squared norm."""
        return self.once("largest", lambda: float(self.norms.max(initial=0.0)))

    def fork(self) -> NgramSamples:
        return self._forked(known=self.known.fork())

    def take(self, rows: np.ndarray) -> NgramSamples:
        if self.sparse:
            counts = self.counts.take(rows)
        else:
            counts = np.ascontiguousarray(self.counts[rows])
        rest = None if self.rest is None else self.rest.take(rows)
        return NgramSamples(counts, self.known, self.norms[rows], rest)._inherit(self, rows)

    def matrix(self) -> SparseMatrix:
        """All counts as sparse rows, the columns of each in order."""
        from scipy.sparse import csr_matrix, hstack

        if self.sparse:
            return canonical(self.counts.x)
        dense = csr_matrix(self.counts, dtype=np.float64)
        return dense if self.rest is None else hstack([dense, canonical(self.rest.x)], format="csr")

    def dot(self, y: NgramSamples, tile: Tile) -> None:
        """Inner products of rows: whole numbers, for which the order of adding does not matter."""
        if self.sparse:
            self.counts.dot(y.counts, tile)
            return
        tile.work.serial_blas()
        rows, cols = self.counts[tile.rows], y.counts[tile.cols]
        # No partial sum is larger than √(k(x, x) k(y, y)).
        if self.largest * y.largest >= _EXACT**2:
            rows, cols = rows.astype(np.float64), cols.astype(np.float64)
        if self.rest is None or y.rest is None:
            tile.out[...] = rows @ cols.T
            return
        self.rest.dot(y.rest, tile)
        tile.out[...] += rows @ cols.T


class Vocabulary:
    """Columns of hashed features. It grows, so that collections that are compared share it."""

    def __init__(self, hashes: np.ndarray) -> None:
        self.hashes = hashes  # by column
        self._sorted: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.hashes)

    def fork(self) -> Vocabulary:
        """A copy that grows independently."""
        fork = Vocabulary(self.hashes)
        fork._sorted = self._in_order()
        return fork

    def _in_order(self) -> tuple[np.ndarray, np.ndarray]:
        """The hashes in order, and their columns."""
        result = self._sorted
        if result is None:
            order = np.argsort(self.hashes)
            result = self.hashes[order], order
            self._sorted = result
        return result

    def number(self, hashes: np.ndarray) -> np.ndarray:
        """The columns of different hashes; those not met yet get new ones."""
        # Two predictions at the same time must not give one column to two features.
        with shared_lock():
            columns = self._columns(hashes)
            fresh = np.flatnonzero(columns < 0)
            columns[fresh] = len(self) + np.arange(len(fresh))
            if len(fresh):
                self.hashes = np.concatenate([self.hashes, hashes[fresh]])
                self._sorted = None
            return columns

    def _columns(self, hashes: np.ndarray) -> np.ndarray:
        """The columns of hashes, −1 for those not met yet."""
        known, columns = self._in_order()
        if not len(known):
            return np.full(len(hashes), -1)
        at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        return np.where(known[at] == hashes, columns[at], -1)


def counted(ngrams: NgramCounts) -> NgramSamples:
    """Counts of the first of two collections, which decides which columns are dense."""
    counts = CsrSamples(ngrams.counts)
    cells = len(counts) * counts.n_features
    if counts.x.nnz > _DENSE * cells and 4 * cells < _ROOM:
        return NgramSamples(_dense_rows(counts.x), Vocabulary(ngrams.hashes), counts.norms)
    order, n_dense = _frequent_first(counts.x)
    if not n_dense:
        return NgramSamples(counts, Vocabulary(ngrams.hashes), counts.norms)
    columns = np.empty(len(order), dtype=np.int64)
    columns[order] = np.arange(len(order))
    moved = renumbered(counts.x, columns, len(order))
    return _divided(moved, n_dense, Vocabulary(ngrams.hashes[order]), counts.norms)


def counted_like(like: NgramSamples, ngrams: NgramCounts) -> NgramSamples:
    """Counts in the columns of the samples that these are compared with."""
    columns = like.known.number(ngrams.hashes)
    counts = CsrSamples(renumbered(ngrams.counts, columns, max(1, len(like.known))))
    if like.sparse:
        return NgramSamples(counts, like.known, counts.norms)
    return _divided(counts.x, like.counts.shape[1], like.known, counts.norms)


def _divided(
    counts: SparseMatrix, n_dense: int, known: Vocabulary, norms: np.ndarray
) -> NgramSamples:
    """The first columns as dense rows, and all others as sparse ones."""
    from scipy.sparse import csr_matrix

    rows = np.repeat(np.arange(len(norms)), np.diff(counts.indptr))
    first = counts.indices < n_dense
    dense = np.zeros((len(norms), n_dense), _narrow(counts.data))
    dense[rows[first], counts.indices[first]] = counts.data[first]
    samples = NgramSamples(dense, known, norms)
    if not first.all():
        ends = starts_of(np.bincount(rows[~first], minlength=len(norms)))
        entries = counts.data[~first], counts.indices[~first] - n_dense, ends
        shape = (len(norms), counts.shape[1] - n_dense)
        samples.rest = CsrSamples(csr_matrix(entries, shape=shape))
    return samples


def _frequent_first(counts: SparseMatrix) -> tuple[np.ndarray, int]:
    """The columns in an order that begins with frequent ones, and how many of them are frequent.

    The work of a product of sparse rows is the sum of the squared frequencies. There are no
    frequent columns unless they save half of it.
    """
    n_samples, n_columns = counts.shape
    frequency = np.bincount(counts.indices, minlength=n_columns).astype(np.float64)
    frequent = frequency > max(8.0, _FREQUENT * n_samples)
    order = np.argsort(~frequent, kind="stable")
    n_dense = int(frequent.sum())
    saves = np.sum(frequency[frequent] ** 2) > 0.5 * np.sum(frequency**2)
    if not saves or 4.0 * n_dense * n_samples > _ROOM:
        return order, 0
    return order, n_dense


def _dense_rows(counts: SparseMatrix) -> np.ndarray:
    return counts.astype(_narrow(counts.data)).toarray()


def _narrow(values: np.ndarray) -> type[np.floating]:
    """Single precision where it holds every count, else double precision."""
    return np.float32 if values.max(initial=0.0) < _EXACT else np.float64


def renumbered(counts: SparseMatrix, columns: np.ndarray, n_columns: int) -> SparseMatrix:
    """The counts with column j moved to column ``columns[j]``."""
    from scipy.sparse import csr_matrix

    shape = (counts.shape[0], n_columns)
    return csr_matrix((counts.data, columns[counts.indices], counts.indptr), shape=shape)


def canonical(counts: SparseMatrix) -> SparseMatrix:
    """The columns of every row in order, and equal ones added up."""
    # To CSC and back sorts in linear time, unless there are far more columns than entries.
    if counts.shape[1] < 4 * counts.nnz + 2**16:
        result = counts.tocsc().tocsr()
    else:
        result = counts.copy()
    result.sum_duplicates()
    return result
