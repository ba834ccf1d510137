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

from mercer.definiteness import PSD, Definite
from mercer.domains.base import Batch, Domain
from mercer.domains.grams import Grams, GramSamples, chained, windows
from mercer.domains.strings import STRINGS, StringSamples
from mercer.errors import DomainError, NotFittedError, ParameterError, explain
from mercer.gram.pair import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.params import Constraint, between, integer, param

__all__ = ["BlendedSpectrum", "GappedKmer", "Mismatch", "Spectrum"]

Occurrences = tuple[np.ndarray, np.ndarray, np.ndarray]  # row, hash and weight of each


def _letters(side: StringSamples, starts: np.ndarray, length: int) -> list[np.ndarray]:
    return [side.codes[starts + j] for j in range(length)]


def _sparse(side: GramSamples) -> Any:
    from scipy.sparse import csr_matrix

    return csr_matrix(side.counts.x)


class GramKernel(Kernel, abstract=True):
    """⟨φ(x), φ(y)⟩ with one coordinate for every substring that ``occurrences`` gives; strings too short have φ = 0."""

    definite: ClassVar[Definite | None] = Definite(PSD, "inner product: φ(x) = the weighted counts of substrings", "strings")

    def key(self) -> tuple[Any, ...]:
        """What the features depend on."""
        return (type(self).__name__, *(getattr(self, name) for name in self._param_names()))

    def occurrences(self, side: StringSamples) -> Occurrences:
        raise NotImplementedError(f"{type(self).__name__} must define occurrences(side)")

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Grams(self.key(), self.occurrences)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.of(pair.x.counts, pair.y.counts).dot())

    def diagonal(self, side: GramSamples) -> np.ndarray:
        return side.norms

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return _sparse(self.prepare(batch))

    def hashed_features(self, X: Any, width: int = 2**20) -> Any:
        """Sparse rows of a fixed width, the same for every collection: for linear learners on more strings than a Gram matrix can hold.

        Features that share a column by chance add up; with ``width`` much larger than the number of features that hardly matters.
        """
        if not isinstance(width, (int, np.integer)) or isinstance(width, bool) or width < 1:
            raise ParameterError(explain("width", width, "must be an integer >= 1"))
        return Grams(self.key(), self.occurrences).hashed(Batch(X), int(width))


class Spectrum(GramKernel):
    """Σ_u |x|_u |y|_u over all strings u of n letters, |x|_u how often u occurs in x."""

    n: int = param(default=3, check=integer(1))

    def occurrences(self, side: StringSamples) -> Occurrences:
        starts, rows = windows(side, self.n)
        return rows, chained(_letters(side, starts, self.n)), np.ones(len(rows))

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(n=1), cls(n=2)]


class BlendedSpectrum(GramKernel):
    """Σ_m decay^(2m) Spectrum_m(x, y) for m = 1, ..., n: shared strings of up to n letters, φ_u(x) = decay^|u| |x|_u."""

    n: int = param(default=3, check=integer(1))
    decay: float = param(default=1.0, check=between(0.0, math.inf), continuous=True)

    def key(self) -> tuple[Any, ...]:
        return (type(self).__name__, self.n, float(self.decay))

    def occurrences(self, side: StringSamples) -> Occurrences:
        parts = []
        for m in range(1, self.n + 1):
            starts, rows = windows(side, m)
            parts.append((rows, chained(_letters(side, starts, m), start=m), np.full(len(rows), float(self.decay) ** m)))
        rows, hashes, weights = (np.concatenate(kind) for kind in zip(*parts, strict=True))
        return rows, hashes, weights

    def prepare(self, batch: Batch) -> Any:
        from mercer.kernels.parts import Parts

        return Parts(super().prepare(batch), *(Spectrum(n=m).prepare(batch) for m in range(1, self.n + 1)))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        super().tile(pair.of(pair.x[0], pair.y[0]), out)

    def diagonal(self, side: Any) -> np.ndarray:
        return super().diagonal(side[0])

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return _sparse(GramKernel.prepare(self, batch))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        total = np.zeros(pair.shape)
        for m in range(1, self.n + 1):
            part = pair.buffer()
            Spectrum(n=m).tile(pair.of(pair.x[m], pair.y[m]), part)
            total += 2 * m * float(self.decay) ** (2 * m - 1) * part
        yield "decay", None, total

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(n=2, decay=0.5)]


class GappedKmer(GramKernel):
    """Σ over pairs of substrings of ``length`` letters of C(length − mismatches, matches): shared words of ``matches`` letters and gaps."""

    length: int = param(default=6, check=integer(1))
    matches: int = param(default=4, check=integer(1))

    def check_params(self) -> None:
        if self.matches > self.length:
            raise ParameterError(explain("GappedKmer: matches", self.matches, f"must not be more than length = {self.length}"))
        if math.comb(self.length, self.matches) > 10_000:
            rule = f"with length = {self.length} makes {math.comb(self.length, self.matches)} features of every substring"
            raise ParameterError(explain("GappedKmer: matches", self.matches, rule, "take a shorter length, or more matches"))

    def occurrences(self, side: StringSamples) -> Occurrences:
        starts, rows = windows(side, self.length)
        letters = _letters(side, starts, self.length)
        places = list(itertools.combinations(range(self.length), self.matches))
        hashes = [chained([letters[j] for j in chosen], start=number) for number, chosen in enumerate(places)]
        return np.tile(rows, len(places)), np.concatenate(hashes), np.ones(len(rows) * len(places))

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(length=3, matches=2)]


letters = Constraint(
    "letters", lambda v: v is None or (isinstance(v, str) and len(set(v)) == len(v) > 0), "give a text of different letters, or None"
)


class Mismatch(GramKernel):
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
            raise ParameterError(explain("Mismatch: mismatches", self.mismatches, f"must not be more than n = {self.n}"))

    def key(self) -> tuple[Any, ...]:
        return (type(self).__name__, self.n, self.mismatches, self._alphabet_text())

    def fit_batch(self, batch: Batch) -> Self:
        if self.alphabet is None:
            side: Any = batch.encode(STRINGS)
            self.alphabet_ = "".join(map(chr, np.unique(side.codes)))
        return self

    def _alphabet_text(self) -> str | None:
        return self.alphabet if self.alphabet is not None else getattr(self, "alphabet_", None)

    def occurrences(self, side: StringSamples) -> Occurrences:
        text = self._alphabet_text()
        if text is None:
            raise NotFittedError(explain("Mismatch: alphabet", None, "is not known yet", "call kernel.fit(X), or give it: alphabet='acgt'"))
        alphabet = np.array([ord(letter) for letter in text], dtype=np.uint32)
        near = sum(math.comb(self.n, m) * max(len(alphabet) - 1, 0) ** m for m in range(self.mismatches + 1))
        if near > 100_000:
            rule = f"with {len(alphabet)} letters makes {near} features of every substring"
            raise ParameterError(explain("Mismatch: mismatches", self.mismatches, rule, "take fewer, a smaller n, or GappedKmer"))
        if self.alphabet is not None and not np.isin(side.codes, alphabet).all():
            at = int(np.argmax(~np.isin(side.codes, alphabet)))
            row = int(np.searchsorted(side.offsets, at, side="right") - 1)
            rule = f"is not in the alphabet {text!r}"
            raise DomainError(explain(f"X[{row}], letter {at - int(side.offsets[row])}", chr(int(side.codes[at])), rule))
        starts, rows = windows(side, self.n)
        own = _letters(side, starts, self.n)
        parts_rows, parts_hashes = [], []
        for count in range(self.mismatches + 1):
            for places in itertools.combinations(range(self.n), count):
                for change in itertools.product(alphabet, repeat=count):
                    changed = list(own)
                    fresh = np.ones(len(rows), dtype=bool)
                    for place, letter in zip(places, change, strict=True):
                        fresh &= own[place] != letter  # the same letter would be no mismatch
                        changed[place] = np.full(len(rows), letter, dtype=np.uint32)
                    parts_rows.append(rows[fresh])
                    parts_hashes.append(chained([part[fresh] for part in changed]))
        every = np.concatenate(parts_rows)
        return every, np.concatenate(parts_hashes), np.ones(len(every))

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(n=2, mismatches=1), cls(n=3, mismatches=1, alphabet="abcd")]
