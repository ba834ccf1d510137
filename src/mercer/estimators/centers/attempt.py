"""A task on some centers: its matrix, its preconditioner, and how far it is solved."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mercer.estimators.centers.watching import Watching
from mercer.gram.blocks.base import Block
from mercer.gram.centers import Centers
from mercer.gram.fused import CenterMatrix, Local
from mercer.gram.plan import FLOAT32, rows_at_a_time
from mercer.linalg.matrices import Multipliable
from mercer.solvers.nystrom.descent import solve_loss
from mercer.solvers.nystrom.losses import Squared
from mercer.solvers.nystrom.preconditioner import PathInverse, SampleHessian, SampleRows, Whitening
from mercer.solvers.nystrom.squared import CenterSolution, solve_squared

MOST_ROWS = 8  # of the preconditioner's sample for each center
_AT_A_TIME = 1024  # rows of the preconditioner's sample: more would take memory, and no less time
_LEAST = 2
_MANY_CENTERS = 5000  # from which on few rows are taken for tiles in double precision
_WORTH = 320  # M² of a row more cost as much as an eighth of a pass over so many rows
_FEW_ENTRIES = 2e8  # of a pass, up to which solutions are exact to rounding error
_ROUGH = 2e-4  # the residual in single precision
_LIMIT = 500  # steps


def sample_size(m: int, n: int, dtype: np.dtype = FLOAT32) -> int:
    """How many rows the preconditioner of m centers for n rows is made of.

    More of them save steps, and cost M² each: as much as eight passes in single precision are worth
    it. In double precision passes take longer, and there are more of them.
    """
    if dtype != FLOAT32:
        return m * (MOST_ROWS if m <= _MANY_CENTERS else _LEAST)
    return m * min(MOST_ROWS, max(_LEAST, _WORTH * n // (m * m)))


@dataclasses.dataclass(frozen=True)
class Task:
    """What is to be minimized: Σ w·loss + ½ λ ‖f‖², with a bias or without."""

    loss: Local
    penalty: np.ndarray  # one, or one for each output
    n_outputs: int
    intercept: bool
    curvature: float = 1.0
    tol: float | None = None
    scale: float = 1.0  # of the values of f, for the relative rounding error
    tilt: float = 0.0  # a linear term of the bias


@dataclasses.dataclass(frozen=True, eq=False)
class Sample:
    """Rows of which a preconditioner is made, and the number of rows that they stand for."""

    block: Block
    n_rows: int

    def against(self, centers: Centers, curvature: float) -> SampleRows:
        """The rows against the centers, some at a time, and the curvature of each."""
        count, weight = len(self.block), self.block.weights()
        if count < self.n_rows:
            count = min(count, sample_size(len(centers), self.n_rows, centers.dtype))
        factor = curvature * self.n_rows / count
        step = rows_at_a_time(len(centers), 0.0625, _AT_A_TIME)
        for start in range(0, count, step):
            part = np.arange(start, min(count, start + step))
            yield centers.rows(self.block.take(part).X), factor * weight[part]


class Attempt:
    """A task on some centers, which is solved as far as one wants, step by step.

    Parameters
    ----------
    task : Task
        What is minimized.
    matrix : CenterMatrix
        The rows and the centers.
    sample : Sample
        The rows of the preconditioner.
    count : int
        The number of all rows.
    """

    def __init__(self, task: Task, matrix: CenterMatrix, sample: Sample, count: int) -> None:
        self.task, self.matrix, self.sample, self.count = task, matrix, sample, count
        self.solution: CenterSolution | None = None
        self.refined = False  # whether tiles are in double precision since single was too coarse
        self._prepare()

    def _prepare(self) -> None:
        """Make the preconditioner."""
        centers, task = self.matrix.centers, self.task
        self.whitening = Whitening(self.matrix.inner.dense(), centers.dtype)
        rows = self.sample.against(centers, task.curvature)
        hessian = SampleHessian(self.whitening, rows, task.intercept)
        if len(np.unique(task.penalty)) > 1:
            self.inverse: Multipliable = PathInverse(hessian, task.penalty)
        else:
            self.inverse = hessian.inverse(float(task.penalty.min()))

    def solve(self, rough: float | None, start: CenterSolution | None = None) -> None:
        """Solve the task, to rounding error or to a rough residual.

        It begins with what was found before, else with a solution on fewer centers.
        """
        task, tol = self.task, max(self._tolerance(), rough or 0.0)
        watch = Watching(self.matrix, task, tol)
        options: dict[str, Any] = {
            "n_outputs": task.n_outputs,
            "intercept": task.intercept,
            "tol": tol,
            "limit": _LIMIT,
            "start": watch.begin(self._coefficients(self.solution or start)),
            "watch": watch,
        }
        if isinstance(task.loss, Squared):
            solution = solve_squared(self.matrix, task.penalty, self.inverse, **options)
        else:
            penalty = float(task.penalty[0])
            solution = solve_loss(
                self.matrix, task.loss, penalty, self.inverse, tilt=task.tilt, **options
            )
        watch.end(solution)
        self.solution = solution

    def _coefficients(self, solution: CenterSolution | None) -> np.ndarray | None:
        """A solution on the first centers as coefficients of all of them, with the biases."""
        if solution is None:
            return None
        V = np.zeros((len(self.matrix) + self.task.intercept, self.task.n_outputs))
        V[: len(solution.weights)] = solution.weights
        if self.task.intercept:
            V[-1] = solution.bias
        return V

    def refine(self, most: float) -> None:
        """Go on with tiles in double precision where more is lost by rounding."""
        if self.matrix.centers.dtype != FLOAT32 or self.rounding() <= most:
            return
        passes = self.matrix.passes
        self.refined = True
        self.matrix = self.matrix.in_double_precision()
        self.matrix.passes = passes
        del self.whitening, self.inverse  # before others are made
        self._prepare()
        self.solve(None)

    def rounding(self) -> float:
        """The error of f by rounding in the tiles, beside the size of f."""
        assert self.solution is not None
        largest = float(np.sqrt(np.abs(self.matrix.inner.diagonal()).max()))
        size = float(np.linalg.norm(self.solution.weights, axis=0).max())
        return self.matrix.centers.rounding * largest**2 * size / self.task.scale

    def _tolerance(self) -> float:
        """The residual at which what is left is rounding error, or as small as the task asks."""
        if self.matrix.centers.dtype == FLOAT32:
            return max(_ROUGH, self.task.tol or 0.0)
        if self.task.tol is not None:
            return self.task.tol
        few = float(self.count) * len(self.matrix) <= _FEW_ENTRIES
        return 1e-11 if few and not self.refined else 1e-6
