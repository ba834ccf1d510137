"""The Gram matrix of the training samples: stored while it fits half the memory budget, else computed again for every product."""

from __future__ import annotations

import numpy as np

from mercer.config import format_bytes, get_config
from mercer.estimators.common.training import Training
from mercer.gram.fill import check_diagonal, dense, multiply, times_few
from mercer.linalg.products import product

FEW = 4  # columns that a stored matrix multiplies at the price of one


class TrainingMatrix:
    """K of the samples that count, by products, rows and diagonal; ``stored`` is None where it does not fit."""

    def __init__(self, data: Training, store: bool = False) -> None:
        """``store`` asks for it in any case; the engine refuses it beyond the whole budget."""
        self.data, self.count = data, data.count
        size = 8 * self.count**2
        self.stored: np.ndarray | None = None
        if data.kernel is None or store or size <= get_config().memory_budget // 2:
            self.stored = data.gram()
            self.plan = f"dense Gram matrix, float64, {format_bytes(size)}"
        else:
            self.side = data.side()
            self.plan = f"tiles recomputed in every product: {format_bytes(size)} exceeds half the memory budget"

    def product(self, V: np.ndarray) -> np.ndarray:
        """K V."""
        if self.stored is not None:
            return (
                times_few(self.stored, V)
                if V.shape[1] <= FEW < self.count
                else product(self.stored, V)
            )
        return multiply(self.data.kernel, self.side, self.side, V)  # type: ignore[arg-type]

    def columns_product(self, index: np.ndarray, V: np.ndarray) -> np.ndarray:
        """K[:, index] V."""
        if self.stored is not None:
            return product(self.stored[index].T, V)  # K is symmetric, and its rows are contiguous
        return multiply(self.data.kernel, self.side, self.side.take(index), V)  # type: ignore[arg-type]

    def rows(self, index: np.ndarray) -> np.ndarray:
        """Some rows, to be read only."""
        if self.stored is not None:
            return self.stored[index]
        return dense(self.data.kernel, self.side.take(index), self.side)  # type: ignore[arg-type]

    def diagonal(self) -> np.ndarray:
        """k(x, x) of every sample."""
        if self.stored is not None:
            return self.stored.diagonal().copy()
        with np.errstate(all="ignore"):
            return check_diagonal(
                np.asarray(self.data.kernel.diagonal(self.side), dtype=np.float64)  # type: ignore[union-attr]
            )
