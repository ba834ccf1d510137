"""The linear system of every squared loss: (K + λ/w) A = B, with K as it is or centred, stored or never stored."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.config import format_bytes, get_config
from mercer.errors import warn
from mercer.estimators.common.training import Training
from mercer.gram.fill import dense, multiply
from mercer.linalg.cg import conjugate_gradients
from mercer.linalg.cholesky import pivoted_cholesky
from mercer.solvers.ridge.direct import factor_ridge

_RANK = 300  # of the preconditioner


class Penalised:
    """Cholesky on the dense Gram matrix while it fits half the memory budget, else preconditioned conjugate gradients.

    Centred, K is (I − 1mᵀ) K (I − m1ᵀ) with m the weights' shares: positive also for conditionally positive kernels.
    """

    def __init__(self, data: Training, penalty: float, centred: bool = False) -> None:
        self.data, self.penalty = data, penalty
        n = data.count
        self.root = None if (data.weight == 1).all() else np.sqrt(data.weight)[:, None]
        self.share = data.weight / data.weight.sum() if centred else None
        if data.kernel is None or 8 * n * n <= get_config().memory_budget // 2 or penalty == 0:
            self._store()
        else:
            self._recompute()

    # -- stored ------------------------------------------------------------------------------------------------------

    def _store(self) -> None:
        n = self.data.count
        K = self.data.gram()
        if self.share is not None:
            middle = K @ self.share
            K -= middle[:, None]
            K -= (middle - self.share @ middle)[None, :]
        if self.root is not None:
            K *= self.root
            K *= self.root.T
        self.factor = factor_ridge(K, self.penalty)
        self.solver = self.factor.name
        self.plan = f"dense Gram matrix, float64, {format_bytes(8 * n * n)}"
        self.stored = True

    def inverse_diagonal(self) -> np.ndarray:
        """The diagonal of (K + λ/w)⁻¹, which only a stored matrix has."""
        diagonal = self.factor.inverse_diagonal()
        return diagonal if self.root is None else diagonal * self.data.weight

    # -- never stored ------------------------------------------------------------------------------------------------

    def _recompute(self) -> None:
        kernel = self.data.kernel
        assert kernel is not None
        self.side = self.data.side()
        diagonal = kernel.diagonal(self.side)
        middle: Any = 0.0
        level = 0.0
        if self.share is not None:
            middle = multiply(kernel, self.side, self.side, self.share[:, None])[:, 0]
            level = float(self.share @ middle)
            diagonal = diagonal - 2 * middle + level
        scale = 1.0 if self.root is None else self.root[:, 0]

        def row(i: int) -> np.ndarray:
            values = dense(kernel, self.side.take(np.array([i])), self.side)[0]
            if self.share is not None:
                values = values - middle - middle[i] + level
            return values if self.root is None else values * scale * self.root[i, 0]

        self.low = pivoted_cholesky(diagonal * scale * scale, row, min(_RANK, self.data.count))
        self.steps, self.worst = 0, 0.0
        self.solver = "conjugate gradients"
        self.plan = "tiles recomputed in every product: the matrix exceeds half the memory budget"
        self.stored = False

    def _product(self, V: np.ndarray) -> np.ndarray:
        V = V if self.root is None else self.root * V
        image = self.image(V)
        return image if self.root is None else self.root * image

    def image(self, A: np.ndarray) -> np.ndarray:
        """K A, tile by tile, or from the stored matrix of a precomputed kernel."""
        if self.share is not None:
            A = A - self.share[:, None] * A.sum(axis=0)
        if self.data.kernel is None:
            F = self.data.gram() @ A
        else:
            side = self.side if not self.stored else self.data.side()
            F = multiply(self.data.kernel, side, side, A)
        return F if self.share is None else F - self.share @ F

    # -- both --------------------------------------------------------------------------------------------------------

    def solve(self, B: np.ndarray) -> np.ndarray:
        """(K + λ/w)⁻¹ B for a matrix B."""
        scaled = B if self.root is None else self.root * B
        if self.stored:
            U = self.factor.solve(scaled)
            self.solver = self.factor.name
        else:
            found = conjugate_gradients(
                self._product, self.penalty, np.ascontiguousarray(scaled), self.low
            )
            self.steps, self.worst = (
                max(self.steps, found.iterations),
                max(self.worst, found.residual),
            )
            rank = self.low.shape[1]
            self.solver = f"conjugate gradients, {self.steps} steps, preconditioner of rank {rank}, relative residual {self.worst:.1e}"
            if not found.converged:
                message = f"no convergence: relative residual {found.residual:.2g}; raise alpha, or the memory budget"
                warn(message, ConvergenceWarning)
            U = found.x
        return U if self.root is None else self.root * U
