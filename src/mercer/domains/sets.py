"""Finite sets: Python sets of anything hashable, or rows of zeros and ones."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.vectors import VECTORS, CsrSamples, VectorSamples
from mercer.errors import DomainError, DomainMismatchError, EmptyInputError, InputTypeError


class SetSamples(Samples):
    """Membership as 0/1 rows, and the sizes. Collections that are compared share one vocabulary, which only grows."""

    def __init__(
        self,
        members: VectorSamples | CsrSamples,
        sizes: np.ndarray,
        vocabulary: dict[Hashable, int] | None,
    ) -> None:
        self.members = members
        self.sizes = sizes
        self.vocabulary = vocabulary
        self.origin = self

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def width(self) -> int:
        return self.members.width

    def fork(self) -> SetSamples:
        return self._forked(vocabulary=None if self.vocabulary is None else dict(self.vocabulary))

    def take(self, rows: np.ndarray) -> SetSamples:
        taken = SetSamples(self.members.take(rows), self.sizes[rows], self.vocabulary)
        taken._inherit(self, rows)
        return taken


def is_set(value: Any) -> bool:
    return isinstance(value, (set, frozenset))


def _holds_sets(raw: RawSamples) -> bool:
    """A collection of Python sets: a list, or an array of objects, possibly of one column."""
    if isinstance(raw, (list, tuple)):
        return bool(raw) and is_set(raw[0])
    values = _objects(raw)
    return values is not None and values.size > 0 and is_set(values[0])


def _objects(raw: RawSamples) -> np.ndarray | None:
    """An array of objects, a series, or a table of one column as a flat array of objects; None for anything else."""
    if hasattr(raw, "columns") and len(raw.columns) == 1:
        raw = raw[raw.columns[0]]
    if getattr(getattr(raw, "dtype", None), "kind", "") == "O" or hasattr(raw, "to_list"):
        values = np.asarray(raw, dtype=object)
        return values.ravel() if values.ndim == 1 or values.shape[1:] == (1,) else None
    return None


class Sets(Domain):
    """Finite sets."""

    name = "finite sets"
    accepts = frozenset({"sets", "matrix"})

    def encode(self, batch: Batch) -> Samples:
        raw = batch.raw
        if not hasattr(raw, "shape") and not hasattr(raw, "__len__"):
            raise InputTypeError("X", type(raw).__name__, "is not a collection of sets")
        if isinstance(raw, (list, tuple)) and not raw:
            raise EmptyInputError("X", raw, "is empty", "give at least one set")
        return self._from_sets(batch) if _holds_sets(raw) else self._from_rows(batch)

    def _from_rows(self, batch: Batch) -> SetSamples:
        if batch.like is not None and _holds_sets(batch.like.raw):
            raise DomainMismatchError(
                "Y",
                "rows of numbers",
                "cannot be compared with Python sets",
                "give both in one form",
            )
        members: Any = batch.encode(VECTORS)
        values = members.x.data if members.sparse else members.x
        if not np.isin(values, (0.0, 1.0)).all():
            bad = float(np.asarray(values)[~np.isin(values, (0.0, 1.0))].ravel()[0])
            raise DomainError(
                "X", bad, "must be 0 or 1", "give Python sets, or rows of zeros and ones"
            )
        return SetSamples(members, np.asarray(members.x.sum(axis=1), dtype=float).ravel(), None)

    def _from_sets(self, batch: Batch) -> SetSamples:
        from scipy.sparse import csr_matrix

        raw: RawSamples = batch.raw if isinstance(batch.raw, (list, tuple)) else _objects(batch.raw)
        for row, value in enumerate(raw):
            if not is_set(value):
                raise InputTypeError(
                    f"X[{row}]", value, "is not a set", "give set or frozenset objects"
                )
        like: Any = None if batch.like is None else batch.like.encode(self)
        if like is not None and like.vocabulary is None:
            raise DomainMismatchError(
                "Y",
                "Python sets",
                "cannot be compared with rows of numbers",
                "give both in one form",
            )
        known: dict[Hashable, int] = {} if like is None else like.vocabulary
        indptr, indices = [0], []
        for value in raw:
            for element in value:
                indices.append(known.setdefault(element, len(known)))
            indptr.append(len(indices))
        members = csr_matrix(
            (np.ones(len(indices)), indices, indptr), shape=(len(raw), max(1, len(known)))
        )
        members.sort_indices()
        return SetSamples(CsrSamples(members), np.array([float(len(v)) for v in raw]), known)

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        return [{int(e) for e in np.flatnonzero(rng.random(width + 3) < 0.5)} for _ in range(count)]

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        """All subsets of a few elements, a chain, singletons, and random sets."""
        few = min(width + 2, 6)
        power = [{e for e in range(few) if number >> e & 1} for number in range(2**few)]
        chain = [set(range(size)) for size in range(12)]
        singles = [set(), *({e} for e in range(10)), set(range(10))]
        rough = {frozenset(s) for s in self.sample(60, 3 * width, rng)}
        return [power, chain, singles, [set(s) for s in rough]]


SETS = Sets()
