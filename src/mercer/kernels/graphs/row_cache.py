"""Rows of a matrix function that is never stored, computed by its action on indicator vectors."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from mercer.domains.nodes import NodeSamples
from mercer.execution.cancel import check_stop
from mercer.gram.plan import COPY, fits, rows_at_a_time
from mercer.kernels.graphs.matrix_functions import BLOCK_COLUMNS

__all__: list[str] = []

CHUNK = 4 * BLOCK_COLUMNS  # rows computed together
_FEW = 64  # chunks that are kept whatever the budget
Action = Callable[[np.ndarray], np.ndarray]


def columns_of(action: Action, nodes: np.ndarray, n_nodes: int) -> np.ndarray:
    """Columns of f(B) for at most BLOCK_COLUMNS nodes.

    The action is on a full block, so that bits do not depend on how many columns were asked for.
    """
    block = np.zeros((n_nodes, BLOCK_COLUMNS))
    block[nodes, np.arange(len(nodes))] = 1.0
    return action(block)[:, : len(nodes)]


class RowCache:
    """f(B) between the nodes of two collections, in chunks of rows.

    It needs one action for every different node of the smaller collection, if there is room.
    Threads that need the same chunks share them out among themselves.
    """

    def __init__(self, action: Action, n_nodes: int, x: NodeSamples, y: NodeSamples) -> None:
        self.action = action
        self.n_nodes = n_nodes
        # The samples are kept alive, because the cache is found by their identity.
        self.x, self.y = x, y
        self.nodes, self.where = x.distinct()
        self.others, self.other_where = y.distinct()
        # Tiles come row by row: without room for all, rows are kept until their tiles are done.
        fewer = len(self.others) < len(self.nodes)
        self.by_columns = fewer and fits(len(self.nodes), len(self.others), COPY)
        if self.by_columns:
            self.nodes, self.others = self.others, self.nodes
            self.where, self.other_where = self.other_where, self.where
        self.capacity = max(_FEW, rows_at_a_time(CHUNK * len(self.others), COPY.share))
        self.chunks: dict[int, np.ndarray] = {}
        self.locks = [threading.Lock() for _ in range(-(-len(self.nodes) // CHUNK))]

    def _compute(self, chunk: int) -> np.ndarray:
        """Compute and keep a chunk; the oldest ones are forgotten where there is no room."""
        nodes = self.nodes[chunk * CHUNK : (chunk + 1) * CHUNK]
        rows = np.empty((len(nodes), len(self.others)))
        for start in range(0, len(nodes), BLOCK_COLUMNS):
            check_stop()
            block = slice(start, start + BLOCK_COLUMNS)
            rows[block] = columns_of(self.action, nodes[block], self.n_nodes)[self.others].T
        while len(self.chunks) >= self.capacity:
            self.chunks.pop(next(iter(self.chunks)), None)
        self.chunks[chunk] = rows
        return rows

    def _rows(self, chunk: int) -> np.ndarray:
        """The rows of a chunk, computed unless they are kept."""
        rows = self.chunks.get(chunk)
        if rows is not None:
            return rows
        with self.locks[chunk]:
            rows = self.chunks.get(chunk)
            if rows is None:
                rows = self._compute(chunk)
        return rows

    def _compute_free(self, chunks: np.ndarray) -> None:
        """Compute the chunks that no other thread is computing."""
        for chunk in chunks:
            if chunk not in self.chunks and self.locks[chunk].acquire(blocking=False):
                try:
                    if chunk not in self.chunks:
                        self._compute(chunk)
                finally:
                    self.locks[chunk].release()

    def fill(self, rows: slice, cols: slice, out: np.ndarray) -> None:
        """Fill one tile of the Gram matrix."""
        if self.by_columns:
            self._fill(self.where[cols], self.other_where[rows], out.T)
        else:
            self._fill(self.where[rows], self.other_where[cols], out)

    def _fill(self, wanted: np.ndarray, others: np.ndarray, out: np.ndarray) -> None:
        chunks = np.unique(wanted // CHUNK)
        if len(chunks) <= _FEW // 4:
            self._compute_free(chunks)
        for chunk in chunks:
            mine = np.flatnonzero(wanted // CHUNK == chunk)
            out[mine] = self._rows(int(chunk))[np.ix_(wanted[mine] % CHUNK, others)]
