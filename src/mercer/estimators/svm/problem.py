"""A margin problem on some training samples: which solver, on which form of the Gram matrix, and why."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer import _compiled
from mercer.aliases import DType, Prepared
from mercer.config import format_bytes, get_config
from mercer.definiteness.matrices import repair as repair_matrix
from mercer.execution.workspace import Workspace
from mercer.gram.fill import dense
from mercer.gram.row_cache import RowCache
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.single_precision import DenseRows
from mercer.solvers.margin.chunks import chunked, flat, padded_width
from mercer.solvers.margin.dual import PRECISION, DualSolution, feasible
from mercer.solvers.margin.smo import solve_dual
from mercer.solvers.margin.state import LazyRows
from mercer.solvers.margin.working_set import solve_blocked

_SMALL = 5000  # up to here a dense matrix and plain pairs are quickest
TINY = 600  # up to here double precision costs nothing, and a polish to rounding little
_BLUR = 4 * 2.0**-24 / 3**0.5  # four standard deviations of a value rounded to single precision
_ENOUGH = 512 * 2**20  # bytes of stored rows of a kernel that is quick to compute
_LEAST = 64  # rows that are stored whatever the budget
_FINE = 1e-4  # a smaller tolerance asks for double precision


Progress = Callable[[int, float], bool]


def in_one_matrix(sizes: list[int], n: int) -> bool:
    """Whether problems of every two of these classes are cut from one matrix of all n samples: it is half the work, if they are small."""
    return (
        len(sizes) > 1
        and sum(sorted(sizes)[-2:]) <= TINY
        and 8 * n * n <= min(_ENOUGH, get_config().memory_budget // 4)
    )


class MarginProblem:
    """Rows of the training samples under a kernel, ready for the dual problem."""

    def __init__(
        self,
        kernel: Kernel | None,
        whole: Any,
        rows: np.ndarray,
        tol: float,
        repair: str | None,
        progress: Progress | None,
        work: Workspace | None = None,
    ) -> None:
        """``whole`` are all samples, prepared by the kernel, or the Gram matrix of all if there is none; ``work`` lends memory."""
        self.work = work
        n = len(rows)
        self.kernel, self.rows, self.tol, self.progress = kernel, rows, tol, progress
        self.side: Prepared = whole
        if kernel is not None and not np.array_equal(rows, np.arange(len(whole))):
            self.side = whole.take(rows)
        self.warm: list[
            tuple[np.ndarray, float]
        ] = []  # solutions of an earlier fit and the room they had, in order of use
        self.solved: list[tuple[np.ndarray, float]] = []
        self.operator: np.ndarray | None = None  # what the coefficients need after a repair
        self.matrix: np.ndarray | None = None
        self.blur = _BLUR
        self.lazy: LazyRows | None = None
        self.roomy = 8 * n * n <= get_config().memory_budget // 2
        precise = kernel is None or repair is not None or n <= TINY or tol < _FINE
        fitting = (8 if precise else 4) * n * n <= get_config().memory_budget // 2
        if kernel is None or repair is not None or (fitting and (n <= _SMALL or tol < _FINE)):
            self._store(np.float64 if precise else np.float32, whole=repair is not None)
            if repair is not None:
                assert self.matrix is not None
                made = repair_matrix(np.ascontiguousarray(flat(self.matrix, n)), repair)
                self.matrix, self.operator = chunked(made.matrix, 0.0), made.operator
                self.plan += f", repaired by {repair}"
            given = flat(self.matrix, n).diagonal() if self.lazy is None else self.lazy.diagonal  # type: ignore[arg-type]
            self.diagonal = given.astype(np.float64)
            return
        self.diagonal = np.asarray(kernel.diagonal(self.side), dtype=np.float64)
        self.plan = f"rows on demand, float32, at most {format_bytes(min(get_config().memory_budget // 2, 4 * n * n))}"

    def _store(self, dtype: DType, whole: bool = False) -> None:
        """The dense matrix, its rows padded for the solver; unless it must be there as a whole, rows may come when they are needed."""
        n = len(self.rows)
        width = padded_width(n)
        table = (
            np.empty((n, width), dtype=dtype)
            if self.work is None
            else self.work.scratch(n, width, dtype)
        )
        table[:, n:] = 0.0
        if self.kernel is None and whole:
            _compiled.storage.pick(self.side, self.rows, table)
        elif self.kernel is None:
            self.lazy = LazyRows(
                np.zeros(n, dtype=bool), self.side.diagonal()[self.rows], self.rows, self.side
            )
        elif (
            dtype == np.float32
            and self.work is not None
            and isinstance(quick := self.kernel.single_precision(self.side), DenseRows)
        ):
            # one of many problems, on a thread of its own: few rows may be needed
            self.blur = _BLUR * quick.rounding
            self.lazy = LazyRows(
                np.zeros(n, dtype=bool),
                self.kernel.diagonal(self.side),
                z=quick.z,
                panels=quick.panels,
            )
        elif dtype == np.float32 and (quick := self.kernel.single_precision(self.side)) is not None:
            self.blur = _BLUR * quick.rounding
            quick.matrix(table)
        else:
            dense(self.kernel, self.side, self.side, out=table[:, :n])
        self.matrix = table.reshape(n, -1, _compiled.smo.WIDTH)
        self.plan = (
            f"dense Gram matrix, {np.dtype(dtype).name}, {format_bytes(table.itemsize * n * n)}"
        )

    def solve(
        self,
        target: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
        beta: np.ndarray,
        eps: float,
        max_iter: int,
    ) -> DualSolution:
        """Minimise ½βᵀKβ − tᵀβ + ε|β|₁ between bounds; see `solve_dual`."""
        at = len(self.solved)
        room = float((upper - lower).sum())
        if at < len(self.warm) and self.warm[at][0].shape == beta.shape:
            past, its_room = self.warm[at]
            beta = feasible(past * (room / its_room), lower, upper, beta.sum(axis=1))
        solution = self._solve(target, lower, upper, beta, eps, max_iter)
        self.solved.append((solution.beta, room))
        return solution

    def _solve(
        self,
        target: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
        beta: np.ndarray,
        eps: float,
        max_iter: int,
    ) -> DualSolution:
        options: dict[str, Any] = {
            "eps": eps,
            "tol": self.tol,
            "max_iter": max_iter,
            "progress": self.progress,
        }
        if self.matrix is not None:
            if self.lazy is not None:
                self.lazy.fetch(self.matrix, np.any(beta, axis=0))
            solution = solve_dual(
                self.matrix, target, lower, upper, beta, lazy=self.lazy, **options
            )
        else:
            kernel, side = self.kernel, self.side
            assert kernel is not None
            quick = kernel.single_precision(side)
            self.blur = _BLUR if quick is None else _BLUR * quick.rounding
            compute = (
                (lambda rows, out: dense(kernel, side.take(rows), side, out=out))
                if quick is None
                else quick.rows
            )
            # a quick kernel computes a row again in the time that fresh memory for it takes
            budget = (
                get_config().memory_budget // 2
                if quick is None
                else min(get_config().memory_budget // 2, _ENOUGH)
            )
            cache = RowCache(
                len(side), compute, _LEAST, budget, None if quick is None else quick.block
            )
            solution = solve_blocked(cache, self.diagonal, target, lower, upper, beta, **options)
            self.plan += f", {cache.computed} rows computed"
        single = self.matrix is None or self.matrix.dtype == np.float32
        # a slope sums as many rounding errors of K as there are coefficients, of no particular sign
        blur = (
            self.blur * float(np.abs(self.diagonal).max()) * float(np.linalg.norm(solution.beta))
            if single
            else 0.0
        )
        ended = solution.reason in ("converged", PRECISION)  # neither stopped nor out of steps
        coarse = blur > 0.5 * self.tol or solution.reason == PRECISION
        if not (single and ended and coarse):
            return solution
        if not self.roomy:
            reason = "rows fit the memory budget in single precision only: raise it"
            gap = solution.gap + blur
            return dataclasses.replace(solution, gap=gap, converged=gap <= self.tol, reason=reason)
        plan, self.lazy = self.plan, None
        self._store(np.float64)
        self.plan = f"{plan}; then {self.plan}"
        options["max_iter"] = max(max_iter - solution.iterations, 0) if max_iter >= 0 else -1
        finer = solve_dual(self.matrix, target, lower, upper, solution.beta, **options)  # type: ignore[arg-type]
        return dataclasses.replace(
            finer,
            iterations=solution.iterations + finer.iterations,
            seconds=solution.seconds + finer.seconds,
        )

    def coefficients(self, beta: np.ndarray) -> np.ndarray:
        """β for new samples: after a repair their rows would have to be changed, or, as here, β."""
        return beta if self.operator is None else self.operator @ beta
