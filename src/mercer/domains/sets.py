"""Finite sets: Python sets of hashable elements, or rows of zeros and ones."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from mercer.aliases import Prepared, RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.vectors.domain import VECTORS, CsrSamples, VectorSamples
from mercer.errors import DomainError, DomainMismatchError, EmptyInputError, InputTypeError

_ONE_FORM = "give both in one form"


@dataclass(eq=False)
class SetSamples(Samples):
    """Membership as rows of zeros and ones, and the sizes of the sets.

    Collections that are compared share one vocabulary of elements, which only grows.
    """

    members: VectorSamples | CsrSamples
    sizes: np.ndarray
    vocabulary: dict[Hashable, int] | None

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def n_features(self) -> int:
        return self.members.n_features

    def fork(self) -> SetSamples:
        return self._forked(vocabulary=None if self.vocabulary is None else dict(self.vocabulary))

    def take(self, rows: np.ndarray) -> SetSamples:
        taken = SetSamples(self.members.take(rows), self.sizes[rows], self.vocabulary)
        return taken._inherit(self, rows)


def is_set(value: object) -> bool:
    return isinstance(value, (set, frozenset))


def _holds_sets(raw: RawSamples) -> bool:
    """Whether a list, or an array of objects, possibly of one column, begins with a Python set."""
    values = _objects(raw)
    return values is not None and len(values) > 0 and is_set(values[0])


def _objects(raw: RawSamples) -> RawSamples:
    """The samples of a list, an array of objects, a series or a table of one column, or None."""
    if hasattr(raw, "columns") and len(raw.columns) == 1:
        raw = raw[raw.columns[0]]
    if hasattr(raw, "to_list"):
        return raw.to_list()
    if isinstance(raw, (list, tuple)):
        return raw
    objects = getattr(raw, "dtype", None) == np.dtype(object)
    return raw.ravel() if objects and raw.shape[1:] in ((), (1,)) else None


def _check_collection(raw: RawSamples) -> None:
    if not hasattr(raw, "shape") and not hasattr(raw, "__len__"):
        raise InputTypeError("X", type(raw).__name__, "is not a collection of sets")
    if isinstance(raw, (list, tuple)) and not raw:
        raise EmptyInputError("X", raw, "is empty", "give at least one set")


def _check_zeros_and_ones(values: np.ndarray) -> None:
    allowed = np.isin(values, (0.0, 1.0))
    if not allowed.all():
        remedy = "give Python sets, or rows of zeros and ones"
        raise DomainError("X", float(values[~allowed][0]), "must be 0 or 1", remedy)


def _check_sets(values: RawSamples) -> None:
    for row, value in enumerate(values):
        if not is_set(value):
            remedy = "give set or frozenset objects"
            raise InputTypeError(f"X[{row}]", value, "is not a set", remedy)


class Sets(Domain):
    """Finite sets."""

    name = "finite sets"
    accepts = frozenset({"sets", "matrix"})

    def encode(self, batch: Batch) -> Samples:
        _check_collection(batch.raw)
        if not _holds_sets(batch.raw):
            return self._from_rows(batch)
        sets = _objects(batch.raw)
        _check_sets(sets)
        return self._from_sets(sets, self._vocabulary(batch))

    def _from_rows(self, batch: Batch) -> SetSamples:
        if batch.like is not None and _holds_sets(batch.like.raw):
            rule = "cannot be compared with Python sets"
            raise DomainMismatchError("Y", "rows of numbers", rule, _ONE_FORM)
        members: Prepared = batch.encode(VECTORS)
        _check_zeros_and_ones(members.values)
        return SetSamples(members, np.asarray(members.x.sum(axis=1), dtype=float).ravel(), None)

    @staticmethod
    def _from_sets(sets: RawSamples, vocabulary: dict[Hashable, int]) -> SetSamples:
        from scipy.sparse import csr_matrix

        indptr, indices = [0], []
        for elements in sets:
            for element in elements:
                indices.append(vocabulary.setdefault(element, len(vocabulary)))
            indptr.append(len(indices))
        shape = (len(sets), max(1, len(vocabulary)))
        members = csr_matrix((np.ones(len(indices)), indices, indptr), shape=shape)
        members.sort_indices()
        sizes = np.diff(indptr).astype(float)
        return SetSamples(CsrSamples(members), sizes, vocabulary)

    def _vocabulary(self, batch: Batch) -> dict[Hashable, int]:
        """The elements met so far, and their columns."""
        like = batch.encode_like(self)
        if like is None:
            return {}
        if like.vocabulary is None:
            rule = "cannot be compared with rows of numbers"
            raise DomainMismatchError("Y", "Python sets", rule, _ONE_FORM)
        return like.vocabulary

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> list[set[int]]:
        chosen = [np.flatnonzero(rng.random(n_columns + 3) < 0.5) for _ in range(count)]
        return [set(elements.tolist()) for elements in chosen]

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        """All subsets of a few elements, a chain, singletons, and random sets."""
        few = min(n_columns + 2, 6)
        power = [{e for e in range(few) if number >> e & 1} for number in range(2**few)]
        chain = [set(range(size)) for size in range(12)]
        singles = [set(), *({e} for e in range(10)), set(range(10))]
        rough = {frozenset(s) for s in self.sample(60, 3 * n_columns, rng)}
        return [power, chain, singles, [set(s) for s in rough]]


SETS = Sets()
