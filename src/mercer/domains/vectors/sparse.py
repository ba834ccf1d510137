"""Sparse rows of numbers, and the inner products and Euclidean distances between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import SparseMatrix
from mercer.domains.base import Samples, Tile
from mercer.domains.vectors.dense import CANCELLED, TILE, weights_key, weights_or_ones
from mercer.errors import InputTypeError

_DENSE_ONLY = ("panel", "l1", "squared_difference", "panels")


def entry_position(matrix: SparseMatrix, at: int) -> tuple[int, int]:
    """The row and the column of a CSR matrix's entry ``data[at]``."""
    row = int(np.searchsorted(matrix.indptr, at, side="right") - 1)
    return row, int(matrix.indices[at])


@dataclass(eq=False)
class CsrSamples(Samples):
    """Sparse rows of double precision, for inner products and Euclidean distances only."""

    x: SparseMatrix
    sparse: ClassVar = True
    _panels: dict[int, tuple[np.ndarray, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.x.shape[0]

    @property
    def n_features(self) -> int:
        return self.x.shape[1]

    @property
    def values(self) -> np.ndarray:
        """All numbers that are stored."""
        return self.x.data

    def position(self, at: int) -> tuple[int, int]:
        """The row and the column of ``values[at]``."""
        return entry_position(self.x, at)

    def take(self, rows: np.ndarray) -> CsrSamples:
        return CsrSamples(self.x[rows])._inherit(self, rows)

    @property
    def norms(self) -> np.ndarray:
        """‖x‖² of every row."""
        return self._norms(None)

    def _norms(self, weights: np.ndarray | None) -> np.ndarray:
        def make() -> np.ndarray:
            out = np.empty(len(self))
            weighted = self.x.data
            if weights is not None:
                weighted = weighted * weights[self.x.indices]
            _compiled.sparse.row_dots(self.x.indptr, self.x.data, weighted, out)
            return out

        return self.once(("norms", weights_key(weights)), make)

    def products_with(self, other: CsrSamples) -> np.ndarray:
        """⟨x_i, y_i⟩ of every row."""
        return np.asarray(self.x.multiply(other.x).sum(axis=1)).ravel()

    def _panel(self, j0: int, weights: np.ndarray | None) -> tuple[np.ndarray, ...]:
        """Rows j0 … j0 + TILE sorted by feature: (features, starts, rows, values)."""
        panel = self._panels.get(j0)
        if panel is None:
            panel = self._by_feature(j0)
            self._panels[j0] = panel
        features, starts, rows, values, columns = panel
        if weights is not None:
            values = values * weights[columns]
        return features, starts, rows, values

    def _by_feature(self, j0: int) -> tuple[np.ndarray, ...]:
        ends = self.x.indptr[j0 : j0 + TILE + 1].astype(np.int64)
        entries = slice(ends[0], ends[-1])
        rows = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        order = np.argsort(self.x.indices[entries], kind="stable")  # rows stay in order
        columns = self.x.indices[entries][order].astype(np.int64)
        first = np.flatnonzero(np.diff(columns, prepend=-1))
        starts = np.append(first, len(columns))
        return columns[first], starts, rows[order], self.x.data[entries][order], columns

    def dot(self, y: CsrSamples, tile: Tile) -> None:
        """Inner products ⟨x, y⟩."""
        self._dot(y, None, tile)

    def minima(self, y: CsrSamples, tile: Tile) -> None:
        """Σ min(x, y) of rows of numbers that are not negative."""
        self._each_common(_compiled.sparse.minima_tile, y, None, tile)

    def _dot(self, y: CsrSamples, weights: np.ndarray | None, tile: Tile) -> None:
        self._each_common(_compiled.sparse.dot_tile, y, weights, tile)

    def _each_common(
        self, fill: Callable[..., None], y: CsrSamples, weights: np.ndarray | None, tile: Tile
    ) -> None:
        """Fill a tile by a sum over the columns that two rows have in common."""
        x, i0, i1 = self.x, tile.rows.start, tile.rows.stop
        panel = y._panel(tile.cols.start, weights)
        lookup = tile.work.lookup(max(self.n_features, y.n_features))
        fill(x.indptr, x.indices, x.data, i0, i1, *panel, lookup, tile.out)

    def sqdist(self, y: CsrSamples, weights: np.ndarray | None, tile: Tile) -> None:
        """Squared distances Σ weights (x − y)²."""
        self._dot(y, weights, tile)
        norms = self._norms(weights)[tile.rows], y._norms(weights)[tile.cols]
        if _compiled.products.dots_to_sqdist(tile.out, *norms, CANCELLED):
            rows = self.x.indptr, self.x.indices, self.x.data, tile.rows.start
            cols = y.x.indptr, y.x.indices, y.x.data, tile.cols.start
            factors = weights_or_ones(weights, self.n_features)
            _compiled.sparse.repair_sqdist(tile.out, *norms, CANCELLED, *rows, *cols, factors)

    def __getattr__(self, name: str) -> object:
        if name not in _DENSE_ONLY:
            raise AttributeError(name)
        rule = "is not enough for this kernel, which looks at every coordinate"
        raise InputTypeError("X", "a sparse matrix", rule, "give X.toarray()")
