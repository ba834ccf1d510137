"""Gaussian Gram matrices in single precision: for solvers that store them so, and know what the rounding costs."""

from __future__ import annotations

import numpy as np

from mercer import _compiled
from mercer.domains.vectors import TILE
from mercer.gram.run import Workspace, run

_STRIP = 128  # rows of a task
BLUR = 3.0  # times the rounding of a stored value: distances and exponentials are rounded too


class SingleGaussian:
    """exp(−‖z − z′‖²) of scaled rows z; ``out`` has whole rows, of which the first columns are filled."""

    def __init__(self, z: np.ndarray) -> None:
        self.z = z
        n, d = z.shape
        self.panels = np.zeros((-(-n // TILE), d, min(TILE, -(-n // 8) * 8)), dtype=np.float32)
        _compiled.storage.pack(z, self.panels)

    def __len__(self) -> int:
        return len(self.z)

    def rows(self, index: np.ndarray, out: np.ndarray) -> None:
        """k of some samples with all."""
        self._fill(self.z[index], out)

    def block(self, rows: np.ndarray, columns: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """k of some samples with some: the same bits as `rows` has there, and sooner than picking them from it."""
        out = np.empty((len(rows), len(columns)), dtype=np.float32) if out is None else out
        SingleGaussian(self.z[columns])._fill(self.z[rows], out)
        return out

    def matrix(self, out: np.ndarray) -> None:
        """k of all samples with all; both triangles are computed, which takes no longer than copying one, and are equal."""
        self._fill(self.z, out)

    def _fill(self, some: np.ndarray, out: np.ndarray) -> None:
        def work_on(number: int, _: Workspace) -> None:
            at = number * _STRIP
            _compiled.single.gaussian_rows(some[at : at + _STRIP], self.panels, out, at, len(self.z))

        run(-(-len(some) // _STRIP), work_on, "Gram rows")
