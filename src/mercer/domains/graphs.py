"""Graphs: symmetric matrices of weights, and how they are read from arrays or networkx."""

from __future__ import annotations

import functools
import hashlib
import weakref
from collections.abc import Callable, Hashable, Sequence

import numpy as np
import scipy

from mercer.aliases import Frame, GraphLike, SparseMatrix
from mercer.domains.vectors.sparse import entry_position
from mercer.errors import MissingDependencyError, ParameterError
from mercer.execution.memo import Memo

Names = Sequence[Hashable] | np.ndarray
_ROUNDING = 1e-12  # the difference between B and Bᵀ that is a rounding error, of the largest weight


class Graph:
    """A symmetric matrix of weights in CSR form, and what is derived from it, each computed once.

    Graphs of equal content are one object in a process (`Graph.of`), so that kernels, their clones
    and unpickled copies share an eigendecomposition, which lives as long as one of them.
    """

    _known: weakref.WeakValueDictionary[str, Graph] = weakref.WeakValueDictionary()

    def __init__(self, matrix: scipy.sparse.csr_array, key: str) -> None:
        self.matrix = matrix
        self.key = key
        self.kept = Memo()  # what depends on the graph alone
        self.recent = Memo()  # what depends on a hyperparameter too: few such values are kept

    @classmethod
    def of(cls, matrix: scipy.sparse.csr_array) -> Graph:
        """The graph of a canonical matrix: sorted, without stored zeros, symmetric to the bit."""
        digest = hashlib.blake2b(repr(matrix.shape).encode(), digest_size=20)
        for part in (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data):
            digest.update(np.ascontiguousarray(part).data)
        key = digest.hexdigest()
        return cls._known.setdefault(key, cls(matrix, key))

    def __reduce__(self) -> tuple[Callable[..., Graph], tuple[scipy.sparse.csr_array]]:
        return Graph.of, (self.matrix,)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @functools.cached_property
    def degrees(self) -> np.ndarray:
        """Row sums; a loop counts once."""
        return np.asarray(self.matrix.sum(axis=1), dtype=float).ravel()

    @functools.cached_property
    def components(self) -> tuple[int, np.ndarray]:
        """The number of connected components, and the component of every node."""
        count, label = scipy.sparse.csgraph.connected_components(self.matrix, directed=False)
        return int(count), label

    @functools.cached_property
    def lonely(self) -> int:
        """The number of nodes without a neighbor other than themselves."""
        count, label = self.components
        return int((np.bincount(label, minlength=count) == 1).sum())

    @functools.cached_property
    def laplacian(self) -> scipy.sparse.csr_array:
        """L = D − B, in which loops cancel."""
        return scipy.sparse.csr_array(scipy.sparse.diags_array(self.degrees) - self.matrix)

    @functools.cached_property
    def normalized_laplacian(self) -> scipy.sparse.csr_array:
        """D^{−1/2} L D^{−1/2}, 0 at a node of degree 0; for weights >= 0."""
        isolated = self.degrees == 0
        roots = 1.0 / np.sqrt(np.where(isolated, 1.0, self.degrees))
        scale = scipy.sparse.diags_array(np.where(isolated, 0.0, roots))
        identity = scipy.sparse.diags_array((~isolated).astype(float))
        return scipy.sparse.csr_array(identity - scale @ self.matrix @ scale)

    def negative_pair(self) -> tuple[int, int] | None:
        """Two nodes joined by a negative weight, if there are any."""
        if not self.matrix.nnz or self.matrix.data.min() >= 0:
            return None
        return entry_position(self.matrix, int(np.argmax(self.matrix.data < 0)))


def read_graph(B: GraphLike, names: Names | None, what: str) -> tuple[Graph, list[Hashable] | None]:
    """The graph of a matrix, a data frame or a networkx graph, and the names of its nodes.

    Messages begin with ``what`` and name the place of what is wrong with B.
    """
    matrix, given = _read_matrix(B, names, what)
    _check_square(matrix, f"{what}: B")
    listed = None
    if given is not None:
        listed = check_names(given, matrix.shape[0], f"{what}: names")
    return Graph.of(_canonical(scipy.sparse.csr_array(matrix), f"{what}: B", listed)), listed


def _read_matrix(
    B: GraphLike, names: Names | None, what: str
) -> tuple[scipy.sparse.csr_array, Names | None]:
    """The matrix of weights, and the names that are given or that B has."""
    if _is_networkx(B):
        _check_no_names(names, what)
        return _from_networkx(B, f"{what}: B")
    if hasattr(B, "columns") and hasattr(B, "index"):
        names = _names_in_frame(B, names, f"{what}: B")
    return _as_csr(B, f"{what}: B"), names


def _is_networkx(B: GraphLike) -> bool:
    return hasattr(B, "adjacency") and hasattr(B, "nodes") and hasattr(B, "is_directed")


def _check_no_names(names: Names | None, what: str) -> None:
    if names is not None:
        rule = "is not needed: a networkx graph names its nodes"
        remedy = "leave it out, or rename the nodes by networkx.relabel_nodes"
        raise ParameterError(f"{what}: names", "a list", rule, remedy)


def _from_networkx(B: GraphLike, what: str) -> tuple[scipy.sparse.csr_array, list[Hashable]]:
    try:
        import networkx
    except ImportError:
        rule = "needs the package networkx to be read"
        remedy = "pip install networkx, or give a matrix"
        raise MissingDependencyError(what, type(B).__name__, rule, remedy) from None
    nodes = list(B)
    if not nodes:
        raise ParameterError(what, B, "has no nodes")
    try:
        matrix = networkx.to_scipy_sparse_array(
            B, nodelist=nodes, dtype=float, weight="weight", format="csr"
        )
    except (TypeError, ValueError) as error:
        rule = f"has a weight that is not a number ({error})"
        raise ParameterError(what, B, rule, "give every edge a real 'weight'") from None
    return matrix, nodes


def _names_in_frame(B: Frame, names: Names | None, what: str) -> Names | None:
    """The names that are given, or those of a data frame's columns, unless they are 0, 1, ..."""
    rows, columns, positions = list(B.index), list(B.columns), list(range(len(B)))
    if rows not in (columns, positions):
        rule = "names its rows otherwise than its columns"
        remedy = "bring the rows into the order of the columns: B.loc[B.columns]"
        raise ParameterError(what, "a data frame", rule, remedy)
    if names is None and columns != positions:
        return columns
    return names


def _as_csr(B: GraphLike, what: str) -> scipy.sparse.csr_array:
    """A sparse matrix of the numbers in any container of two axes."""
    if scipy.sparse.issparse(B):
        return _from_sparse(B, what)
    array = _as_array(B)
    if array.dtype.kind not in "fiub" or array.ndim != 2:
        shown = f"{type(B).__name__} of shape {array.shape} and type {array.dtype}"
        remedy = "give a symmetric array of weights, a scipy sparse matrix, or a networkx graph"
        raise ParameterError(what, shown, "is not the matrix of a graph", remedy)
    return scipy.sparse.csr_array(array.astype(float))


def _from_sparse(B: SparseMatrix, what: str) -> scipy.sparse.csr_array:
    if B.ndim != 2 or B.dtype.kind not in "fiub":
        shown = f"{B.dtype} of shape {B.shape}"
        raise ParameterError(what, shown, "must be a square matrix of real numbers")
    return scipy.sparse.csr_array(B, dtype=float, copy=True)


def _as_array(B: GraphLike) -> np.ndarray:
    """An array of numbers, or one of objects if B does not hold numbers."""
    try:
        array = np.asarray(B)
        if array.dtype.kind != "O" or any(isinstance(v, (str, bytes)) for v in array.ravel()):
            return array
        return array.astype(float)
    except (TypeError, ValueError, OverflowError):
        return np.empty(0, dtype=object)


def _check_square(B: scipy.sparse.csr_array, what: str) -> None:
    shown = f"matrix of shape {B.shape}"
    if B.shape[0] != B.shape[1]:
        remedy = "give one row and one column for each node"
        raise ParameterError(what, shown, "must be square", remedy)
    if B.shape[0] == 0:
        raise ParameterError(what, shown, "has no nodes")


def _canonical(
    B: scipy.sparse.csr_array, what: str, names: list[Hashable] | None
) -> scipy.sparse.csr_array:
    """The matrix sorted, without stored zeros, finite, and symmetric to the bit."""

    def entry(i: int, j: int) -> str:
        if names is None:
            return f"{what}[{i}, {j}]"
        return f"{what}[{names[i]!r}, {names[j]!r}]"

    bad = ~np.isfinite(B.data)
    if bad.any():
        at = int(np.argmax(bad))
        rule, remedy = "is not a finite number", "use 0 where there is no edge"
        raise ParameterError(entry(*entry_position(B, at)), float(B.data[at]), rule, remedy)
    B.sum_duplicates()
    gap = scipy.sparse.csr_array(B - B.T)
    largest = float(np.abs(B.data).max(initial=0.0))
    if gap.nnz and np.abs(gap.data).max() > _ROUNDING * largest:
        i, j = entry_position(gap, int(np.argmax(np.abs(gap.data))))
        entries = f"{entry(i, j)} = {float(B[i, j])!r} and {entry(j, i)} = {float(B[j, i])!r}"
        rule = f"must be symmetric, but {entries}"
        remedy = "use B + B.T where each edge is given once, or (B + B.T)/2"
        remedy += "; for a directed networkx graph, G.to_undirected()"
        raise ParameterError(what, f"matrix of shape {B.shape}", rule, remedy)
    if gap.nnz:
        B = scipy.sparse.csr_array((B + B.T) / 2)
    B.eliminate_zeros()
    B.sort_indices()
    return B


def check_names(names: Names, count: int, what: str) -> list[Hashable]:
    """The names as a list, which must have a different one for each node."""
    if isinstance(names, (str, bytes)) or not hasattr(names, "__len__"):
        raise ParameterError(what, names, "must be a list with one name for each node")
    listed: list[Hashable] = names.tolist() if hasattr(names, "tolist") else list(names)
    if len(listed) != count:
        rule = f"must have one name for each of the {count} nodes"
        raise ParameterError(what, f"{len(listed)} names", rule)
    _check_different(listed, what)
    return listed


def _check_different(names: list[Hashable], what: str) -> None:
    seen: dict[Hashable, int] = {}
    for at, name in enumerate(names):
        try:
            first = seen.setdefault(name, at)
        except TypeError:
            remedy = "use texts or numbers"
            raise ParameterError(f"{what}[{at}]", name, "cannot name a node", remedy) from None
        if first != at:
            rule, remedy = f"names node {first} already", "give every node its own name"
            raise ParameterError(f"{what}[{at}]", name, rule, remedy)
