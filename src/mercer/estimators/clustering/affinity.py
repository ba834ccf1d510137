"""Graphs of samples: all pairs weighted by a kernel, with or without local scaling, or neighbours."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np
from scipy import sparse

from mercer.aliases import Prepared, RawSamples, SparseMatrix
from mercer.config import format_bytes
from mercer.definiteness import Definite
from mercer.domains.parts import Parts
from mercer.errors import ParameterError, explain, warn
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.nearest import nearest
from mercer.estimators.common.training import Training
from mercer.gram.build import gram_matrix
from mercer.gram.fill import Range, multiply
from mercer.gram.matrix import Matrix, Shifted
from mercer.gram.plan import PRODUCTS, Plan, plan_matrix
from mercer.gram.stored import Stored
from mercer.gram.streamed import Streamed
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import is_kernel
from mercer.linalg.matrices import Multipliable
from mercer.params import param

_TINY = 1e-150  # a local scale that only copies of a sample have


class Graph(Protocol):
    """A weighted graph on the training samples, without loops."""

    plan: str
    degree: np.ndarray
    weights: Multipliable  # the matrix of weights
    matrix: Any  # the weights as an array or a sparse matrix, where they are stored

    def links(self, X: RawSamples, U: np.ndarray) -> np.ndarray:
        """Σ w(x, x_i) u_i for new samples."""


def _weights(
    k: np.ndarray,
    squares: np.ndarray,
    other_squares: np.ndarray,
    scale: np.ndarray,
    other_scale: np.ndarray,
) -> np.ndarray:
    """exp(−d²/(s_x s_y)), d² = k(x, x) + k(y, y) − 2 k(x, y)."""
    squared = np.maximum(squares[:, None] + other_squares - 2.0 * k, 0.0)
    with np.errstate(over="ignore"):
        return np.exp(-squared / scale[:, None] / other_scale)


class LocallyScaled(Kernel, abstract=True):
    """The weights between samples that carry k(x, x) and a local scale."""

    definite: ClassVar[Definite | None] = None
    kernel: Kernel = param(check=is_kernel)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.kernel.tile(pair.of(pair.x[0], pair.y[0]), out)
        x, y = pair.x.extra, pair.y.extra
        squares = x["square"][pair.rows], y["square"][pair.cols]
        scales = x["scale"][pair.rows], y["scale"][pair.cols]
        np.copyto(out, _weights(out, *squares, *scales))

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return np.ones(len(samples))


class KernelGraph:
    """Weights for all pairs of samples: k(x, y), or exp(−d²/(s_x s_y)) with local scaling.

    The local scale s_x is the distance from x to its m-th neighbour, m = ``scaling``. Nothing is
    computed before `build`.
    """

    def __init__(self, data: Training, scaling: int | None) -> None:
        if scaling is not None and scaling >= data.count:
            rule = f"must be less than n_samples={data.count}"
            raise ParameterError("local_scaling", scaling, rule)
        self.data, self.scaling = data, scaling
        self.kernel = data.kernel
        self.expansion = Expansion(
            data.kernel, data.own_samples(), np.arange(data.n_given), data.n_given
        )
        self.matrix: np.ndarray | None = None

    def build(self) -> KernelGraph:
        """Compute the local scales, the degrees and, where they fit, the weights."""
        plan = plan_matrix(self.data.count, PRODUCTS, given=self.data.kernel is None)
        matrix = self._matrix(plan)
        if isinstance(matrix, Stored):
            self._keep_stored(matrix)
        else:
            assert isinstance(matrix, Streamed)
            self._keep_streamed(matrix)
        self.plan = _describe(plan)
        del self.data
        return self

    def _matrix(self, plan: Plan) -> Matrix:
        """The weights with loops."""
        if self.data.kernel is None:
            K = self.data.gram()
            if self.scaling is not None:
                self._scale_samples(np.ascontiguousarray(K.diagonal()))
                K = _weights(K, self.square, self.square, self.scale, self.scale)
            return Stored(K, plan)
        kernel, samples = self.data.kernel, self.data.prepared()
        if self.scaling is not None:
            squares = np.ascontiguousarray(kernel.diagonal(samples), dtype=np.float64)
            self._scale_samples(squares)
            kernel, samples = self._scaled(samples, self.scale, self.square)
        return gram_matrix(kernel, samples, plan)

    def _keep_stored(self, matrix: Stored) -> None:
        n = len(matrix)
        self.matrix = matrix.array
        np.fill_diagonal(self.matrix, 0.0)
        _check_signs(self.matrix, (0, n), (0, n))
        self.weights: Multipliable = matrix
        self.degree = (matrix @ np.ones((n, 1)))[:, 0]

    def _keep_streamed(self, matrix: Streamed) -> None:
        """Sums of the rows, and a check of every sign."""
        degree = np.zeros(len(matrix))

        def visit(tile: np.ndarray, rows: Range, cols: Range) -> None:
            _check_signs(tile, rows, cols)
            degree[slice(*rows)] += tile.sum(axis=1)

        matrix.visit(visit, "degrees")
        loops = matrix.diagonal()
        self.degree = degree - loops
        self.weights = Shifted(matrix, -loops)

    def _scale_samples(self, squares: np.ndarray) -> None:
        self.square = squares
        self.scale = self._local_scales(self.data.X, squares, np.arange(len(squares)))

    def _local_scales(self, X: RawSamples, squares: np.ndarray, skip: np.ndarray) -> np.ndarray:
        assert self.scaling is not None
        squared, _ = nearest(self.expansion, X, squares, self.square, self.scaling, skip)
        return np.maximum(np.sqrt(np.maximum(squared[:, -1], 0.0)), _TINY)

    def _scaled(
        self, samples: Prepared, scale: np.ndarray, squares: np.ndarray
    ) -> tuple[Kernel, Prepared]:
        assert self.kernel is not None
        return LocallyScaled(self.kernel), Parts(samples, square=squares, scale=scale)

    def links(self, X: RawSamples, U: np.ndarray) -> np.ndarray:
        """Σ w(x, x_i) u_i for new samples."""
        if self.scaling is None:
            return self.expansion.apply(X, U)
        squares = np.ascontiguousarray(self.expansion.squares(X, self.square))
        scale = self._local_scales(X, squares, np.full(len(squares), -1))
        if self.kernel is None:
            return _weights(np.asarray(X), squares, self.square, scale, self.scale) @ U
        x, y = self.expansion.prepare(X)
        kernel, training = self._scaled(y, self.scale, self.square)
        return multiply(kernel, Parts(x, square=squares, scale=scale), training, U)


def _describe(plan: Plan) -> str:
    if plan.stored:
        return f"all pairs, stored, {format_bytes(plan.bytes)}"
    return f"all pairs, {plan}"


def _check_signs(tile: np.ndarray, rows: Range, cols: Range) -> None:
    if tile.min() >= 0:
        return
    i, j = np.unravel_index(int(np.argmin(tile)), tile.shape)
    remedy = (
        "use a kernel with values >= 0 (RBF, Laplacian, (k + 1) of a normalised kernel), or "
        "affinity='nearest_neighbors'"
    )
    what = f"the affinity of samples {rows[0] + i} and {cols[0] + j}"
    raise ParameterError(what, float(tile[i, j]), "is negative", remedy)


class NeighbourGraph:
    """½(A + Aᵀ), A the 0/1 matrix of the nearest samples in feature space, each its own neighbour."""

    def __init__(self, data: Training, count: int) -> None:
        if count > data.count:
            rule = f"must be at most n_samples={data.count}"
            raise ParameterError("n_neighbors", count, rule)
        self.data, self.count = data, count
        self.expansion = Expansion(
            data.kernel, data.own_samples(), np.arange(data.n_given), data.n_given
        )

    def build(self) -> NeighbourGraph:
        """Find the neighbours."""
        n = self.data.count
        self.square = np.ascontiguousarray(self.data.products().diagonal())
        positions = np.empty((n, 0), dtype=np.int64)
        if self.count > 1:
            positions = self._neighbours()
        ends = np.arange(n + 1) * (self.count - 1)
        A = sparse.csr_array((np.ones(positions.size), positions.ravel(), ends), shape=(n, n))
        self.matrix = self.weights = sparse.csr_array(0.5 * (A + A.T))
        self.degree = np.asarray(self.matrix.sum(axis=1)).ravel()
        links = f"{self.matrix.nnz} links"
        self.plan = f"{self.count} nearest neighbours in feature space, {links}"
        del self.data
        return self

    def _neighbours(self) -> np.ndarray:
        squares, every = self.square, np.arange(self.data.count)
        distances, positions = nearest(
            self.expansion, self.data.X, squares, squares, self.count - 1, every
        )
        farthest = positions[:, -1]
        vanished = distances[:, -1] >= (1 - 1e-15) * (squares + squares[farthest])
        positive = self.data.kernel is not None and bool((squares > 0).all())
        if positive and vanished.mean() > 0.1:
            rule = "is 0 between neighbours, so that all samples are equally far"
            remedy = "take a wider one, or kernel='linear', for the neighbours of the samples"
            warn(explain("kernel", self.data.kernel, rule, remedy))
        return positions

    def links(self, X: RawSamples, U: np.ndarray) -> np.ndarray:
        """Σ u_i over the neighbours of new samples."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        # k(x, x) is the same for all neighbours of x, and does not change their order
        nothing = np.full(n, -1)
        _, positions = nearest(self.expansion, X, np.zeros(n), self.square, self.count, nothing)
        return U[positions].sum(axis=1)


class GivenGraph:
    """A sparse matrix of weights, as it was given."""

    def __init__(self, W: SparseMatrix) -> None:
        matrix = sparse.csr_array(W, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        _check_graph(matrix)
        matrix.setdiag(0.0)
        matrix.eliminate_zeros()
        self.matrix = self.weights = matrix
        self.degree = np.asarray(matrix.sum(axis=1)).ravel()
        self.plan = f"sparse matrix as given, {matrix.nnz} links"

    def links(self, X: RawSamples, U: np.ndarray) -> np.ndarray:
        """Σ w(x, x_i) u_i for new samples."""
        return X @ U


def _check_graph(matrix: SparseMatrix) -> None:
    """Raise an error for weights that are not square, finite, positive and symmetric."""
    n = matrix.shape[0]
    if matrix.shape != (n, n):
        what = f"sparse matrix of shape {matrix.shape}"
        raise ParameterError("X", what, "should be a square matrix of affinities")
    if not np.isfinite(matrix.data).all():
        raise ParameterError("X", "sparse matrix", "holds NaN or infinity")
    if matrix.nnz and matrix.data.min() < 0:
        at = int(np.argmin(matrix.data))
        i, j = int(np.searchsorted(matrix.indptr, at, side="right") - 1), int(matrix.indices[at])
        what = f"the affinity of samples {i} and {j}"
        raise ParameterError(what, float(matrix.data[at]), "is negative")
    gap = abs(matrix - matrix.T)
    if gap.nnz and gap.max() > 1e-10 * matrix.max():
        raise ParameterError("X", "sparse matrix", "must be symmetric", "use (X + X.T)/2")
