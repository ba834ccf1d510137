"""Gaussian Gram matrices in single precision, for solvers that know what the rounding costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.domains.vectors.dense import pack
from mercer.domains.vectors.domain import TILE
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__: list[str] = []

_STRIP = 128  # rows of a task
Scaling = Callable[[Prepared], Prepared]  # of samples to the rows z


class SinglePrecisionRows:
    """exp(−‖z − z′‖²) of scaled rows z in single precision.

    The arrays called ``out`` have whole rows, of which the first columns are filled. ``rounding``
    is the error of a value in units of its rounding when stored.
    """

    rounding = 3.0  # distances and exponentials are rounded too
    quick = True  # faster than reading stored values
    on_demand: tuple[np.ndarray, np.ndarray] | None = None  # rows and panels, for compiled code

    def __init__(self, z: Prepared, scaling: Scaling | None = None) -> None:
        self.z = z
        self.scaling = scaling
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
        """k of some samples with some: the same bits as `rows`, and sooner than picking from it."""
        if out is None:
            out = np.empty((len(rows), len(columns)), dtype=np.float32)
        type(self)(self.z[columns])._fill(self.z[rows], out)
        return out

    def scaled(self, samples: Prepared) -> Prepared:
        """Other samples as rows z, scaled and centered as these are."""
        assert self.scaling is not None
        return self.scaling(samples)

    def fill_rows(self, z: Prepared, start: int, stop: int, out: np.ndarray) -> None:
        """k of some scaled rows of other samples with all of these, in this thread."""
        self._strip(z[start:stop], 0, stop - start, out)

    def matrix(self, out: np.ndarray) -> None:
        """k of all samples with all.

        Both triangles are computed, which takes no longer than copying one, and are equal.
        """
        self._fill(self.z, out)

    def _fill(self, some: Prepared, out: np.ndarray) -> None:
        n_samples = some.shape[0]

        def fill_strip(number: int, _: Workspace) -> None:
            start = number * _STRIP
            self._strip(some, start, min(n_samples, start + _STRIP), out)

        run(-(-n_samples // _STRIP), fill_strip, "Gram rows")

    def _strip(self, some: Prepared, start: int, stop: int, out: np.ndarray) -> None:
        raise NotImplementedError(type(self).__name__)


class DenseRows(SinglePrecisionRows):
    """Gaussians of dense rows, by differences of coordinates: nothing cancels."""

    def __init__(self, z: np.ndarray, scaling: Scaling | None = None) -> None:
        super().__init__(z, scaling)
        pack(z, self.panels)
        # a coordinate is rounded by its size, and far apart clusters have large ones
        self.rounding = 3.0 + float(np.abs(z).max(initial=0.0))
        self.on_demand = z, self.panels

    def _strip(self, some: np.ndarray, start: int, stop: int, out: np.ndarray) -> None:
        fill = _compiled.single_precision.gaussian_rows
        fill(some[start:stop], self.panels, out, start, len(self))


class SparseRows(SinglePrecisionRows):
    """Gaussians of sparse rows against all samples laid out by feature.

    They come from inner products: the longer the rows, the larger the rounding error of a small
    distance.
    """

    def __init__(self, z: csr_matrix, scaling: Scaling | None = None) -> None:
        super().__init__(z, scaling)
        size = self.panels.shape[2]
        for p in range(len(self.panels)):
            pack(z[p * size : (p + 1) * size].toarray(), self.panels[p : p + 1])
        self.norms = self._norms(z)
        self.rounding = 3.0 + 4.0 * float(self.norms.max(initial=0.0))

    @staticmethod
    def _norms(z: csr_matrix) -> np.ndarray:
        return np.asarray(z.multiply(z).sum(axis=1), dtype=np.float64).ravel().astype(np.float32)

    def _strip(self, some: csr_matrix, start: int, stop: int, out: np.ndarray) -> None:
        part = some[start:stop]
        arrays = (part.indptr, part.indices, part.data, self._norms(part), self.panels, self.norms)
        fill = _compiled.single_precision.sparse_gaussian_rows
        fill(*arrays, np.arange(stop - start), out, start, len(self))
