"""The state of the compiled loop that moves two variables at a time, and where it finds rows of the Gram matrix."""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer import _compiled
from mercer.solvers.margin.chunks import chunked, flat
from mercer.solvers.margin.dual import Bounds

_NO_PLACES, _NO_MATRIX = np.empty(0, dtype=np.intp), np.empty((0, 0))
_NO_SAMPLES, _NO_PANELS = np.empty((0, 0), dtype=np.float32), np.empty((0, 0, 0), dtype=np.float32)


@dataclasses.dataclass
class LazyRows:
    """Where the compiled loop finds rows of the Gram matrix when it first needs them: in a larger one, or as Gaussians of samples."""

    have: np.ndarray  # which rows are there
    diagonal: np.ndarray
    place: np.ndarray = dataclasses.field(default_factory=lambda: _NO_PLACES)
    source: np.ndarray = dataclasses.field(default_factory=lambda: _NO_MATRIX)
    z: np.ndarray = dataclasses.field(default_factory=lambda: _NO_SAMPLES)
    panels: np.ndarray = dataclasses.field(default_factory=lambda: _NO_PANELS)

    def origin(self) -> tuple[np.ndarray, ...]:
        return self.have, self.place, self.source, self.z, self.panels

    def fetch(self, matrix: np.ndarray, needed: np.ndarray) -> None:
        """Make these rows, if they are not there yet."""
        rows = matrix.reshape(len(self.have), -1)
        for i in np.flatnonzero(needed & ~self.have):
            _compiled.smo.fetch_row(i, rows, *self.origin())


class State:
    """What the loop reads and writes: K, in chunks, and slopes in its precision; coefficients and bounds in double."""

    def __init__(
        self,
        K: np.ndarray,
        diagonal: np.ndarray,
        h: np.ndarray,
        beta: np.ndarray,
        bounds: Bounds,
        eps: float,
        lazy: LazyRows | None = None,
    ) -> None:
        smo, dtype = _compiled.smo, K.dtype
        self.n, self.eps = beta.shape[1], eps
        self.K, self.rows, self.diagonal = K, K.reshape(len(K), -1), diagonal
        self.beta, self.bounds = beta, bounds
        self.huge = smo.HUGE if dtype == np.float64 else smo.HUGE_SINGLE
        self._h, self._curvature = chunked(h, 0.0, dtype), chunked(diagonal, 1.0, dtype)
        self._up, self._low = (
            np.full(self._h.shape, -self.huge, dtype),
            np.full(self._h.shape, self.huge, dtype),
        )
        huge = self._h.dtype.type(self.huge)
        smo.fill_slopes(beta, bounds.lower, bounds.upper, eps, huge, self._up, self._low)
        # t − Kβ, and what is added to it for the slopes upwards and downwards: the loop's own numbers
        self.h, self.up, self.low = (
            flat(self._h, self.n),
            flat(self._up, self.n),
            flat(self._low, self.n),
        )
        self._lazy = LazyRows(np.ones(len(K), dtype=bool), diagonal) if lazy is None else lazy

    def steps(self, tol: float, most: int) -> tuple[int, bool]:
        """Move pairs until the gap is at most ``tol``; how many, and whether it is."""
        limits = self.bounds.lower, self.bounds.upper
        arrays = (self._h, self.beta, *limits, self._up, self._low)
        return _compiled.smo.steps(
            self.K, self._curvature, *arrays, self.eps, tol, most, *self._lazy.origin()
        )

    def slack(self, target: np.ndarray) -> np.ndarray:
        return slack_of(self.rows, target, self.beta)


def slack_of(rows: np.ndarray, target: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """t − Kβ afresh, in double precision, from the rows where β is not 0."""
    h = target.astype(np.float64, copy=True)
    total = beta.sum(axis=0)
    used = np.flatnonzero(total)
    _compiled.smo.subtract_rows(h, rows, used, total[used], 0, h.shape[1])
    return h
