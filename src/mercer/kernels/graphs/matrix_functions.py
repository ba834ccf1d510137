"""Functions of a symmetric matrix of a graph: by eigenvectors, or by actions on a few vectors.

A small matrix is decomposed. A large sparse one is only multiplied with vectors, and solved for
them.

The actions treat every column of a block alike and by itself, whatever stands beside it, so that an
entry of a Gram matrix has the same bits whichever rows were asked for with it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Hashable

import numpy as np
import scipy

from mercer.domains.nodes import Graph
from mercer.errors import DomainError
from mercer.execution.cancel import check_stop
from mercer.gram.plan import fits
from mercer.linalg.cg import conjugate_gradients
from mercer.linalg.lanczos import leading
from mercer.linalg.matrices import Diagonal, Multipliable

__all__: list[str] = []

SPECTRAL_LIMIT = 3000  # nodes: up to here one eigendecomposition is cheaper than actions
_DENSE = 0.05  # of all weights: a matrix so full gains nothing from being sparse
BLOCK_COLUMNS = 16  # of a block of vectors
_STEPS = 40  # of Lanczos, for the ends of a spectrum
_MATRICES = 3  # of n x n, that an eigendecomposition holds at once
_REFINEMENTS = 3  # solutions of what is left, down to rounding error
_FILL = 20  # times the stored weights: what a triangular factor may hold
Block = np.ndarray  # n x c, C order


@dataclasses.dataclass(frozen=True)
class Spectrum:
    """Eigenvalues and eigenvectors (columns) of the connected components, one after the other.

    ``first`` marks the smallest eigenvalue of each component.
    """

    values: np.ndarray
    vectors: np.ndarray
    first: np.ndarray


def is_small(graph: Graph) -> bool:
    """Whether an eigendecomposition is quicker than actions on vectors, and fits into memory."""
    n = len(graph)
    quicker = n <= SPECTRAL_LIMIT or graph.matrix.nnz > _DENSE * n * n
    return quicker and fits(_MATRICES * n, n)


def spectrum(graph: Graph, which: str) -> Spectrum:
    """The eigendecomposition of a matrix of the graph, computed once: ``which`` is its attribute.

    Every connected component has its own: values between two components are then 0 and not nearly
    0, and the one vector of each component that L maps to 0 is known.
    """
    return graph.kept.once(("spectrum", which), lambda: _decompose(graph, which))


def _decompose(graph: Graph, which: str) -> Spectrum:
    matrix = getattr(graph, which)
    n = len(graph)
    count, label = graph.components
    order = np.argsort(label, kind="stable")
    edges = np.concatenate([[0], np.cumsum(np.bincount(label, minlength=count))])
    values, vectors = np.empty(n), np.zeros((n, n))
    for start, stop in itertools.pairwise(edges.tolist()):
        nodes = order[start:stop]
        dense = matrix[nodes][:, nodes].toarray()
        values[start:stop], vectors[nodes, start:stop] = np.linalg.eigh(dense)
    first = np.zeros(n, dtype=bool)
    first[edges[:-1]] = True
    if which != "matrix" and graph.negative_pair() is None:
        # A Laplacian has no negative eigenvalue, and the eigenvalue 0 once for each component.
        values = np.where(first, 0.0, np.maximum(values, 0.0))
    return Spectrum(values, vectors, first)


def spectral_bounds(graph: Graph, which: str) -> tuple[float, float]:
    """An interval that holds the spectrum of a matrix of the graph.

    It is tight, because the exponential would be lost in rounding errors if it were much too large.
    """

    def make() -> tuple[float, float]:
        matrix = getattr(graph, which)
        diagonal = matrix.diagonal()
        radius = np.asarray(abs(matrix).sum(axis=1), dtype=float).ravel() - np.abs(diagonal)
        low, high = float((diagonal - radius).min()), float((diagonal + radius).max())  # Gershgorin
        lowest, highest = _spectrum_ends(matrix)
        margin = 1e-3 * (highest - lowest)
        return max(low, lowest - margin), min(high, highest + margin)

    return graph.kept.once(("bounds", which), make)


def _spectrum_ends(matrix: scipy.sparse.csr_array) -> tuple[float, float]:
    """The ends of the spectrum as a Krylov space sees them, moved out by their residuals."""
    start = np.random.default_rng(0).standard_normal((matrix.shape[0], min(2, matrix.shape[0])))
    ends = []
    for sign in (-1.0, 1.0):
        top = leading(sign * matrix, start, 1, passes=_STEPS)
        ends.append(sign * (float(top.values[0]) + top.residual * abs(float(top.values[0]))))
    return ends[0], ends[1]


def exponential(graph: Graph, which: str, t: float, V: Block) -> Block:
    """exp(tA) V of a matrix A of the graph, by a Chebyshev series between its spectral bounds."""
    low, high = spectral_bounds(graph, which)
    middle, half = (high + low) / 2, (high - low) / 2
    coefficients = _chebyshev_coefficients(t * half)
    scale = np.exp(t * middle + abs(t * half))
    total = coefficients[0] * V
    if len(coefficients) == 1:
        return scale * total

    def make() -> scipy.sparse.csr_array:
        shifted = getattr(graph, which) - middle * scipy.sparse.eye_array(len(graph))
        return scipy.sparse.csr_array(shifted * (2 / half))

    twice = graph.kept.once(("twice", which), make)  # of the matrix moved into [−1, 1]
    before, now = V, (twice @ V) / 2
    total += (2 * coefficients[1]) * now
    for coefficient in coefficients[2:]:
        check_stop()
        after = twice @ now
        after -= before
        before, now = now, after
        total += (2 * coefficient) * now
    total *= scale
    return total


def _chebyshev_coefficients(z: float) -> np.ndarray:
    """e^{−|z|} I_k(z), as far as they matter; twice their sum is about 1 for z > 0."""
    orders = np.arange(int(40 + 12 * np.sqrt(abs(z))) + 1)
    coefficients = scipy.special.ive(orders, abs(z))
    last = int(np.max(np.flatnonzero(coefficients > 1e-18), initial=0))
    signs = np.where(orders[: last + 1] % 2 == 1, np.sign(z), 1.0)
    return coefficients[: last + 1] * signs


@dataclasses.dataclass(frozen=True)
class Factor:
    """A sparse triangular factor in an order that keeps it near the diagonal."""

    lu: scipy.sparse.linalg.SuperLU
    order: np.ndarray

    def solve(self, V: Block) -> Block:
        """The inverse times V, column by column: none may depend on its neighbors."""
        out = np.empty_like(V)
        for c in range(V.shape[1]):
            out[self.order, c] = self.lu.solve(np.ascontiguousarray(V[self.order, c]))
        return out


def _thin_order(graph: Graph) -> np.ndarray | None:
    """An order of the nodes in which L has a narrow envelope, which bounds every triangular factor.

    Most networks have none (None). Long and thin graphs (paths, rings, strips) have one, and
    conjugate gradients are slow on them.
    """

    def make() -> tuple[np.ndarray | None]:
        matrix = scipy.sparse.csr_matrix(graph.laplacian)
        order = scipy.sparse.csgraph.reverse_cuthill_mckee(matrix, symmetric_mode=True)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        rows = np.repeat(np.arange(len(order)), np.diff(matrix.indptr))
        reach = np.zeros(len(order))
        np.maximum.at(reach, rows, place[rows] - place[matrix.indices])
        if reach.sum() > _FILL * max(matrix.nnz, 1):
            return (None,)
        return (order,)

    # A tuple, because a None would be computed again.
    return graph.kept.once("thin order", make)[0]


def _factor(
    graph: Graph, key: Hashable, matrix: Callable[[], scipy.sparse.csr_array]
) -> Factor | None:
    """The factor of a matrix, if the graph has a thin order; ``key`` says which matrix it is."""
    order = _thin_order(graph)
    if order is None:
        return None

    def make() -> Factor:
        from scipy.sparse.linalg import splu

        permuted = matrix()[order][:, order].tocsc()
        options = {"SymmetricMode": True, "Equil": False}
        lu = splu(permuted, permc_spec="NATURAL", diag_pivot_thresh=0.0, options=options)
        return Factor(lu, order)

    return graph.recent.once(("factor", key), make, keep=2)


def _solve(matrix: Multipliable, inverse_diagonal: np.ndarray, V: Block, limit: int) -> Block:
    """X with matrix @ X = V to rounding error, by conjugate gradients; columns do not interact."""
    X = np.zeros_like(V)
    inverse = Diagonal(inverse_diagonal)
    floor = np.add.reduce(V * (inverse @ V), axis=0) * (16 * np.finfo(float).eps) ** 2
    rest = V
    for _ in range(_REFINEMENTS):
        solution = conjugate_gradients(
            matrix, rest, inverse, limit=limit, measure="energy", floor=floor
        )
        if not solution.converged:
            rule = f"has not converged after {limit} steps of conjugate gradients"
            remedy = "take a smaller t, or LaplacianDiffusion"
            raise DomainError("graph", f"{len(V)} nodes", rule, remedy)
        X += solution.x
        rest = V - matrix @ X
    return X


def resolvent(graph: Graph, t: float, V: Block) -> Block:
    """(I + tL)⁻¹ V for weights >= 0."""
    matrix = graph.laplacian
    identity = scipy.sparse.eye_array(len(graph), format="csr")
    whole = scipy.sparse.csr_array(identity + t * matrix)
    factor = _factor(graph, t, lambda: whole)
    if factor is not None:
        X = factor.solve(V)
        return X + factor.solve(V - whole @ X)
    inverse_diagonal = 1.0 / (1.0 + t * matrix.diagonal())
    limit = 1000 + 10 * len(graph)
    return _solve(whole, inverse_diagonal, V, limit)


def _centered(graph: Graph, V: Block) -> Block:
    """V less its mean on each connected component: the projection on the range of L."""
    count, label = graph.components
    positions = (label, np.arange(len(label)))
    member = scipy.sparse.csr_array((np.ones(len(label)), positions), shape=(count, len(label)))
    means = (member @ V) / np.bincount(label, minlength=count)[:, None]
    return V - means[label]


def pseudo_inverse(graph: Graph, V: Block) -> Block:
    """L⁺ V for weights >= 0, component by component."""
    matrix = graph.laplacian
    right = _centered(graph, V)
    factor = _factor(graph, "ground", lambda: _grounded(graph))
    if factor is not None:
        X = _centered(graph, factor.solve(right))
        return _centered(graph, X + factor.solve(_centered(graph, right - matrix @ X)))
    diagonal = matrix.diagonal()
    inverse_diagonal = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
    limit = 1000 + 10 * len(graph)
    X = _solve(matrix, inverse_diagonal, right, limit)
    return _centered(graph, X)


def _grounded(graph: Graph) -> scipy.sparse.csr_array:
    """L with 1 added at one node of each component, which makes it nonsingular."""
    ground = np.zeros(len(graph))
    ground[np.unique(graph.components[1], return_index=True)[1]] = 1.0
    return scipy.sparse.csr_array(graph.laplacian + scipy.sparse.diags_array(ground))
