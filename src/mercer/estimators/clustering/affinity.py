"""Graphs of samples: every two samples linked with a kernel's weight, or nearest neighbors."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from scipy import sparse

from mercer.aliases import Prepared, RawSamples, SparseMatrix
from mercer.config import format_bytes
from mercer.definiteness import Definite
from mercer.domains.base import pick_rows, raw_length
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
from mercer.params import param
from mercer.state import State, check_count, storable

_TINY = 1e-150  # a local scale that only copies of a sample have


class Graph(Protocol):
    """A weighted graph on the training samples, without loops."""

    plan: str
    degree: np.ndarray

    def links(self, X: RawSamples, U: np.ndarray) -> np.ndarray:
        """Σ w(x, x_i) u_i for new samples."""


def _local_weights(
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
    """exp(−d(x, y)²/(s_x s_y)), for samples prepared with their k(x, x) and local scale s_x."""

    definite: ClassVar[Definite | None] = None
    kernel: Kernel = param(check=is_kernel)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.kernel.tile(pair.part(0), out)
        x, y = pair.x.extra, pair.y.extra
        squares = x["square"][pair.rows], y["square"][pair.cols]
        scales = x["scale"][pair.rows], y["scale"][pair.cols]
        np.copyto(out, _local_weights(out, *squares, *scales))

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return np.ones(len(samples))


def _counted(data: Training) -> RawSamples:
    """The samples of positive weight, or their rows of a precomputed matrix."""
    return data.X if data.all_count else pick_rows(data.X, data.rows)


def _check_vectors(expansion: Expansion, vectors: dict[str, np.ndarray]) -> None:
    """Raise an error unless vectors have one value for each sample that is kept."""
    for name, vector in vectors.items():
        check_count(name, len(np.atleast_1d(vector)), len(expansion.positions))


@storable
class KernelGraph:
    """Every two samples linked with weight k(x, y), or exp(−d²/(s_x s_y)) with local scaling.

    The local scale s_x is the distance from x to its m-th neighbor, m = ``scaling``. Nothing is
    computed before `build`.
    """

    stored: ClassVar[State] = State(
        finite=("degree", "square", "scale"), plain=("scaling", "kernel", "expansion", "plan")
    )

    def __init__(self, data: Training, scaling: int | None) -> None:
        if scaling is not None and scaling >= data.count:
            rule = f"must be less than n_samples={data.count}"
            raise ParameterError("local_scaling", scaling, rule)
        self.scaling = scaling
        self.kernel = data.kernel
        self.expansion = Expansion(data.kernel, data.own_samples(), data.rows, data.n_given)

    def build(self, data: Training) -> tuple[Matrix, np.ndarray]:
        """Compute the local scales and degrees.

        Returns the matrix of weights, stored where it fits, and those of samples with themselves.
        """
        plan = plan_matrix(data.count, PRODUCTS, given=data.kernel is None)
        matrix = self._with_loops(data, plan)
        if isinstance(matrix, Stored):
            self.plan = f"all pairs, stored, {format_bytes(plan.bytes)}"
            return self._without_loops(matrix)
        assert isinstance(matrix, Streamed)
        self.plan = f"all pairs, {plan}"
        return self._without_streamed_loops(matrix)

    def _with_loops(self, data: Training, plan: Plan) -> Matrix:
        """The weights with those of every sample with itself."""
        if data.kernel is None:
            K = data.gram()
            if self.scaling is not None:
                self._scale_samples(_counted(data), np.ascontiguousarray(K.diagonal()))
                K = _local_weights(K, self.square, self.square, self.scale, self.scale)
            return Stored(K, plan)
        kernel, samples = data.kernel, data.prepared()
        if self.scaling is not None:
            squares = np.ascontiguousarray(kernel.diagonal(samples), dtype=np.float64)
            self._scale_samples(_counted(data), squares)
            kernel = LocallyScaled(kernel)
            samples = Parts(samples, square=self.square, scale=self.scale)
        return gram_matrix(kernel, samples, plan)

    def _without_loops(self, matrix: Stored) -> tuple[Matrix, np.ndarray]:
        n, loops = len(matrix), matrix.diagonal()
        np.fill_diagonal(matrix.array, 0.0)
        _check_signs(matrix.array, (0, n), (0, n))
        self.degree = (matrix @ np.ones((n, 1)))[:, 0]
        return matrix, loops

    def _without_streamed_loops(self, matrix: Streamed) -> tuple[Matrix, np.ndarray]:
        """The degrees are summed, and all signs checked, in one pass over the tiles."""
        degree = np.zeros(len(matrix))

        def visit(tile: np.ndarray, rows: Range, cols: Range) -> None:
            _check_signs(tile, rows, cols)
            degree[slice(*rows)] += tile.sum(axis=1)

        matrix.visit(visit, "degrees")
        loops = matrix.diagonal()
        self.degree = degree - loops
        return Shifted(matrix, -loops), loops

    def _scale_samples(self, X: RawSamples, squares: np.ndarray) -> None:
        self.square = squares
        self.scale = self._local_scales(X, squares, np.arange(len(squares)))

    def _local_scales(self, X: RawSamples, squares: np.ndarray, skip: np.ndarray) -> np.ndarray:
        assert self.scaling is not None
        squared, _ = nearest(self.expansion, X, squares, self.square, self.scaling, skip)
        return np.maximum(np.sqrt(np.maximum(squared[:, -1], 0.0)), _TINY)

    def links(self, X: RawSamples, U: np.ndarray) -> np.ndarray:
        """Σ w(x, x_i) u_i for new samples."""
        if self.scaling is None:
            return self.expansion.apply(X, U)
        squares = np.ascontiguousarray(self.expansion.squares(X, self.square))
        scale = self._local_scales(X, squares, np.full(len(squares), -1))
        if self.kernel is None:
            K = np.asarray(X)[:, self.expansion.positions]
            return _local_weights(K, squares, self.square, scale, self.scale) @ U
        x, y = self.expansion.prepare(X)
        x = Parts(x, square=squares, scale=scale)
        y = Parts(y, square=self.square, scale=self.scale)
        return multiply(LocallyScaled(self.kernel), x, y, U)

    def _check_loaded(self) -> None:
        vectors = {"degree": self.degree}
        if self.scaling is not None:
            vectors |= {"square": self.square, "scale": self.scale}
        _check_vectors(self.expansion, vectors)


def _check_signs(tile: np.ndarray, rows: Range, cols: Range) -> None:
    if tile.min() >= 0:
        return
    i, j = np.unravel_index(int(np.argmin(tile)), tile.shape)
    remedy = (
        "use a kernel with values >= 0 (RBF, Laplacian, (k + 1) of a normalized kernel), or "
        "affinity='nearest_neighbors'"
    )
    what = f"the affinity of samples {rows[0] + i} and {cols[0] + j}"
    raise ParameterError(what, float(tile[i, j]), "is negative", remedy)


@storable
class NeighborGraph:
    """Weights ½(A + Aᵀ), with A the 0/1 matrix of nearest neighbors in feature space.

    A sample counts as its own neighbor. Nothing is computed before `build`.
    """

    stored: ClassVar[State] = State(
        finite=("degree", "square"), plain=("count", "expansion", "plan")
    )

    def __init__(self, data: Training, count: int) -> None:
        if count > data.count:
            rule = f"must be at most n_samples={data.count}"
            raise ParameterError("n_neighbors", count, rule)
        self.count = count
        self.expansion = Expansion(data.kernel, data.own_samples(), data.rows, data.n_given)

    def build(self, data: Training) -> tuple[SparseMatrix, np.ndarray]:
        """Find the neighbors; the matrix of weights, and those of samples with themselves."""
        n = data.count
        self.square = np.ascontiguousarray(data.products().diagonal())
        positions = np.empty((n, 0), dtype=np.int64)
        if self.count > 1:
            positions = self._neighbors(data)
        ends = np.arange(n + 1) * (self.count - 1)
        A = sparse.csr_array((np.ones(positions.size), positions.ravel(), ends), shape=(n, n))
        weights = sparse.csr_array(0.5 * (A + A.T))
        self.degree = np.asarray(weights.sum(axis=1)).ravel()
        self.plan = f"{self.count} nearest neighbors in feature space, {weights.nnz} links"
        return weights, np.ones(n)

    def _neighbors(self, data: Training) -> np.ndarray:
        squares, others = self.square, self.count - 1
        distances, positions = nearest(
            self.expansion, _counted(data), squares, squares, others, np.arange(data.count)
        )
        farthest = positions[:, -1]
        vanished = distances[:, -1] >= (1 - 1e-15) * (squares + squares[farthest])
        positive = data.kernel is not None and bool((squares > 0).all())
        if positive and vanished.mean() > 0.1:
            rule = "is 0 between neighbors, so that all samples are equally far"
            remedy = "take a wider one, or kernel='linear', for the neighbors of the samples"
            warn(explain("kernel", data.kernel, rule, remedy))
        return positions

    def links(self, X: RawSamples, U: np.ndarray) -> np.ndarray:
        """Σ u_i over the neighbors of new samples."""
        n = raw_length(X)
        # k(x, x) is the same for all neighbors of x, and does not change their order
        nothing = np.full(n, -1)
        _, positions = nearest(self.expansion, X, np.zeros(n), self.square, self.count, nothing)
        return U[positions].sum(axis=1)

    def _check_loaded(self) -> None:
        _check_vectors(self.expansion, {"degree": self.degree, "square": self.square})


@storable
class GivenGraph:
    """A graph that was given as a sparse matrix of weights."""

    stored: ClassVar[State] = State(finite=("degree",), plain=("plan",))

    def build(self, W: SparseMatrix, rows: np.ndarray) -> tuple[SparseMatrix, np.ndarray]:
        """Check the weights; a copy of those between ``rows`` without loops, and the loops."""
        weights = sparse.csr_array(W, dtype=np.float64, copy=True)
        weights.sum_duplicates()
        if len(rows) < weights.shape[0]:
            weights = weights[rows][:, rows]
        _check_graph(weights)
        loops = weights.diagonal()
        weights.setdiag(0.0)
        weights.eliminate_zeros()
        self.degree = np.asarray(weights.sum(axis=1)).ravel()
        self.plan = f"sparse matrix as given, {weights.nnz} links"
        return weights, loops

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
        worst = int(np.argmin(matrix.data))
        i = int(np.searchsorted(matrix.indptr, worst, side="right") - 1)
        what = f"the affinity of samples {i} and {int(matrix.indices[worst])}"
        raise ParameterError(what, float(matrix.data[worst]), "is negative")
    gap = abs(matrix - matrix.T)
    if gap.nnz and gap.max() > 1e-10 * matrix.max():
        raise ParameterError("X", "sparse matrix", "must be symmetric", "use (X + X.T)/2")
