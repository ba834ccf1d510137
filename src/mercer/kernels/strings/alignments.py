"""Kernels of strings that are aligned letter by letter: common subsequences with gaps, local alignments, edit distance.

>>> from mercer import Subsequence
>>> Subsequence(length=2, decay=0.5)(["cat", "car"])[0, 1]
np.float64(0.0625)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from mercer import _compiled
from mercer.definiteness import (
    INDEFINITE,
    POSITIVE_DIAGONAL,
    PSD,
    UNKNOWN,
    Certificate,
    Definite,
    Where,
    Witness,
)
from mercer.domains.base import Batch, Domain
from mercer.domains.strings import STRINGS, StringSamples
from mercer.errors import DomainError, ParameterError
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.parts import Parts
from mercer.kernels.expression import show_value
from mercer.kernels.strings.substitution import AMINO_ACIDS, read_scores
from mercer.params import Constraint, between, integer, is_real, param, positive

__all__ = ["EditDistance", "LocalAlignment", "Subsequence"]

_CHUNK = 20_000_000  # cells of one call of compiled code: long enough to forget the call, short enough to be interrupted
_FEW = 100_000  # cells: below, an order costs more than it saves
_LARGEST = 150.0  # of beta times a score: the recursion steps over exp(177) at a time

Fill = Callable[[np.ndarray, np.ndarray, slice], None]


def _for_pairs(
    x: StringSamples,
    y: StringSamples,
    left: np.ndarray,
    right: np.ndarray,
    fill: Fill,
    work: Workspace | None = None,
    together: int = 1,
) -> None:
    """Call ``fill(left, right, where)`` on stretches of pairs of about the same work: a single tile may take all threads.

    Stretches begin at multiples of ``together``.
    """
    cells = np.cumsum((x.lengths[left] + 8) * (y.lengths[right] + 8))
    count = int(min(len(left), -(-int(cells[-1]) // _CHUNK))) if len(left) else 0
    edges = (
        np.searchsorted(cells, np.linspace(0, cells[-1], count + 1)[1:-1])
        if count > 1
        else np.empty(0, dtype=int)
    )
    edges = np.concatenate([[0], edges // together * together, [len(left)]])

    def work_on(number: int, work: Workspace) -> None:
        where = slice(int(edges[number]), int(edges[number + 1]))
        if where.stop > where.start:
            fill(left[where], right[where], where)

    if work is None or work.run is None:
        run(count, work_on, "alignments")
    else:  # one tile of many, which the threads have shared out
        for number in range(count):
            check_stop()
            work_on(number, work)


def _alike_together(
    x: StringSamples, y: StringSamples, left: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """An order of the pairs in which neighbours are of like lengths: by the shorter string, then to and fro by the longer."""
    if x.lengths[left] @ y.lengths[right] < _FEW:
        return np.arange(len(left))
    levels = np.unique(np.concatenate([x.lengths, y.lengths]))
    most = 256  # two such numbers make 16 bits, which NumPy sorts in one pass over them
    place = (
        np.arange(len(levels))
        if len(levels) <= most
        else np.arange(len(levels)) * most // len(levels)
    )
    a, b = (
        place[np.searchsorted(levels, side.lengths)][which]
        for side, which in ((x, left), (y, right))
    )
    short, long = np.minimum(a, b), np.maximum(a, b)
    return np.argsort(
        (short * most + np.where(short % 2, most - 1 - long, long)).astype(np.uint16), kind="stable"
    )


def _pairs_of(pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of a tile; those of the upper triangle if it lies on the diagonal of a symmetric matrix."""
    if _symmetric(pair):
        left, right = np.triu_indices(pair.i1 - pair.i0)
    else:
        left, right = (at.ravel() for at in np.indices(pair.shape))
    return left + pair.i0, right + pair.j0


def _symmetric(pair: Pair) -> bool:
    return pair.x is pair.y and (pair.i0, pair.i1) == (pair.j0, pair.j1)


def _spread(
    pair: Pair, left: np.ndarray, right: np.ndarray, values: np.ndarray, out: np.ndarray
) -> None:
    """Values of pairs into their places in the tile."""
    out[left - pair.i0, right - pair.j0] = values
    if _symmetric(pair):
        _compiled.storage.mirror(out)


def _numbers(side: StringSamples) -> np.ndarray:
    """Letters as float64, which compiled code compares many at a time."""
    return side.once("numbers", lambda: side.codes.astype(float))


def _letters(side: StringSamples) -> tuple[np.ndarray, np.ndarray]:
    """The letters that occur, and every letter as its place among them."""
    return side.once("letters", lambda: np.unique(side.codes, return_inverse=True))


class Subsequence(Kernel):
    """Σ over common subsequences u of ``length`` letters, each time u occurs in x and in y, of decay^(span in x + span in y).

    A span counts the letters from the first of u to the last, so that gaps cost. Strings shorter than ``length`` are the
    zero vector. Long strings have larger values: ``Subsequence(length=4).normalize()`` is what text wants.

    >>> from mercer import Subsequence
    >>> k = Subsequence(length=2, decay=0.5)
    >>> k.normalize()(["cat", "car"])[0, 1].round(6)  # 1/(2 + 0.5²)
    np.float64(0.444444)
    """

    domain: ClassVar[Domain] = STRINGS
    definite = Definite(
        PSD, "inner product: φ_u(x) = Σ decay^span over the places of u in x", "strings"
    )

    length: int = param(default=4, check=integer(1, 1000))
    decay: float = param(default=0.5, check=between(0, 1), continuous=True)

    def _values(
        self,
        x: StringSamples,
        y: StringSamples,
        left: np.ndarray,
        right: np.ndarray,
        how: Any,
        work: Workspace | None = None,
    ) -> np.ndarray:
        values, made = np.empty(len(left)), np.empty(len(left))
        texts, others = _numbers(x), _numbers(y)

        def fill(first: np.ndarray, second: np.ndarray, where: slice) -> None:
            how(
                texts,
                x.offsets,
                others,
                y.offsets,
                first,
                second,
                int(self.length),
                float(self.decay),
                made[where],
            )

        order = _alike_together(x, y, left, right)
        _for_pairs(x, y, left[order], right[order], fill, work, _compiled.subsequences.PAIRS)
        values[order] = made
        return values

    def _fill(self, pair: Pair, how: Any, out: np.ndarray) -> None:
        left, right = _pairs_of(pair)
        _spread(pair, left, right, self._values(pair.x, pair.y, left, right, how, pair.work), out)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self._fill(pair, _compiled.subsequences.subsequences, out)

    def diagonal(self, side: StringSamples) -> np.ndarray:
        each = np.arange(len(side))
        return self._values(side, side, each, each, _compiled.subsequences.subsequences)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        slope = np.empty(pair.shape)
        self._fill(pair, _compiled.subsequences.subsequence_slopes, slope)
        yield "decay", None, slope

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(length=2), cls(length=3, decay=0.8), cls(length=1, decay=1.0)]


def _is_cost(value: Any) -> bool:
    return (is_real(value) and value >= 0) or (isinstance(value, float) and value == math.inf)


_cost = Constraint("non-negative", _is_cost, "give a number >= 0; math.inf forbids it")
_scores = Constraint(
    "scores of letters",
    lambda value: isinstance(value, (str, Mapping, tuple, list)),
    'give "match" or a table',
)


class LocalAlignment(Kernel):
    """Σ over all local alignments of exp(β score), divided by the root of the same sums of x with x and of y with y.

    An alignment pairs letters of x with letters of y, in order; its score is the sum of the scores of the pairs, less
    ``open`` + (n − 1) ``extend`` for every run of n letters that is skipped between two pairs in x, and so in y; the empty
    alignment scores 0. ``scores`` are ``"match"`` (1 for equal letters, −1 for others, any alphabet), ``"blosum62"``,
    a dict of dicts, or a pair (alphabet, matrix). A letter without scores is an error. For proteins, Saigo and Vert take
    ``LocalAlignment(beta=0.5, scores="blosum62", open=11, extend=1)``.

    Sums are kept as a number and an exponent, so that long strings never overflow.

    >>> from mercer import LocalAlignment
    >>> LocalAlignment(beta=1.0)(["kernel", "kennel", "colonel"])[0].round(3).tolist()
    [1.0, 0.234, 0.058]
    """

    domain: ClassVar[Domain] = STRINGS

    beta: float = param(default=0.5, check=positive)
    scores: Any = param(default="match", check=_scores)
    open: float = param(default=2.0, check=_cost)
    extend: float = param(default=1.0, check=_cost)

    def check_params(self) -> None:
        table = read_scores(f"{type(self).__name__}: scores", self.scores)
        most = 1.0 if table is None else float(np.abs(table[1]).max())
        for name, cost in (
            ("scores", most),
            ("open", float(self.open)),
            ("extend", float(self.extend)),
        ):
            if self.beta * cost > _LARGEST and not math.isinf(cost):
                rule = f"times beta = {self.beta:g} is more than {_LARGEST:g}, and its exponential is no use"
                remedy = (
                    "take a smaller beta"
                    if name == "scores"
                    else "take a smaller beta, or math.inf, which forbids gaps"
                )
                raise ParameterError(f"{type(self).__name__}: {name}", cost, rule, remedy)

    def claim(self) -> Definite:
        rule = "convolution of letters and gaps (Saigo and Vert), since exp(β score) is psd on letters; normalised"
        facts = (POSITIVE_DIAGONAL,)
        table = read_scores("scores", self.scores)
        if table is None:
            return Definite(
                PSD, f"{rule}: e^β on the diagonal, e^−β elsewhere", "strings", facts=facts
            )
        letters, matrix = table
        low = _smallest(self.beta, matrix)
        if low >= 0:
            return Definite(
                PSD,
                f"{rule}: checked, the smallest eigenvalue is {low:.4g}",
                f"strings of {letters}",
                facts=facts,
            )
        if self.scores == "blosum62":
            some = len(AMINO_ACIDS)
            low = _smallest(self.beta, matrix[:some, :some])
            if low >= 0:
                rule += f": checked, the smallest eigenvalue is {low:.4g} on the amino acids, but one is negative with B, Z, X and *"
                return Definite(PSD, rule, f"strings of {AMINO_ACIDS}", facts=facts)
        rule = f"no rule: exp(β score) is not psd on letters (smallest eigenvalue {low:.4g}); a larger beta may be"
        return Definite(UNKNOWN, rule, f"strings of {letters}")

    def _translate(self, batch: Batch) -> StringSamples:
        """The strings with letters as positions in the alphabet of the scores."""
        samples: Any = batch.encode(self.domain)
        table = read_scores("scores", self.scores)
        if table is None:
            return StringSamples(samples.codes.astype(np.int64), samples.offsets)
        known = np.array([ord(letter) for letter in table[0]])
        order = np.argsort(known)
        at = np.minimum(np.searchsorted(known[order], samples.codes), len(known) - 1)
        strange = np.flatnonzero(known[order][at] != samples.codes)
        if len(strange):
            row = int(np.searchsorted(samples.offsets, strange[0], side="right")) - 1
            letter = chr(samples.codes[strange[0]])
            remedy = (
                "use capitals"
                if letter.upper() in table[0]
                else "replace it by X"
                if "X" in table[0]
                else "add it to the scores"
            )
            raise DomainError(
                f"{batch.argument}[{row}]",
                letter,
                f"is a letter without scores, which are for {table[0]}",
                remedy,
            )
        return StringSamples(order[at], samples.offsets)

    def _sums(
        self,
        x: StringSamples,
        y: StringSamples,
        left: np.ndarray,
        right: np.ndarray,
        work: Workspace | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The sums over alignments as numbers times powers of two."""
        found = read_scores("scores", self.scores)
        beta = float(self.beta)
        table = np.empty((0, 0)) if found is None else np.exp(beta * found[1])
        weights = (
            math.exp(beta),
            math.exp(-beta),
            math.exp(-beta * self.open),
            math.exp(-beta * self.extend),
        )
        values, exponents = np.empty(len(left)), np.empty(len(left), dtype=np.int64)
        compute = _compiled.alignments.local_alignments

        def fill(first: np.ndarray, second: np.ndarray, where: slice) -> None:
            compute(
                x.codes,
                x.offsets,
                y.codes,
                y.offsets,
                first,
                second,
                table,
                *weights,
                values[where],
                exponents[where],
            )

        _for_pairs(x, y, left, right, fill, work)
        return values, exponents

    def prepare(self, batch: Batch) -> Parts:
        samples = self._translate(batch)
        each = np.arange(len(samples))
        values, exponents = self._sums(samples, samples, each, each)
        made = Parts(samples, value=values, exponent=exponents)
        encoded: Any = batch.encode(self.domain)
        made._inherit(encoded, each)  # the same strings, whichever kernel looks at them
        return made

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        left, right = _pairs_of(pair)
        values, exponents = self._sums(pair.x[0], pair.y[0], left, right, pair.work)
        own = pair.x.extra["value"][left] * pair.y.extra["value"][right]
        twice = pair.x.extra["exponent"][left] + pair.y.extra["exponent"][right]
        odd = twice % 2
        _spread(
            pair,
            left,
            right,
            np.ldexp(values / np.sqrt(np.ldexp(own, odd)), exponents - (twice - odd) // 2),
            out,
        )

    def diagonal(self, side: Parts) -> np.ndarray:
        return np.ones(len(side))

    def __repr__(self) -> str:
        default = type(self).__dataclass_fields__
        shown = [
            f"{name}=<scores of {len(self.scores)} letters>"
            if name == "scores" and isinstance(self.scores, Mapping)
            else f"{name}={show_value(getattr(self, name))}"
            for name in self._param_names()
            if repr(getattr(self, name)) != repr(default[name].default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    @classmethod
    def examples(cls) -> list[Kernel]:
        table = [
            [2.0, -1.0, 0.0, -1.0],
            [-1.0, 2.0, -1.0, 0.0],
            [0.0, -1.0, 3.0, -2.0],
            [-1.0, 0.0, -2.0, 3.0],
        ]
        return [cls(), cls(beta=0.7, scores=("abcd", table), open=3.0, extend=0.5)]


def _smallest(beta: float, matrix: np.ndarray) -> float:
    """The smallest eigenvalue of exp(β S); 0 where it is so within rounding."""
    values = np.linalg.eigvalsh(np.exp(beta * matrix))
    rounding = 4 * len(matrix) * np.finfo(float).eps * float(np.abs(values).max())
    return 0.0 if -rounding <= values[0] < 0 else float(values[0])


class EditDistance(Kernel):
    """exp(−γ d), d the least number of letters to insert, delete or change that turns x into y (Levenshtein).

    Not positive semi-definite where γ < ½ ln 2, and not known to be elsewhere.
    """

    domain: ClassVar[Domain] = STRINGS

    gamma: float = param(default=1.0, check=positive, continuous=True)

    def certify(self, d: int | None) -> Certificate:
        where = Where("strings")
        witness = self._witness()
        if witness is None:
            return Certificate(
                UNKNOWN,
                repr(self),
                "no rule: Levenshtein's distance is not conditionally negative",
                where,
            )
        rule = "a counterexample: γ < ½ ln 2 leaves five short strings a negative form"
        return Certificate(INDEFINITE, repr(self), rule, where, witness=witness)

    def _witness(self) -> Witness | None:
        """a, bb and aba are two apart, and so are ab and ba; every other pair is one apart. With q = e^−γ and c = (s, −t, −t, s, s)
        cᵀKc = 3(1 + 2q²)s² − 12q st + 2(1 + q²)t², negative for some s and t if q² > ½."""
        q = math.exp(-self.gamma)
        s, t = (
            (2.0, 3.0)
            if 7 * q > 5.01
            else (3.0 * math.sqrt(2 * (1 + q * q) / (3 * (1 + 2 * q * q))), 3.0)
        )
        value = 3 * (1 + 2 * q * q) * s * s - 12 * q * s * t + 2 * (1 + q * q) * t * t
        if value > -1e-9:  # less would be lost in rounding
            return None
        return Witness(["a", "ab", "ba", "bb", "aba"], np.array([s, -t, -t, s, s]), value)

    def _distances(self, pair: Pair) -> np.ndarray:
        x, y = pair.x, pair.y
        left, right = _pairs_of(pair)
        (known, letters), (theirs, others) = _letters(x), _letters(y)
        start = y.offsets[pair.j0]
        if y is not x:  # letters of y as those of x; ones that x has not are all the same
            known = np.append(known, np.iinfo(np.uint32).max)
            at = np.searchsorted(known, theirs)
            others = np.where(known[at] == theirs, at, len(known) - 1)[
                others[start : y.offsets[pair.j1]]
            ]
        else:
            others = others[start : y.offsets[pair.j1]]
        y_at = y.offsets - start
        values = np.empty(len(left))
        compute = _compiled.alignments.edit_distances

        def fill(first: np.ndarray, second: np.ndarray, where: slice) -> None:
            compute(letters, x.offsets, others, y_at, first, second, len(known), values[where])

        _for_pairs(x, y, left, right, fill, pair.work)
        tile = np.empty(pair.shape)
        _spread(pair, left, right, values, tile)
        return tile

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.exp(-self.gamma * self._distances(pair), out=out)

    def diagonal(self, side: StringSamples) -> np.ndarray:
        return np.ones(len(side))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        distances = self._distances(pair)
        yield "gamma", None, -distances * np.exp(-self.gamma * distances)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(gamma=0.2)]
