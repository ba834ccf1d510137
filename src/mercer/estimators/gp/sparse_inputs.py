"""Samples and inducing points as a kernel reads them, and kernel values without white noise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mercer.aliases import Prepared, RawSamples
from mercer.domains.base import Batch, pick_rows
from mercer.estimators.gp.hyperparameters import Derivatives
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64, rows_at_a_time
from mercer.kernels.base import Kernel
from mercer.kernels.numerics.derivatives import gradient_between
from mercer.solvers.gp.inducing import Block

_ROWS = 4096  # samples that meet the inducing points at a time, at most
_BLOCK_SHARE = 1 / 32  # of the memory budget for a block of them, of which there are a few copies
_DIAGONAL = 64  # samples whose k(x, x) is differentiated at a time, where it depends on x


class SparseInputs:
    """Samples x and inducing points u, prepared by the kernel at its present parameters.

    Values of the function alone, without white noise, are those between different collections: a
    sample and its copy share the function but not the noise.
    """

    def __init__(self, kernel: Kernel, X: RawSamples, U: RawSamples) -> None:
        self.kernel = kernel
        self.constant_diagonal = kernel.constant_diagonal
        self.has_white_noise = kernel.has_white_noise
        batch = Batch(X)
        self.x = kernel.prepare(batch)
        self.u = kernel.prepare(Batch(U, like=batch))
        self.u_copy = kernel.prepare(Batch(U, like=batch))
        self.x_copy: Prepared | None = None
        with np.errstate(all="ignore"):
            self.diagonal = kernel.diagonal(self.x)
        self.function_diagonal = self.diagonal
        if self.has_white_noise:
            some = pick_rows(X, np.arange(1)) if self.constant_diagonal else X
            self.x_copy = kernel.prepare(Batch(some, like=batch))
            self.function_diagonal = self._noise_free_diagonal()

    def _noise_free_diagonal(self) -> np.ndarray:
        parts = [
            dense(self.kernel, self.x.take(rows), copies, FLOAT64).diagonal()
            for rows, copies in self._diagonal_blocks()
        ]
        if self.constant_diagonal:
            return np.full(len(self.x), float(parts[0][0]))
        return np.concatenate(parts)

    def _diagonal_blocks(self) -> Iterator[tuple[np.ndarray, Prepared]]:
        """Positions of samples, and their copies if there are any; one may stand for all."""
        count = 1 if self.constant_diagonal else len(self.x)
        for start in range(0, count, _DIAGONAL):
            rows = np.arange(start, min(count, start + _DIAGONAL))
            yield rows, None if self.x_copy is None else self.x_copy.take(rows)

    def blocks(self) -> Iterator[Block]:
        """The kernel between samples and inducing points, a block of samples at a time."""
        size = rows_at_a_time(len(self.u), _BLOCK_SHARE, most=_ROWS)
        for start in range(0, len(self.x), size):
            rows = slice(start, min(len(self.x), start + size))
            samples = self.x.take(np.arange(rows.start, rows.stop))
            yield rows, dense(self.kernel, samples, self.u, FLOAT64)

    def inducing_gram(self) -> np.ndarray:
        """The kernel between inducing points, without noise."""
        K = dense(self.kernel, self.u, self.u_copy, FLOAT64)
        return 0.5 * (K + K.T)

    def white_noise(self) -> np.ndarray:
        """The variance of the white noise of every sample."""
        return self.diagonal - self.function_diagonal

    def diagonal_gradient(self, weights: np.ndarray, copy_weights: np.ndarray) -> Derivatives:
        """Derivatives of Σ weights·k(x, x) + Σ copy_weights·k(x, x′) with x′ a copy of x."""
        if self.constant_diagonal:
            weights = weights.sum(keepdims=True)
            copy_weights = copy_weights.sum(keepdims=True)
        total: Derivatives = {}
        for rows, copies in self._diagonal_blocks():
            samples = self.x.take(rows)
            own = np.diag(weights[rows])
            add_derivatives(total, gradient_between(self.kernel, samples, samples, own))
            if copies is not None:
                own = np.diag(copy_weights[rows])
                add_derivatives(total, gradient_between(self.kernel, samples, copies, own))
        return total


class NoiseFreeGram:
    """The Gram matrix of the function alone: rows of samples against a copy of them."""

    def __init__(self, kernel: Kernel, X: RawSamples, inputs: SparseInputs) -> None:
        self.kernel, self.inputs = kernel, inputs
        self.copy = kernel.prepare(Batch(X, like=Batch(X)))

    def row(self, i: int) -> np.ndarray:
        """The kernel, without noise, between one sample and all."""
        return dense(self.kernel, self.copy.take(np.array([i])), self.inputs.x, FLOAT64)[0]

    def diagonal(self) -> np.ndarray:
        """k(x, x) without noise."""
        return self.inputs.function_diagonal


def add_derivatives(total: Derivatives, more: Derivatives) -> None:
    """Add derivatives to those of the same names."""
    for name, value in more.items():
        total[name] = total.get(name, 0.0) + value
