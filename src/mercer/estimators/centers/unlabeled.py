"""Rows without targets on centers: what projections and clusterings share."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.estimators.centers.data import RowData
from mercer.estimators.centers.problem import CenterProblem
from mercer.estimators.common.base import KernelEstimator
from mercer.estimators.common.report import FitReport
from mercer.gram.blocks.base import Block
from mercer.gram.centers import Centers
from mercer.gram.fused import CenterMatrix
from mercer.gram.plan import FLOAT64, single_tiles
from mercer.kernels.base import Kernel
from mercer.solvers.nystrom.preconditioner import Whitening

EXACT_STEPS = 27.0  # products with the whole matrix that an exact fit needs
_SAMPLE = 2000  # rows on which clusterings begin


class Basis:
    """The centers of a fit without targets, their whitening, and passes over all rows.

    Parameters
    ----------
    estimator : KernelEstimator
        Its parameters ``centers`` and ``random_state`` are read.
    data : RowData
        The rows.
    """

    def __init__(self, estimator: KernelEstimator, data: RowData) -> None:
        self.data = data
        self.problem = CenterProblem(estimator, data, held_out=0)
        m = self.problem.n_centers
        assert self.problem.candidates is not None
        self.block: Block = self.problem.candidates.take(np.arange(m))
        self.positions = self.problem.positions(m)
        centers = Centers(data.kernel, self.block.X, single_tiles(data.count, m))
        self.matrix = CenterMatrix(centers, self.problem.rows, data.engine)
        self.whitening = Whitening(self.matrix.inner.dense(), FLOAT64, centers.dtype)

    @property
    def samples(self) -> RawSamples:
        """The centers."""
        return self.block.X

    @property
    def n_training(self) -> int:
        """A number that all positions of centers lie below."""
        return max(self.data.n_given, len(self.positions))

    def whole_sample(self) -> Block:
        """Some rows for each center, drawn uniformly."""
        assert self.problem.sample is not None
        return self.problem.sample

    def sample(self) -> Block:
        """Fewer rows, drawn uniformly."""
        block = self.whole_sample()
        return block.take(np.arange(min(_SAMPLE, len(block))))

    def total_square(self) -> float:
        """Σ w k(x, x) over all rows."""
        return float(sum(self.data.engine.map(RowSquares(self.data.kernel), self.problem.rows)))

    def by_rows(self, function: Any, *arguments: Any) -> np.ndarray:
        """The results of a function of blocks for all rows, one after the other."""
        return np.concatenate(self.data.engine.map(function, self.problem.rows, *arguments))

    def report(
        self, solver: str, start: float, converged: bool | None, facts: dict[str, Any]
    ) -> FitReport:
        """The report of a fit that began at this time."""
        self.matrix.progress.close()
        centers = self.matrix.centers
        plan, notes = self.problem._words(centers, len(centers))
        known = {
            **facts,
            "passes": self.matrix.passes,
            **self.problem._trace_errors(centers, self.whitening),
        }
        seconds = time.perf_counter() - start
        return FitReport(
            self.data.kernel, plan, solver, self.data.count, seconds, converged, known, notes
        )


@dataclasses.dataclass(frozen=True, eq=False)
class RowSquares:
    """Σ w k(x, x) of a block."""

    kernel: Kernel

    def __call__(self, block: Block) -> float:
        squares = self.kernel.diagonal(self.kernel.prepare(Batch(block.X)))
        return float(block.weights() @ np.asarray(squares, dtype=np.float64))


@dataclasses.dataclass(frozen=True, eq=False)
class RowValues:
    """k(x, centers) U of the rows of a block."""

    centers: Centers

    def __call__(self, block: Block, U: np.ndarray) -> np.ndarray:
        return self.centers.apply(block.X, U)
