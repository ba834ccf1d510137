"""Strings as rows of counts: each feature that a kernel finds in substrings has a column, numbered when it is first met.

A kernel says what features a substring has, and is asked once for every different substring of a collection: of DNA, a million
substrings of five letters are a thousand different ones. Counts are whole numbers, and so are their products, in any order of adding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.aliases import Prepared
from mercer.domains import base
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.strings import STRINGS, StringSamples
from mercer.domains.vectors import CsrSamples

_DENSE = (
    0.05  # the share of features that strings have on average, from which dense rows are quicker
)
_ROOM = 2**30  # bytes of dense rows, at most
_TABLE = 2**25  # so many codes are numbered by a table; more are sorted
_BLOCK = 2**21  # letters read at a time for hashed features
_EXACT = 2.0**24  # whole numbers below have a place in single precision
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


class Coding:
    """Sequences of ``length`` letters as numbers Σ_j values[j, letter_j]: exact digits where there are few sequences, else hashes.

    Hashes have 64 bits and add up modulo 2⁶⁴. Two different sequences share one with probability 2⁻⁶⁴: of ten million features, three in
    a million collections would have a pair. ``kind`` tells features of different kinds apart.
    """

    def __init__(self, alphabet: np.ndarray, length: int, kind: int = 0) -> None:
        self.alphabet, self.length, self.kind = alphabet, length, kind
        self.size = max(1, len(alphabet)) ** length
        self.exact = self.size <= _TABLE
        powers = max(1, len(alphabet)) ** np.arange(length, dtype=np.int64) if self.exact else None
        self.powers = powers
        self.values = (
            np.arange(len(alphabet)) * powers[:, None] if powers is not None else self._stirred()
        )

    def _stirred(self) -> np.ndarray:
        # the kind and the place are stirred first: beside them, letters are small numbers too
        place = mixed(
            mixed(np.array([[self.kind]], dtype=np.uint64))
            + np.arange(self.length, dtype=np.uint64)[:, None]
        )
        return mixed(place ^ (self.alphabet.astype(np.uint64) + np.uint64(1)))

    def codes(self, letters: Sequence[np.ndarray]) -> np.ndarray:
        """The numbers of sequences whose j-th letters are ``letters[j]``."""
        total = np.zeros(len(letters[0]), dtype=self.values.dtype)
        for j, at in enumerate(letters):
            if self.powers is None:
                total += self.values[j][at]
            else:  # NumPy 1 would keep the narrow type of the letters, and overflow
                total += np.multiply(at, self.powers[j], dtype=np.int64)
        return total

    def number(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The different codes, and the place of every one among them."""
        if not self.exact:
            return np.unique(codes, return_inverse=True)
        seen = np.zeros(self.size, dtype=bool)
        seen[codes] = True
        found = np.flatnonzero(seen)
        places = np.empty(self.size, dtype=np.int32)
        places[found] = np.arange(len(found), dtype=np.int32)
        return found, places[codes]

    def digits(self, codes: np.ndarray) -> list[np.ndarray]:
        """The letters of exact codes."""
        assert self.powers is not None
        return [codes // power % max(1, len(self.alphabet)) for power in self.powers]

    def hashes(self, codes: np.ndarray) -> np.ndarray:
        """64 bits that depend on the letters and the kind alone, whatever the alphabet."""
        if not self.exact:
            return codes
        table, total = self._stirred(), np.zeros(len(codes), dtype=np.uint64)
        for values, at in zip(table, self.digits(codes), strict=True):
            total += values[at]
        return total


@dataclass
class Substrings:
    """The different substrings of one length: ``letters[j]`` their j-th letters, as places in ``alphabet``.

    ``counts`` has a row for each string and a column for each substring; what occurs twice may be there twice.
    """

    alphabet: np.ndarray
    letters: list[np.ndarray]
    counts: Any
    hashes: np.ndarray

    def __len__(self) -> int:
        return len(self.hashes)


def substrings(side: StringSamples, length: int, kind: int = 0) -> Substrings:
    """All substrings of that length, the different ones numbered."""
    from scipy.sparse import csr_matrix

    alphabet, letters = side.alphabet()
    coding = Coding(alphabet, length, kind)
    per_string = np.maximum(side.lengths - length + 1, 0)
    first = np.concatenate([[0], np.cumsum(per_string)])
    starts = np.arange(first[-1]) + np.repeat(side.offsets[:-1] - first[:-1], per_string)
    # of all windows, also those across two strings, which are then left out: whole slices are read quicker than chosen places
    every = max(0, len(letters) - length + 1)
    codes = coding.codes([letters[j : j + every] for j in range(length)])[starts]
    found, places = coding.number(codes)
    if coding.exact:
        own = coding.digits(found)
    else:
        one = np.empty(len(found), dtype=np.int64)
        one[places] = starts  # any occurrence will do
        own = [letters[one + j] for j in range(length)]
    counts = csr_matrix(
        (np.ones(len(places)), places, first), shape=(len(side), max(1, len(found)))
    )
    return Substrings(alphabet, own, counts, coding.hashes(found))


@dataclass
class Found:
    """Counts of the features of strings, one column for each hash, in any order but never twice."""

    counts: Any
    hashes: np.ndarray


def expanded(words: Substrings, which: np.ndarray, features: np.ndarray, width: int) -> Any:
    """Counts of features, of which substring ``which[i]`` has ``features[i]``."""
    from scipy.sparse import csr_matrix

    each = csr_matrix(
        (np.ones(len(which)), (which, features)), shape=(words.counts.shape[1], max(1, width))
    )
    return words.counts @ each


class NgramSamples(Samples):
    """Counts, the columns of features, and ‖φ‖². Few features that most strings have are kept as dense rows: BLAS is quicker there.

    Dense rows have the columns that the first collection knew. What only the second has is its ``rest``: it adds to its own norms, and
    to products within the second.
    """

    def __init__(
        self,
        counts: np.ndarray | CsrSamples,
        known: Vocabulary,
        norms: np.ndarray,
        rest: CsrSamples | None = None,
    ) -> None:
        self.counts = counts
        self.known = known
        self.norms = norms
        self.rest = rest
        self.origin = self

    def __len__(self) -> int:
        return len(self.norms)

    @property
    def sparse(self) -> bool:
        return isinstance(self.counts, CsrSamples)

    @property
    def largest(self) -> float:
        return self.once("largest", lambda: float(self.norms.max(initial=0.0)))

    def fork(self) -> NgramSamples:
        return self._forked(known=self.known.fork())

    def take(self, rows: np.ndarray) -> NgramSamples:
        counts: Any = (
            self.counts.take(rows)
            if isinstance(self.counts, CsrSamples)
            else np.ascontiguousarray(self.counts[rows])
        )
        taken = NgramSamples(
            counts,
            self.known,
            self.norms[rows],
            None if self.rest is None else self.rest.take(rows),
        )
        taken._inherit(self, rows)
        return taken

    def dot(
        self, y: NgramSamples, i0: int, i1: int, j0: int, j1: int, out: np.ndarray, work: Any
    ) -> None:
        """Inner products of rows; whole numbers, so that no order of adding matters."""
        if isinstance(self.counts, CsrSamples):
            self.counts.dot(y.counts, i0, i1, j0, j1, out, work)  # type: ignore[arg-type]
            return
        work.serial_blas()
        rows, cols = self.counts[i0:i1], y.counts[j0:j1]  # type: ignore[index]
        if (
            self.largest * y.largest < _EXACT**2
        ):  # no sum on the way is larger than √(k(x, x) k(y, y))
            out[...] = rows @ cols.T
        else:
            np.dot(rows.astype(np.float64), cols.astype(np.float64).T, out=out)
        if self.rest is not None and y.rest is not None:
            more = np.empty_like(out)
            self.rest.dot(y.rest, i0, i1, j0, j1, more, work)
            out += more


class Vocabulary:
    """Columns of hashed features. It grows, so that collections compared with one another share it."""

    def __init__(self, hashes: np.ndarray) -> None:
        self.hashes = hashes  # by column
        self._sorted: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.hashes)

    def fork(self) -> Vocabulary:
        """One that grows by itself."""
        made = Vocabulary(self.hashes)
        made._sorted = self._in_order()
        return made

    def _in_order(self) -> tuple[np.ndarray, np.ndarray]:
        """The hashes in order, and their columns."""
        found = self._sorted
        if found is None:
            order = np.argsort(self.hashes)
            self._sorted = found = self.hashes[order], order
        return found

    def number(self, hashes: np.ndarray) -> np.ndarray:
        """The columns of different hashes; those not met yet get new ones."""
        with base._MAKING:  # two predictions at a time must not give one column to two features
            met, column = self._in_order()
            if len(met):
                at = np.minimum(np.searchsorted(met, hashes), len(met) - 1)
                columns = np.where(met[at] == hashes, column[at], -1)
            else:
                columns = np.full(len(hashes), -1)
            fresh = np.flatnonzero(columns < 0)
            columns[fresh] = len(self) + np.arange(len(fresh))
            if len(fresh):
                self.hashes, self._sorted = np.concatenate([self.hashes, hashes[fresh]]), None
            return columns


Features = Callable[[StringSamples, str], Found]


class Ngrams(Domain):
    """Strings read by ``features``, which is given the letters and the name of the collection. Equal keys read alike."""

    name = "strings"
    accepts = frozenset({"strings", "objects"})

    def __init__(self, key: tuple[Any, ...], features: Features) -> None:
        self.key, self.features = key, features

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ngrams) and other.key == self.key

    def encode(self, batch: Batch) -> NgramSamples:
        side: Prepared = batch.encode(STRINGS)
        like: Any = None if batch.like is None else batch.like.encode(self)
        found = self.features(side, batch.side)
        if like is None:
            counts = CsrSamples(found.counts)
            n, width = counts.x.shape
            full = counts.x.nnz > _DENSE * n * width and 4 * n * width < _ROOM
            return NgramSamples(
                _rectangle(counts.x) if full else counts, Vocabulary(found.hashes), counts.norms
            )
        columns = like.known.number(found.hashes)
        counts = CsrSamples(renumbered(found.counts, columns, max(1, len(like.known))))
        if like.sparse:
            return NgramSamples(counts, like.known, counts.norms)
        width = like.counts.shape[1]
        rest = counts.x[:, width:]
        return NgramSamples(
            _rectangle(counts.x[:, :width]),
            like.known,
            counts.norms,
            CsrSamples(rest) if rest.nnz else None,
        )

    def hashed(self, batch: Batch, width: int) -> Any:
        """Counts in a given number of columns, whatever is met: for linear learners. Strings are read some at a time."""
        from scipy.sparse import vstack

        side: Prepared = batch.encode(STRINGS)
        blocks = []
        for part in side.blocks(_BLOCK):
            found = self.features(part, batch.side)
            columns = (found.hashes % np.uint64(width)).astype(np.int64)
            blocks.append(canonical(renumbered(found.counts, columns, width)))
        return vstack(blocks, format="csr") if len(blocks) > 1 else blocks[0]

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        return STRINGS.sample(count, width, rng)

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        return STRINGS.lattices(width, rng)


def _rectangle(counts: Any) -> np.ndarray:
    """Dense rows, in single precision where that holds every count."""
    return counts.astype(np.float32 if counts.max() < _EXACT else np.float64).toarray()


def renumbered(counts: Any, columns: np.ndarray, width: int) -> Any:
    from scipy.sparse import csr_matrix

    return csr_matrix(
        (counts.data, columns[counts.indices], counts.indptr), shape=(counts.shape[0], width)
    )


def canonical(counts: Any) -> Any:
    """Columns in order, equal ones added up; turning rows into columns and back sorts in linear time, if there are not too many."""
    made = counts.tocsc().tocsr() if counts.shape[1] < 4 * counts.nnz + 2**16 else counts.copy()
    made.sum_duplicates()
    return made
