"""The problem on centers: which rows they are, the preconditioner, the solution, its accuracy."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.domains.raw import raw_length
from mercer.errors import ParameterError, explain, warn
from mercer.estimators.centers.attempt import MOST_ROWS, Attempt, Sample, Task
from mercer.estimators.centers.changes import Without
from mercer.estimators.centers.data import RowData, generator
from mercer.estimators.common.base import KernelEstimator
from mercer.estimators.common.report import FitReport
from mercer.gram.blocks.base import Block, Change, Rows
from mercer.gram.centers import Centers
from mercer.gram.fused import CenterMatrix
from mercer.gram.plan import default_centers, most_centers, rows_at_a_time, single_tiles
from mercer.kernels.base import Kernel
from mercer.solvers.nystrom.losses import Squared
from mercer.solvers.nystrom.preconditioner import Whitening
from mercer.solvers.nystrom.squared import CenterSolution

_FRESH = 2000  # rows that measure what the centers leave out
_HELD_OUT, _MOST_HELD = 0.01, 5000  # share and number of rows that are held out
_LARGE = 20_000  # rows from which on some are held out
_BETTER = 0.01  # relative gain of the score for which the centers are doubled
_COMPARED = 1e-2  # the residual at which numbers of centers are compared
_ROUNDED = 1e-3  # relative rounding error beyond which tiles are in double precision

Score = Callable[[np.ndarray, np.ndarray], float]  # of values and targets of rows held out


@dataclasses.dataclass
class Fitted:
    """The solution on some centers, and all that a report says of it."""

    block: Block  # the centers
    positions: np.ndarray  # of the centers among the rows
    solution: CenterSolution
    facts: dict[str, Any]
    plan: str
    solver: str
    notes: tuple[str, ...]

    @property
    def samples(self) -> RawSamples:
        """The centers."""
        return self.block.X

    def report(self, data: RowData, start: float) -> FitReport:
        """The report of a fit that began at this time."""
        seconds = time.perf_counter() - start
        return FitReport(
            data.kernel,
            self.plan,
            self.solver,
            data.count,
            seconds,
            self.solution.converged,
            self.facts,
            self.notes,
        )


class CenterProblem:
    """Rows and their centers; `fit` solves a task on them.

    Parameters
    ----------
    estimator : KernelEstimator
        Its parameters ``centers`` and ``random_state`` are read.
    data : RowData
        The rows.
    held_out : int, optional
        How many rows are held out; by default one in a hundred of many rows.
    """

    def __init__(
        self, estimator: KernelEstimator, data: RowData, held_out: int | None = None
    ) -> None:
        self.data, self.name = data, type(estimator).__name__
        self.has_tolerance = "tol" in vars(estimator)
        self.given = vars(estimator)["centers"]
        self.rng = generator(vars(estimator).get("random_state"))
        self.count = data.count
        self.n_centers = self._number()
        self.rows: Rows = data.rows
        self.held: np.ndarray = np.empty(0, dtype=np.int64)
        self._hold_out(held_out)
        self._draw()

    # -- rows --------------------------------------------------------------------------------------
    def _number(self) -> int:
        """How many centers there are, to begin with."""
        if isinstance(self.given, str):
            return default_centers(self.count)
        if isinstance(self.given, Integral):
            return at_most_all(int(self.given), self.count)
        count = raw_length(self.given)
        if count == 0:
            raise ParameterError("centers", self.given, "is empty")
        return count

    def _hold_out(self, size: int | None) -> None:
        """Hold so many rows out; if None, one in a hundred of many rows."""
        if size is None and self.count >= _LARGE and self.n_centers < self.count:
            size = min(_MOST_HELD, int(_HELD_OUT * self.count))
        if size:
            self.held = np.sort(self.rng.choice(self.count, size, replace=False))
            self.rows = self.rows.map(Without(self.held))

    @property
    def complete(self) -> bool:
        """Whether all rows are centers, so that nothing is approximated."""
        return isinstance(self.given, Integral | str) and self.n_centers == self.count

    def _draw(self) -> None:
        """Centers, the preconditioner's sample and fresh rows, by one pass."""
        drawn = self.n_centers
        if isinstance(self.given, str):
            drawn = min(self.count, 2 * drawn)
        places = self._not_held(drawn)
        if drawn < self.count:
            self.n_centers = min(self.n_centers, len(places))
        sample = self._not_held(min(self.count, MOST_ROWS * max(self.n_centers, drawn)))
        fresh = self._other(min(_FRESH, self.count), np.empty(0))
        groups = [places, sample, fresh, self.held]
        if not isinstance(self.given, Integral | str):
            groups[0] = np.empty(0, dtype=np.int64)
        self.candidates, self.sample, self.fresh, self.test = self._taken(groups)
        self.places = places
        if self.candidates is None:
            self.candidates = Block(self._given_samples())
            self.places = np.arange(self.n_centers)

    def _taken(self, groups: list[np.ndarray]) -> list[Block | None]:
        """The rows of several groups, by one pass; None of a group without rows."""
        block = self.rows.take(np.concatenate(groups))
        ends = np.cumsum(list(map(len, groups)))
        pieces: list[Block | None] = []
        for group, end in zip(groups, ends, strict=True):
            piece = None
            if len(group):
                piece = block.take(np.arange(end - len(group), end))
            pieces.append(piece)
        return pieces

    def _not_held(self, size: int) -> np.ndarray:
        """Rows drawn uniformly of those that are not held out; all rows where so many are asked."""
        if size >= self.count:
            return np.arange(self.count)
        return self._other(size, self.held)

    def _other(self, size: int, avoid: np.ndarray) -> np.ndarray:
        """Rows drawn uniformly, without those to be avoided."""
        drawn = self.rng.choice(self.count, min(self.count, size + len(avoid)), replace=False)
        return drawn[~np.isin(drawn, avoid)][:size]

    def _given_samples(self) -> RawSamples:
        """The centers that the user gave, as the kernel reads rows."""
        assert self.sample is not None
        if isinstance(self.sample.X, np.ndarray) and self.sample.X.dtype.kind in "biuf":
            return _finite_rows(self.given, self.sample.X)
        return self.given

    def change(self, change: Change) -> None:
        """Change all rows, and those that are drawn already, for example their targets."""
        self.rows = self.rows.map(change)
        for name in ("sample", "fresh", "test"):
            block = getattr(self, name)
            setattr(self, name, None if block is None else change(block))

    # -- solving -----------------------------------------------------------------------------------
    def fit(self, task: Task, score: Score | None = None) -> Fitted:
        """Solve the task; with centers="auto", double the centers once if that helps."""
        if not isinstance(self.given, str) or self.test is None or score is None:
            return self._fitted(self._attempt(task, self.n_centers), score)
        return self._fit_doubling(task, score)

    def _fit_doubling(self, task: Task, score: Score) -> Fitted:
        """Fit half of the centers and all; twice as many where all are clearly better than half.

        Centers are compared by rough solutions, each of which the next one begins with.
        """
        attempt = self._attempt(task, max(1, self.n_centers // 2))
        attempt.solve(_COMPARED)
        before, solution = self._scored(attempt, score), attempt.solution
        del attempt  # its matrices, before those of more centers are made
        attempt = self._attempt(task, self.n_centers)
        attempt.solve(_COMPARED, solution)
        after, solution = self._scored(attempt, score), attempt.solution
        if _gain(before, after) > _BETTER and self.n_centers < min(self.count, most_centers()):
            del attempt
            attempt = self._attempt(task, min(len(self.places), 2 * self.n_centers))
            before = after
        fitted = self._fitted(attempt, score, solution)
        fitted.facts["score_half"] = before
        return fitted

    def _attempt(self, task: Task, m: int) -> Attempt:
        """The task on the first centers."""
        assert self.candidates is not None
        block = self.candidates.take(np.arange(m))
        centers = Centers(self.data.kernel, block.X, single_tiles(self.count, m))
        matrix = CenterMatrix(centers, self.rows, self.data.engine)
        assert self.sample is not None
        n_rows = self.count  # for which the sample stands
        if len(self.sample) < n_rows:
            n_rows -= len(self.held)
        return Attempt(task, matrix, Sample(self.sample, n_rows), self.count)

    def _fitted(
        self, attempt: Attempt, score: Score | None, start: CenterSolution | None = None
    ) -> Fitted:
        """The solution of an attempt, to rounding error, and what is said of it."""
        attempt.solve(None, start)
        attempt.refine(_ROUNDED)
        matrix, solution = attempt.matrix, attempt.solution
        assert solution is not None and self.candidates is not None
        matrix.progress.close()
        m = len(matrix)
        facts = {
            "objective": solution.objective,
            "residual": solution.residual,
            "iterations": solution.iterations,
            "passes": matrix.passes,
            "rounding": attempt.rounding(),
            **self._trace_errors(matrix.centers, attempt.whitening),
        }
        if score is not None and self.test is not None:
            facts["score"] = self._scored(attempt, score)
        if not solution.converged:
            reached = f"residual {solution.residual:.2g} after {solution.iterations} steps"
            advice = "scale the features, raise the penalty, or take more centers"
            if self.has_tolerance:
                advice = f"raise tol, {advice}"
            message = f"{self.name} did not converge on centers: {reached}; {advice}"
            warn(message, ConvergenceWarning)
        plan, notes = self._words(matrix.centers, m)
        block, places = self.candidates.take(np.arange(m)), self.positions(m)
        solver = _solver_words(attempt.task)
        return Fitted(block, places, solution, facts, plan, solver, notes)

    def _scored(self, attempt: Attempt, score: Score) -> float:
        """The score of rows held out."""
        assert self.test is not None and self.test.y is not None
        assert attempt.solution is not None
        values = attempt.matrix.centers.apply(self.test.X, attempt.solution.weights)
        return score(values + attempt.solution.bias, self.test.y)

    def positions(self, m: int) -> np.ndarray:
        """Where the first m centers stand among the samples that were given."""
        if isinstance(self.given, Integral | str):
            return self.data.positions(self.places[:m])
        return self.places[:m]

    def _trace_errors(self, centers: Centers, whitening: Whitening) -> dict[str, Any]:
        """By how much the centers miss k(x, x) of fresh rows: the mean, its standard error, the
        largest; in percent of it, and as they are.
        """
        assert self.fresh is not None
        X, step = self.fresh.X, rows_at_a_time(len(centers), 0.0625, 4096)
        squares = _squares(self.data.kernel, X)
        error = squares.copy()
        for start in range(0, len(error), step):
            part = np.arange(start, min(len(error), start + step))
            error[part] -= whitening.explained(centers.rows(self.fresh.take(part).X))
        error = np.maximum(error, 0.0)
        standard = float(error.std() / np.sqrt(len(error)))
        scale = 100.0 / max(float(squares.mean()), np.finfo(float).tiny)
        most = 100.0 * float(np.max(error / np.maximum(squares, np.finfo(float).tiny)))
        return {
            "missed": (scale * float(error.mean()), scale * standard, most),
            "trace_error": (float(error.mean()), standard, float(error.max())),
        }

    def _words(self, centers: Centers, m: int) -> tuple[str, tuple[str, ...]]:
        how = "uniform" if isinstance(self.given, Integral | str) else "given"
        plan = f"Nyström, {m:,} of {self.count:,} rows, {how}, {centers.dtype.name} tiles"
        notes = self.data.notes
        if len(self.held):
            notes = (*notes, f"{len(self.held):,} rows were held out, for the score only")
        return plan, notes


def at_most_all(wanted: int, count: int) -> int:
    """The number of centers that the user asks for, or all rows, with a warning."""
    if wanted > count:
        rule = f"is more than the {count} rows: all of them are taken"
        warn(explain("centers", wanted, rule), UserWarning)
    return min(wanted, count)


def _gain(before: float, after: float) -> float:
    """By how much of the score all centers are better than half."""
    return (after - before) / max(abs(after), 1e-12)


def _finite_rows(given: RawSamples, like: np.ndarray) -> np.ndarray:
    """Given centers as an array of finite numbers, with the columns of other rows."""
    try:
        rows = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError("centers", given, f"must be rows of numbers ({error})") from None
    if rows.shape[1:] != like.shape[1:] or not np.isfinite(rows).all():
        rule = f"must be finite rows of {like.shape[1]} columns"
        raise ParameterError("centers", f"array of shape {rows.shape}", rule)
    return rows


def _squares(kernel: Kernel, X: RawSamples) -> np.ndarray:
    diagonal = kernel.diagonal(kernel.prepare(Batch(X)))
    return np.array(diagonal, dtype=np.float64)


def _solver_words(task: Task) -> str:
    method = "L-BFGS"
    if isinstance(task.loss, Squared):
        method = "conjugate gradients"
    return f"{type(task.loss).__name__} loss by preconditioned {method}, one pass a step"
