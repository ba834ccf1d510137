"""Strings as sparse rows of counts: each substring that a kernel looks at is a feature, numbered when it is first met."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.strings import STRINGS, StringSamples
from mercer.domains.vectors import CsrSamples, VectorSamples

_DENSE = 0.05  # the share of features that strings have on average, from which dense rows are quicker
_ROOM = 2**30
_MIX = np.uint64(0x9E3779B97F4A7C15)


def mixed(h: np.ndarray) -> np.ndarray:
    """Bits stirred so that any change spreads over all of them (the finish of splitmix64)."""
    with np.errstate(over="ignore"):
        h = (h + _MIX).astype(np.uint64)
        h ^= h >> np.uint64(30)
        h *= np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(27)
        h *= np.uint64(0x94D049BB133111EB)
        h ^= h >> np.uint64(31)
    return h


def chained(letters: list[np.ndarray], start: int = 0) -> np.ndarray:
    """One number of 64 bits for every sequence of letters; ``start`` tells kinds of features apart.

    Two different sequences share a number with probability 2⁻⁶⁴: of ten million features, three in a million collections would have a pair.
    """
    # the kind is stirred first: beside it, letters are small numbers too
    h = mixed(np.full(letters[0].shape, start, dtype=np.uint64))
    for part in letters:
        h = mixed(h ^ (part.astype(np.uint64) + np.uint64(1)))
    return h


def windows(side: StringSamples, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Where every substring of that length begins, and in which string it lies."""
    counts = np.maximum(side.lengths - length + 1, 0)
    rows = np.repeat(np.arange(len(side)), counts)
    first = np.concatenate([[0], np.cumsum(counts)])[:-1]
    return np.arange(len(rows)) - np.repeat(first, counts) + np.repeat(side.offsets[:-1], counts), rows


class GramSamples(Samples):
    """Counts, the columns of features, and ‖φ‖². Few features that most strings have are kept as dense rows: BLAS is quicker there.

    Dense rows have the columns that the first collection knew; what only the second has adds to its own norm and to no product.
    """

    def __init__(self, counts: CsrSamples | VectorSamples, known: Vocabulary, norms: np.ndarray) -> None:
        self.counts = counts
        self.known = known
        self.norms = norms
        self.origin = self

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, rows: np.ndarray) -> GramSamples:
        taken = GramSamples(self.counts.take(rows), self.known, self.norms[rows])  # type: ignore[arg-type]
        taken._inherit(self, rows)
        return taken


class Vocabulary:
    """Columns of hashed features. It grows, so that collections compared with one another share it."""

    def __init__(self) -> None:
        self.hashes = np.empty(0, dtype=np.uint64)  # sorted
        self.columns = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.hashes)

    def number(self, hashes: np.ndarray) -> np.ndarray:
        """The columns of sorted, different hashes."""
        if len(self.hashes):
            at = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
            found = self.hashes[at] == hashes
            columns = np.where(found, self.columns[at], -1)
        else:
            found, columns = np.zeros(len(hashes), dtype=bool), np.full(len(hashes), -1)
        fresh = np.flatnonzero(~found)
        columns[fresh] = len(self.hashes) + np.arange(len(fresh))
        if len(fresh):
            every = np.concatenate([self.hashes, hashes[fresh]])
            order = np.argsort(every, kind="stable")
            self.columns = np.concatenate([self.columns, columns[fresh]])[order]
            self.hashes = every[order]
        return columns


Features = Callable[[StringSamples], tuple[np.ndarray, np.ndarray, np.ndarray]]


class Grams(Domain):
    """Strings read by ``features``: (row, hash, weight) of every occurrence. Equal keys read alike."""

    name = "strings"
    accepts = frozenset({"strings", "objects"})

    def __init__(self, key: tuple[Any, ...], features: Features) -> None:
        self.key, self.features = key, features

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grams) and other.key == self.key

    def encode(self, batch: Batch) -> GramSamples:
        side: Any = batch.encode(STRINGS)
        like: Any = None if batch.like is None else batch.like.encode(self)
        known = Vocabulary() if like is None else like.known
        rows, hashes, weights = self.features(side)
        different, place = np.unique(hashes, return_inverse=True)
        counts = _counts(rows, known.number(different)[place], weights, len(side), max(1, len(known)))
        if like is None:
            full = counts.x.nnz > _DENSE * counts.x.shape[0] * counts.x.shape[1] and 8 * counts.x.shape[0] * counts.x.shape[1] < _ROOM
            width = counts.width
        else:
            full, width = not like.counts.sparse, like.counts.width
        if not full:
            return GramSamples(counts, known, counts.norms)
        rectangle = VectorSamples(np.ascontiguousarray(counts.x[:, :width].toarray()))
        return GramSamples(rectangle, known, rectangle.norms if like is None else counts.norms)

    def hashed(self, batch: Batch, width: int) -> Any:
        """Counts in a given number of columns, whatever is met: for linear learners."""
        side: Any = batch.encode(STRINGS)
        rows, hashes, weights = self.features(side)
        return _counts(rows, (hashes % np.uint64(width)).astype(np.int64), weights, len(side), width).x

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        return STRINGS.sample(count, width, rng)

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        return STRINGS.lattices(width, rng)


def _counts(rows: np.ndarray, columns: np.ndarray, weights: np.ndarray, count: int, width: int) -> CsrSamples:
    """Weights of equal features added up."""
    from scipy.sparse import csr_matrix

    made = csr_matrix((weights, (rows, columns)), shape=(count, width))
    made.sum_duplicates()
    made.sort_indices()
    return CsrSamples(made)
