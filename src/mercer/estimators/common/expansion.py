"""The kernel expansion f(x) = Σ c_i k(x, x_i), which is what most fitted models are."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from mercer.aliases import Prepared, RawSamples
from mercer.domains.base import Batch
from mercer.errors import ShapeError
from mercer.estimators.common.prepared import prepare_both
from mercer.gram.fill import Visitor, multiply, visit_rows
from mercer.kernels.base import Kernel
from mercer.state import State, storable

_BLOCK = 256  # rows of a precomputed matrix that are visited at a time


@storable
@dataclasses.dataclass
class Expansion:
    """The training samples that count, as the user gave them, and how to evaluate sums over them.

    The kernel and the samples are None for a precomputed matrix, of which only positions are known.
    """

    stored: ClassVar[State] = State(
        plain=("kernel", "samples", "positions", "n_training"),
        samples=("samples",),
        per_sample=("positions",),
        positions={"positions": "n_training"},
        kernel="kernel",
    )

    kernel: Kernel | None
    samples: RawSamples
    positions: np.ndarray  # of the samples among all training samples
    n_training: int  # how many training samples were given

    def apply(self, X: RawSamples, coefficients: np.ndarray) -> np.ndarray:
        """k(X, samples) @ coefficients, tile by tile."""
        if self.kernel is None:
            return self._columns_of(X) @ coefficients
        if len(self.positions) == 0:
            return np.zeros((len(Batch(X)), coefficients.shape[1]))
        return multiply(self.kernel, *self.prepare(X), coefficients)

    def _columns_of(self, X: RawSamples) -> np.ndarray:
        """The columns that count of a precomputed k(X, X_train)."""
        if X.shape[1] != self.n_training:
            rule = "must have one column for each training sample"
            remedy = f"give k(X, X_train) with {self.n_training} columns"
            raise ShapeError("X", f"{X.shape[1]} columns", rule, remedy)
        return np.asarray(X)[:, self.positions]

    def prepare(self, X: RawSamples) -> tuple[Prepared, Prepared]:
        """New and training samples as the kernel reads them."""
        assert self.kernel is not None
        return prepare_both(self.kernel, X, self.samples)

    def squares(self, X: RawSamples, training_squares: np.ndarray) -> np.ndarray:
        """k(x, x) of new samples.

        A precomputed k(X, X_train) determines it only if it is the same for all training samples.
        """
        if self.kernel is not None:
            return np.asarray(self.kernel.diagonal(self.prepare(X)[0]), dtype=np.float64)
        first = float(training_squares[0])
        if not np.allclose(training_squares, first, rtol=1e-12, atol=0.0):
            rule = "does not determine k(x, x) of new samples: its diagonal is not constant"
            remedy = "normalize the matrix, or give the kernel itself"
            raise ShapeError("kernel", "precomputed", rule, remedy)
        return np.full(X.shape[0], first)

    def visit(self, X: RawSamples, visitor: Visitor) -> None:
        """Call ``visitor(tile, rows, columns)`` on all of k(X, samples), columns in order."""
        if self.kernel is not None:
            visit_rows(self.kernel, *self.prepare(X), visitor)
            return
        K = self._columns_of(X)
        for start in range(0, len(K), _BLOCK):
            part = np.ascontiguousarray(K[start : start + _BLOCK], dtype=np.float64)
            visitor(part, (start, start + len(part)), (0, K.shape[1]))
