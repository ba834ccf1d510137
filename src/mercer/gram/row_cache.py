"""Rows of a Gram matrix on demand, each computed once while there is room."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.config import get_config

_APART = 32 * 2**20  # bytes of rows on their way to slots that are not neighbours


class RowCache:
    """Float32 rows in slots, filled by ``compute(rows, out)``; when all slots are taken, the rows longest unused give way.

    The array is as large as the budget allows, but memory is only taken by rows that are written: the operating system
    gives pages when they are touched.
    """

    def __init__(
        self,
        count: int,
        compute: Callable[[np.ndarray, np.ndarray], object],
        least: int,
        budget: int | None = None,
        block: Callable[..., np.ndarray] | None = None,
    ) -> None:
        room = (get_config().memory_budget // 2 if budget is None else budget) // (4 * count)
        self.count = count
        self.compute = compute
        self.block = block  # block(rows, columns, out=None), for kernels so quick that reading stored rows takes longer
        self.slots = int(min(count, max(room, least)))
        self.table = np.empty((self.slots, count), dtype=np.float32)
        self.slot_of = np.full(count, -1, dtype=np.int64)
        self.owner = np.full(self.slots, -1, dtype=np.int64)
        self.used = np.zeros(self.slots, dtype=np.int64)
        self.clock = 0
        self.computed = 0

    def want(self, rows: np.ndarray) -> np.ndarray:
        """The slots of some rows (no more than there are slots), computing those that are not there."""
        self.clock += 1
        known = self.slot_of[rows]
        self.used[known[known >= 0]] = self.clock
        missing = rows[known < 0]
        if len(missing):
            free = np.argsort(self.used, kind="stable")[: len(missing)]
            evicted = self.owner[free]
            self.slot_of[evicted[evicted >= 0]] = -1
            if np.array_equal(free, np.arange(free[0], free[0] + len(free))):
                self.compute(missing, self.table[free[0] : free[0] + len(free)])
            else:  # a few at a time: what is computed apart must not double the memory
                step = max(1, _APART // (4 * self.count))
                for at in range(0, len(missing), step):
                    made = np.empty((len(missing[at : at + step]), self.count), dtype=np.float32)
                    self.compute(missing[at : at + step], made)
                    self.table[free[at : at + step]] = made
            self.owner[free] = missing
            self.slot_of[missing] = free
            self.used[free] = self.clock
            self.computed += len(missing)
        return self.slot_of[rows]
