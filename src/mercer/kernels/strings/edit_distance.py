"""The exponential of the Levenshtein distance between strings."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.definiteness import INDEFINITE, UNKNOWN, Certificate, Where, Witness
from mercer.domains.base import Domain
from mercer.domains.strings import STRINGS, StringSamples
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.numerics.refutation import witness_among
from mercer.kernels.strings.pairwise import Entries
from mercer.params import param, positive

__all__ = ["EditDistance"]


_REFUTED = 1.0  # the largest rate at which short strings refute the kernel
_SHORT = ["".join(w) for n in range(5) for w in itertools.product("ab", repeat=n)]


class EditDistance(Kernel):
    """exp(−γ d), d the Levenshtein distance: the fewest edits of one letter that turn x into y.

    An edit inserts, deletes or changes a letter. The kernel is not positive semi-definite where γ
    is at most 1, and not known to be where it is larger.

    Parameters
    ----------
    gamma : float, default=1.0
        The rate γ of decay, a positive number.

    Examples
    --------
    >>> from mercer import EditDistance
    >>> EditDistance(gamma=1.0)(["kitten"], ["sitting"]).round(6).tolist()  # exp(−3)
    [[0.049787]]

    References
    ----------
    V. I. Levenshtein (1966). Binary codes capable of correcting deletions, insertions, and
    reversals. Soviet Physics Doklady 10, 707-710.
    """

    domain: ClassVar[Domain] = STRINGS

    gamma: float = param(default=1.0, check=positive, continuous=True)

    def certify(self, d: int | None) -> Certificate:
        where = Where("strings")
        witness, strings = self._witness(), "γ < ½ ln 2 leaves five short strings"
        if witness is None and self.gamma <= _REFUTED:
            witness = witness_among(self, _SHORT, balanced=False)
            strings = "γ ≤ 1 leaves strings of up to four letters"
        if witness is None:
            rule = "no rule: Levenshtein's distance is not conditionally negative"
            return Certificate(UNKNOWN, repr(self), rule, where)
        rule = f"a counterexample: {strings} a negative form"
        return Certificate(INDEFINITE, repr(self), rule, where, witness=witness)

    def _witness(self) -> Witness | None:
        """Five strings with a negative form, unless γ is too large for them.

        a, bb and aba are two apart, and so are ab and ba; any other two are one apart. With q =
        e^−γ and c = (s, −t, −t, s, s), cᵀKc = 3(1 + 2q²)s² − 12q st + 2(1 + q²)t², negative for
        some s and t if q² > ½.
        """
        q = math.exp(-self.gamma)
        s, t = 2.0, 3.0
        if 7 * q <= 5.01:
            s = t * math.sqrt(2 * (1 + q * q) / (3 * (1 + 2 * q * q)))
        value = 3 * (1 + 2 * q * q) * s * s - 12 * q * s * t + 2 * (1 + q * q) * t * t
        if value > -1e-9:  # A value closer to 0 may be a rounding error.
            return None
        return Witness(["a", "ab", "ba", "bb", "aba"], np.array([s, -t, -t, s, s]), value)

    def _distances(self, pair: Pair) -> np.ndarray:
        """The Levenshtein distances of one tile."""
        entries = Entries.of_tile(pair)
        x, y = entries.x, entries.y
        alphabet, x_letters = _letters(x)
        start, stop = y.offsets[pair.j0], y.offsets[pair.j1]
        y_letters = _letters_in(alphabet, y, slice(start, stop))
        y_offsets = y.offsets - start
        size = len(alphabet) + 1
        strings = x_letters, x.offsets, y_letters, y_offsets

        def compute(left: np.ndarray, right: np.ndarray, values: np.ndarray) -> None:
            _compiled.alignments.edit_distances(*strings, left, right, size, values)

        return entries.tile(pair, compute)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.exp(-self.gamma * self._distances(pair), out=out)

    def diagonal(self, samples: StringSamples) -> np.ndarray:
        return np.ones(len(samples))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        distances = self._distances(pair)
        yield "gamma", None, -distances * np.exp(-self.gamma * distances)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(gamma=0.2)]


def _letters(samples: StringSamples) -> tuple[np.ndarray, np.ndarray]:
    """The letters that occur, and the position of every letter of the strings among them."""
    return samples.once("letters", lambda: np.unique(samples.codes, return_inverse=True))


def _letters_in(alphabet: np.ndarray, samples: StringSamples, where: slice) -> np.ndarray:
    """The positions of some letters in an alphabet, after its last for all that it lacks."""
    own, positions = _letters(samples)
    known = np.append(alphabet, np.iinfo(np.uint32).max)
    place = np.searchsorted(known, own)
    return np.where(known[place] == own, place, len(alphabet))[positions[where]]
