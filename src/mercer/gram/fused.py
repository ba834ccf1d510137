"""One pass over all rows: K_nm u, the derivative of a loss per row, and K_mnᵀ of it.

A source of rows is read block by block; an engine maps the pass over the blocks and adds their sums
in a fixed tree. Inside a block, threads share groups of rows of a fixed size, so that results do
not depend on their number.
"""

from __future__ import annotations

import dataclasses
from typing import Protocol

import numpy as np

from mercer.aliases import Targets
from mercer.execution.cancel import check_stop
from mercer.execution.engine import Engine, LocalEngine, tree_sum
from mercer.execution.progress import Progress
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.blocks.arrays import ArrayRows
from mercer.gram.blocks.base import Block, Rows
from mercer.gram.build import gram_matrix
from mercer.gram.centers import Centers
from mercer.gram.columns import add_products, add_transposed, for_products
from mercer.gram.matrix import Matrix
from mercer.gram.plan import PRODUCTS, plan_matrix

_GROUP = 2048  # rows whose sums are made by one thread

Sums = tuple[float, np.ndarray, np.ndarray]  # the loss, K_mnᵀ D by outputs, and Σ D


class Local(Protocol):
    """What is done with the values of some rows: a sum, and a number for each value."""

    def __call__(
        self, values: np.ndarray, y: Targets, weight: np.ndarray, /
    ) -> tuple[float, np.ndarray]: ...


@dataclasses.dataclass(frozen=True)
class Curvature:
    """w f: the product with K_mn W K_nm."""

    def __call__(
        self, values: np.ndarray, y: Targets, weight: np.ndarray
    ) -> tuple[float, np.ndarray]:
        return 0.0, weight[:, None] * values


@dataclasses.dataclass(frozen=True, eq=False)
class FusedPass:
    """The pass over one block."""

    centers: Centers
    local: Local

    def __call__(self, block: Block, vectors: np.ndarray, bias: np.ndarray) -> Sums:
        """The sums over the rows of a block, for coefficients by outputs and their biases."""
        x = self.centers.read(block.X)
        count, weight = len(block), block.weights()
        results: list[Sums | None] = [None] * -(-count // _GROUP)

        def compute(number: int, work: Workspace) -> None:
            rows = number * _GROUP, min(count, (number + 1) * _GROUP)
            total, slopes, sums = 0.0, np.zeros(vectors.shape), np.zeros(len(vectors))
            for start, stop in self._strips(*rows):
                check_stop()
                tiles = self.centers.tile(x, start, stop, work)
                tiles = for_products(tiles, len(bias), work)
                values = np.empty((stop - start, len(bias)))
                values[:] = bias
                add_products(tiles, vectors, values)
                y = None if block.y is None else block.y[start:stop]
                loss, weights = self.local(values, y, weight[start:stop])
                add_transposed(tiles, weights, slopes)
                total += loss
                sums += np.add.reduce(weights, axis=0)
            results[number] = total, slopes, sums

        run(len(results), compute, "pass")
        return tree_sum(results)

    def _strips(self, first: int, last: int) -> list[tuple[int, int]]:
        step = self.centers.strip_rows()
        return [(start, min(last, start + step)) for start in range(first, last, step)]


class CenterMatrix:
    """K_nm of a source of rows and some centers: all that solvers ask of the data.

    Parameters
    ----------
    centers : Centers
        The centers and the kernel.
    rows : Rows
        The source, with targets and weights as the loss reads them.
    engine : Engine
        What maps passes over blocks.
    """

    def __init__(self, centers: Centers, rows: Rows, engine: Engine) -> None:
        self.centers, self.rows, self.engine = centers, rows, engine
        self.passes = 0
        self.progress = Progress(None, "fit", "pass")
        plan = plan_matrix(len(centers), PRODUCTS)
        self.inner: Matrix = gram_matrix(centers.kernel, centers.prepared, plan)  # K_mm

    def __len__(self) -> int:
        return len(self.centers)

    def gather(
        self, local: Local, U: np.ndarray, bias: np.ndarray
    ) -> tuple[float, np.ndarray, np.ndarray]:
        """Sums over all rows: of the loss, of K_mnᵀ D, and of D, where D are its derivatives."""
        vectors = np.ascontiguousarray(U.T, dtype=np.float64)
        self.passes += 1
        self.progress.update(self.passes)
        loss, slopes, sums = self.engine.map_sum(
            FusedPass(self.centers, local), self.rows, vectors, bias
        )
        return loss, slopes.T, sums

    def of_sample(self, block: Block) -> CenterMatrix:
        """The same centers and some rows in memory; its passes are not counted here."""
        sample = object.__new__(CenterMatrix)
        sample.__dict__.update(self.__dict__)
        sample.rows = ArrayRows(block.X, block.y, block.weight)
        sample.engine, sample.passes = LocalEngine(), 0
        sample.progress = Progress(None, "sample", "step")
        return sample

    def in_double_precision(self) -> CenterMatrix:
        """The same matrix with tiles in double precision."""
        finer = object.__new__(CenterMatrix)
        finer.__dict__.update(self.__dict__)
        finer.centers = self.centers.in_double_precision()
        return finer
