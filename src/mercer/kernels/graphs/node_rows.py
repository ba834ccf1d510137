"""Rows of a matrix function that is never stored: made a few at a time by its action on indicator vectors."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from mercer.config import get_config
from mercer.domains.nodes import NodeSamples
from mercer.execution.cancel import check_stop
from mercer.kernels.graphs.matrix_functions import WIDTH

__all__: list[str] = []

CHUNK = 4 * WIDTH  # rows made together
_FEW = 64  # chunks that are kept whatever the budget
Action = Callable[[np.ndarray], np.ndarray]


def columns_of(action: Action, nodes: np.ndarray, count: int) -> np.ndarray:
    """f(B) e_i for at most WIDTH nodes, always as a full block: then bits do not depend on how many were asked for."""
    block = np.zeros((count, WIDTH))
    block[nodes, np.arange(len(nodes))] = 1.0
    return action(block)[:, : len(nodes)]


class Table:
    """f(B) between the nodes of two collections; one action for every different node of the smaller one, if there is room.

    Threads that need the same chunks share them out among themselves.
    """

    def __init__(self, action: Action, count: int, x: NodeSamples, y: NodeSamples) -> None:
        self.action, self.count = action, count
        self.x, self.y = x, y
        mine, others = len(x.distinct()[0]), len(y.distinct()[0])
        room = get_config().memory_budget // 4
        # Tiles come row by row: without room for all, rows are kept until their tiles are done.
        self.by_columns = others < mine and 8 * mine * others <= room
        self.nodes, self.where = (y if self.by_columns else x).distinct()
        self.against, self.there = (x if self.by_columns else y).distinct()
        self.capacity = max(_FEW, room // (8 * CHUNK * len(self.against)))
        self.made: dict[int, np.ndarray] = {}
        self.locks = [threading.Lock() for _ in range(-(-len(self.nodes) // CHUNK))]

    def _make(self, chunk: int) -> np.ndarray:
        nodes = self.nodes[chunk * CHUNK : (chunk + 1) * CHUNK]
        rows = np.empty((len(nodes), len(self.against)))
        for start in range(0, len(nodes), WIDTH):
            check_stop()
            some = nodes[start : start + WIDTH]
            rows[start : start + WIDTH] = columns_of(self.action, some, self.count)[self.against].T
        while len(self.made) >= self.capacity:
            self.made.pop(next(iter(self.made)), None)
        self.made[chunk] = rows
        return rows

    def _ready(self, chunk: int) -> np.ndarray:
        found = self.made.get(chunk)
        if found is None:
            with self.locks[chunk]:
                found = self.made.get(chunk)
                if found is None:
                    found = self._make(chunk)
        return found

    def _make_free(self, chunks: np.ndarray) -> None:
        """Make what no other thread is making."""
        for chunk in chunks:
            if chunk not in self.made and self.locks[chunk].acquire(blocking=False):
                try:
                    if chunk not in self.made:
                        self._make(chunk)
                finally:
                    self.locks[chunk].release()

    def fill(self, rows: slice, cols: slice, out: np.ndarray) -> None:
        if self.by_columns:
            self._fill(self.where[cols], self.there[rows], out.T)
        else:
            self._fill(self.where[rows], self.there[cols], out)

    def _fill(self, wanted: np.ndarray, others: np.ndarray, out: np.ndarray) -> None:
        chunks = np.unique(wanted // CHUNK)
        if len(chunks) <= _FEW // 4:
            self._make_free(chunks)
        for chunk in chunks:
            mine = np.flatnonzero(wanted // CHUNK == chunk)
            out[mine] = self._ready(int(chunk))[np.ix_(wanted[mine] % CHUNK, others)]
