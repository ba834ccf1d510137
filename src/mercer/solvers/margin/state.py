"""What the compiled loop, which moves two variables at a time, reads and writes."""

from __future__ import annotations

import numpy as np

from mercer import _compiled
from mercer.solvers.margin.chunks import chunked, flat
from mercer.solvers.margin.dual import DualProblem

_ROUNDING = 4 * 2.0**-53  # of a sum of products, in units of the sum of their sizes
_NO_PLACES, _NO_MATRIX = np.empty(0, dtype=np.intp), np.empty((0, 0))


class LazyRows:
    """Where the compiled loop finds rows of the Gram matrix when it first needs them.

    They come from ``source``, a larger matrix in which the samples have the positions ``place``, or
    are Gaussians of the samples ``z``, laid out in ``panels``. ``have`` says which rows are there.
    """

    def __init__(
        self,
        have: np.ndarray,
        diagonal: np.ndarray,
        place: np.ndarray = _NO_PLACES,
        source: np.ndarray = _NO_MATRIX,
        z: np.ndarray | None = None,
        panels: np.ndarray | None = None,
    ) -> None:
        self.have, self.diagonal = have, diagonal
        self.origin = have, place, source, z, panels

    def fetch(self, matrix: np.ndarray, needed: np.ndarray) -> None:
        """Compute these rows, if they are not there yet."""
        rows = matrix.reshape(len(self.have), -1)
        for i in np.flatnonzero(needed & ~self.have):
            _compiled.smo.fetch_row(i, rows, *self.origin)


class State:
    """K and slopes in chunks, in the loop's precision; coefficients and bounds in double.

    ``h`` is t − Kβ; ``up`` and ``low`` are added to it for the slopes upwards and downwards. All
    three are views of what the loop reads and writes.
    """

    def __init__(
        self,
        K: np.ndarray,
        diagonal: np.ndarray,
        slack: np.ndarray,
        problem: DualProblem,
        lazy: LazyRows | None = None,
    ) -> None:
        smo, dtype = _compiled.smo, K.dtype
        self.problem, self.beta, self.n = problem, problem.beta, problem.beta.shape[1]
        self.K, self.rows, self.diagonal = K, K.reshape(len(K), -1), diagonal
        self.huge = smo.HUGE if dtype == np.float64 else smo.HUGE_SINGLE
        self._h = chunked(slack, 0.0, dtype)
        self._curvature = chunked(diagonal, 1.0, dtype)
        self._up = np.full(self._h.shape, -self.huge, dtype)
        self._low = np.full(self._h.shape, self.huge, dtype)
        self._limits = problem.bounds.lower, problem.bounds.upper
        huge = dtype.type(self.huge)
        smo.fill_slopes(self.beta, *self._limits, problem.eps, huge, self._up, self._low)
        self.h = flat(self._h, self.n)
        self.up, self.low = flat(self._up, self.n), flat(self._low, self.n)
        self._lazy = LazyRows(np.ones(len(K), dtype=bool), diagonal) if lazy is None else lazy

    def steps(self, tol: float, most: int) -> tuple[int, bool]:
        """Move pairs until the gap is at most ``tol``; how many, and whether it is."""
        arrays = (self._h, self.beta, *self._limits, self._up, self._low)
        limits = self.problem.eps, tol, most
        return _compiled.smo.steps(self.K, self._curvature, *arrays, *limits, *self._lazy.origin)

    def slack(self) -> np.ndarray:
        """t − Kβ afresh, in double precision."""
        return slack_of(self.rows, self.problem)

    def rounding(self) -> float:
        """The size of the rounding errors in the slack: no gap below it means anything."""
        total = np.abs(self.beta).sum(axis=0)
        used = np.flatnonzero(total)
        return _ROUNDING * float((total[used] @ np.abs(self.rows[used])).max(initial=0.0))


def slack_of(rows: np.ndarray, problem: DualProblem) -> np.ndarray:
    """t − Kβ in double precision, from the rows where β is not 0."""
    slack = problem.target.astype(np.float64, copy=True)
    total = problem.beta.sum(axis=0)
    used = np.flatnonzero(total)
    _compiled.smo.subtract_rows(slack, rows, used, total[used], 0, slack.shape[1])
    return slack
