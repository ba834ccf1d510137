"""Distributions: rows of probabilities, and bags of samples of any other domain."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.aliases import Frame, Prepared, RawSamples, SparseMatrix
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.raw import as_list, pick_rows, raw_length, starts_of
from mercer.domains.strings import STRINGS
from mercer.domains.vectors.domain import VECTORS, CsrSamples, VectorSamples, check_signs
from mercer.errors import DomainError, EmptyInputError, InputTypeError, MercerError, WidthError

_TOLERANCE = 1e-8  # how far from 1 a row may sum
_SINGLE_TOLERANCE = 1e-5  # the same in single precision, where dividing by the sums leaves more


def _in_single_precision(raw: RawSamples) -> bool:
    if hasattr(raw, "dtype"):
        return str(raw.dtype).lower() == "float32"
    dtypes = {str(dtype).lower() for dtype in getattr(raw, "dtypes", ())}
    return dtypes == {"float32"}


class Probabilities(Domain):
    """Rows of numbers ≥ 0 that sum to 1; sparse rows stay sparse."""

    name = "probabilities (rows ≥ 0 that sum to 1)"
    accepts = frozenset({"matrix"})

    def encode(self, batch: Batch) -> Samples:
        samples: Prepared = batch.encode(VECTORS)
        rule = "must be >= 0: it is a probability"
        remedy = "give counts or probabilities, and divide by the row sums"
        check_signs(samples, batch.argument, rule, remedy)
        sums = np.asarray(samples.x.sum(axis=1), dtype=float).ravel()
        tolerance = _TOLERANCE
        if _in_single_precision(batch.raw):
            tolerance = _SINGLE_TOLERANCE
        wrong = np.abs(sums - 1.0) > tolerance
        if wrong.any():
            raise self._not_one(sums, int(np.argmax(wrong)), batch.argument)
        return samples

    @staticmethod
    def _not_one(sums: np.ndarray, row: int, argument: str) -> DomainError:
        remedy = "divide by the row sums: X / X.sum(axis=1, keepdims=True)"
        if sums[row] == 0:
            remedy = "drop the row: it has no distribution"
        what = f"the sum of row {row} of {argument}"
        return DomainError(what, float(sums[row]), "must be 1 for probabilities", remedy)

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> np.ndarray:
        """Multiples of 1/1024, which single precision holds exactly; some are 0."""
        shares = rng.dirichlet(np.full(n_columns, 0.7), count)
        return np.stack([rng.multinomial(1024, share) for share in shares]) / 1024.0

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[np.ndarray]:
        """A grid, a segment between two corners, clusters, corners with the center, and noise."""
        d = n_columns
        segment = np.zeros((33, d))
        segment[:, -1] = np.linspace(1.0, 0.0, 33)
        segment[:, 0] = 1.0 - segment[:, -1]
        if d == 1:
            segment[:] = 1.0
        centers = rng.dirichlet(np.ones(d), 6)
        clusters = np.abs(centers[:, None] + 1e-3 * rng.standard_normal((6, 6, d))).reshape(-1, d)
        corners = np.vstack([np.eye(d), np.ones((1, d)), np.ones((d, d)) + np.eye(d)])
        noise = [rng.dirichlet(np.full(d, alpha), 60) for alpha in (1.0, 0.2)]
        points = [_simplex_grid(d), segment, clusters, corners, *noise]
        return [np.unique(x / x.sum(axis=1, keepdims=True), axis=0) for x in points]


def _simplex_grid(n_columns: int) -> np.ndarray:
    """All shares of up to four columns in equal steps; further columns are 0."""
    few = min(n_columns, 4)
    steps = {1: 1, 2: 32, 3: 8, 4: 4}[few]
    parts = [p for p in itertools.product(range(steps + 1), repeat=few) if sum(p) == steps]
    grid = np.zeros((len(parts), n_columns))
    grid[:, :few] = np.array(parts) / steps
    return grid


def powers(
    samples: VectorSamples | CsrSamples, exponent: float, logarithm: bool = False
) -> VectorSamples | CsrSamples:
    """The rows p^exponent, times log p if asked (0 log 0 counts 0); sparse rows stay sparse.

    They are computed once, and shared by all that ask for them.
    """

    def power(p: np.ndarray) -> np.ndarray:
        values = np.sqrt(p) if exponent == 0.5 else p**exponent
        if logarithm:
            values = values * np.log(np.where(p > 0, p, 1.0))
        return values

    def make() -> VectorSamples | CsrSamples:
        result: VectorSamples | CsrSamples
        if isinstance(samples, CsrSamples):
            x = samples.x
            result = CsrSamples(type(x)((power(x.data), x.indices, x.indptr), shape=x.shape))
        else:
            result = VectorSamples(power(samples.x))
        result.origin, result.index = samples.origin, samples.index
        return result

    return samples.once(("power", float(exponent), logarithm), make)


PROBABILITIES = Probabilities()


@dataclass(eq=False)
class BagSamples(Samples):
    """Bags: ``elements[offsets[i]:offsets[i + 1]]`` are the samples of bag i.

    The elements are a batch, or encoded samples.
    """

    elements: Prepared
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(self.offsets)

    def with_elements(self, elements: Prepared) -> BagSamples:
        """The same bags, their samples encoded."""
        bags = BagSamples(elements, self.offsets)
        bags.origin, bags.index = self.origin, self.index
        return bags

    def fork(self) -> BagSamples:
        return self._forked(elements=self.elements.fork())

    def take(self, rows: np.ndarray) -> BagSamples:
        rows = np.asarray(rows, dtype=np.int64)
        sizes = self.sizes[rows]
        offsets = starts_of(sizes)
        positions = np.arange(offsets[-1]) + np.repeat(self.offsets[rows] - offsets[:-1], sizes)
        return BagSamples(self.elements.take(positions), offsets)._inherit(self, rows)


def bags_of(batch: Batch) -> list[RawSamples]:
    """The collection as a list of bags.

    It may be a list, an array of objects, an array of three axes, a series, or a table of one
    column.
    """
    raw = batch.raw
    if isinstance(raw, np.ndarray) and raw.dtype == object and raw.shape[1:] == (1,):
        raw = raw.ravel()
    bags = as_list(raw, batch.argument, "bags", "give a list of collections")
    if len(bags) == 0:
        raise EmptyInputError(batch.argument, bags, "is empty", "give at least one bag")
    for row, bag in enumerate(bags):
        _check_bag(bag, f"{batch.argument}[{row}]")
    return bags


def _check_bag(bag: RawSamples, name: str) -> None:
    """Refuse an empty bag, and a text, a set or a number: they hold no samples in an order."""
    if not isinstance(bag, (list, tuple)) and not getattr(bag, "shape", ()):
        remedy = "give a list or an array of samples: [bag] if it is one sample"
        raise InputTypeError(name, bag, "is not a bag of samples", remedy)
    if raw_length(bag) == 0:
        remedy = "drop it: a mean over no samples is not defined"
        raise EmptyInputError(name, bag, "is an empty bag", remedy)


def _join(bags: list[RawSamples], argument: str) -> RawSamples:
    """All samples of all bags as one collection of the kind that the bags are."""
    if _are_arrays(bags):
        _check_widths(bags, argument)
        return np.concatenate(bags)
    if all(hasattr(bag, "tocsr") for bag in bags):
        return _join_sparse(bags, argument)
    if all(hasattr(bag, "columns") and type(bag) is type(bags[0]) for bag in bags):
        return _join_tables(bags, argument)
    return list(itertools.chain.from_iterable(map(_listed, bags)))


def _are_arrays(bags: list[RawSamples]) -> bool:
    """Whether all bags are arrays of one axis, or all of two."""
    if not all(isinstance(bag, np.ndarray) for bag in bags):
        return False
    return {bag.ndim for bag in bags} in ({1}, {2})


def _join_sparse(bags: list[SparseMatrix], argument: str) -> SparseMatrix:
    from scipy.sparse import vstack

    _check_widths(bags, argument)
    return vstack(bags).tocsr()


def _listed(bag: RawSamples) -> RawSamples:
    """A bag as something that can be iterated sample by sample."""
    if hasattr(bag, "to_list"):
        return bag.to_list()
    if hasattr(bag, "toarray"):
        return bag.toarray()
    if hasattr(bag, "columns"):
        return bag.to_numpy()
    return bag


def _check_widths(bags: list[RawSamples], argument: str) -> None:
    first = bags[0].shape[1:]
    for row, bag in enumerate(bags):
        if bag.shape[1:] != first:
            rule = f"does not fit {argument}[0], which has {first[0]}"
            value = f"{bag.shape[1]} columns"
            raise WidthError(f"{argument}[{row}]", value, rule, "give all bags the same features")


def _join_tables(bags: list[Frame], argument: str) -> Frame:
    names = list(bags[0].columns)
    for row, bag in enumerate(bags):
        if list(bag.columns) != names:
            rule = f"does not fit {argument}[0], which has {names}"
            value = f"columns {list(bag.columns)}"
            raise WidthError(f"{argument}[{row}]", value, rule, "give all bags the same columns")
    if hasattr(bags[0], "iloc"):
        import pandas

        return pandas.concat(bags, ignore_index=True)
    import polars

    return polars.concat(bags)


class Bags(Domain):
    """Finite bags of samples of another domain, in which a sample may occur several times.

    Each bag is any collection that the other domain reads.
    """

    def __init__(self, inner: Domain) -> None:
        self.inner = inner
        self.name = f"bags of {inner.name}"
        self.accepts = frozenset({"objects", *(f"bags of {kind}" for kind in inner.accepts)})

    def __hash__(self) -> int:
        return hash((Bags, self.inner))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bags) and other.inner == self.inner

    def encode(self, batch: Batch) -> BagSamples:
        bags = bags_of(batch)
        offsets = starts_of(np.array([raw_length(bag) for bag in bags]))
        like = batch.encode_like(self)
        elements = Batch(_join(bags, batch.argument), None if like is None else like.elements)
        return BagSamples(elements, offsets)

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        return [self.inner.sample(int(size), n_columns, rng) for size in rng.integers(1, 5, count)]

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        """Bags of one sample beside bags that mix them, and random bags."""
        collections = []
        for points in self.inner.lattices(n_columns, rng)[:6]:
            n = min(raw_length(points), 20)
            singles = [pick_rows(points, [i]) for i in range(n)]
            sizes = np.repeat([2, 3, 7, 20], 4)
            mixed = [pick_rows(points, rng.choice(n, size)) for size in sizes]
            collections.append(singles + mixed)
        return [*collections, self.sample(40, n_columns, rng)]


class Decomposed(Domain):
    """Samples of any kind that a function takes apart: ``parts`` of one sample is a collection.

    A sample may have no parts.
    """

    name = "samples with parts"
    accepts = frozenset({"matrix", "sets", "strings", "trees", "indices", "objects"})

    def __init__(self, parts: Callable[[Any], RawSamples], inner: Domain) -> None:
        self.parts = parts
        self.inner = inner

    def __hash__(self) -> int:
        return hash((Decomposed, id(self.parts), self.inner))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Decomposed):
            return False
        return other.parts is self.parts and other.inner == self.inner

    def bags(self, batch: Batch) -> list[RawSamples]:
        """The parts of every sample."""
        samples = as_list(batch.raw, batch.argument, "samples", "give a list or an array")
        if len(samples) == 0:
            raise EmptyInputError(batch.argument, samples, "is empty", "give at least one sample")
        return [self._take_apart(x, f"{batch.argument}[{row}]") for row, x in enumerate(samples)]

    def _take_apart(self, sample: Any, name: str) -> RawSamples:
        try:
            bag = self.parts(sample)
        except Exception as error:
            what = getattr(self.parts, "__name__", "parts")
            rule = f"cannot be taken apart by {what} ({type(error).__name__}: {error})"
            raise InputTypeError(name, sample, rule, "is it a sample that parts is for?") from None
        if isinstance(bag, (Iterator, set, frozenset)):
            bag = list(bag)
        if not isinstance(bag, (list, tuple)) and not getattr(bag, "shape", ()):
            rule = f"has as its parts {type(bag).__name__}, which is not a collection of samples"
            raise InputTypeError(name, sample, rule, "let parts return a list")
        return bag

    def encode(self, batch: Batch) -> BagSamples:
        bags = self.bags(batch)
        offsets = starts_of(np.array([raw_length(bag) for bag in bags]))
        like = batch.encode_like(self)
        given = [bag for bag in bags if raw_length(bag)]
        if given:
            joined = _join(given, batch.argument)
        elif like is not None:
            joined = pick_rows(like.elements.raw, [0])  # it belongs to no sample
        else:
            rule = "have no parts, not one of them"
            raise EmptyInputError(batch.argument, f"{len(bags)} samples", rule, "look at parts")
        return BagSamples(Batch(joined, None if like is None else like.elements), offsets)

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> RawSamples:
        """Pairs of words, or else rows of numbers: what the function can take apart."""
        words = [STRINGS.sample(count, n_columns, rng) for _ in range(2)]
        texts = [f"{a} {b}" for a, b in zip(*words, strict=True)]
        try:
            self.inner.encode(self.encode(Batch(texts)).elements)
        except MercerError:
            return VECTORS.sample(count, n_columns, rng)
        return texts
