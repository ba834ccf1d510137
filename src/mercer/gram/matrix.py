"""The one interface of Gram matrices: solvers see nothing else.

`Stored`, `Streamed` and `LowRank` are its forms; the views below change a matrix of any form
without copying it. Everything is computed when it is asked for.
"""

from __future__ import annotations

import abc
import functools

import numpy as np

from mercer.gram.plan import Plan


class Matrix(abc.ABC):
    """A matrix that can be multiplied, and of which rows, columns and the diagonal can be had."""

    plan: Plan

    @property
    @abc.abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""

    def __len__(self) -> int:
        return self.shape[0]

    @abc.abstractmethod
    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        """The product with a matrix V."""

    @abc.abstractmethod
    def rows(self, index: np.ndarray) -> Matrix:
        """Some rows, as a matrix of the same form."""

    def columns(self, index: np.ndarray) -> Matrix:
        """Some columns, as a matrix of the same form."""
        raise NotImplementedError(type(self).__name__)

    @abc.abstractmethod
    def diagonal(self) -> np.ndarray:
        """The diagonal."""

    @abc.abstractmethod
    def dense(self) -> np.ndarray:
        """The whole matrix as an array, which the caller may overwrite."""

    def row(self, i: int) -> np.ndarray:
        """One row as an array."""
        return self.rows(np.array([i])).dense()[0]


class _View(Matrix):
    """A symmetric matrix derived from another one."""

    def __init__(self, matrix: Matrix) -> None:
        self.matrix = matrix
        self.plan = matrix.plan

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape

    def rows(self, index: np.ndarray) -> Matrix:
        raise NotImplementedError(f"{type(self).__name__} gives single rows only")


class Centered(_View):
    """(I − 1mᵀ) K (I − m1ᵀ) for weights m that sum to 1: K about the mean in feature space.

    It is positive semi-definite also for conditionally positive definite kernels.
    """

    def __init__(self, matrix: Matrix, mean_weights: np.ndarray) -> None:
        super().__init__(matrix)
        self.mean_weights = mean_weights

    @functools.cached_property
    def row_means(self) -> np.ndarray:
        """K m."""
        return (self.matrix @ self.mean_weights[:, None])[:, 0]

    @property
    def total_mean(self) -> float:
        """mᵀ K m."""
        return float(self.mean_weights @ self.row_means)

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        product = self.matrix @ (V - self.mean_weights[:, None] * V.sum(axis=0))
        return product - self.mean_weights @ product

    def row(self, i: int) -> np.ndarray:
        return self.matrix.row(i) - self.row_means - self.row_means[i] + self.total_mean

    def diagonal(self) -> np.ndarray:
        return self.matrix.diagonal() - 2 * self.row_means + self.total_mean

    def dense(self) -> np.ndarray:
        K = self.matrix.dense()
        K -= self.row_means[:, None]
        K -= (self.row_means - self.total_mean)[None, :]
        return K


class Weighted(_View):
    """D K D for a diagonal matrix D."""

    def __init__(self, matrix: Matrix, scale: np.ndarray) -> None:
        super().__init__(matrix)
        self.scale = scale

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        return self.scale[:, None] * (self.matrix @ (self.scale[:, None] * V))

    def row(self, i: int) -> np.ndarray:
        return self.matrix.row(i) * self.scale * self.scale[i]

    def diagonal(self) -> np.ndarray:
        return self.matrix.diagonal() * self.scale * self.scale

    def dense(self) -> np.ndarray:
        K = self.matrix.dense()
        K *= self.scale[:, None]
        K *= self.scale[None, :]
        return K


class Shifted(_View):
    """K + D for a diagonal matrix D."""

    def __init__(self, matrix: Matrix, shift: np.ndarray) -> None:
        super().__init__(matrix)
        self.shift = shift

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        return self.matrix @ V + self.shift[:, None] * V

    def row(self, i: int) -> np.ndarray:
        row = self.matrix.row(i).copy()
        row[i] += self.shift[i]
        return row

    def diagonal(self) -> np.ndarray:
        return self.matrix.diagonal() + self.shift

    def dense(self) -> np.ndarray:
        K = self.matrix.dense()
        K[np.diag_indices_from(K)] += self.shift
        return K
