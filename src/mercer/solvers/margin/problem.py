"""The dual problem on some training samples: which solver, on which form of the Gram matrix."""

from __future__ import annotations

import dataclasses
import functools
from typing import Protocol

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.definiteness.matrices import repair as repair_matrix
from mercer.execution.workspace import Workspace
from mercer.gram.fill import Fills, dense
from mercer.gram.plan import FACTOR, FLOAT32, FLOAT64, Plan, fits, plan_dual
from mercer.gram.row_cache import KernelRows, QuickRows, RowCache, RowSource
from mercer.solvers.margin.chunks import chunked, flat, padded_length
from mercer.solvers.margin.dual import (
    PRECISION,
    Bounds,
    Callback,
    DualProblem,
    DualSolution,
    feasible,
)
from mercer.solvers.margin.smo import solve_dual
from mercer.solvers.margin.state import LazyRows
from mercer.solvers.margin.working_set import solve_blocked

_SMALL = 5000  # samples up to which a dense matrix and plain pairs are fastest
TINY = 600  # samples up to which double precision and a polish to rounding error cost little
_ROUNDING = 4 * 2.0**-24 / 3**0.5  # four standard deviations of a value in single precision
_FINE = 1e-4  # a smaller tolerance asks for double precision

Start = tuple[np.ndarray, float]  # coefficients of an earlier solution, and the room they had


class DualKernel(Fills, Protocol):
    """What the dual problem asks of a kernel."""

    def single_precision(self, samples: Prepared, /) -> QuickRows | None: ...


class MarginProblem:
    """Some training samples under a kernel, ready for the dual problem.

    Parameters
    ----------
    kernel : Kernel or None
        The kernel; None where the Gram matrix is given.
    whole : Prepared or ndarray
        All samples, prepared by the kernel, or the Gram matrix of all of them.
    rows : ndarray of int
        The samples of this problem.
    tol : float
        The KKT gap at which the problem is solved.
    repair : str or None
        How an indefinite matrix is repaired.
    callback : callable or None
        Called with the number of steps and the objective; True asks to stop.
    work : Workspace or None
        Lends memory, where many problems are solved on several threads.
    """

    def __init__(
        self,
        kernel: DualKernel | None,
        whole: Prepared,
        rows: np.ndarray,
        tol: float,
        repair: str | None,
        callback: Callback | None,
        work: Workspace | None = None,
    ) -> None:
        self.kernel, self.rows, self.tol, self.repair = kernel, rows, tol, repair
        self.callback, self.work = callback, work
        self.samples = whole
        if kernel is not None and not np.array_equal(rows, np.arange(len(whole))):
            self.samples = whole.take(rows)
        self.earlier: list[Start] = []  # solutions of an earlier fit, in order of use
        self.solved: list[Start] = []
        self.operator: np.ndarray | None = None  # what coefficients need after a repair
        self.matrix: np.ndarray | None = None  # rows in chunks, as the compiled loop reads them
        self.lazy: LazyRows | None = None
        self.rounding = _ROUNDING
        n = len(rows)
        given = kernel is None or repair is not None
        fine = tol < _FINE
        precise = given or n <= TINY or fine
        self._plan = plan_dual(n, given=given, precise=precise, small=n <= _SMALL or fine)
        self.plan = str(self._plan)  # the form of the Gram matrix, in words

    @functools.cached_property
    def source(self) -> RowSource:
        """What computes rows in single precision."""
        assert self.kernel is not None
        quick = self.kernel.single_precision(self.samples)
        if quick is None:
            return KernelRows(self.kernel, self.samples)
        self.rounding = _ROUNDING * quick.rounding
        return quick

    @functools.cached_property
    def diagonal(self) -> np.ndarray:
        """k(x, x) of the samples, after a repair that of the repaired matrix."""
        if self._plan.stored and self.matrix is None:
            self._prepare()
        if self.lazy is not None:
            return self.lazy.diagonal.astype(np.float64)
        if self.matrix is not None:
            return flat(self.matrix, len(self.rows)).diagonal().astype(np.float64)
        assert self.kernel is not None
        return np.asarray(self.kernel.diagonal(self.samples), dtype=np.float64)

    def _prepare(self) -> None:
        """Store the matrix, or know where its rows come from, and repair it if asked for."""
        self._store(self._plan)
        if self.repair is None:
            return
        n = len(self.rows)
        assert self.matrix is not None
        repaired = repair_matrix(np.ascontiguousarray(flat(self.matrix, n)), self.repair)
        self.matrix, self.operator = chunked(repaired.matrix, 0.0), repaired.operator
        self.plan += f", repaired by {self.repair}"

    def _store(self, plan: Plan) -> None:
        """The dense matrix, its rows padded for the solver; rows may come when they are needed."""
        n = len(self.rows)
        if self.work is None:
            matrix = np.empty((n, padded_length(n)), dtype=plan.dtype)
        else:
            matrix = self.work.scratch(n, padded_length(n), plan.dtype)
        matrix[:, n:] = 0.0
        self.lazy = self._lazy_rows(plan)
        if self.lazy is None:
            self._fill(matrix, n, plan)
        self.matrix = matrix.reshape(n, -1, _compiled.smo.WIDTH)

    def _lazy_rows(self, plan: Plan) -> LazyRows | None:
        """Where compiled code finds rows when it first needs them; None to compute all now."""
        none_yet = np.zeros(len(self.rows), dtype=bool)
        if self.kernel is None and self.repair is None:
            diagonal = self.samples.diagonal()[self.rows]
            return LazyRows(none_yet, diagonal, self.rows, self.samples)
        if self.kernel is None or self.work is None or plan.dtype != FLOAT32:
            return None
        # one of many problems, on a thread of its own: few rows may be needed
        arrays = getattr(self.source, "on_demand", None)
        if arrays is None:
            return None
        z, panels = arrays
        return LazyRows(none_yet, self.kernel.diagonal(self.samples), z=z, panels=panels)

    def _fill(self, matrix: np.ndarray, n: int, plan: Plan) -> None:
        """Compute the whole matrix, of which the first n columns are used."""
        if self.kernel is None:
            _compiled.storage.pick(self.samples, self.rows, matrix)
        elif plan.dtype == FLOAT32 and isinstance(self.source, QuickRows):
            self.source.matrix(matrix)
        else:
            dense(self.kernel, self.samples, self.samples, out=matrix[:, :n])

    def solve(
        self, target: np.ndarray, bounds: Bounds, beta: np.ndarray, eps: float, max_iter: int
    ) -> DualSolution:
        """Minimize ½βᵀKβ − tᵀβ + ε|β|₁ between bounds, from a feasible β; see `solve_dual`."""
        number = len(self.solved)
        room = float((bounds.upper - bounds.lower).sum())
        begun = number < len(self.earlier) and np.isfinite(room)
        if begun and self.earlier[number][0].shape == beta.shape:
            past, past_room = self.earlier[number]
            beta = feasible(past * (room / past_room), bounds, beta.sum(axis=1))
        if self._plan.stored and self.matrix is None:
            self._prepare()
        dual = DualProblem(target, bounds, beta, eps, self.tol, max_iter, self.callback)
        if self.matrix is None:
            solution = self._solve_by_rows(dual)
        else:
            solution = self._solve_stored(dual)
        if self.matrix is None or self.matrix.dtype == FLOAT32:
            solution = self._refined(solution, dual)
        self.solved.append((solution.beta, room))
        return solution

    def _solve_stored(self, dual: DualProblem) -> DualSolution:
        assert self.matrix is not None
        if self.lazy is not None:
            self.lazy.fetch(self.matrix, np.any(dual.beta, axis=0))
        return solve_dual(self.matrix, dual, self.lazy)

    def _solve_by_rows(self, dual: DualProblem) -> DualSolution:
        cache = RowCache(self.source)
        solution = solve_blocked(cache, self.diagonal, dual)
        self.plan += f", {cache.computed} rows computed"
        return solution

    def _refined(self, solution: DualSolution, dual: DualProblem) -> DualSolution:
        """Go on in double precision where single precision would show in the tolerance."""
        if solution.reason not in ("converged", PRECISION):  # stopped, or out of steps
            return solution
        # a slope sums as many rounding errors of K as there are coefficients
        largest = float(np.abs(self.diagonal).max())
        error = self.rounding * largest * float(np.linalg.norm(solution.beta))
        if error <= 0.5 * self.tol and solution.converged:
            return solution
        n = len(self.rows)
        if not fits(n, n, FACTOR):
            gap = solution.gap + error
            reason = "rows fit the memory budget in single precision only: raise it"
            converged = gap <= self.tol
            return dataclasses.replace(solution, gap=gap, converged=converged, reason=reason)
        plan = Plan("stored", FLOAT64, FLOAT64.itemsize * n * n, "single precision is too coarse")
        self._store(plan)
        self.plan += f"; then {plan}"
        dual.beta = solution.beta
        if dual.max_iter >= 0:
            dual.max_iter = max(dual.max_iter - solution.iterations, 0)
        finer = self._solve_stored(dual)
        iterations = solution.iterations + finer.iterations
        seconds = solution.seconds + finer.seconds
        return dataclasses.replace(finer, iterations=iterations, seconds=seconds)

    def coefficients(self, beta: np.ndarray) -> np.ndarray:
        """β for new samples; after a repair of the matrix it is changed in place of their rows."""
        if self.operator is None:
            return beta
        return self.operator @ beta
