"""Gaussian Gram matrices in single precision: for solvers that store them so, and know what the rounding costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from mercer import _compiled
from mercer.domains.vectors import TILE
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace

__all__: list[str] = []

_STRIP = 128  # rows of a task


class SingleRows:
    """exp(−‖z − z′‖²) of scaled rows z; ``out`` has whole rows, of which the first columns are filled.

    ``blur`` is the error of a value in units of its rounding when stored.
    """

    blur = 3.0  # distances and exponentials are rounded too
    quick = True  # faster than reading stored values
    on_demand: tuple[np.ndarray, np.ndarray] | None = None  # rows and panels, for compiled code

    def __init__(self, z: Any) -> None:
        self.z = z
        n, d = z.shape
        self.panels = np.empty((-(-n // TILE), d, min(TILE, -(-n // 8) * 8)), dtype=np.float32)

    def __len__(self) -> int:
        return int(self.z.shape[0])

    def rows(self, index: np.ndarray, out: np.ndarray) -> None:
        """k of some samples with all."""
        self._fill(self.z[index], out)

    def block(
        self, rows: np.ndarray, columns: np.ndarray, out: np.ndarray | None = None
    ) -> np.ndarray:
        """k of some samples with some: the same bits as `rows` has there, and sooner than picking them from it."""
        out = np.empty((len(rows), len(columns)), dtype=np.float32) if out is None else out
        type(self)(self.z[columns])._fill(self.z[rows], out)
        return out

    def matrix(self, out: np.ndarray) -> None:
        """k of all samples with all; both triangles are computed, which takes no longer than copying one, and are equal."""
        self._fill(self.z, out)

    def _fill(self, some: Any, out: np.ndarray) -> None:
        def work_on(number: int, _: Workspace) -> None:
            at = number * _STRIP
            self._strip(some, at, min(some.shape[0], at + _STRIP), out)

        run(-(-some.shape[0] // _STRIP), work_on, "Gram rows")

    def _strip(self, some: Any, start: int, stop: int, out: np.ndarray) -> None:
        raise NotImplementedError(type(self).__name__)


class DenseRows(SingleRows):
    """Dense rows, by differences: nothing cancels."""

    def __init__(self, z: np.ndarray) -> None:
        super().__init__(z)
        _compiled.storage.pack(z, self.panels)
        # a coordinate is rounded by its size, and far apart clusters have large ones
        self.blur = 3.0 + float(np.abs(z).max(initial=0.0))
        self.on_demand = z, self.panels

    def _strip(self, some: np.ndarray, start: int, stop: int, out: np.ndarray) -> None:
        _compiled.single_precision.gaussian_rows(
            some[start:stop], self.panels, out, start, len(self)
        )


class SparseRows(SingleRows):
    """Sparse rows against all samples laid out by feature; by inner products, so that long rows blur what is near."""

    def __init__(self, z: scipy.sparse.csr_matrix) -> None:
        super().__init__(z)
        width = self.panels.shape[2]
        for p in range(len(self.panels)):
            _compiled.storage.pack(z[p * width : (p + 1) * width].toarray(), self.panels[p : p + 1])
        self.norms = self._norms(z)
        self.blur = 3.0 + 4.0 * float(self.norms.max(initial=0.0))

    @staticmethod
    def _norms(z: scipy.sparse.csr_matrix) -> np.ndarray:
        return np.asarray(z.multiply(z).sum(axis=1), dtype=np.float64).ravel().astype(np.float32)

    def _strip(self, some: scipy.sparse.csr_matrix, start: int, stop: int, out: np.ndarray) -> None:
        part = some[start:stop]
        arrays = (part.indptr, part.indices, part.data, self._norms(part), self.panels, self.norms)
        _compiled.single_precision.sparse_gaussian_rows(
            *arrays, np.arange(stop - start), out, start, len(self)
        )
