"""Distributions: rows of probabilities, and bags of samples of any other domain."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples, pick_rows, raw_length
from mercer.domains.vectors import VECTORS, CsrSamples, VectorSamples
from mercer.errors import DomainError, EmptyInputError, InputTypeError, WidthError

_OFF = 1e-8  # how far from 1 a row may sum
_OFF_SINGLE = 1e-5  # the same in single precision, where dividing by the sums leaves more


def _in_single_precision(raw: RawSamples) -> bool:
    kinds = [raw.dtype] if hasattr(raw, "dtype") else list(getattr(raw, "dtypes", ()))
    return bool(kinds) and all(str(kind).lower() == "float32" for kind in kinds)


class Probabilities(Domain):
    """Rows of numbers ≥ 0 that sum to 1; sparse rows stay sparse."""

    name = "probabilities (rows ≥ 0 that sum to 1)"
    accepts = frozenset({"matrix"})

    def encode(self, batch: Batch) -> Samples:
        samples: Any = batch.encode(VECTORS)
        self._check_signs(samples, batch.side)
        sums = np.asarray(samples.x.sum(axis=1), dtype=float).ravel()
        off = np.abs(sums - 1.0) > (_OFF_SINGLE if _in_single_precision(batch.raw) else _OFF)
        if off.any():
            row = int(np.argmax(off))
            empty = sums[row] == 0
            remedy = (
                "drop the row: it has no distribution"
                if empty
                else "divide by the row sums: X / X.sum(axis=1, keepdims=True)"
            )
            raise DomainError(
                f"the sum of row {row} of {batch.side}",
                float(sums[row]),
                "must be 1 for probabilities",
                remedy,
            )
        return samples

    @staticmethod
    def _check_signs(samples: Any, side: str) -> None:
        values = samples.x.data if samples.sparse else samples.x
        if not values.size or values.min() >= 0:
            return
        if samples.sparse:
            at = int(np.argmax(values < 0))
            row, column = (
                int(np.searchsorted(samples.x.indptr, at, side="right") - 1),
                int(samples.x.indices[at]),
            )
        else:
            row, column = np.argwhere(values < 0)[0].tolist()
        remedy = "give counts or probabilities, and divide by the row sums"
        raise DomainError(
            f"{side}[{row}, {column}]",
            float(samples.x[row, column]),
            "must be >= 0: it is a probability",
            remedy,
        )

    def sample(self, count: int, width: int, rng: np.random.Generator) -> np.ndarray:
        """Multiples of 1/1024, which single precision holds exactly; some are 0."""
        shares = rng.dirichlet(np.full(width, 0.7), count)
        return np.stack([rng.multinomial(1024, share) for share in shares]) / 1024.0

    def lattices(self, width: int, rng: np.random.Generator) -> list[np.ndarray]:
        """All shares of a few parts, a way from one corner to another, clusters, corners with the centre, and noise."""
        few = min(width, 4)
        steps = {1: 1, 2: 32, 3: 8, 4: 4}[few]
        parts = [p for p in itertools.product(range(steps + 1), repeat=few) if sum(p) == steps]
        grid = np.zeros((len(parts), width))
        grid[:, :few] = np.array(parts) / steps
        way = np.zeros((33, width))
        way[:, 0] = np.linspace(0.0, 1.0, 33)
        way[:, -1] += 1.0 - way[:, 0] if width > 1 else 0.0
        way[:, 0] = 1.0 - way[:, -1] if width > 1 else 1.0
        centres = rng.dirichlet(np.ones(width), 6)
        clusters = np.abs(centres[:, None] + 1e-3 * rng.standard_normal((6, 6, width))).reshape(
            -1, width
        )
        corners = np.vstack(
            [np.eye(width), np.ones((1, width)), np.ones((width, width)) + np.eye(width)]
        )
        made = [
            grid,
            way,
            clusters,
            corners,
            rng.dirichlet(np.ones(width), 60),
            rng.dirichlet(np.full(width, 0.2), 60),
        ]
        made = [np.unique(m / m.sum(axis=1, keepdims=True), axis=0) for m in made]
        return [m for m in made if len(m)]


def powers(samples: Any, exponent: float, logarithm: bool = False) -> Any:
    """The rows p^exponent, times log p if asked (0 log 0 counts 0), made once and then shared; sparse rows stay sparse."""

    def values(p: np.ndarray) -> np.ndarray:
        made = np.sqrt(p) if exponent == 0.5 else p**exponent
        return made * np.log(np.where(p > 0, p, 1.0)) if logarithm else made

    def make() -> Any:
        x = samples.x
        made: Any
        if samples.sparse:
            made = CsrSamples(type(x)((values(x.data), x.indices, x.indptr), shape=x.shape))
        else:
            made = VectorSamples(values(x))
        made.origin, made.index = samples.origin, samples.index
        return made

    return samples.once(("power", float(exponent), logarithm), make)


PROBABILITIES = Probabilities()


class BagSamples(Samples):
    """``elements[offsets[i]:offsets[i + 1]]`` are the samples of bag i; the elements are a batch, or encoded samples."""

    def __init__(self, elements: Any, offsets: np.ndarray) -> None:
        self.elements = elements
        self.offsets = offsets
        self.origin = self

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(self.offsets)

    def with_elements(self, elements: Any) -> BagSamples:
        """The same bags, their samples encoded."""
        made = BagSamples(elements, self.offsets)
        made.origin, made.index = self.origin, self.index
        return made

    def fork(self) -> BagSamples:
        return self._forked(elements=self.elements.fork())

    def take(self, rows: np.ndarray) -> BagSamples:
        rows = np.asarray(rows, dtype=np.int64)
        sizes = self.sizes[rows]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], sizes)
        taken = BagSamples(self.elements.take(places), offsets)
        taken._inherit(self, rows)
        return taken


def bags_of(batch: Batch) -> list[Any]:
    """The collection as a list of bags: a list, an array of objects, an array of three axes, a series, or a table of one column."""
    raw, side = batch.raw, batch.side
    if hasattr(raw, "columns"):
        if len(raw.columns) != 1:
            rule = f"has {len(raw.columns)} columns, where one of bags is wanted"
            raise InputTypeError(side, "a table", rule, "say which: k.on('column')")
        raw = raw[raw.columns[0]]
    if hasattr(raw, "to_list"):
        raw = raw.to_list()
    elif isinstance(raw, np.ndarray):
        raw = list(
            raw[:, 0] if raw.dtype == object and raw.ndim == 2 and raw.shape[1] == 1 else raw
        )
    elif not isinstance(raw, (list, tuple)):
        raise InputTypeError(
            side, type(raw).__name__, "is not a collection of bags", "give a list of collections"
        )
    if len(raw) == 0:
        raise EmptyInputError(side, raw, "is empty", "give at least one bag")
    for row, bag in enumerate(raw):
        _check_bag(bag, f"{side}[{row}]")
    return list(raw)


def _check_bag(bag: Any, name: str) -> None:
    remedy = "give a list or an array of samples: [bag] if it is one sample"
    if not (
        isinstance(bag, (list, tuple)) or len(getattr(bag, "shape", ())) > 0
    ):  # text, a set, a number: no samples in an order
        raise InputTypeError(name, bag, "is not a bag of samples", remedy)
    if raw_length(bag) == 0:
        raise EmptyInputError(
            name, bag, "is an empty bag", "drop it: a mean over no samples is not defined"
        )


def _join(bags: list[Any], side: str) -> Any:
    """All samples of all bags as one collection of the kind the bags are."""
    first = bags[0]
    if (
        all(isinstance(bag, np.ndarray) and bag.ndim == np.ndim(first) for bag in bags)
        and first.ndim <= 2
    ):
        _check_widths(bags, side)
        return np.concatenate(bags)
    if all(hasattr(bag, "tocsr") for bag in bags):
        from scipy.sparse import vstack

        _check_widths(bags, side)
        return vstack(bags).tocsr()
    if all(hasattr(bag, "columns") and type(bag) is type(first) for bag in bags):
        return _join_tables(bags, side)
    return list(itertools.chain.from_iterable(map(_listed, bags)))


def _listed(bag: Any) -> Iterable[Any]:
    if hasattr(bag, "to_list"):
        return bag.to_list()
    if hasattr(bag, "toarray"):
        return bag.toarray()
    return bag.to_numpy() if hasattr(bag, "columns") else bag


def _check_widths(bags: list[Any], side: str) -> None:
    widths = [bag.shape[1:] for bag in bags]
    for row, width in enumerate(widths):
        if width != widths[0]:
            rule = f"does not fit {side}[0], which has {widths[0][0]}"
            raise WidthError(
                f"{side}[{row}]", f"{width[0]} columns", rule, "give all bags the same features"
            )


def _join_tables(bags: list[Any], side: str) -> Any:
    for row, bag in enumerate(bags):
        if list(bag.columns) != list(bags[0].columns):
            rule = f"does not fit {side}[0], which has {list(bags[0].columns)}"
            raise WidthError(
                f"{side}[{row}]",
                f"columns {list(bag.columns)}",
                rule,
                "give all bags the same columns",
            )
    if hasattr(bags[0], "iloc"):
        import pandas

        return pandas.concat(bags, ignore_index=True)
    import polars

    return polars.concat(bags)


class Bags(Domain):
    """Finite bags of samples of another domain, repetitions counted; each bag is any collection that domain reads."""

    def __init__(self, inner: Domain) -> None:
        self.inner = inner
        self.name = f"bags of {inner.name}"
        self.accepts = frozenset({"objects", *(f"bags of {kind}" for kind in inner.accepts)})

    def __hash__(self) -> int:
        return hash((Bags, self.inner))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bags) and other.inner == self.inner

    def encode(self, batch: Batch) -> Samples:
        bags = bags_of(batch)
        offsets = np.concatenate([[0], np.cumsum([raw_length(bag) for bag in bags])]).astype(
            np.int64
        )
        like: Any = None if batch.like is None else batch.like.encode(self)
        return BagSamples(
            Batch(_join(bags, batch.side), None if like is None else like.elements), offsets
        )

    def sample(self, count: int, width: int, rng: np.random.Generator) -> list[Any]:
        return [self.inner.sample(int(size), width, rng) for size in rng.integers(1, 5, count)]

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        """Single samples, among them bags that mix them, which are linear combinations; and bags of different sizes."""
        made = []
        for points in self.inner.lattices(width, rng)[:6]:
            n = min(raw_length(points), 20)
            single = [pick_rows(points, [i]) for i in range(n)]
            mixed = [
                pick_rows(points, rng.choice(n, size)) for size in (2, 3, 7, 20) for _ in range(4)
            ]
            made.append(single + mixed)
        return [*made, self.sample(40, width, rng)]
