"""Tables of categories: the values of every column as small integers, and missing values as −1."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Hashable
from typing import Any, cast

import numpy as np

from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.tables.columns import Markers, missing_values, table_columns
from mercer.errors import DomainError, InputTypeError, WidthError

MISSING = -1

Vocabulary = dict[Hashable, int]


class CategorySamples(Samples):
    """Rows of codes: ``codes[i, k]`` is the place of a value in ``vocabularies[k]``, or MISSING.

    Collections that are compared with each other share their vocabularies.
    """

    def __init__(self, codes: np.ndarray, vocabularies: list[Vocabulary], names: list[str]) -> None:
        self.codes = codes
        self.vocabularies = vocabularies
        self.names = names

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_columns(self) -> int:
        return self.codes.shape[1]

    def columns(self) -> np.ndarray:
        """The codes column by column, each contiguous: compiled loops run along them."""
        return self.once("columns", lambda: np.ascontiguousarray(self.codes.T))

    def fork(self) -> CategorySamples:
        return self._forked(vocabularies=[dict(known) for known in self.vocabularies])

    def take(self, rows: np.ndarray) -> CategorySamples:
        codes = np.ascontiguousarray(self.codes[rows])
        taken = CategorySamples(codes, self.vocabularies, self.names)
        taken._inherit(self, rows)
        return taken


@dataclasses.dataclass(frozen=True, repr=False)
class Categories(Domain):
    """Rows of categories.

    ``markers`` are further values that mean a missing value, beside None and NaN; missing values
    are refused unless ``allow_missing``.
    """

    name = "tables of categories"
    accepts = frozenset({"matrix", "tables"})
    allow_missing: bool = False
    markers: Markers = ()

    def encode(self, batch: Batch) -> CategorySamples:
        columns, names = table_columns(batch)
        vocabularies: list[Vocabulary] = [{} for _ in columns]
        if batch.like is not None:
            like = cast(CategorySamples, batch.like.encode(self))
            if like.n_columns != len(columns):
                rule = f"must have as many columns as {batch.other}: {like.n_columns}"
                raise WidthError(batch.argument, f"{len(columns)} columns", rule)
            vocabularies = like.vocabularies
        codes = np.empty((len(columns[0]), len(columns)), dtype=np.int32)
        for k, values in enumerate(columns):
            codes[:, k] = self._codes(values, vocabularies[k], names[k], batch.argument)
        return CategorySamples(codes, vocabularies, names)

    def _codes(self, values: list[Any], vocabulary: Vocabulary, name: str, side: str) -> list[int]:
        """The places of the values in the vocabulary, which grows by those that are new."""
        missing = missing_values(values, self.markers)
        if missing.any() and not self.allow_missing:
            row = int(missing.argmax())
            remedy = "use MissingAware(kernel), or fill it"
            raise DomainError(f"{side}[{row}], {name}", values[row], "is missing", remedy)
        codes = []
        for row, (value, is_missing) in enumerate(zip(values, missing.tolist(), strict=True)):
            try:
                if is_missing:
                    codes.append(MISSING)
                else:
                    codes.append(vocabulary.setdefault(value, len(vocabulary)))
            except TypeError:
                rule = "cannot be a category: it is not hashable"
                raise InputTypeError(f"{side}[{row}], {name}", value, rule) from None
        return codes

    def sample(self, n_samples: int, n_columns: int, rng: np.random.Generator) -> np.ndarray:
        shape = n_samples, n_columns
        letters = np.array(list("abcd"), dtype=object)[rng.integers(0, 4, shape)]
        if self.allow_missing:
            letters[rng.random(shape) < 0.25] = None
            letters[0] = "a"  # no column is without a value
        return letters

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[np.ndarray]:
        """All rows of two or three letters, a ladder of equal columns, and random rows."""
        letters = ["a", "b", None] if self.allow_missing else ["a", "b", "c"]
        rows = itertools.product(letters, repeat=min(n_columns, 4))
        every = np.array(list(rows), dtype=object)
        if self.allow_missing:
            every[-1] = "a"
        ladder = np.array([["x"] * k + ["y"] * (6 - k) for k in range(7)], dtype=object)
        return [every, ladder, self.sample(60, n_columns, rng)]


CATEGORIES = Categories()
