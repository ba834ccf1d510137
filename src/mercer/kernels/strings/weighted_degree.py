"""The weighted degree kernel on strings: shared substrings at the same place."""

from __future__ import annotations

import functools
from typing import ClassVar

import numpy as np

from mercer.aliases import RawSamples, SparseMatrix
from mercer.definiteness import PSD, SEPARATES, Definite
from mercer.definiteness.means import blind
from mercer.domains.base import Batch, Domain
from mercer.domains.ngrams import NgramCounts, Ngrams, placed_substrings
from mercer.domains.parts import Parts
from mercer.domains.strings import STRINGS, StringSamples, texts_of
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.separable.parts import PartValues
from mercer.params import integer, param

__all__ = ["WeightedDegree"]


def _placed(length: int, samples: StringSamples, name: str) -> NgramCounts:
    return placed_substrings(samples, length)


class WeightedDegree(Kernel):
    """Σ_m β_m Σ_i [x and y have the same m letters from place i on], β_m = 2(d−m+1)/(d(d+1)).

    The sum runs over m = 1, ..., d, with d = ``length``. It is for strings that are aligned, such
    as the surroundings of sites in DNA: a substring counts only where both have it at the same
    place.

    Parameters
    ----------
    length : int, default=3
        d, the number of letters of the longest substrings.

    Examples
    --------
    >>> from mercer import WeightedDegree
    >>> WeightedDegree(length=2)(["gattaca"], ["gattaca", "cattaca", "agattac"]).round(
    ...     3
    ... ).tolist()
    [[6.667, 5.667, 0.667]]

    References
    ----------
    G. Rätsch and S. Sonnenburg (2004). Accurate splice site prediction for Caenorhabditis elegans.
    Kernel Methods in Computational Biology, MIT Press, 277-298.
    """

    definite: ClassVar[Definite | None] = Definite(
        PSD,
        "inner product: φ_(i,u)(x) = √β_|u| if x has u at place i, else 0; those of single letters "
        "separate different strings",
        "strings",
        facts=(SEPARATES,),
        means=blind("the means are the frequencies of short substrings at each place"),
    )
    domain: ClassVar[Domain] = STRINGS
    length: int = param(default=3, check=integer(1))

    def _factors(self) -> list[float]:
        d = self.length
        return [2.0 * (d - m + 1) / (d * (d + 1)) for m in range(1, d + 1)]

    def prepare(self, batch: Batch) -> Parts:
        lengths = range(1, self.length + 1)
        domains = [Ngrams(("placed", m), functools.partial(_placed, m)) for m in lengths]
        return Parts(*map(batch.encode, domains))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        out[...] = 0.0
        for at, factor in enumerate(self._factors()):
            out += factor * pair.part(at).dot()

    def diagonal(self, samples: Parts) -> np.ndarray:
        norms = [samples[at].norms * factor for at, factor in enumerate(self._factors())]
        return np.sum(norms, axis=0)

    def map_features(self, batch: Batch, truncate: int | None) -> SparseMatrix:
        from scipy.sparse import hstack

        blocks = []
        for part, factor in zip(self.prepare(batch).sides, self._factors(), strict=True):
            blocks.append(part.matrix() * float(np.sqrt(factor)))
        return hstack(blocks, format="csr")

    def part_values(self, X: RawSamples, samples: RawSamples, C: np.ndarray) -> list[PartValues]:
        """Values of positions: a common substring's is divided equally among its letters."""
        contributions, others = [], texts_of(Batch(samples))
        for x in texts_of(Batch(X)):
            padded = [z.ljust(len(x), "\0")[: len(x)] for z in others]
            same = np.array([[a == b for a, b in zip(x, z, strict=True)] for z in padded])
            same, values = same.reshape(len(others), len(x)), np.zeros((len(x), C.shape[1]))
            for m, factor in enumerate(self._factors(), start=1):
                for at in range(len(x) - m + 1):
                    equal = same[:, at : at + m].all(axis=1)
                    values[at : at + m] += factor / m * (equal @ C)
            contributions.append(PartValues(list(x), values))
        return contributions

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(length=1), cls(length=3)]
