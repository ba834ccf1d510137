"""Strings as rows of counts: each feature that a kernel finds in substrings has a column.

A kernel passes its feature map as a function, which finds the features of every different substring
of a collection once: of DNA, a million substrings of five letters are a thousand different ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from mercer.aliases import Prepared, SparseMatrix
from mercer.domains.base import Batch, Domain
from mercer.domains.counts import (
    NgramCounts,
    NgramSamples,
    canonical,
    counted,
    counted_like,
    renumbered,
)
from mercer.domains.raw import starts_of
from mercer.domains.strings import STRINGS, Strings, StringSamples

_LOOKUP = 2**25  # up to so many codes are numbered by a lookup array; more are sorted
_BLOCK = 2**21  # letters read at a time for hashed features
_MIX = np.uint64(0x9E3779B97F4A7C15)


def splitmix64(h: np.ndarray) -> np.ndarray:
    """The hash function of the generator splitmix64: a change of one bit spreads over all 64."""
    with np.errstate(over="ignore"):
        h = (h + _MIX).astype(np.uint64)
        h ^= h >> np.uint64(30)
        h *= np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(27)
        h *= np.uint64(0x94D049BB133111EB)
        h ^= h >> np.uint64(31)
    return h


class Coding:
    """Sequences of ``length`` letters as numbers Σ_j values[j, letter_j].

    They are exact digits where there are few sequences, else hashes of 64 bits, which add up modulo
    2⁶⁴. Two different sequences share a hash with probability 2⁻⁶⁴: of ten million features, three
    in a million collections would have such a collision. Features of a different ``kind`` have
    different hashes.
    """

    def __init__(self, alphabet: np.ndarray, length: int, kind: int = 0) -> None:
        self.alphabet = alphabet
        self.length = length
        self.kind = kind
        self.base = max(1, len(alphabet))
        self.size = self.base**length
        self.exact = self.size <= _LOOKUP
        self.powers = np.empty(0, dtype=np.int64)
        if self.exact:
            self.powers = self.base ** np.arange(length, dtype=np.int64)
            self.values = np.arange(len(alphabet)) * self.powers[:, None]
        else:
            self.values = self._hash_values()

    def _hash_values(self) -> np.ndarray:
        # The kind and the position are hashed first: beside them, letters are small numbers too.
        kind = splitmix64(np.array([[self.kind]], dtype=np.uint64))
        position = splitmix64(kind + np.arange(self.length, dtype=np.uint64)[:, None])
        return splitmix64(position ^ (self.alphabet.astype(np.uint64) + np.uint64(1)))

    def codes(self, letters: Sequence[np.ndarray]) -> np.ndarray:
        """The numbers of sequences whose j-th letters are ``letters[j]``."""
        total = np.zeros(len(letters[0]), dtype=self.values.dtype)
        for j, at in enumerate(letters):
            if self.exact:
                # NumPy 1 would keep the narrow type of the letters, and overflow
                total += np.multiply(at, self.powers[j], dtype=np.int64)
            else:
                total += self.values[j][at]
        return total

    def number(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The different codes, and the position of every code among them."""
        if not self.exact:
            return np.unique(codes, return_inverse=True)
        seen = np.zeros(self.size, dtype=bool)
        seen[codes] = True
        distinct = np.flatnonzero(seen)
        positions = np.empty(self.size, dtype=np.int32)
        positions[distinct] = np.arange(len(distinct), dtype=np.int32)
        return distinct, positions[codes]

    def digits(self, codes: np.ndarray) -> list[np.ndarray]:
        """The letters of exact codes."""
        return [codes // power % self.base for power in self.powers]

    def hashes(self, codes: np.ndarray) -> np.ndarray:
        """64 bits that depend on the letters and the kind alone, whatever the alphabet."""
        if not self.exact:
            return codes
        total = np.zeros(len(codes), dtype=np.uint64)
        for values, at in zip(self._hash_values(), self.digits(codes), strict=True):
            total += values[at]
        return total


@dataclass
class Substrings:
    """The different substrings of one length.

    ``letters[j]`` are their j-th letters, as positions in ``alphabet``. ``counts`` has a row for
    each string and a column for each substring; an entry may be stored in parts.
    """

    alphabet: np.ndarray
    letters: list[np.ndarray]
    counts: SparseMatrix
    hashes: np.ndarray

    def __len__(self) -> int:
        return len(self.hashes)


def _windows(
    strings: StringSamples, length: int, kind: int
) -> tuple[Coding, np.ndarray, np.ndarray, np.ndarray]:
    """The codes of all substrings of a length, where they start, and the first of each string."""
    alphabet, letters = strings.alphabet()
    coding = Coding(alphabet, length, kind)
    per_string = np.maximum(strings.lengths - length + 1, 0)
    first = starts_of(per_string)
    starts = np.arange(first[-1]) + np.repeat(strings.offsets[:-1] - first[:-1], per_string)
    # Windows across two strings are coded too, and then left out: whole slices are read quicker
    # than chosen letters.
    windows = max(0, len(letters) - length + 1)
    codes = coding.codes([letters[j : j + windows] for j in range(length)])[starts]
    return coding, codes, starts, first


def substrings(strings: StringSamples, length: int, kind: int = 0) -> Substrings:
    """All substrings of that length, the different ones numbered."""
    from scipy.sparse import csr_matrix

    coding, codes, starts, first = _windows(strings, length, kind)
    alphabet, letters = strings.alphabet()
    distinct, positions = coding.number(codes)
    if coding.exact:
        own_letters = coding.digits(distinct)
    else:
        occurrence = np.empty(len(distinct), dtype=np.int64)
        occurrence[positions] = starts  # any occurrence will do
        own_letters = [letters[occurrence + j] for j in range(length)]
    shape = (len(strings), max(1, len(distinct)))
    counts = csr_matrix((np.ones(len(positions)), positions, first), shape=shape)
    return Substrings(alphabet, own_letters, counts, coding.hashes(distinct))


def placed_substrings(strings: StringSamples, length: int) -> NgramCounts:
    """All substrings of that length, with a feature for every place that one begins at."""
    from scipy.sparse import csr_matrix

    coding, codes, _, first = _windows(strings, length, length)
    places = np.arange(first[-1]) - np.repeat(first[:-1], np.diff(first))
    placed = splitmix64(coding.hashes(codes) ^ splitmix64(places.astype(np.uint64)))
    hashes, positions = np.unique(placed, return_inverse=True)
    shape = (len(strings), max(1, len(hashes)))
    counts = csr_matrix((np.ones(len(positions)), positions, first), shape=shape)
    return NgramCounts(canonical(counts), hashes)


def expanded(
    words: Substrings, which: np.ndarray, features: np.ndarray, n_features: int
) -> SparseMatrix:
    """Counts of features, of which substring ``which[i]`` has ``features[i]``."""
    from scipy.sparse import csr_matrix

    shape = (words.counts.shape[1], max(1, n_features))
    return words.counts @ csr_matrix((np.ones(len(which)), (which, features)), shape=shape)


FeatureMap = Callable[[Prepared, str], NgramCounts]


class Ngrams(Strings):
    """Strings read by a feature map, a function that counts the features of encoded strings.

    The second argument of the function is the name that messages give to the collection. Domains
    with equal keys have equal feature maps.
    """

    base: Domain = STRINGS  # which encodes what the feature map reads

    def __init__(self, key: tuple[Hashable, ...], features: FeatureMap) -> None:
        self.key = key
        self.features = features

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ngrams) and other.key == self.key

    def encode(self, batch: Batch) -> NgramSamples:
        strings: Prepared = batch.encode(self.base)
        like = batch.encode_like(self)
        ngrams = self.features(strings, batch.argument)
        if like is not None:
            return counted_like(like, ngrams)
        return counted(ngrams)

    def hashed(self, batch: Batch, n_columns: int) -> SparseMatrix:
        """Counts in a fixed number of columns, whatever the features: for linear learners.

        Strings are read some at a time.
        """
        from scipy.sparse import vstack

        strings: Prepared = batch.encode(self.base)
        blocks = []
        for block in strings.blocks(_BLOCK):
            ngrams = self.features(block, batch.argument)
            columns = (ngrams.hashes % np.uint64(n_columns)).astype(np.int64)
            blocks.append(canonical(renumbered(ngrams.counts, columns, n_columns)))
        return vstack(blocks, format="csr")
