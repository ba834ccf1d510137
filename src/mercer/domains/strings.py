"""Strings over any alphabet: all letters of a collection as one array of code points, and where each string begins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.errors import EmptyInputError, InputTypeError


class StringSamples(Samples):
    """``codes[offsets[i]:offsets[i + 1]]`` are the code points of string i."""

    def __init__(self, codes: np.ndarray, offsets: np.ndarray) -> None:
        self.codes = codes
        self.offsets = offsets
        self.origin = self

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    def string(self, row: int) -> np.ndarray:
        """The code points of one string."""
        return self.codes[self.offsets[row] : self.offsets[row + 1]]

    def alphabet(self) -> tuple[np.ndarray, np.ndarray]:
        """The code points that occur, in order, and for every letter its place among them."""

        def make() -> tuple[np.ndarray, np.ndarray]:
            seen = np.zeros(int(self.codes.max(initial=0)) + 1, dtype=bool)
            seen[self.codes] = True
            found = np.flatnonzero(seen)
            places = np.zeros(len(seen), dtype=np.min_scalar_type(max(len(found) - 1, 0)))
            places[found] = np.arange(len(found))
            return found.astype(np.uint32), places[self.codes]

        return self.once("alphabet", make)

    def blocks(self, letters: int) -> Iterator[StringSamples]:
        """The strings in order, so many at a time that they have about that many letters."""
        first = 0
        while first < len(self):
            last = (
                int(np.searchsorted(self.offsets, self.offsets[first] + letters, side="right")) - 1
            )
            last = max(first + 1, min(last, len(self)))
            bounds = self.offsets[first : last + 1]
            part = StringSamples(self.codes[bounds[0] : bounds[-1]], bounds - bounds[0])
            part._inherit(self, np.arange(first, last))
            yield part
            first = last

    def take(self, rows: np.ndarray) -> StringSamples:
        rows = np.asarray(rows)
        parts = [self.string(int(row)) for row in rows]
        offsets = np.concatenate([[0], np.cumsum(self.lengths[rows])]).astype(np.int64)
        taken = StringSamples(np.concatenate(parts) if parts else self.codes[:0], offsets)
        taken._inherit(self, rows)
        return taken


def texts_of(batch: Batch) -> list[str]:
    """The collection as a list of Python strings: a list, an array, a series, or a table of one column."""
    raw: RawSamples = batch.raw
    table = hasattr(raw, "columns")
    columns = (
        len(raw.columns)
        if table
        else raw.shape[1]
        if isinstance(raw, np.ndarray) and raw.ndim == 2
        else 1
    )
    if columns != 1:
        rule = f"has {columns} columns, where one of texts is wanted"
        raise InputTypeError(batch.side, "a table", rule, "say which: k.on('column')")
    if table:
        raw = raw[raw.columns[0]]
    if hasattr(raw, "to_list"):
        raw = raw.to_list()
    elif isinstance(raw, np.ndarray) and raw.ndim > 0:
        raw = raw[:, 0].tolist() if raw.ndim == 2 else raw.tolist()
    elif not isinstance(raw, (list, tuple)):
        raise InputTypeError(
            batch.side, type(raw).__name__, "is not a collection of strings", "give a list of str"
        )
    if len(raw) == 0:
        raise EmptyInputError(batch.side, raw, "is empty", "give at least one string")
    for row, value in enumerate(raw):
        if not isinstance(value, str):
            remedy = "make it text, or use '' where there is none"
            raise InputTypeError(f"{batch.side}[{row}]", value, "is not a string", remedy)
    return list(raw)


class Strings(Domain):
    """Finite strings of any characters; nothing is folded."""

    name = "strings"
    accepts = frozenset({"strings", "objects"})

    def encode(self, batch: Batch) -> Samples:
        texts = texts_of(batch)
        try:
            joined = "".join(texts).encode("utf-32-le")
        except UnicodeEncodeError:
            joined = "".join(texts).encode("utf-32-le", "surrogatepass")
        lengths = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
        return StringSamples(
            np.frombuffer(joined, dtype=np.uint32), np.concatenate([[0], np.cumsum(lengths)])
        )

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        return [
            "".join(rng.choice(list("abc"), size=int(rng.integers(0, width + 6))))
            for _ in range(count)
        ]

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        """All short strings of two letters, repeats, near copies, and random strings."""
        import itertools

        short = [
            "".join(letters)
            for size in range(5)
            for letters in itertools.product("ab", repeat=size)
        ]
        repeats = ["a" * size for size in range(12)] + ["ab" * size for size in range(1, 6)]
        base = "abcabcab"
        near = (
            [base[:i] + "d" + base[i + 1 :] for i in range(len(base))]
            + [base[:i] + base[i + 1 :] for i in range(len(base))]
            + [base]
        )
        rough = list(dict.fromkeys(self.sample(60, 3 * width, rng)))
        return [short, repeats, list(dict.fromkeys(near)), rough]


STRINGS = Strings()
