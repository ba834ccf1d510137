"""A Gram matrix of low rank, held by its factor."""

from __future__ import annotations

import numpy as np

from mercer.gram.matrix import Matrix
from mercer.gram.plan import Plan
from mercer.linalg.products import product


class LowRank(Matrix):
    """L Rᵀ for tall factors L and R; L Lᵀ where only one is given."""

    def __init__(self, left: np.ndarray, plan: Plan, right: np.ndarray | None = None) -> None:
        self.left = left
        self.right = left if right is None else right
        self.plan = plan

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.left), len(self.right)

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        return product(self.left, product(self.right.T, V))

    def rows(self, index: np.ndarray) -> LowRank:
        return LowRank(self.left[index], self.plan, self.right)

    def columns(self, index: np.ndarray) -> LowRank:
        return LowRank(self.left, self.plan, self.right[index])

    def diagonal(self) -> np.ndarray:
        return np.einsum("ij,ij->i", self.left, self.right)

    def dense(self) -> np.ndarray:
        return product(self.left, self.right.T)
