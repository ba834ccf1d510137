"""Rows of dask arrays and data frames, one partition at a time."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.config import format_bytes
from mercer.errors import DataWarning, ShapeError, explain, warn
from mercer.gram.blocks.base import Block, Rows, as_array


def is_dask(X: RawSamples) -> bool:
    """Whether samples are a dask collection, without importing dask."""
    module = type(X).__module__.partition(".")[0]
    return module in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def warn_of_loading(X: RawSamples) -> None:
    """Say of a dask collection that all of it is loaded, and how large it is."""
    if not is_dask(X):
        return
    size = float(getattr(X, "nbytes", np.nan))
    large = f"{_count_partitions(X)} partitions"
    if np.isfinite(size):
        large = format_bytes(int(size))
    rule, remedy = "is loaded into memory as a whole", "give it to a learner with centers"
    warn(explain("X", f"{type(X).__name__} of dask, {large}", rule, remedy), DataWarning)


@dataclasses.dataclass(frozen=True, eq=False)
class Partition:
    """One partition, with its targets and weights: collections of dask, arrays, or None."""

    X: Any
    y: Any
    weight: Any

    def load(self) -> Block:
        """Compute the partition."""
        import dask

        X, y, weight = dask.compute(self.X, self.y, self.weight)
        if isinstance(X, np.ndarray):
            X = np.ascontiguousarray(X)  # blocks of data frames are laid out by columns
        return Block(X, as_array(y), as_array(weight))


class DaskRows(Rows):
    """Rows of a dask array or data frame; lengths may be unknown.

    Parameters
    ----------
    X : dask array or data frame
        The samples; an array is cut by rows only.
    y, weight : dask collection, ndarray or None
        The targets and weights: with the same partitions as X, or in memory.
    """

    def __init__(self, X: Any, y: Any = None, weight: Any = None) -> None:
        super().__init__()
        if hasattr(X, "rechunk") and X.ndim == 2 and X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        self.X, self.y, self.weight = X, y, weight
        self._found: list[Partition] = []

    def _parts(self) -> Sequence[Partition]:
        if not self._found:
            count = _count_partitions(self.X)
            beside = [self._beside(values, count) for values in (self.y, self.weight)]
            self._found = [
                Partition(_partition(self.X, i), beside[0][i], beside[1][i]) for i in range(count)
            ]
        return self._found

    def _beside(self, values: Any, count: int) -> list[Any]:
        """Targets or weights, partition by partition."""
        if values is None:
            return [None] * count
        if is_dask(values):
            return _aligned_partitions(values, count)
        return self._cut(np.asarray(values), count)

    def _cut(self, values: np.ndarray, count: int) -> list[np.ndarray]:
        """Values in memory, cut where the partitions of X begin."""
        edges = np.cumsum([0, *self._lengths_of_partitions(count)])
        if edges[-1] != len(values):
            rule = f"must have one entry for each of the {edges[-1]} rows"
            raise ShapeError("y", f"{len(values)} entries", rule)
        return [values[a:b] for a, b in itertools.pairwise(edges)]

    def _lengths_of_partitions(self, count: int) -> list[int]:
        import dask

        sizes = getattr(self.X, "chunks", ((np.nan,),))[0]
        if hasattr(self.X, "chunks") and not np.isnan(sizes).any():
            return [int(size) for size in sizes]
        lengths = [dask.delayed(len)(_partition(self.X, i)) for i in range(count)]
        return list(dask.compute(*lengths))


def _count_partitions(X: Any) -> int:
    return int(X.numblocks[0] if hasattr(X, "numblocks") else X.npartitions)


def _aligned_partitions(values: Any, count: int) -> list[Any]:
    """The partitions of a dask collection, which must be as many as those of X."""
    if _count_partitions(values) != count:
        size = f"{_count_partitions(values)} partitions"
        remedy = "rechunk it, or compute it: y.compute()"
        raise ShapeError("y", size, f"must have the {count} partitions of X", remedy)
    return [_partition(values, i) for i in range(count)]


def _partition(X: Any, i: int) -> Any:
    return X.blocks[i] if hasattr(X, "numblocks") else X.partitions[i]
