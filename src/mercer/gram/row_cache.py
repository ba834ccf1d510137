"""Rows of a Gram matrix on demand, each computed once while there is room."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from mercer.aliases import Prepared
from mercer.gram.fill import Fills, dense
from mercer.gram.plan import row_capacity

_APART = 32 * 2**20  # bytes of rows on their way to slots that are not neighbors
_LEAST = 64  # rows that are stored whatever the budget


class RowSource(Protocol):
    """What computes rows of a Gram matrix in single precision.

    A ``quick`` source computes entries faster than stored ones could be gathered; only such a
    source is asked for blocks.
    """

    quick: bool

    def __len__(self) -> int: ...
    def rows(self, index: np.ndarray, out: np.ndarray) -> None: ...
    def block(
        self, rows: np.ndarray, columns: np.ndarray, out: np.ndarray | None = None
    ) -> np.ndarray: ...


@runtime_checkable
class QuickRows(RowSource, Protocol):
    """A quick source, which also computes the whole matrix.

    ``rounding`` is the rounding error of its values, in units of that of storing them.
    """

    rounding: float

    def matrix(self, out: np.ndarray) -> None: ...


class KernelRows:
    """Rows of any kernel, rounded to single precision."""

    quick = False

    def __init__(self, kernel: Fills, samples: Prepared) -> None:
        self.kernel, self.samples = kernel, samples

    def __len__(self) -> int:
        return len(self.samples)

    def rows(self, index: np.ndarray, out: np.ndarray) -> None:
        """k of some samples with all."""
        dense(self.kernel, self.samples.take(index), self.samples, out=out)

    def block(
        self, rows: np.ndarray, columns: np.ndarray, out: np.ndarray | None = None
    ) -> np.ndarray:
        """k of some samples with some."""
        x, y = self.samples.take(rows), self.samples.take(columns)
        return dense(self.kernel, x, y, np.float32, out=out)


class RowCache:
    """Float32 rows in slots; when all slots are taken, the rows longest unused give way.

    The array is as large as the budget allows, but only rows that are written take memory: the
    operating system gives pages when they are touched.
    """

    def __init__(self, source: RowSource) -> None:
        self.source = source
        self.count = len(source)
        self.slots = row_capacity(self.count, _LEAST, source.quick)
        self.table = np.empty((self.slots, self.count), dtype=np.float32)
        self.slot_of = np.full(self.count, -1, dtype=np.int64)
        self.owner = np.full(self.slots, -1, dtype=np.int64)
        self.used = np.zeros(self.slots, dtype=np.int64)
        self.apart = np.empty((0, self.count), dtype=np.float32)  # rows on their way to slots
        self.clock = 0
        self.computed = 0

    def want(self, rows: np.ndarray) -> np.ndarray:
        """The slots of some rows (no more than there are slots), computing absent ones."""
        self.clock += 1
        known = self.slot_of[rows]
        self.used[known[known >= 0]] = self.clock
        absent = rows[known < 0]
        if len(absent):
            self._compute(absent)
        return self.slot_of[rows]

    def _compute(self, rows: np.ndarray) -> None:
        """Compute rows into the slots that were not used for the longest time."""
        slots = np.argsort(self.used, kind="stable")[: len(rows)]
        evicted = self.owner[slots]
        self.slot_of[evicted[evicted >= 0]] = -1
        if np.array_equal(slots, np.arange(slots[0], slots[0] + len(slots))):
            self.source.rows(rows, self.table[slots[0] : slots[0] + len(slots)])
        else:
            self._compute_apart(rows, slots)
        self.owner[slots] = rows
        self.slot_of[rows] = slots
        self.used[slots] = self.clock
        self.computed += len(rows)

    def _compute_apart(self, rows: np.ndarray, slots: np.ndarray) -> None:
        """A few rows at a time: what is computed apart must not double the memory.

        The memory is kept, because fresh memory takes longer than the rows of a quick kernel.
        """
        step = max(1, _APART // (4 * self.count))
        if not len(self.apart):
            self.apart = np.empty((step, self.count), dtype=np.float32)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            values = self.apart[: len(part)]
            self.source.rows(part, values)
            self.table[slots[start : start + step]] = values
