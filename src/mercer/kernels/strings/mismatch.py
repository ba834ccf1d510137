"""The mismatch kernel on strings."""

from __future__ import annotations

import itertools
import math
from typing import ClassVar, Self, cast

import numpy as np

from mercer import errors
from mercer.definiteness import PSD, Definite
from mercer.definiteness.means import finite
from mercer.domains.base import Batch
from mercer.domains.ngrams import Coding, NgramCounts, Substrings, expanded, substrings
from mercer.domains.strings import STRINGS, StringSamples
from mercer.errors import DomainError, ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.strings.substrings import NgramKernel
from mercer.params import Constraint, integer, param
from mercer.state import State

__all__ = ["Mismatch"]

_alphabet = Constraint(
    "letters",
    lambda v: v is None or (isinstance(v, str) and len(set(v)) == len(v) > 0),
    "give a text of different letters, or None",
)


class Mismatch(NgramKernel):
    """Σ_u φ_u(x) φ_u(y), φ_u(x) the number of substrings of x with at most ``mismatches`` from u.

    The sum runs over all strings u of ``length`` letters. The substrings of x have as many letters,
    and a mismatch is a place in which one differs from u. The letters of u are those of
    ``alphabet``, or those met by ``fit``.

    Parameters
    ----------
    length : int, default=3
        The number of letters of the substrings.
    mismatches : int, default=1
        The largest number of mismatches, at most ``length``.
    alphabet : str or None, default=None
        The letters of u, all different; None to learn them by ``fit``.

    Attributes
    ----------
    alphabet_ : str
        The letters met by ``fit``, where ``alphabet`` is None.

    Examples
    --------
    >>> from mercer import Mismatch
    >>> Mismatch(length=2, mismatches=1, alphabet="ab")(["aa"], ["ab"]).tolist()
    [[2.0]]

    References
    ----------
    C. Leslie, E. Eskin, A. Cohen, J. Weston and W. S. Noble (2004). Mismatch string kernels for
    discriminative protein classification. Bioinformatics 20, 467-476.
    """

    definite: ClassVar[Definite | None] = Definite(
        PSD,
        "inner product: φ_u(x) = the number of substrings of x within the mismatches of u",
        "strings",
        means=finite("counts of substrings"),
    )
    renamed: ClassVar[dict[str, str]] = {"n": "length"}
    length: int = param(default=3, check=integer(1))
    mismatches: int = param(default=1, check=integer(0))
    alphabet: str | None = param(default=None, check=_alphabet)
    stored: ClassVar[State] = State(plain=("alphabet_",))

    def check_params(self) -> None:
        if self.mismatches > self.length:
            rule = f"must not be more than length = {self.length}"
            raise ParameterError("Mismatch: mismatches", self.mismatches, rule)

    def key(self) -> tuple[object, ...]:
        return (type(self).__name__, self.length, self.mismatches, self._letters())

    def fit_batch(self, batch: Batch) -> Self:
        """Learn the alphabet, unless it is given."""
        if self.alphabet is None:
            samples = cast(StringSamples, batch.encode(STRINGS))
            self.alphabet_ = "".join(map(chr, np.unique(samples.codes)))
        return self

    def _letters(self) -> str | None:
        """The alphabet that is given or learned, if any."""
        if self.alphabet is None:
            return getattr(self, "alphabet_", None)
        return self.alphabet

    def find(self, samples: StringSamples, name: str) -> NgramCounts:
        alphabet = self._sorted_alphabet()
        self._check_count(len(alphabet))
        if self.alphabet is not None:
            self._check_letters(samples, name, alphabet)
        words = substrings(samples, self.length)
        coding = Coding(alphabet, self.length)
        which, neighbors = self._neighbors(words, coding)
        codes, columns = coding.number(neighbors)
        return NgramCounts(expanded(words, which, columns, len(codes)), coding.hashes(codes))

    def _sorted_alphabet(self) -> np.ndarray:
        """The code points of the alphabet, in order."""
        letters = self._letters()
        if letters is None:
            remedy = "call kernel.fit(X), or give it: alphabet='acgt'"
            raise errors.NotFittedError(
                "Mismatch: alphabet", errors.ABSENT, "is not known yet", remedy
            )
        return np.sort(np.array([ord(letter) for letter in letters], dtype=np.uint32))

    def _check_count(self, n_letters: int) -> None:
        """Refuse parameters for which a substring has too many neighbors."""
        others = max(n_letters - 1, 0)
        count = sum(math.comb(self.length, m) * others**m for m in range(self.mismatches + 1))
        if count > 100_000:
            rule = f"with {n_letters} letters makes {count} features of every substring"
            remedy = "take fewer, a smaller length, or GappedKmer"
            raise ParameterError("Mismatch: mismatches", self.mismatches, rule, remedy)

    def _check_letters(self, samples: StringSamples, name: str, alphabet: np.ndarray) -> None:
        own, positions = samples.alphabet()
        unknown = ~np.isin(own, alphabet)
        if unknown.any():
            place = int(np.argmax(unknown[positions]))
            row = int(np.searchsorted(samples.offsets, place, side="right") - 1)
            letter = place - int(samples.offsets[row])
            what = f"{name}[{samples.identities()[row]}], letter {letter}"
            rule = f"is not in the alphabet {self.alphabet!r}"
            remedy = "add it, or leave alphabet=None to learn the letters"
            raise DomainError(what, chr(int(samples.codes[place])), rule, remedy)

    def _neighbors(self, words: Substrings, coding: Coding) -> tuple[np.ndarray, np.ndarray]:
        """Substrings, and the codes of the strings within reach of each by mismatches.

        A letter that is not in the alphabet is always a mismatch.
        """
        size = len(coding.alphabet)
        positions = np.searchsorted(coding.alphabet, words.alphabet)
        positions[~np.isin(words.alphabet, coding.alphabet)] = size
        letters = np.stack([positions[at] for at in words.letters])
        unknown = letters == size
        which, codes = [], []
        for count in range(self.mismatches + 1):
            for changed in map(list, itertools.combinations(range(self.length), count)):
                # Only words whose unknown letters are all changed have neighbors by this change.
                covered = unknown[changed].sum(axis=0) == unknown.sum(axis=0)
                some, near = _change(letters, changed, np.flatnonzero(covered), coding)
                which.append(some)
                codes.append(near)
        return np.concatenate(which), np.concatenate(codes)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(length=2, mismatches=1), cls(length=3, mismatches=1, alphabet="abcd")]


def _change(
    letters: np.ndarray, changed: list[int], which: np.ndarray, coding: Coding
) -> tuple[np.ndarray, np.ndarray]:
    """All strings that differ from words ``which`` in exactly the places ``changed``.

    They are returned as codes, each with its word; ``letters[j, i]`` is the letter at place j of
    word i.
    """
    codes = np.zeros(len(which), dtype=coding.values.dtype)
    for j in range(len(letters)):
        if j not in changed:
            codes += coding.values[j][letters[j, which]]
    for j in changed:
        differs = np.arange(len(coding.alphabet)) != letters[j, which][:, None]
        codes = (codes[:, None] + coding.values[j])[differs]
        which = np.broadcast_to(which[:, None], differs.shape)[differs]
    return which, codes
