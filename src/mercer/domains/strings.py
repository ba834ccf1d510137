"""Strings over any alphabet: all code points in one array, and where each string begins."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.raw import as_list, check_one_column, starts_of
from mercer.errors import EmptyInputError, InputTypeError


@dataclass(eq=False)
class StringSamples(Samples):
    """Strings: ``codes[offsets[i]:offsets[i + 1]]`` are the code points of string i."""

    codes: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    def string(self, row: int) -> np.ndarray:
        """The code points of one string."""
        return self.codes[self.offsets[row] : self.offsets[row + 1]]

    def alphabet(self) -> tuple[np.ndarray, np.ndarray]:
        """The code points that occur, in order, and for every letter its position among them."""

        def make() -> tuple[np.ndarray, np.ndarray]:
            seen = np.zeros(int(self.codes.max(initial=0)) + 1, dtype=bool)
            seen[self.codes] = True
            letters = np.flatnonzero(seen)
            positions = np.zeros(len(seen), dtype=np.min_scalar_type(max(len(letters) - 1, 0)))
            positions[letters] = np.arange(len(letters))
            return letters.astype(np.uint32), positions[self.codes]

        return self.once("alphabet", make)

    def blocks(self, letters: int) -> Iterator[StringSamples]:
        """The strings in order, in blocks of about that many letters."""
        first = 0
        while first < len(self):
            end = self.offsets[first] + letters
            last = int(np.searchsorted(self.offsets, end, side="right")) - 1
            last = max(first + 1, min(last, len(self)))
            bounds = self.offsets[first : last + 1]
            block = StringSamples(self.codes[bounds[0] : bounds[-1]], bounds - bounds[0])
            yield block._inherit(self, np.arange(first, last))
            first = last

    def take(self, rows: np.ndarray) -> StringSamples:
        rows = np.asarray(rows)
        parts = [self.codes[:0], *(self.string(int(row)) for row in rows)]
        offsets = starts_of(self.lengths[rows])
        return StringSamples(np.concatenate(parts), offsets)._inherit(self, rows)


def texts_of(batch: Batch) -> list[str]:
    """The texts of a list, an array, a series, or a table of one column."""
    raw = batch.raw
    if isinstance(raw, np.ndarray) and raw.ndim == 2:
        check_one_column(raw.shape[1], batch.argument, "texts")
        raw = raw[:, 0]
    texts = as_list(raw, batch.argument, "texts", "give a list of str")
    _check_texts(texts, batch.argument)
    return texts


def _check_texts(texts: list[object], argument: str) -> None:
    if len(texts) == 0:
        raise EmptyInputError(argument, texts, "is empty", "give at least one string")
    for row, value in enumerate(texts):
        if not isinstance(value, str):
            remedy = "make it text, or use '' where there is none"
            raise InputTypeError(f"{argument}[{row}]", value, "is not a string", remedy)


class Strings(Domain):
    """Finite strings of any characters; upper and lower case are different."""

    name = "strings"
    accepts = frozenset({"strings", "objects"})

    def encode(self, batch: Batch) -> Samples:
        texts = texts_of(batch)
        joined = "".join(texts)
        try:
            codes = joined.encode("utf-32-le")
        except UnicodeEncodeError:  # surrogates, which stand alone in damaged texts
            codes = joined.encode("utf-32-le", "surrogatepass")
        lengths = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
        return StringSamples(np.frombuffer(codes, dtype=np.uint32), starts_of(lengths))

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> list[str]:
        lengths = (int(rng.integers(0, n_columns + 6)) for _ in range(count))
        return ["".join(rng.choice(list("abc"), size=length)) for length in lengths]

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        """All short strings of two letters, repeats, near copies, and random strings."""
        products = (itertools.product("ab", repeat=size) for size in range(5))
        short = ["".join(letters) for letters in itertools.chain.from_iterable(products)]
        repeats = ["a" * size for size in range(12)] + ["ab" * size for size in range(1, 6)]
        rough = list(dict.fromkeys(self.sample(60, 3 * n_columns, rng)))
        return [short, repeats, _near_copies("abcabcab"), rough]


def _near_copies(text: str) -> list[str]:
    """The different texts with one letter replaced, or left out, and the text itself."""
    cuts = [(text[:i], text[i + 1 :]) for i in range(len(text))]
    replaced = [before + "d" + after for before, after in cuts]
    shorter = [before + after for before, after in cuts]
    return list(dict.fromkeys([*replaced, *shorter, text]))


STRINGS = Strings()
