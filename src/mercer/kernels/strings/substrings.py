"""Kernels on strings by the substrings they share: inner products of sparse rows of counts.

>>> from mercer import Spectrum
>>> Spectrum(length=2)(["aababc", "abc"]).tolist()
[[7.0, 3.0], [3.0, 2.0]]
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from mercer.aliases import Prepared, RawSamples, SparseMatrix
from mercer.definiteness import PSD, Definite
from mercer.definiteness.means import finite
from mercer.domains.base import Batch, Domain, Tile
from mercer.domains.ngrams import Coding, NgramCounts, Ngrams, canonical, expanded, substrings
from mercer.domains.parts import Parts
from mercer.domains.strings import STRINGS, StringSamples, texts_of
from mercer.errors import ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.separable.parts import PartValues, window_values
from mercer.params import between, integer, param

__all__ = ["BlendedSpectrum", "GappedKmer", "Spectrum"]


class NgramKernel(Kernel, abstract=True):
    """⟨φ(x), φ(y)⟩ with one coordinate for every feature that ``find`` counts.

    Strings too short to have a feature have φ = 0.
    """

    aligned: ClassVar[bool] = True

    def key(self) -> tuple[object, ...]:
        """Return the values on which the features depend."""
        return (type(self).__name__, *(getattr(self, name) for name in self._names))

    def find(self, samples: StringSamples, name: str) -> NgramCounts:
        """The features of every string; ``name`` is what messages call the collection."""
        raise NotImplementedError(f"{type(self).__name__} must define find(samples, name)")

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        # Encoded samples hold the domain, and must keep only a copy of the kernel alive.
        return Ngrams(self.key(), self.copy().find)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        pair.x.dot(pair.y, Tile(pair.rows, pair.cols, out, pair.work))

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return samples.norms

    def map_features(self, batch: Batch, truncate: int | None) -> SparseMatrix:
        return self.prepare(batch).matrix()

    def part_values(self, X: RawSamples, samples: RawSamples, C: np.ndarray) -> list[PartValues]:
        length = int(vars(self)["length"])
        return window_values(self, length, texts_of(Batch(X)), samples, C)

    def hashed_features(self, X: RawSamples, width: int = 2**20) -> SparseMatrix:
        """Sparse rows of hashed features, in the same columns for every collection.

        They serve linear learners on more strings than a Gram matrix can hold. Features that share
        a column by chance add up, which hardly matters if there are many more columns than
        features.

        Parameters
        ----------
        X : list of str
            The strings.
        width : int, default=2**20
            The number of columns.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, width)
            One row for each string.
        """
        integer(1).check("width", width)
        return Ngrams(self.key(), self.find).hashed(Batch(X), int(width))


class Spectrum(NgramKernel):
    """Σ_u |x|_u |y|_u over all strings u of a length, |x|_u the number of times u occurs in x.

    Parameters
    ----------
    length : int, default=3
        The number of letters of the substrings.

    Examples
    --------
    >>> from mercer import Spectrum
    >>> Spectrum(length=2)(["aababc", "abc"]).tolist()
    [[7.0, 3.0], [3.0, 2.0]]

    References
    ----------
    C. Leslie, E. Eskin and W. S. Noble (2002). The spectrum kernel: a string kernel for SVM protein
    classification. Pacific Symposium on Biocomputing 7, 564-575.
    """

    renamed: ClassVar[dict[str, str]] = {"n": "length"}
    length: int = param(default=3, check=integer(1))

    def claim(self) -> Definite:
        rule = f"inner product: φ_u(x) = how often u occurs in x, |u| = {self.length}"
        return Definite(PSD, rule, "strings", means=finite("counts of substrings"))

    def find(self, samples: StringSamples, name: str) -> NgramCounts:
        words = substrings(samples, self.length, kind=self.length)
        return NgramCounts(canonical(words.counts), words.hashes)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(length=1), cls(length=2)]


class BlendedSpectrum(Kernel):
    """Σ_m decay^(2m) Spectrum_m(x, y) for m = 1, ..., ``length``: shared substrings.

    The feature of a string u is φ_u(x) = decay^|u| |x|_u, where |x|_u is the number of times u
    occurs in x.

    Parameters
    ----------
    length : int, default=3
        The number of letters of the longest substrings.
    decay : float, default=1.0
        The factor for every letter of a substring, a positive number.

    Examples
    --------
    >>> from mercer import BlendedSpectrum
    >>> BlendedSpectrum(length=2, decay=0.5)(["ab"], ["abb"]).tolist()  # 3/4 + 1/16
    [[0.8125]]

    References
    ----------
    J. Shawe-Taylor and N. Cristianini (2004). Kernel Methods for Pattern Analysis, chapter 11.
    Cambridge University Press.
    """

    domain: ClassVar[Domain] = STRINGS
    definite: ClassVar[Definite | None] = Definite(
        PSD,
        "inner product: φ_u(x) = decay^|u| times how often u occurs in x",
        "strings",
        means=finite("counts of substrings"),
    )

    renamed: ClassVar[dict[str, str]] = {"n": "length"}
    length: int = param(default=3, check=integer(1))
    decay: float = param(default=1.0, check=between(0.0, math.inf), continuous=True)

    def _parts(self) -> list[tuple[int, Spectrum]]:
        return [(m, Spectrum(length=m)) for m in range(1, self.length + 1)]

    def prepare(self, batch: Batch) -> Parts:
        return Parts(*(part.prepare(batch) for _, part in self._parts()))

    def _tiles(self, pair: Pair) -> Iterator[tuple[int, np.ndarray]]:
        mark = pair.work.temporary.used
        tile = pair.buffer()
        for m, part in self._parts():
            part.tile(pair.part(m - 1), tile)
            yield m, tile
        pair.work.temporary.used = mark

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        out[...] = 0.0
        for m, tile in self._tiles(pair):
            tile *= float(self.decay) ** (2 * m)
            out += tile

    def diagonal(self, samples: Parts) -> np.ndarray:
        total = np.zeros(len(samples))
        for m, _ in self._parts():
            total += samples[m - 1].norms * float(self.decay) ** (2 * m)
        return total

    def map_features(self, batch: Batch, truncate: int | None) -> SparseMatrix:
        from scipy.sparse import hstack

        decay = float(self.decay)
        blocks = [part.map_features(batch, truncate) * decay**m for m, part in self._parts()]
        return hstack(blocks, format="csr")

    def part_values(self, X: RawSamples, samples: RawSamples, C: np.ndarray) -> list[PartValues]:
        decay = float(self.decay)
        of_lengths = [
            part.part_values(X, samples, decay ** (2 * m) * C) for m, part in self._parts()
        ]
        columns = zip(*of_lengths, strict=True)
        return [functools.reduce(PartValues.plus, of_sample) for of_sample in columns]

    def hashed_features(self, X: RawSamples, width: int = 2**20) -> SparseMatrix:
        """Sparse rows of hashed features, as those of `Spectrum`, weighted by ``decay``."""
        decay = float(self.decay)
        blocks = [part.hashed_features(X, width) * decay**m for m, part in self._parts()]
        return sum(blocks[1:], blocks[0])

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        total = np.zeros(pair.shape)
        for m, tile in self._tiles(pair):
            total += 2 * m * float(self.decay) ** (2 * m - 1) * tile
        yield "decay", None, total

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(length=2, decay=0.5)]


class GappedKmer(NgramKernel):
    """Σ C(length − mismatches, matches) over the substrings of ``length`` letters of x and of y.

    The sum runs over every substring of x with every substring of y; mismatches are the places in
    which the two differ. It is the inner product of the counts of words of ``matches`` letters and
    ``length`` − ``matches`` gaps.

    Parameters
    ----------
    length : int, default=6
        The number of letters of the substrings.
    matches : int, default=4
        The number of letters that must agree, at most ``length``.

    Examples
    --------
    >>> from mercer import GappedKmer
    >>> GappedKmer(length=3, matches=2)(["abc"], ["abd", "abc"]).tolist()
    [[1.0, 3.0]]

    References
    ----------
    M. Ghandi, D. Lee, M. Mohammad-Noori and M. A. Beer (2014). Enhanced regulatory sequence
    prediction using gapped k-mer features. PLoS Computational Biology 10, e1003711.
    """

    length: int = param(default=6, check=integer(1))
    matches: int = param(default=4, check=integer(1))

    def claim(self) -> Definite:
        substrings = f"the number of substrings of x, of {self.length} letters,"
        letters = f"that have the letters u at the places P, {self.matches} of them"
        rule = f"inner product: φ_(P,u)(x) = {substrings} {letters}"
        return Definite(PSD, rule, "strings", means=finite("counts of substrings"))

    def check_params(self) -> None:
        what = "GappedKmer: matches"
        if self.matches > self.length:
            raise ParameterError(
                what, self.matches, f"must not be more than length = {self.length}"
            )
        count = math.comb(self.length, self.matches)
        if count > 10_000:
            rule = f"with length = {self.length} makes {count} features of every substring"
            remedy = "take a shorter length, or more matches"
            raise ParameterError(what, self.matches, rule, remedy)

    def find(self, samples: StringSamples, name: str) -> NgramCounts:
        words = substrings(samples, self.length)
        columns, hashes = [], []
        n_columns = 0
        for kind, kept in enumerate(itertools.combinations(range(self.length), self.matches)):
            coding = Coding(words.alphabet, self.matches, kind)
            codes, place = coding.number(coding.codes([words.letters[j] for j in kept]))
            columns.append(place + n_columns)
            hashes.append(coding.hashes(codes))
            n_columns += len(codes)
        which = np.concatenate([np.arange(len(words))] * len(columns))
        counts = expanded(words, which, np.concatenate(columns), n_columns)
        return NgramCounts(counts, np.concatenate(hashes))

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(length=3, matches=2)]
