"""What happens after every step of a solver on centers: progress is shown, a checkpoint written."""

from __future__ import annotations

import math
import zlib
from typing import TYPE_CHECKING

import numpy as np

from mercer.execution.checkpoint import current_checkpoint
from mercer.gram.blocks.checksum import block_checksum
from mercer.gram.fused import CenterMatrix
from mercer.solvers.nystrom.squared import CenterSolution

if TYPE_CHECKING:
    from mercer.estimators.centers.attempt import Task


_BEGUN = 0.8  # a residual from which the rest can be foreseen


class Watching:
    """Called with the coefficients and the relative residual that a solver has reached.

    Parameters
    ----------
    matrix : CenterMatrix
        The rows and the centers; its progress bar gets the number of passes to come.
    task : Task
        What is minimized.
    tol : float
        The residual at which the solver ends.
    """

    def __init__(self, matrix: CenterMatrix, task: Task, tol: float) -> None:
        self.matrix, self.tol = matrix, tol
        self.shape = (len(matrix) + task.intercept, task.n_outputs)
        self.before = matrix.passes
        self.checkpoint = current_checkpoint()
        self.name = "" if self.checkpoint is None else _name(matrix, task)

    def begin(self, start: np.ndarray | None) -> np.ndarray | None:
        """The coefficients to begin with: those of a checkpoint, else those given."""
        if self.checkpoint is None:
            return start
        saved = self.checkpoint.start(self.name, self.shape)
        return start if saved is None else saved

    def __call__(self, coefficients: np.ndarray, residual: float) -> None:
        self._expect(residual)
        if self.checkpoint is not None:
            self.checkpoint.note(self.name, coefficients)

    def _expect(self, residual: float) -> None:
        """Foresee the number of passes, if the residual goes on to fall as it did so far."""
        if not residual < _BEGUN:  # nothing is known yet, or it is not finite
            return
        done = self.matrix.passes - self.before
        fallen = -math.log(min(max(residual, 1e-300), 0.999))
        whole = -math.log(min(max(self.tol, 1e-300), 0.5))
        left = math.ceil(done * max(whole / fallen - 1.0, 0.0))
        self.matrix.progress.expect(self.matrix.passes + min(left, 999))

    def end(self, solution: CenterSolution) -> None:
        """Keep the solution, so that a fit that goes on need not find it again."""
        if self.checkpoint is None:
            return
        V = solution.weights
        if self.shape[0] > len(V):
            V = np.vstack([V, solution.bias])
        self.checkpoint.note(self.name, V, done=True)


def _name(matrix: CenterMatrix, task: Task) -> str:
    """A name that only the same problem has: its kernel, centers, rows, loss and penalties."""
    about = (
        str(matrix.centers.kernel),
        str(matrix.centers.dtype),
        len(matrix.rows),
        repr(task.loss),
        task.penalty.tolist(),
        task.n_outputs,
        task.intercept,
        task.tilt,
        block_checksum(matrix.centers.samples, None, None),
    )
    return f"problem_{zlib.crc32(repr(about).encode()):08x}"
