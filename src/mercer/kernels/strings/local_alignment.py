"""The local alignment kernel on strings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, cast

import numpy as np

from mercer import _compiled
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, UNKNOWN, Definite
from mercer.domains.base import Batch, Domain
from mercer.domains.parts import Parts
from mercer.domains.strings import STRINGS, StringSamples
from mercer.errors import DefinitenessWarning, DomainError, ParameterError, explain, warn
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.strings.pairwise import Entries
from mercer.kernels.strings.substitution import (
    AMINO_ACIDS,
    REMEDY,
    LetterScores,
    Substitution,
    read_scores,
)
from mercer.params import Constraint, nonnegative, param, positive
from mercer.state import State

__all__ = ["LocalAlignment"]

# The recursion changes its exponent in steps of exp(177): beta times a score must stay below one.
_LARGEST_EXPONENT = 150.0

_cost = Constraint(
    "non-negative",
    lambda value: nonnegative.holds(value) or (isinstance(value, float) and value == math.inf),
    "give a number >= 0; math.inf forbids it",
)
_scores = Constraint(
    "scores of letters", lambda value: isinstance(value, (str, Mapping, tuple, list)), REMEDY
)


class LocalAlignment(Kernel):
    """Σ exp(β score) over all local alignments of x and y, normalized to k(x, x) = 1.

    An alignment puts letters of x, in order, on letters of y. Its score is the sum of the scores of
    the aligned letters, less ``open`` + (n − 1) ``extend`` for every run of n letters of x that is
    skipped between two aligned ones, and likewise for y; the empty alignment scores 0. The sum is
    divided by the root of the same sums of x with x and of y with y. Sums are kept as a number and
    an exponent, so that long strings never overflow.

    Saigo and Vert compare proteins by
    ``LocalAlignment(beta=0.5, scores="blosum62", open=11, extend=1)``.

    Parameters
    ----------
    beta : float, default=0.5
        The factor β of scores, a positive number: the larger, the more the best alignment counts.
    scores : {"match", "blosum62"}, dict or tuple, default="match"
        The scores of letters: ``"match"`` (1 for equal letters, −1 for others, any alphabet),
        ``"blosum62"``, a dict of dicts, or a tuple (alphabet, matrix). A letter without scores is
        an error.
    open : float, default=2.0
        The cost of the first letter of a gap; ``math.inf`` forbids gaps.
    extend : float, default=1.0
        The cost of every further letter of a gap; ``math.inf`` forbids gaps longer than one letter.

    Examples
    --------
    >>> from mercer import LocalAlignment
    >>> LocalAlignment(beta=1.0)(["kernel", "kennel", "colonel"])[0].round(3).tolist()
    [1.0, 0.234, 0.058]

    References
    ----------
    H. Saigo, J.-P. Vert, N. Ueda and T. Akutsu (2004). Protein homology detection using string
    alignment kernels. Bioinformatics 20, 1682-1689.
    """

    domain: ClassVar[Domain] = STRINGS

    beta: float = param(default=0.5, check=positive)
    scores: LetterScores = param(default="match", check=_scores)
    open: float = param(default=2.0, check=_cost)
    extend: float = param(default=1.0, check=_cost)

    # The scores as a matrix; later changes to a dict of scores are not seen.
    _substitution: ClassVar[Substitution | None] = None
    stored: ClassVar[State] = State(rebuilt=("_substitution",))  # by the constructor

    def check_params(self) -> None:
        substitution = read_scores(f"{type(self).__name__}: scores", self.scores)
        object.__setattr__(self, "_substitution", substitution)
        largest = 1.0
        if substitution is not None:
            largest = float(np.abs(substitution.matrix).max())
        remedy = "take a smaller beta"
        self._check_exponent("scores", largest, remedy)
        remedy += ", or math.inf, which forbids gaps"
        self._check_exponent("open", float(self.open), remedy)
        self._check_exponent("extend", float(self.extend), remedy)

    def _check_exponent(self, name: str, value: float, remedy: str) -> None:
        if math.isfinite(value) and self.beta * value > _LARGEST_EXPONENT:
            product = f"times beta = {self.beta:g} is more than {_LARGEST_EXPONENT:g}"
            rule = f"{product}, and its exponential is no use"
            raise ParameterError(f"{type(self).__name__}: {name}", value, rule, remedy)

    def claim(self) -> Definite:
        substitution = self._substitution
        if substitution is None:
            return _proved("e^β on the diagonal, e^−β elsewhere", "strings")
        letters, matrix = substitution
        low = _smallest_eigenvalue(self.beta, matrix)
        if low >= 0:
            return _proved(
                f"checked, the smallest eigenvalue is {low:.4g}", f"strings of {letters}"
            )
        if self.scores == "blosum62":
            count = len(AMINO_ACIDS)
            own_low = _smallest_eigenvalue(self.beta, matrix[:count, :count])
            if own_low >= 0:
                reason = f"checked, the smallest eigenvalue is {own_low:.4g} on the amino acids"
                reason += ", but one is negative with B, Z, X and *"
                return _proved(reason, f"strings of {AMINO_ACIDS}")
        rule = "no rule: exp(β score) is not psd on letters"
        rule += f" (smallest eigenvalue {low:.4g}); a larger beta may be"
        return Definite(UNKNOWN, rule, f"strings of {letters}")

    def __repr__(self) -> str:
        text = super().__repr__()
        if isinstance(self.scores, Mapping):
            return text.replace(repr(self.scores), f"<scores of {len(self.scores)} letters>")
        return text

    def _translate(self, batch: Batch) -> StringSamples:
        """The strings with letters as positions in the alphabet of the scores."""
        samples = cast(StringSamples, batch.encode(self.domain))
        substitution = self._substitution
        if substitution is None:
            return StringSamples(samples.codes.astype(np.int64), samples.offsets)
        letters = substitution.letters
        known = np.array([ord(letter) for letter in letters])
        order = np.argsort(known)
        place = np.searchsorted(known[order], samples.codes)
        place = np.minimum(place, len(known) - 1)
        unknown = np.flatnonzero(known[order][place] != samples.codes)
        if len(unknown):
            row = int(np.searchsorted(samples.offsets, unknown[0], side="right")) - 1
            letter = chr(samples.codes[unknown[0]])
            rule = f"is a letter without scores, which are for {letters}"
            raise DomainError(f"{batch.argument}[{row}]", letter, rule, _remedy(letter, letters))
        places = order[place]
        if self.scores == "blosum62" and (places >= len(AMINO_ACIDS)).any():
            self._warn_of_other_letters()
        return StringSamples(places, samples.offsets)

    def _warn_of_other_letters(self) -> None:
        """Warn of B, Z, X and * where the kernel is one on the amino acids only."""
        claim = self.claim()
        if claim.status == PSD and claim.space == f"strings of {AMINO_ACIDS}":
            rule = "makes a kernel of the 20 amino acids only, and here are B, Z, X or * too"
            remedy = "take beta=0.2 or larger, or leave these letters out"
            message = explain("LocalAlignment: beta", self.beta, rule, remedy)
            warn(message, DefinitenessWarning)

    def _sums(self, entries: Entries) -> tuple[np.ndarray, np.ndarray]:
        """The sums over alignments as numbers times powers of two."""
        substitution = self._substitution
        beta = float(self.beta)
        letter_weights = np.empty((0, 0))
        if substitution is not None:
            letter_weights = np.exp(beta * substitution.matrix)
        exponents_of_e = (beta, -beta, -beta * self.open, -beta * self.extend)
        weights = [math.exp(exponent) for exponent in exponents_of_e]
        values = np.empty(len(entries.left))
        exponents = np.empty(len(entries.left), dtype=np.int64)
        x, y = entries.x, entries.y
        strings = (x.codes, x.offsets, y.codes, y.offsets)
        compute = _compiled.alignments.local_alignments

        def fill(left: np.ndarray, right: np.ndarray, where: slice) -> None:
            scores = (letter_weights, *weights)
            compute(*strings, left, right, *scores, values[where], exponents[where])

        entries.run(fill)
        return values, exponents

    def prepare(self, batch: Batch) -> Parts:
        samples = self._translate(batch)
        entries = Entries.of_diagonal(samples)
        values, exponents = self._sums(entries)
        prepared = Parts(samples, value=values, exponent=exponents)
        # These are the same strings, whichever kernel reads them.
        prepared._inherit(batch.encode(self.domain), entries.left)
        return prepared

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        entries = Entries.of_tile(pair.part(0))
        values, exponents = self._sums(entries)
        x, y = pair.x.extra, pair.y.extra
        left, right = entries.left, entries.right
        own = x["value"][left] * y["value"][right]
        own_exponents = x["exponent"][left] + y["exponent"][right]
        # An even exponent is halved by the root; an odd one leaves a factor 2 under it.
        odd = own_exponents % 2
        quotients = values / np.sqrt(np.ldexp(own, odd))
        values = np.ldexp(quotients, exponents - (own_exponents - odd) // 2)
        entries.scatter(pair, values, out)

    def diagonal(self, samples: Parts) -> np.ndarray:
        return np.ones(len(samples))

    @classmethod
    def examples(cls) -> list[Kernel]:
        matrix = [[2, -1, 0, -1], [-1, 2, -1, 0], [0, -1, 3, -2], [-1, 0, -2, 3]]
        return [cls(), cls(beta=0.7, scores=("abcd", matrix), open=3.0, extend=0.5)]


def _proved(reason: str, space: str) -> Definite:
    rule = "convolution of letters and gaps (Saigo and Vert), since exp(β score) is psd on letters"
    rule = f"{rule} ({reason}), and normalized"
    return Definite(PSD, rule, space, facts=(POSITIVE_DIAGONAL,))


def _smallest_eigenvalue(beta: float, matrix: np.ndarray) -> float:
    """The smallest eigenvalue of exp(β S); 0 where it is negative by a rounding error."""
    values = np.linalg.eigvalsh(np.exp(beta * matrix))
    rounding = 4 * len(matrix) * np.finfo(float).eps * float(np.abs(values).max())
    if -rounding <= values[0] < 0:
        return 0.0
    return float(values[0])


def _remedy(letter: str, alphabet: str) -> str:
    """What to do about a letter without scores."""
    if letter.upper() in alphabet:
        return "use capitals"
    if "X" in alphabet:
        return "replace it by X"
    return "add it to the scores"
