"""Kernels of strings by the substrings they share: sparse rows of counts, compared by inner products.

>>> from mercer import Spectrum
>>> Spectrum(n=2)(["aababc", "abc"]).tolist()
[[7.0, 3.0], [3.0, 2.0]]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer import errors
from mercer.aliases import Prepared, RawSamples
from mercer.definiteness import PSD, Definite
from mercer.domains.base import Batch, Domain, Tile
from mercer.domains.ngrams import (
    Coding,
    NgramCounts,
    Ngrams,
    NgramSamples,
    Substrings,
    canonical,
    expanded,
    substrings,
)
from mercer.domains.strings import STRINGS, StringSamples
from mercer.errors import DomainError, ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.parts import Parts
from mercer.params import Constraint, between, integer, param

__all__ = ["BlendedSpectrum", "GappedKmer", "Mismatch", "Spectrum"]


class NgramKernel(Kernel, abstract=True):
    """⟨φ(x), φ(y)⟩ with one coordinate for every feature that ``find`` counts; strings too short have φ = 0."""

    definite: ClassVar[Definite | None] = Definite(
        PSD, "inner product: φ(x) = the counts of substrings", "strings"
    )

    def key(self) -> tuple[Any, ...]:
        """What the features depend on."""
        return (type(self).__name__, *(getattr(self, name) for name in self._param_names()))

    def find(self, side: StringSamples, name: str) -> NgramCounts:
        """The features of every string; ``name`` is what messages call the collection."""
        raise NotImplementedError(f"{type(self).__name__} must define find(side, name)")

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        # of a copy: what is read of samples is kept as long as the kernel lives, and must not keep it alive
        return Ngrams(self.key(), self.copy().find)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        pair.x.dot(pair.y, Tile(pair.rows, pair.cols, out, pair.work))

    def diagonal(self, side: NgramSamples) -> np.ndarray:
        return side.norms

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        from scipy.sparse import csr_matrix

        side = self.prepare(batch)
        return (
            canonical(side.counts.x) if side.sparse else csr_matrix(side.counts, dtype=np.float64)
        )

    def hashed_features(self, X: RawSamples, width: int = 2**20) -> Any:
        """Sparse rows of a fixed width, the same for every collection: for linear learners on more strings than a Gram matrix can hold.

        Features that share a column by chance add up; with ``width`` much larger than the number of features that hardly matters.
        """
        return Ngrams(self.key(), self.find).hashed(Batch(X), checked_width(width))


def checked_width(width: Any) -> int:
    """A number of columns."""
    if not isinstance(width, (int, np.integer)) or isinstance(width, bool) or width < 1:
        raise ParameterError("width", width, "must be an integer >= 1")
    return int(width)


class Spectrum(NgramKernel):
    """Σ_u |x|_u |y|_u over all strings u of n letters, |x|_u how often u occurs in x."""

    n: int = param(default=3, check=integer(1))

    def find(self, side: StringSamples, name: str) -> NgramCounts:
        words = substrings(side, self.n, kind=self.n)
        return NgramCounts(canonical(words.counts), words.hashes)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(n=1), cls(n=2)]


class BlendedSpectrum(Kernel):
    """Σ_m decay^(2m) Spectrum_m(x, y) for m = 1, ..., n: shared strings of up to n letters, φ_u(x) = decay^|u| |x|_u."""

    domain: ClassVar[Domain] = STRINGS
    definite: ClassVar[Definite | None] = Definite(
        PSD, "inner product: φ(x) = the weighted counts of substrings", "strings"
    )

    n: int = param(default=3, check=integer(1))
    decay: float = param(default=1.0, check=between(0.0, math.inf), continuous=True)

    def _parts(self) -> list[tuple[int, Spectrum]]:
        return [(m, Spectrum(n=m)) for m in range(1, self.n + 1)]

    def prepare(self, batch: Batch) -> Parts:
        return Parts(*(part.prepare(batch) for _, part in self._parts()))

    def _tiles(self, pair: Pair) -> Iterator[tuple[int, np.ndarray]]:
        mark = pair.work.mark()
        tile = pair.buffer()
        for m, part in self._parts():
            part.tile(pair.of(pair.x[m - 1], pair.y[m - 1]), tile)
            yield m, tile
        pair.work.release(mark)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        out[...] = 0.0
        for m, tile in self._tiles(pair):
            tile *= float(self.decay) ** (2 * m)
            out += tile

    def diagonal(self, side: Parts) -> np.ndarray:
        total = np.zeros(len(side))
        for m, _ in self._parts():
            total += side[m - 1].norms * float(self.decay) ** (2 * m)
        return total

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        from scipy.sparse import hstack

        return hstack(
            [
                part.map_features(batch, truncate) * float(self.decay) ** m
                for m, part in self._parts()
            ],
            format="csr",
        )

    def hashed_features(self, X: RawSamples, width: int = 2**20) -> Any:
        """As those of `Spectrum`: sparse rows of a fixed width, the same for every collection."""
        parts = [
            part.hashed_features(X, width) * float(self.decay) ** m for m, part in self._parts()
        ]
        return sum(parts[1:], parts[0])

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        total = np.zeros(pair.shape)
        for m, tile in self._tiles(pair):
            total += 2 * m * float(self.decay) ** (2 * m - 1) * tile
        yield "decay", None, total

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(n=2, decay=0.5)]


class GappedKmer(NgramKernel):
    """Σ over pairs of substrings of ``length`` letters of C(length − mismatches, matches): shared words of ``matches`` letters and gaps."""

    length: int = param(default=6, check=integer(1))
    matches: int = param(default=4, check=integer(1))

    def check_params(self) -> None:
        if self.matches > self.length:
            raise ParameterError(
                "GappedKmer: matches", self.matches, f"must not be more than length = {self.length}"
            )
        if math.comb(self.length, self.matches) > 10_000:
            rule = f"with length = {self.length} makes {math.comb(self.length, self.matches)} features of every substring"
            raise ParameterError(
                "GappedKmer: matches", self.matches, rule, "take a shorter length, or more matches"
            )

    def find(self, side: StringSamples, name: str) -> NgramCounts:
        words = substrings(side, self.length)
        places, hashes, width = [], [], 0
        for kind, chosen in enumerate(itertools.combinations(range(self.length), self.matches)):
            coding = Coding(words.alphabet, self.matches, kind)
            found, place = coding.number(coding.codes([words.letters[j] for j in chosen]))
            places.append(place + width)
            hashes.append(coding.hashes(found))
            width += len(found)
        return NgramCounts(
            expanded(
                words,
                np.concatenate([np.arange(len(words))] * len(places)),
                np.concatenate(places),
                width,
            ),
            np.concatenate(hashes),
        )

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(length=3, matches=2)]


letters = Constraint(
    "letters",
    lambda v: v is None or (isinstance(v, str) and len(set(v)) == len(v) > 0),
    "give a text of different letters, or None",
)


class Mismatch(NgramKernel):
    """Σ_u φ_u(x) φ_u(y), φ_u(x) the substrings of x that differ from u, a string of n letters, in at most ``mismatches`` places.

    The letters of u are those of ``alphabet``, or those met by ``fit``.

    >>> from mercer import Mismatch
    >>> Mismatch(n=2, mismatches=1, alphabet="ab")(["aa"], ["ab"]).tolist()
    [[2.0]]
    """

    n: int = param(default=3, check=integer(1))
    mismatches: int = param(default=1, check=integer(0))
    alphabet: Any = param(default=None, check=letters)

    def check_params(self) -> None:
        if self.mismatches > self.n:
            raise ParameterError(
                "Mismatch: mismatches", self.mismatches, f"must not be more than n = {self.n}"
            )

    def key(self) -> tuple[Any, ...]:
        return (type(self).__name__, self.n, self.mismatches, self._alphabet_text())

    def fit_batch(self, batch: Batch) -> Self:
        if self.alphabet is None:
            side: Prepared = batch.encode(STRINGS)
            self.alphabet_ = "".join(map(chr, np.unique(side.codes)))
        return self

    def _alphabet_text(self) -> str | None:
        return self.alphabet if self.alphabet is not None else getattr(self, "alphabet_", None)

    def find(self, side: StringSamples, name: str) -> NgramCounts:
        text = self._alphabet_text()
        if text is None:
            raise errors.NotFittedError(
                "Mismatch: alphabet",
                None,
                "is not known yet",
                "call kernel.fit(X), or give it: alphabet='acgt'",
            )
        alphabet = np.sort(np.array([ord(letter) for letter in text], dtype=np.uint32))
        near = sum(
            math.comb(self.n, m) * max(len(alphabet) - 1, 0) ** m
            for m in range(self.mismatches + 1)
        )
        if near > 100_000:
            rule = f"with {len(alphabet)} letters makes {near} features of every substring"
            raise ParameterError(
                "Mismatch: mismatches",
                self.mismatches,
                rule,
                "take fewer, a smaller n, or GappedKmer",
            )
        if self.alphabet is not None:
            self._check_letters(side, name, alphabet)
        words = substrings(side, self.n)
        coding = Coding(alphabet, self.n)
        which, codes = self._neighbours(words, coding)
        found, place = coding.number(codes)
        return NgramCounts(expanded(words, which, place, len(found)), coding.hashes(found))

    def _check_letters(self, side: StringSamples, name: str, alphabet: np.ndarray) -> None:
        own, letters = side.alphabet()
        strange = ~np.isin(own, alphabet)
        if strange.any():
            at = int(np.argmax(strange[letters]))
            row = int(np.searchsorted(side.offsets, at, side="right") - 1)
            what = f"{name}[{side.identities()[row]}], letter {at - int(side.offsets[row])}"
            rule = f"is not in the alphabet {self.alphabet!r}"
            raise DomainError(
                what,
                chr(int(side.codes[at])),
                rule,
                "add it, or leave alphabet=None to learn the letters",
            )

    def _neighbours(self, words: Substrings, coding: Coding) -> tuple[np.ndarray, np.ndarray]:
        """Words, and the codes of what they are near to; a letter that the alphabet has not is always a mismatch."""
        size = len(coding.alphabet)
        # the places of the strings' letters in the alphabet; size where it has not got them
        place = np.searchsorted(coding.alphabet, words.alphabet)
        place[~np.isin(words.alphabet, coding.alphabet)] = size
        own = [place[letters] for letters in words.letters]
        strange = sum((letters == size).astype(np.int64) for letters in own)
        parts: list[tuple[np.ndarray, np.ndarray]] = []
        for count in range(self.mismatches + 1):
            for places in itertools.combinations(range(self.n), count):
                # words whose strange letters all lie in these places
                fit = np.flatnonzero(
                    strange == sum((own[j] == size).astype(np.int64) for j in places)
                )
                kept = [j for j in range(self.n) if j not in places]
                which, codes = fit, np.zeros(len(fit), dtype=coding.values.dtype)
                for j in kept:
                    codes = codes + coding.values[j][own[j][fit]]
                for j in places:  # every other letter in its stead
                    other = np.arange(size) != own[j][which][:, None]
                    codes = (codes[:, None] + coding.values[j])[other]
                    which = np.broadcast_to(which[:, None], other.shape)[other]
                parts.append((which, codes))
        return np.concatenate([part[0] for part in parts]), np.concatenate(
            [part[1] for part in parts]
        )

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(n=2, mismatches=1), cls(n=3, mismatches=1, alphabet="abcd")]
