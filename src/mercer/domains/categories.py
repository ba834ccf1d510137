"""Tables of categories: every column's values as small numbers, and holes as −1."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples, in_order_of
from mercer.errors import DomainError, EmptyInputError, InputTypeError, ShapeError, WidthError

HOLE = -1


class CategorySamples(Samples):
    """``codes[i, k]`` is the place of a value in ``vocabularies[k]``, HOLE where there is none. Compared collections share vocabularies."""

    def __init__(
        self, codes: np.ndarray, vocabularies: list[dict[Hashable, int]], names: list[str]
    ) -> None:
        self.codes = codes
        self.vocabularies = vocabularies
        self.names = names
        self.origin = self

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def width(self) -> int:
        return self.codes.shape[1]

    def columns(self) -> np.ndarray:
        """The codes column by column, each contiguous: compiled loops run along them."""
        return self.once("columns", lambda: np.ascontiguousarray(self.codes.T))

    def fork(self) -> CategorySamples:
        return self._forked(vocabularies=[dict(known) for known in self.vocabularies])

    def take(self, rows: np.ndarray) -> CategorySamples:
        taken = CategorySamples(
            np.ascontiguousarray(self.codes[rows]), self.vocabularies, self.names
        )
        taken._inherit(self, rows)
        return taken


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas writes for either."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def table_columns(batch: Batch) -> tuple[list[list[Any]], list[str]]:
    """The columns of a table as lists of Python values, and their names: data frames, arrays, lists of rows."""
    raw: RawSamples = in_order_of(batch.raw, None if batch.like is None else batch.like.names)
    if hasattr(raw, "columns"):
        names = [str(name) for name in raw.columns]
        found = (
            [raw.iloc[:, k] for k in range(len(names))]
            if hasattr(raw, "iloc")
            else [raw[name] for name in raw.columns]
        )
        columns = [
            column.to_list() if hasattr(column, "to_list") else list(column) for column in found
        ]
        if not columns:
            raise WidthError(batch.argument, "a table", "has no columns")
    else:
        if hasattr(raw, "toarray"):
            raw = raw.toarray()
        try:
            array = np.asarray(raw) if hasattr(raw, "dtype") else _objects(raw)
            if array.size == 0 and array.ndim == 1:
                raise EmptyInputError(batch.argument, raw, "is empty", "give at least one row")
        except (EmptyInputError, InputTypeError):
            raise
        except ValueError as error:
            raise ShapeError(
                batch.argument, type(raw).__name__, f"is not a rectangular table ({error})"
            ) from None
        if array.ndim != 2 or array.shape[1] == 0:
            remedy = "give rows of equal length, or a data frame"
            raise ShapeError(
                batch.argument, f"array of shape {array.shape}", "is not a table", remedy
            )
        columns, names = (
            [column.tolist() for column in array.T],
            [f"column {k}" for k in range(array.shape[1])],
        )
    if not columns[0]:
        raise EmptyInputError(batch.argument, "a table", "has no rows", "give at least one row")
    return columns, names


def _objects(rows: Any) -> np.ndarray:
    """A list of rows as it is: NumPy would turn numbers beside text into text."""
    if isinstance(rows, Sequence) and any(isinstance(row, (set, frozenset)) for row in rows):
        raise InputTypeError(
            "X",
            rows,
            "holds sets, whose elements have no order, where rows are wanted",
            "use Jaccard, or another kernel of sets",
        )
    if (
        not isinstance(rows, Sequence)
        or not rows
        or isinstance(rows[0], str)
        or not hasattr(rows[0], "__len__")
    ):
        return np.asarray(rows)
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise ValueError(f"rows of {min(widths)} to {max(widths)} values")
    made = np.empty((len(rows), widths.pop()), dtype=object)
    for i, row in enumerate(rows):
        made[i] = list(row)
    return made


class Categories(Domain):
    """Rows of categories. ``markers`` are further values that mean a hole, beside None and NaN; holes are refused unless ``holes``."""

    name = "tables of categories"
    accepts = frozenset({"matrix", "tables"})

    def __init__(self, holes: bool = False, markers: tuple[Hashable, ...] = ()) -> None:
        self.holes, self.markers = holes, markers

    def __hash__(self) -> int:
        return hash((Categories, self.holes, self.markers))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Categories) and (other.holes, other.markers) == (
            self.holes,
            self.markers,
        )

    def encode(self, batch: Batch) -> Samples:
        columns, names = table_columns(batch)
        like: Any = None if batch.like is None else batch.like.encode(self)
        if like is not None and like.width != len(columns):
            rule = f"must have as many columns as {batch.other}: {like.width}"
            raise WidthError(batch.argument, f"{len(columns)} columns", rule)
        known: list[dict[Hashable, int]] = (
            [{} for _ in columns] if like is None else like.vocabularies
        )
        codes = np.empty((len(columns[0]), len(columns)), dtype=np.int32)
        for k, (values, vocabulary) in enumerate(zip(columns, known, strict=True)):
            codes[:, k] = self._encoded(values, vocabulary, names[k], batch.argument)
        return CategorySamples(codes, known, names)

    def _encoded(
        self, values: list[Any], vocabulary: dict[Hashable, int], name: str, side: str
    ) -> list[int]:
        made = []
        for row, value in enumerate(values):
            if is_missing(value) or value in self.markers:
                if not self.holes:
                    remedy = "use MissingAware(kernel), or fill it"
                    raise DomainError(f"{side}[{row}], {name}", value, "is missing", remedy)
                made.append(HOLE)
                continue
            try:
                made.append(vocabulary.setdefault(value, len(vocabulary)))
            except TypeError:
                raise InputTypeError(
                    f"{side}[{row}], {name}", value, "cannot be a category: it is not hashable"
                ) from None
        return made

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        letters = np.array(list("abcd"), dtype=object)[rng.integers(0, 4, (count, width))]
        if self.holes:
            letters[rng.random((count, width)) < 0.25] = None
            letters[0] = "a"  # no column is without a value
        return letters

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        """All rows of two or three letters, a ladder of equal columns, and random rows."""
        import itertools

        few = min(width, 4)
        letters = ["a", "b", None] if self.holes else ["a", "b", "c"]
        whole = np.array(list(itertools.product(letters, repeat=few)), dtype=object)
        if self.holes:
            whole[-1] = "a"
        ladder = np.array([["x"] * k + ["y"] * (6 - k) for k in range(7)], dtype=object)
        return [whole, ladder, self.sample(60, width, rng)]


CATEGORIES = Categories()
