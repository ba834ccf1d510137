"""Small margin problems without compiled code, for the first fits after an installation.

The loop for margin machines takes ten seconds to compile, and a small problem a tenth of a second
without it. The steps are those of the compiled loop in double precision, and the polish ends at the
same solution, so that results differ by rounding only.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from scipy import linalg

_MOST_ROWS = 400  # of all problems together
_MOST_STEPS = 20_000  # a problem that needs more is left to the compiled solver
_FLAT = 1e-12  # the least curvature between two variables
_RIDGE = 1e-13
_ROUNDS = 20
HUGE = 1e300  # of slopes that a bound forbids
MOVED, NOTHING, BLOCKED, TOO_MANY = 1, 0, -1, 2  # what became of a Newton step


class Patience:
    """How many seconds a process may spend without compiled code before it compiles."""

    limit = 0.5
    spent = 0.0

    @classmethod
    def allows(cls, function: Any, n_rows: int) -> bool:
        """Whether to do without a function that would have to be compiled."""
        if function.signatures:
            cls.spent = cls.limit  # it is compiled: nobody has to wait for it any more
        if n_rows > _MOST_ROWS or cls.spent >= cls.limit:
            return False
        try:
            return not function._cache._cache_file._load_index()
        except AttributeError:  # Numba keeps its files in another way, or there is no cache
            return False


class Pair:
    """One problem: minimize ½βᵀKβ − tᵀβ between bounds with Σβ = 0."""

    def __init__(
        self, K: np.ndarray, target: np.ndarray, lower: np.ndarray, upper: np.ndarray
    ) -> None:
        self.K, self.target, self.lower, self.upper = K, target, lower, upper
        self.diagonal = K.diagonal().copy()
        self.beta, self.slack = np.zeros(len(target)), target.copy()

    def solve(self, tol: float, polish: int, most: int) -> tuple[int, bool]:
        """The number of steps, and whether the problem is solved, as `one_vs_one._solve`."""
        n_steps = 0
        for turn in range(_ROUNDS + 1):
            count, settled = self._steps(tol, min(most, _MOST_STEPS))
            if turn == 0:
                n_steps = count
                self._refresh()
                if not settled:
                    return n_steps, False
            elif turn == _ROUNDS or (settled and count == 0):
                break
            moved = self._newton_step(polish)
            if moved == TOO_MANY:
                break
            if moved != MOVED:
                return n_steps, moved == NOTHING
            tol, most = 1e-11 * max(1.0, self._refresh()), 2 * len(self.beta)
        return n_steps, True

    def _refresh(self) -> float:
        """The slack afresh; returns the largest number of targets and slack."""
        self.slack = self.target - self.K @ self.beta
        return float(max(np.abs(self.target).max(), np.abs(self.slack).max()))

    def _steps(self, tol: float, most: int) -> tuple[int, bool]:
        """Steps of two variables; how many, and whether the gap fell to ``tol``."""
        h, beta, K = self.slack, self.beta, self.K
        for done in range(most):
            upwards = np.where(beta < self.upper, h, -HUGE)
            i = int(upwards.argmax())
            downwards = np.where(beta > self.lower, h, HUGE)
            fall = np.maximum(upwards[i] - downwards, 0.0)
            if upwards[i] <= -0.5 * HUGE or not fall.any():
                return done, True
            curvature = np.maximum(self.diagonal[i] + self.diagonal - 2.0 * K[i], _FLAT)
            j = int((np.where(fall < HUGE, fall, 0.0) ** 2 / curvature).argmax())
            if fall[j] <= tol and fall.max() <= tol:
                return done, True
            rooms = self.upper[i] - beta[i], beta[j] - self.lower[j]
            delta = min(fall[j] / curvature[j], *rooms)
            beta[i] = self.upper[i] if delta >= rooms[0] else beta[i] + delta
            beta[j] = self.lower[j] if delta >= rooms[1] else beta[j] - delta
            h -= delta * (K[i] - K[j])
        return most, False

    def _newton_step(self, limit: int) -> int:
        """Move the free variables to where their slopes are equal, unless a bound is met."""
        at = np.flatnonzero((self.lower < self.beta) & (self.beta < self.upper))
        if len(at) > limit:
            return TOO_MANY
        if len(at) < 2:
            return NOTHING
        # Σ move = 0, so that a constant added to K changes nothing but its definiteness
        large = max(float(self.diagonal.max()), 1.0)
        A = self.K[np.ix_(at, at)] + large
        A[np.diag_indices(len(at))] += _RIDGE * large
        try:
            factor = linalg.cho_factor(A)
        except linalg.LinAlgError:
            return BLOCKED
        sides = np.column_stack([self.slack[at], np.ones(len(at))])
        move, ones = linalg.cho_solve(factor, sides).T
        new = self.beta[at] + (move - move.sum() / ones.sum() * ones)
        if not ((self.lower[at] < new) & (new < self.upper[at])).all():
            return BLOCKED
        self.beta[at] = new
        return MOVED

    def figures(self) -> tuple[float, float, float, float]:
        """The optimality in four numbers, as `smo.certificate` gives them."""
        h, rises, falls = self.slack, self.beta < self.upper, self.beta > self.lower
        free = h[rises & falls]
        value = float(-0.5 * (self.beta @ (self.target + h)))
        top = float(h[rises].max(initial=-HUGE))
        bottom = float(h[falls].min(initial=HUGE))
        gap, middle = 0.0, bottom
        if rises.any():
            middle = top
        if rises.any() and falls.any():
            gap, middle = max(top - bottom, 0.0), 0.5 * (top + bottom)
        if not len(free):
            return middle, middle, gap, value
        return float(free.mean()), float(free.max()), gap, value


def solve_pairs_plainly(
    matrix: np.ndarray,
    panels: None,
    values: None,
    sides: np.ndarray,
    place: np.ndarray,
    starts: np.ndarray,
    target: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    tol: float,
    polish: int,
    most: int,
    beta: np.ndarray,
    slack: np.ndarray,
    n_steps: np.ndarray,
    done: np.ndarray,
    figures: np.ndarray,
) -> None:
    """What the compiled function of that name does, with the same arguments, from a matrix."""
    start = time.perf_counter()
    for p in range(len(starts) - 1):
        own = slice(starts[p], starts[p + 1])
        K = matrix[np.ix_(place[own], place[own])]
        pair = Pair(K, target[own].copy(), lower[own], upper[own])
        n_steps[p], done[p] = pair.solve(tol, polish, most)
        beta[own], slack[own] = pair.beta, pair.slack
        figures[p] = pair.figures()
        if figures[p, 2] > tol:
            done[p] = False  # the polish stopped half-way
    Patience.spent += time.perf_counter() - start
