"""The smoothest functions on a graph: the first eigenvectors of its normalized Laplacian."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from mercer.aliases import SparseMatrix
from mercer.gram.matrix import Matrix, Shifted, Weighted
from mercer.gram.stored import Stored
from mercer.linalg.lanczos import block_size, leading
from mercer.linalg.matrices import Multipliable
from mercer.linalg.solution import Solution

_SMALL = 300  # vertices below which all eigenvalues are computed
_WIDE = 30_000  # vertices beyond which a factorization may fill up, unless links are very few
_SHIFT = 1e-5  # past the largest eigenvalue, 1


@dataclasses.dataclass
class Smooth(Solution):
    """Eigenvalues of I − D^{-1/2} W D^{-1/2}, the smallest first, with unit eigenvectors."""

    values: np.ndarray
    vectors: np.ndarray
    solver: str
    parts: int  # connected components, or eigenvalues that are 0 up to rounding error

    def embedding(self, mass: np.ndarray) -> np.ndarray:
        """The eigenvectors over √mass, as functions of the vertices; mass is D, without copies."""
        linked = mass > 0
        root = np.where(linked, 1.0 / np.sqrt(np.where(linked, mass, 1.0)), 1.0)
        return self.vectors * root[:, None]


class _Normalized:
    """D^{-1/2} W D^{-1/2}; a vertex without links is a component of its own."""

    def __init__(self, weights: Multipliable, degree: np.ndarray) -> None:
        self.weights = weights
        self.root, self.alone = _roots(degree)

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        image = self.root[:, None] * (self.weights @ (self.root[:, None] * V))
        image[self.alone] += V[self.alone]
        return image


def with_copies(
    weights: Matrix | SparseMatrix, loops: np.ndarray, copies: np.ndarray
) -> tuple[Matrix | SparseMatrix, np.ndarray]:
    """The graph in which every vertex stands for several copies of it, and the degree of a copy.

    A function is the same on all copies of a vertex. With c copies and the affinity l of a vertex
    with itself, which links the copies with each other, the degrees are Dᵢ = Σⱼ wᵢⱼ cⱼ + (cᵢ − 1)
    lᵢ, and the matrix has √(cᵢ cⱼ) wᵢⱼ and, on its diagonal, (cᵢ − 1) lᵢ. Less than one copy has
    no loop.
    """
    root, among = np.sqrt(copies), np.maximum(copies - 1.0, 0.0) * loops
    degree = (weights @ copies[:, None])[:, 0] + among
    if isinstance(weights, Matrix):
        return Shifted(Weighted(weights, root), among), degree
    scale = sparse.diags_array(root)
    return sparse.csr_array(scale @ weights @ scale + sparse.diags_array(among)), degree


def smooth_functions(
    weights: Matrix | SparseMatrix,
    degree: np.ndarray,
    count: int,
    rng: np.random.RandomState,
    tol: float,
) -> Smooth:
    """The smoothest functions on a graph, by the method that suits its matrix of weights."""
    if not isinstance(weights, Matrix):
        return smoothest_sparse(weights, degree, count, rng, tol)
    n = len(degree)
    start = rng.standard_normal((n, min(n, block_size(count))))
    smooth = smoothest(weights, degree, count, start, tol)
    while isinstance(weights, Shifted | Weighted):
        weights = weights.matrix  # the links are the same
    if isinstance(weights, Stored) and smooth.parts > 1:
        # only as many parts as eigenvalues were computed are known so far
        parts = csgraph.connected_components(sparse.csr_array(weights.array > 0))[0]
        smooth.parts = max(smooth.parts, parts)
    return smooth


def smoothest(
    weights: Multipliable, degree: np.ndarray, count: int, start: np.ndarray, tol: float
) -> Smooth:
    """The smoothest functions on a graph by block Lanczos, which only multiplies by the weights."""
    top = leading(_Normalized(weights, degree), start, count, tol=tol, passes=400)
    values = np.maximum(1.0 - top.values, 0.0)
    parts = max(int((values < 1e-10).sum()), 1)
    solver = f"block Lanczos, {top.iterations} passes"
    return Smooth(
        values, top.vectors, solver, parts, residual=top.residual, iterations=top.iterations
    )


def smoothest_sparse(
    W: SparseMatrix, degree: np.ndarray, count: int, rng: np.random.RandomState, tol: float
) -> Smooth:
    """The smoothest functions on a sparse graph, one connected component after the other.

    Each component is solved by a factorization next to its eigenvalue 0.
    """
    root, alone = _roots(degree)
    W = sparse.csr_array(W, copy=True)
    W.eliminate_zeros()  # a stored zero is no link
    parts, member = csgraph.connected_components(W, directed=False)
    scale = sparse.diags_array(root)
    N = sparse.csr_array(scale @ W @ scale + sparse.diags_array(alone.astype(float)))
    values: list[np.ndarray] = []
    columns: list[
        tuple[np.ndarray, np.ndarray]
    ] = []  # of each eigenvector, its vertices and values
    residual = 0.0
    order = np.argsort(member, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(member))[:-1]):
        block = N[rows][:, rows] if parts > 1 else N
        of_block, vectors, of_block_residual = _component(block, min(count, len(rows)), rng, tol)
        residual = max(residual, of_block_residual)
        values.append(of_block)
        columns += [(rows, v) for v in vectors.T]
    every = np.concatenate(values)
    smallest = np.argsort(every, kind="stable")[:count]
    V = np.zeros((len(degree), len(smallest)))
    for j, i in enumerate(smallest):
        rows, v = columns[i]
        V[rows, j] = v
    return Smooth(every[smallest], V, _solver_name(len(degree)), parts, residual=residual)


def _solver_name(n: int) -> str:
    if n <= _SMALL:
        return "dense eigenvalues"
    if n <= _WIDE:
        return "Lanczos beside a sparse factorization"
    return "block Lanczos"


def _roots(degree: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """D^{-1/2} as a vector, 0 for vertices without links, and which vertices these are."""
    alone = degree <= 0
    return np.where(alone, 0.0, 1.0 / np.sqrt(np.where(alone, 1.0, degree))), alone


def _component(
    N: SparseMatrix, count: int, rng: np.random.RandomState, tol: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """The smallest eigenvalues of I − N for a connected graph, and the residual."""
    n = N.shape[0]
    if n <= _SMALL or count >= n - 1:
        values, V = linalg.eigh(np.eye(n) - N.toarray(), subset_by_index=[0, count - 1])
        return np.maximum(values, 0.0), V, 0.0
    if n <= _WIDE or N.nnz <= 5 * n:
        try:
            return _by_factorization(N, count, rng)
        except ArpackNoConvergence:  # pragma: no cover - the block method below always ends
            pass
    start = rng.standard_normal((n, block_size(count)))
    top = leading(N, start, count, tol=tol, passes=2000)
    return np.maximum(1.0 - top.values, 0.0), top.vectors, top.residual


def _by_factorization(
    N: SparseMatrix, count: int, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray, float]:
    """Lanczos with the inverse of (1 + shift) − N, which has the wanted eigenvalues far apart."""
    n = N.shape[0]
    shifted = sparse.csc_array((1.0 + _SHIFT) * sparse.eye_array(n) - N)
    factor = splu(shifted, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    inverse = LinearOperator((n, n), matvec=factor.solve, dtype=float)
    inverses, V = eigsh(inverse, count, which="LA", v0=rng.standard_normal(n))
    order = np.argsort(-inverses)
    return np.maximum(1.0 / inverses[order] - _SHIFT, 0.0), V[:, order], 0.0
