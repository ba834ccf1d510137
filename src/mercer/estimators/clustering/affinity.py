"""Graphs of samples: all pairs weighted by a kernel, as it is or with a width for every sample, or the nearest neighbours alone."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np
from scipy import sparse

from mercer.aliases import Prepared, RawSamples
from mercer.config import format_bytes, get_config
from mercer.definiteness import Definite
from mercer.domains.parts import Parts
from mercer.errors import ParameterError, explain, warn
from mercer.estimators.common.base import Expansion
from mercer.estimators.common.training import Training
from mercer.estimators.density.nearest import nearest
from mercer.gram.fill import dense, multiply, visit_rows
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import is_kernel
from mercer.linalg.products import product
from mercer.params import param

_TINY = 1e-150  # a width that only copies of a sample have: everything else is infinitely far


class Graph(Protocol):
    """A weighted graph on the training samples, without loops."""

    plan: str
    degree: np.ndarray
    matrix: Any  # the weights, dense or sparse, where they are stored

    def product(self, V: np.ndarray) -> np.ndarray: ...
    def links(self, X: RawSamples, U: np.ndarray) -> np.ndarray: ...


def _weights(k: np.ndarray, square_x: Any, square_y: Any, width_x: Any, width_y: Any) -> np.ndarray:
    """exp(−d²/(s_x s_y)), d² = k(x, x) + k(y, y) − 2 k(x, y)."""
    squared = np.maximum(square_x[:, None] + square_y - 2.0 * k, 0.0)
    with np.errstate(over="ignore"):
        return np.exp(-squared / width_x[:, None] / width_y)


class LocallyScaled(Kernel, abstract=True):
    """The weights of two prepared sides that carry k(x, x) and a width for every sample."""

    definite: ClassVar[Definite | None] = None
    kernel: Kernel = param(check=is_kernel)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.kernel.tile(pair.of(pair.x[0], pair.y[0]), out)
        x, y = pair.x.extra, pair.y.extra
        np.copyto(
            out,
            _weights(
                out,
                x["square"][pair.rows],
                y["square"][pair.cols],
                x["width"][pair.rows],
                y["width"][pair.cols],
            ),
        )


class KernelGraph:
    """Weights k(x, y) for all pairs; with ``scaling`` m, exp(−d²/(s_x s_y)) with s_x the distance from x to its m-th neighbour."""

    def __init__(self, data: Training, scaling: int | None) -> None:
        self.data, self.scaling = data, scaling
        self.expansion = Expansion(data.kernel, data.kept(), np.arange(data.width), data.width)
        n = data.count
        size = 8 * n * n
        stored = data.kernel is None or size <= get_config().memory_budget // 2
        K = data.gram() if data.kernel is None else None
        side = None if data.kernel is None else data.side()
        if scaling is not None:
            if scaling >= n:
                raise ParameterError("local_scaling", scaling, f"must be less than n_samples={n}")
            self.square = np.ascontiguousarray(
                K.diagonal() if K is not None else data.kernel.diagonal(side),  # type: ignore[union-attr]
                dtype=np.float64,
            )
            self.width = self._widths(data.X, self.square, np.arange(n))
            if K is not None:
                K = _weights(K, self.square, self.square, self.width, self.width)
        self.kernel, self.side = (
            self._scaled(side, self.width, self.square)
            if side is not None and scaling
            else (data.kernel, side)
        )
        self.matrix = None
        if stored:
            self.matrix = K if K is not None else dense(self.kernel, self.side, self.side)  # type: ignore[arg-type]
            np.fill_diagonal(self.matrix, 0.0)
            self._check_signs(self.matrix, (0, n), (0, n))
            self.degree = product(self.matrix, np.ones(n))
            self.plan = f"all pairs, stored, {format_bytes(size)}"
        else:
            self._degrees(n)
            self.plan = f"all pairs, tiles recomputed in every product: {format_bytes(size)} exceeds half the memory budget"

    def _scaled(self, side: Prepared, width: np.ndarray, square: np.ndarray) -> tuple[Kernel, Any]:
        assert self.data.kernel is not None
        return LocallyScaled(self.data.kernel), Parts(side, square=square, width=width)

    def _widths(self, X: RawSamples, square: np.ndarray, skip: np.ndarray) -> np.ndarray:
        squared, _ = nearest(self.expansion, X, square, self.square, int(self.scaling), skip)  # type: ignore[arg-type]
        return np.maximum(np.sqrt(np.maximum(squared[:, -1], 0.0)), _TINY)

    @staticmethod
    def _check_signs(tile: np.ndarray, rows: tuple[int, int], cols: tuple[int, int]) -> None:
        if tile.min() < 0:
            i, j = np.unravel_index(int(np.argmin(tile)), tile.shape)
            remedy = "use a kernel with values >= 0 (RBF, Laplacian, (k + 1) of a normalised kernel), or affinity='nearest_neighbors'"
            what = f"the affinity of samples {rows[0] + i} and {cols[0] + j}"
            raise ParameterError(what, float(tile[i, j]), "is negative", remedy)

    def _degrees(self, n: int) -> None:
        """Sums of the rows, and a look at every sign."""
        self.degree = np.zeros(n)

        def visit(tile: np.ndarray, rows: tuple[int, int], cols: tuple[int, int]) -> None:
            self._check_signs(tile, rows, cols)
            self.degree[rows[0] : rows[1]] += tile.sum(axis=1)

        visit_rows(self.kernel, self.side, self.side, visit, "degrees")  # type: ignore[arg-type]
        self.loops = (
            np.ones(n)
            if self.scaling
            else np.asarray(self.data.kernel.diagonal(self.side), dtype=np.float64)  # type: ignore[union-attr]
        )
        self.degree -= self.loops

    def product(self, V: np.ndarray) -> np.ndarray:
        if self.matrix is not None:
            return product(self.matrix, V)
        return multiply(self.kernel, self.side, self.side, V) - self.loops[:, None] * V  # type: ignore[arg-type]

    def links(self, X: RawSamples, U: np.ndarray) -> np.ndarray:
        """Σ w(x, x_i) u_i for new samples."""
        if self.scaling is None:
            return self.expansion.apply(X, U)
        square = np.ascontiguousarray(self.expansion.squares(X, self.square))
        width = self._widths(X, square, np.full(len(square), -1))
        if self.data.kernel is None:
            return _weights(np.asarray(X), square, self.square, width, self.width) @ U
        x, y = self.expansion.sides(X)
        kernel, right = self._scaled(y, self.width, self.square)
        return multiply(kernel, Parts(x, square=square, width=width), right, U)


class NeighbourGraph:
    """½(A + Aᵀ), A the 0/1 matrix of the nearest samples in feature space, the sample itself counted among them."""

    def __init__(self, data: Training, count: int) -> None:
        n = data.count
        if count > n:
            raise ParameterError("n_neighbors", count, f"must be at most n_samples={n}")
        self.count = count
        self.expansion = Expansion(data.kernel, data.kept(), np.arange(data.width), data.width)
        if data.kernel is None:
            self.square = np.ascontiguousarray(np.diagonal(data.X))
        else:
            self.square = np.ascontiguousarray(data.kernel.diagonal(data.side()), dtype=np.float64)
        found = np.empty((n, 0), dtype=np.int64)
        if count > 1:
            squared, found = nearest(
                self.expansion, data.X, self.square, self.square, count - 1, np.arange(n)
            )
            lost = squared[:, -1] >= (1 - 1e-15) * (self.square + self.square[found[:, -1]])
            if data.kernel is not None and lost.mean() > 0.1 and (self.square > 0).all():
                rule = "is 0 between neighbours, so that all samples are equally far"
                warn(
                    explain(
                        "kernel",
                        data.kernel,
                        rule,
                        "take a wider one, or kernel='linear', for the neighbours of the samples",
                    )
                )
        A = sparse.csr_array(
            (np.ones(found.size), found.ravel(), np.arange(n + 1) * (count - 1)), shape=(n, n)
        )
        self.matrix = sparse.csr_array(0.5 * (A + A.T))
        self.degree = np.asarray(self.matrix.sum(axis=1)).ravel()
        self.plan = f"{count} nearest neighbours in feature space, {self.matrix.nnz} links"

    def product(self, V: np.ndarray) -> np.ndarray:
        return self.matrix @ V

    def links(self, X: RawSamples, U: np.ndarray) -> np.ndarray:
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        # k(x, x) is the same for all neighbours of x, and does not change their order
        _, found = nearest(self.expansion, X, np.zeros(n), self.square, self.count, np.full(n, -1))
        return U[found].sum(axis=1)


class GivenGraph:
    """A sparse matrix of weights, as it was given."""

    def __init__(self, W: Any) -> None:
        self.matrix = sparse.csr_array(W, dtype=np.float64, copy=True)
        self.matrix.sum_duplicates()
        n = self.matrix.shape[0]
        if self.matrix.shape != (n, n):
            raise ParameterError(
                "X",
                f"sparse matrix of shape {self.matrix.shape}",
                "should be a square matrix of affinities",
            )
        if not np.isfinite(self.matrix.data).all():
            raise ParameterError("X", "sparse matrix", "holds NaN or infinity")
        if self.matrix.nnz and self.matrix.data.min() < 0:
            at = int(np.argmin(self.matrix.data))
            i, j = (
                int(np.searchsorted(self.matrix.indptr, at, side="right") - 1),
                int(self.matrix.indices[at]),
            )
            raise ParameterError(
                f"the affinity of samples {i} and {j}", float(self.matrix.data[at]), "is negative"
            )
        gap = abs(self.matrix - self.matrix.T)
        if gap.nnz and gap.max() > 1e-10 * self.matrix.max():
            raise ParameterError("X", "sparse matrix", "must be symmetric", "use (X + X.T)/2")
        self.matrix.setdiag(0.0)
        self.matrix.eliminate_zeros()
        self.degree = np.asarray(self.matrix.sum(axis=1)).ravel()
        self.plan = f"sparse matrix as given, {self.matrix.nnz} links"

    def product(self, V: np.ndarray) -> np.ndarray:
        return self.matrix @ V

    def links(self, X: RawSamples, U: np.ndarray) -> np.ndarray:
        return X @ U
