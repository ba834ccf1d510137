"""Dense rows of numbers, and the inner products and distances between them.

Rows are kept twice: as an array of samples by features (the rows of a tile), and in *panels* of
features by samples (its columns). Up to `WIDE` features, inner products and squared distances are
summed directly. Beyond, they come from BLAS on centered data, and entries that lost too much to
cancellation are computed again directly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.domains.base import Samples, Tile

TILE = 256  # rows and columns of a tile, and samples of a panel
WIDE = 48  # more features than this: BLAS
CANCELLED = 0.5  # a squared distance below this share of ‖x‖² + ‖y‖² is computed again
_SUMMED = 64  # products that BLAS may add in one go
_MANY = 8  # if more than 1/8 of a tile has to be computed again, all of it is


@dataclass(eq=False)
class VectorSamples(Samples):
    """Dense rows of double precision."""

    x: np.ndarray
    sparse: ClassVar = False

    def __len__(self) -> int:
        return self.x.shape[0]

    @property
    def n_features(self) -> int:
        return self.x.shape[1]

    @property
    def values(self) -> np.ndarray:
        """All numbers that are stored."""
        return self.x.ravel()

    def position(self, at: int) -> tuple[int, int]:
        """The row and the column of ``values[at]``."""
        return divmod(at, self.n_features)

    def take(self, rows: np.ndarray) -> VectorSamples:
        return VectorSamples(np.ascontiguousarray(self.x[rows]))._inherit(self, rows)

    @property
    def panels(self) -> np.ndarray:
        return self.once("panels", self._pack)

    def _pack(self) -> np.ndarray:
        n, d = self.x.shape
        per_panel = min(TILE, -(-n // 8) * 8)
        panels = np.empty((-(-n // per_panel), d, per_panel))
        pack(self.x, panels)
        return panels

    def panel(self, j0: int) -> np.ndarray:
        """The panel that starts at row j0."""
        return self.once("panels", self._pack)[j0 // TILE]

    @property
    def norms(self) -> np.ndarray:
        """‖x‖² of every row, added up in the order in which tiles are."""
        return self.once("norms", lambda: self.products_with(self))

    def products_with(self, other: VectorSamples) -> np.ndarray:
        """⟨x_i, y_i⟩ of every row."""
        out = np.empty(len(self))
        _compiled.products.row_dots(self.x, other.x, out)
        return out

    @property
    def mean(self) -> np.ndarray:
        return self.once("mean", lambda: self.x.mean(axis=0))

    def centered(
        self, center: np.ndarray, weights: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(x − center)√weights and its squared norms, for BLAS."""

        def make() -> tuple[np.ndarray, np.ndarray]:
            rows = self.x - center
            if weights is not None:
                rows *= np.sqrt(weights)
            return rows, np.einsum("ij,ij->i", rows, rows)

        return self.once(("centered", center.tobytes(), weights_key(weights)), make)

    def dot(self, y: VectorSamples, tile: Tile) -> None:
        """Inner products ⟨x, y⟩."""
        rows, out = self.x[tile.rows], tile.out
        n_features = rows.shape[1]
        if n_features <= WIDE:
            _compiled.products.dot_tile(rows, y.panel(tile.cols.start), out)
            return
        tile.work.serial_blas()
        cols = y.x[tile.cols]
        # BLAS adds all products one after the other; some at a time, they keep the accuracy of the
        # direct path.
        np.dot(rows[:, :_SUMMED], cols[:, :_SUMMED].T, out=out)
        part = np.empty_like(out)
        for start in range(_SUMMED, n_features, _SUMMED):
            np.dot(rows[:, start : start + _SUMMED], cols[:, start : start + _SUMMED].T, out=part)
            out += part
        row_norms, column_norms = self.norms[tile.rows], y.norms[tile.cols]
        _compiled.products.repair_dots(out, row_norms, column_norms, rows, cols, np.empty(1))

    def sqdist(self, y: VectorSamples, weights: np.ndarray | None, tile: Tile) -> None:
        """Squared distances Σ weights (x − y)²."""
        if self.x.shape[1] > WIDE and self._sqdist_by_blas(y, weights, tile):
            return
        rows, panel = self.x[tile.rows], y.panel(tile.cols.start)
        if weights is None:
            _compiled.products.sqdist_tile(rows, panel, tile.out)
        else:
            _compiled.products.weighted_sqdist_tile(rows, panel, weights, tile.out)

    def _sqdist_by_blas(self, y: VectorSamples, weights: np.ndarray | None, tile: Tile) -> bool:
        """Whether BLAS was accurate enough; if not, the whole tile has to be computed directly."""
        products, out = _compiled.products, tile.out
        rows, row_norms = self.centered(self.mean, weights)
        cols, column_norms = y.centered(self.mean, weights)
        tile.work.serial_blas()
        np.dot(rows[tile.rows], cols[tile.cols].T, out=out)
        norms = row_norms[tile.rows], column_norms[tile.cols]
        cancelled = products.dots_to_sqdist(out, *norms, CANCELLED)
        if cancelled * _MANY > out.size:
            return False
        if cancelled:
            factors = weights_or_ones(weights, self.n_features)
            x_rows, y_rows = self.x[tile.rows], y.x[tile.cols]
            products.repair_sqdist(out, *norms, CANCELLED, x_rows, y_rows, factors)
        return True

    def l1(self, y: VectorSamples, weights: np.ndarray, tile: Tile) -> None:
        """Distances Σ weights |x − y|."""
        _compiled.products.l1_tile(self.x[tile.rows], y.panel(tile.cols.start), weights, tile.out)

    def squared_difference(self, y: VectorSamples, column: int, tile: Tile) -> None:
        """Squared differences of one column."""
        rows, panel = self.x[tile.rows], y.panel(tile.cols.start)
        _compiled.coordinates.squared_difference(rows, panel, column, tile.out)


def pack(x: np.ndarray, panels: np.ndarray) -> None:
    """panels[p, f, j] = x[p·size + j, f]; the rest of the last panel is zero."""
    size = panels.shape[2]
    full = len(x) // size
    panels[:full] = x[: full * size].reshape(full, size, x.shape[1]).transpose(0, 2, 1)
    if full < len(panels):
        rest = x[full * size :]
        panels[full, :, : len(rest)] = rest.T
        panels[full, :, len(rest) :] = 0.0


def weights_key(weights: np.ndarray | None) -> bytes | None:
    """A key under which to keep what depends on weights."""
    return None if weights is None else weights.tobytes()


def weights_or_ones(weights: np.ndarray | None, n_features: int) -> np.ndarray:
    """The weights of the features, which are 1 where none are given."""
    return np.ones(n_features) if weights is None else weights
