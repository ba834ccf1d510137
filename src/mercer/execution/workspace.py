"""Buffers that a thread reuses from tile to tile."""

from __future__ import annotations

import numpy as np

from mercer.aliases import DType
from mercer.execution.cancel import Run

_KEPT = 16 * 2**20  # bytes: larger scratch matrices are not kept for the next task


class Workspace:
    """Buffers of one thread.

    ``shared`` buffers live until the tile is complete, ``temporary`` ones until the number of used
    ones is set back.
    """

    def __init__(self) -> None:
        self.shared = Stack()
        self.temporary = Stack()
        self._lookup = np.zeros(0, dtype=np.int64)
        self._out = np.empty(0)
        self._scratch = np.empty(0, dtype=np.uint8)
        self.run: Run | None = None

    def out(self, m: int, n: int) -> np.ndarray:
        """Where a finished tile, or a small matrix, lies until it is stored or used."""
        if 8 * m * n > _KEPT:
            return np.empty((m, n))
        if self._out.size < m * n:
            self._out = np.empty(m * n)
        return self._out[: m * n].reshape(m, n)

    def scratch(self, m: int, n: int, dtype: DType) -> np.ndarray:
        """A small matrix for one task, whose memory the next task uses again.

        Fresh pages cost as much as what is written to them.
        """
        size = m * n * np.dtype(dtype).itemsize
        if size > _KEPT:
            return np.empty((m, n), dtype=dtype)
        if self._scratch.nbytes < size:
            self._scratch = np.empty(size, dtype=np.uint8)
        return self._scratch[:size].view(dtype).reshape(m, n)

    def reset(self) -> None:
        """Free all buffers before the next tile."""
        self.shared.used = 0
        self.temporary.used = 0

    def lookup(self, size: int) -> np.ndarray:
        """Zeros, one per feature; the caller puts the zeros back after use."""
        if self._lookup.size < size:
            self._lookup = np.zeros(size, dtype=np.int64)
        return self._lookup

    def serial_blas(self) -> None:
        """Limit BLAS to one thread for the rest of the run."""
        if self.run is not None and not self.run.limits_blas:
            self.run.limit_blas()


class Stack:
    """Buffers that are taken one after the other and freed together."""

    def __init__(self) -> None:
        self.buffers: list[np.ndarray] = []
        self.used = 0

    def take(self, m: int, n: int) -> np.ndarray:
        """The next buffer."""
        position = self.used
        self.used = position + 1
        if position == len(self.buffers):
            self.buffers.append(np.empty(m * n))
        elif self.buffers[position].size < m * n:
            self.buffers[position] = np.empty(m * n)
        return self.buffers[position][: m * n].reshape(m, n)
