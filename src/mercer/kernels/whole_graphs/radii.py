"""Spectral radii of graphs and of their product graphs, enclosed from both sides.

The radius of a matrix of numbers ≥ 0 lies between the least and the largest (A x)_i / x_i, for
every x > 0 (Collatz and Wielandt). A few power steps bring the two together; eigenvalues are
computed only where they do not decide.
"""

from __future__ import annotations

import numpy as np

from mercer.aliases import SparseMatrix
from mercer.domains.structures.graphs import GraphSamples

__all__: list[str] = []

_STEPS = 200  # an entry of x shrinks to a fifth in each at most, which keeps it a normal number
_TIGHT = 1e-10  # of the radius, that the bounds may differ
_SHIFT = 0.25  # of the radius, added to the diagonal for graphs in two parts
_DENSE = 400  # nodes up to which all eigenvalues are computed


def radii(samples: GraphSamples, labeled: bool, limit: float) -> np.ndarray:
    """The largest eigenvalue of the graph of matching pairs of each graph with itself.

    They are upper bounds, less than 1e-10 too large. Where any bound is below the limit, it is
    returned instead.
    """
    matrix, bounds = _two_step_bounds(samples)
    limit *= 1.0 - 1e-9  # a bound that rounding errors bring below the limit decides nothing
    for row in np.flatnonzero(bounds >= limit):
        bounds[row] = min(bounds[row], _radius(samples, matrix, int(row), labeled, limit))
    return bounds


def largest_radius(samples: GraphSamples, labeled: bool) -> float:
    """The largest of all radii, of which those that a bound excludes are not computed."""
    matrix, bounds = _two_step_bounds(samples)
    largest = 0.0
    for row in np.argsort(-bounds, kind="stable"):
        if bounds[row] <= largest:
            break
        largest = max(largest, _radius(samples, matrix, int(row), labeled, largest))
    return largest


def _two_step_bounds(samples: GraphSamples) -> tuple[SparseMatrix, np.ndarray]:
    """The adjacency matrix of all graphs, and a bound of the squared radius of each of them.

    It is the largest row sum of A².
    """
    matrix = samples.adjacency()
    two_steps = matrix @ np.asarray(matrix.sum(axis=1)).ravel()
    bounds = np.zeros(len(samples))
    np.maximum.at(bounds, samples.owners, two_steps)
    return matrix, bounds


def _radius(
    samples: GraphSamples, matrix: SparseMatrix, row: int, labeled: bool, limit: float
) -> float:
    """The radius of one graph, or a bound of it that is below the limit."""
    nodes = slice(int(samples.starts[row]), int(samples.starts[row + 1]))
    bound = spectral_radius(matrix[nodes, nodes], np.sqrt(limit)) ** 2
    if not labeled or bound < limit:
        return bound
    product = _undirected_radius(samples, row, limit)
    if product is None:
        product = spectral_radius(_self_product(samples, row), limit)
    return min(bound, product)


def _undirected_radius(samples: GraphSamples, row: int, limit: float) -> float | None:
    """The radius of the product of one graph with itself, which is not built.

    Its vectors are matrices X of pairs of nodes, and a step is A X Aᵀ for each label of edges. The
    quotient of Rayleigh bounds the radius from below, as the product is symmetric. None if the
    graph is directed or the bounds come together slowly.
    """
    from scipy.sparse import csr_matrix

    one = samples.take(np.array([row]))
    edges, colors, n = one.edge_colors(), one.node_colors("constant"), len(one.owners)
    shape, where = (n, n), (one.graphs.indices, one.graphs.indptr)
    labels = np.unique(edges)
    parts = [csr_matrix(((edges == label).astype(float), *where), shape=shape) for label in labels]
    if any(not _is_symmetric(part) for part in parts):
        return None
    matched = np.equal.outer(colors, colors)
    x = matched.astype(np.float64)
    for _ in range(_STEPS):
        y = np.zeros(shape)
        for part in parts:
            y += part @ np.ascontiguousarray((part @ x).T)
        y *= matched
        most = float(np.divide(y, x, out=np.zeros(shape), where=matched).max(initial=0.0))
        if not most or most < limit or most - np.vdot(x, y) / np.vdot(x, x) <= _TIGHT * most:
            return most
        x = y + _SHIFT * most * x
        x /= x.max()
    return None


def _self_product(samples: GraphSamples, row: int) -> SparseMatrix:
    """The adjacency matrix of pairs of nodes with equal labels, of one graph with itself.

    Two edges match if their own labels and those of both of their nodes do, so that the entries of
    the product are the pairs of edges within each group of matching ones.
    """

    from scipy.sparse import csr_matrix

    one = samples.take(np.array([row]))
    graphs, colors, n = one.graphs, one.node_colors("constant"), len(one.owners)
    tails = np.repeat(np.arange(n), np.diff(graphs.indptr))
    heads = np.asarray(graphs.indices, dtype=np.int64)
    labels = np.stack([colors[tails], colors[heads], one.edge_colors()], axis=1)
    groups, sizes = np.unique(labels, axis=0, return_inverse=True, return_counts=True)[1:]
    order = np.argsort(groups.ravel(), kind="stable")
    firsts = np.repeat(np.cumsum(sizes) - sizes, sizes)  # the group of each edge begins there
    partners = np.repeat(sizes, sizes)
    left = np.repeat(np.arange(len(order)), partners)
    within = np.arange(len(left)) - np.repeat(np.cumsum(partners) - partners, partners)
    left, right = order[left], order[np.repeat(firsts, partners) + within]
    pairs = tails[left] * n + tails[right], heads[left] * n + heads[right]
    return csr_matrix((np.ones(len(left)), pairs), shape=(n * n, n * n))


def spectral_radius(matrix: SparseMatrix, limit: float = 0.0) -> float:
    """An upper bound of the spectral radius of a matrix of numbers ≥ 0.

    It is below the limit, or larger than the radius by a factor of 1 + 1e-10 at most.
    """
    matrix, starts = _components(matrix)
    if not len(starts):
        return 0.0
    part = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, matrix.shape[0])))
    x = np.ones(matrix.shape[0])
    for _ in range(_STEPS):
        y = matrix @ x
        upper = np.maximum.reduceat(y / x, starts)
        lower = np.minimum.reduceat(y / x, starts)
        most, least = float(upper.max()), float(lower.max())
        if most < limit or most - least <= _TIGHT * most:
            return most
        x = y + _SHIFT * upper[part] * x
        x /= np.maximum.reduceat(x, starts)[part]
    undecided = (upper > least)[part]
    value = _largest_eigenvalue(matrix[undecided][:, undecided])
    return min(max(value, least), most)


def _components(matrix: SparseMatrix) -> tuple[SparseMatrix, np.ndarray]:
    """The matrix without entries that lie on no cycle, and where its components start.

    Such entries do not change the eigenvalues; a radius is that of a strongly connected component.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    entries = matrix.tocoo()
    component = connected_components(matrix, connection="strong")[1]
    inside = component[entries.row] == component[entries.col]
    rows, cols = entries.row[inside], entries.col[inside]
    used = np.zeros(len(component), dtype=bool)
    used[rows] = True  # on a cycle, each node is the start of an entry
    order = np.flatnonzero(used)
    order = order[np.argsort(component[order], kind="stable")]
    place = np.zeros(len(component), dtype=np.int64)
    place[order] = np.arange(len(order))
    kept = csr_matrix((entries.data[inside], (place[rows], place[cols])), shape=(len(order),) * 2)
    return kept, np.flatnonzero(np.diff(component[order], prepend=-1))


def _largest_eigenvalue(matrix: SparseMatrix) -> float:
    """The spectral radius of a matrix of numbers ≥ 0, as an eigenvalue."""
    symmetric = _is_symmetric(matrix)
    if matrix.shape[0] <= _DENSE:
        dense = matrix.toarray()
        values = np.linalg.eigvalsh(dense) if symmetric else np.linalg.eigvals(dense)
        return float(np.abs(values).max(initial=0.0))
    from scipy.sparse.linalg import eigs, eigsh

    start = np.ones(matrix.shape[0])
    if symmetric:
        return float(eigsh(matrix, k=1, which="LA", v0=start, return_eigenvectors=False)[0])
    return float(np.abs(eigs(matrix, k=1, which="LM", v0=start, return_eigenvectors=False)[0]))


def _is_symmetric(matrix: SparseMatrix) -> bool:
    return (abs(matrix - matrix.T) > 0).nnz == 0
