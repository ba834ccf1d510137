"""The nodes of a network: a symmetric matrix of weights, read once and shared, and samples that are nodes of it."""

from __future__ import annotations

import functools
import hashlib
import math
import numbers
import weakref
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
import scipy

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.errors import (
    DomainError,
    EmptyInputError,
    InputTypeError,
    MissingDependencyError,
    NotFiniteError,
    ParameterError,
    ShapeError,
    explain,
)
from mercer.state import State, storable

_ROUNDING = 1e-12  # of the largest weight: what may lie between B and Bᵀ


class Memo:
    """Things made once: kept as long as whoever holds this."""

    once: Any = Samples.once  # the same lock, made new after a fork

    def __getstate__(self) -> dict[str, Any]:
        return {}


class Graph:
    """A symmetric matrix of weights in CSR form, and what is derived from it, each made once.

    Graphs of equal content are one object in a process (`Graph.of`), so that kernels, clones and copies that came by
    pickle share an eigendecomposition; it goes when the last of them goes.
    """

    _known: weakref.WeakValueDictionary[str, Graph] = weakref.WeakValueDictionary()

    def __init__(self, matrix: scipy.sparse.csr_array, key: str) -> None:
        self.matrix = matrix
        self.key = key
        self.kept = Memo()  # what belongs to the graph
        self.recent = Memo()  # what belongs to a parameter too, and is soon forgotten

    @classmethod
    def of(cls, matrix: scipy.sparse.csr_array) -> Graph:
        """The graph of a canonical matrix: sorted, without zeros, symmetric to the bit."""
        digest = hashlib.blake2b(repr(matrix.shape).encode(), digest_size=20)
        for part in (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data):
            digest.update(np.ascontiguousarray(part).data)
        key = digest.hexdigest()
        return cls._known.setdefault(key, cls(matrix, key))

    def __reduce__(self) -> Any:
        return Graph.of, (self.matrix,)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @functools.cached_property
    def degrees(self) -> np.ndarray:
        """Row sums, loops counted once."""
        return np.asarray(self.matrix.sum(axis=1), dtype=float).ravel()

    @functools.cached_property
    def components(self) -> tuple[int, np.ndarray]:
        """How many connected parts there are, and the part of every node."""
        count, label = scipy.sparse.csgraph.connected_components(self.matrix, directed=False)
        return int(count), label

    @functools.cached_property
    def lonely(self) -> int:
        """How many nodes have no neighbour but themselves."""
        count, label = self.components
        return int((np.bincount(label, minlength=count) == 1).sum())

    @functools.cached_property
    def laplacian(self) -> scipy.sparse.csr_array:
        """L = D − B; a loop cancels."""
        return scipy.sparse.csr_array(scipy.sparse.diags_array(self.degrees) - self.matrix)

    @functools.cached_property
    def normalized_laplacian(self) -> scipy.sparse.csr_array:
        """D^{−1/2} L D^{−1/2}, 0 at a node of degree 0; for weights >= 0."""
        isolated = self.degrees == 0
        root = scipy.sparse.diags_array(
            np.where(isolated, 0.0, 1.0 / np.sqrt(np.where(isolated, 1.0, self.degrees)))
        )
        return scipy.sparse.csr_array(
            scipy.sparse.diags_array((~isolated).astype(float)) - root @ self.matrix @ root
        )

    def negative_pair(self) -> tuple[int, int] | None:
        """A pair of nodes with a negative weight, if there is one."""
        if not self.matrix.nnz or self.matrix.data.min() >= 0:
            return None
        at = int(np.argmax(self.matrix.data < 0))
        return int(np.searchsorted(self.matrix.indptr, at, side="right") - 1), int(
            self.matrix.indices[at]
        )


# -- reading B ---------------------------------------------------------------------------------------------------------


def _is_networkx(B: Any) -> bool:
    return hasattr(B, "adjacency") and hasattr(B, "nodes") and hasattr(B, "is_directed")


def _from_networkx(B: Any, what: str) -> tuple[Any, list[Hashable]]:
    try:
        import networkx
    except ImportError:
        message = explain(
            what,
            type(B).__name__,
            "needs the package networkx to be read",
            "pip install networkx, or give a matrix",
        )
        raise MissingDependencyError(message) from None
    nodes = list(B)
    if not nodes:
        raise ParameterError(what, B, "has no nodes")
    try:
        return networkx.to_scipy_sparse_array(
            B, nodelist=nodes, dtype=float, weight="weight", format="csr"
        ), nodes
    except (TypeError, ValueError) as error:
        raise ParameterError(
            what,
            B,
            f"has a weight that is not a number ({error})",
            "give every edge a real 'weight'",
        ) from None


def _as_csr(B: Any, what: str) -> scipy.sparse.csr_array:
    """Numbers in two dimensions, whatever held them."""
    if scipy.sparse.issparse(B):
        if B.ndim != 2 or B.dtype.kind not in "fiub":
            raise ParameterError(
                what, f"{B.dtype} of shape {B.shape}", "must be a square matrix of real numbers"
            )
        return scipy.sparse.csr_array(B, dtype=float, copy=True)
    try:
        array = np.asarray(B)
        if array.dtype.kind == "O" and not any(isinstance(v, (str, bytes)) for v in array.ravel()):
            array = array.astype(float)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "fiub" or array.ndim != 2:
        shown = (
            type(B).__name__
            if array.dtype.kind == "O" or array.ndim == 0
            else f"{array.dtype} of shape {array.shape}"
        )
        remedy = "give a symmetric array of weights, a scipy sparse matrix, or a networkx graph"
        raise ParameterError(what, shown, "is not the matrix of a graph", remedy)
    return scipy.sparse.csr_array(array.astype(float))


def _check_square(B: scipy.sparse.csr_array, what: str) -> None:
    if B.shape[0] != B.shape[1]:
        remedy = "give one row and one column for each node"
        raise ParameterError(what, f"matrix of shape {B.shape}", "must be square", remedy)
    if B.shape[0] == 0:
        raise ParameterError(what, f"matrix of shape {B.shape}", "has no nodes")


def _place(matrix: scipy.sparse.csr_array, at: int) -> tuple[int, int]:
    return int(np.searchsorted(matrix.indptr, at, side="right") - 1), int(matrix.indices[at])


def _canonical(
    B: scipy.sparse.csr_array, what: str, names: Sequence[Hashable] | None
) -> scipy.sparse.csr_array:
    """Finite, symmetric to the bit, sorted and without stored zeros."""

    def pair(i: int, j: int) -> str:
        return f"{i}, {j}" if names is None else f"{names[i]!r}, {names[j]!r}"

    bad = ~np.isfinite(B.data)
    if bad.any():
        at = int(np.argmax(bad))
        message = explain(
            f"{what}[{pair(*_place(B, at))}]",
            float(B.data[at]),
            "is not a finite number",
            "use 0 where there is no edge",
        )
        raise ParameterError(message)
    B.sum_duplicates()
    gap = scipy.sparse.csr_array(B - B.T)
    largest = float(np.abs(B.data).max(initial=0.0))
    if gap.nnz and np.abs(gap.data).max() > _ROUNDING * largest:
        i, j = _place(gap, int(np.argmax(np.abs(gap.data))))
        shown = f"{float(B[i, j])!r} and {what}[{pair(j, i)}] = {float(B[j, i])!r}"
        rule = f"must be symmetric, but {what}[{pair(i, j)}] = {shown}"
        remedy = "use B + B.T where each edge is given once, or (B + B.T)/2; for a directed networkx graph, G.to_undirected()"
        raise ParameterError(what, f"matrix of shape {B.shape}", rule, remedy)
    if gap.nnz:
        B = scipy.sparse.csr_array((B + B.T) / 2)
    B.eliminate_zeros()
    B.sort_indices()
    return B


def _check_names(names: Any, count: int, what: str) -> list[Hashable]:
    if isinstance(names, (str, bytes)) or not hasattr(names, "__len__"):
        raise ParameterError(what, names, "must be a list with one name for each node")
    listed: list[Hashable] = names.tolist() if hasattr(names, "tolist") else list(names)
    if len(listed) != count:
        raise ParameterError(
            what, f"{len(listed)} names", f"must have one name for each of the {count} nodes"
        )
    seen: dict[Hashable, int] = {}
    for at, name in enumerate(listed):
        try:
            first = seen.setdefault(name, at)
        except TypeError:
            raise ParameterError(
                f"{what}[{at}]", name, "cannot name a node", "use texts or numbers"
            ) from None
        if first != at:
            raise ParameterError(
                f"{what}[{at}]", name, f"names node {first} already", "give every node its own name"
            )
    return listed


def read_nodes(B: Any, names: Any, what: str) -> Nodes:
    """The node set of a dense or sparse matrix, or of a networkx graph; what is wrong with B is told with its place."""
    if isinstance(B, Nodes):
        return (
            B
            if names is None
            else Nodes(B.graph, _check_names(names, len(B.graph), f"{what}: names"))
        )
    found: list[Hashable] | None = None
    if _is_networkx(B):
        if names is not None:
            remedy = "leave it out, or rename the nodes by networkx.relabel_nodes"
            raise ParameterError(
                f"{what}: names",
                "a list",
                "is not needed: a networkx graph names its nodes",
                remedy,
            )
        matrix, found = _from_networkx(B, f"{what}: B")
    else:
        if hasattr(B, "columns") and hasattr(B, "index"):
            if list(B.index) != list(B.columns) and list(B.index) != list(range(len(B))):
                rule = "names its rows otherwise than its columns"
                raise ParameterError(
                    f"{what}: B",
                    "a data frame",
                    rule,
                    "bring the rows into the order of the columns: B.loc[B.columns]",
                )
            names = (
                list(B.columns)
                if names is None and list(B.columns) != list(range(len(B)))
                else names
            )
        matrix = _as_csr(B, f"{what}: B")
    _check_square(matrix, f"{what}: B")
    if names is not None:
        found = _check_names(names, matrix.shape[0], f"{what}: names")
    return Nodes(Graph.of(_canonical(scipy.sparse.csr_array(matrix), f"{what}: B", found)), found)


# -- samples -----------------------------------------------------------------------------------------------------------


class NodeSamples(Samples):
    """Positions among the nodes of a graph."""

    def __init__(self, at: np.ndarray) -> None:
        self.at = at
        self.origin = self

    def __len__(self) -> int:
        return len(self.at)

    def take(self, rows: np.ndarray) -> NodeSamples:
        taken = NodeSamples(self.at[rows])
        taken._inherit(self, rows)
        return taken

    def distinct(self) -> tuple[np.ndarray, np.ndarray]:
        """The different nodes, in the order in which they first come, and where among them each sample is."""

        def make() -> tuple[np.ndarray, np.ndarray]:
            nodes, first, where = np.unique(self.at, return_index=True, return_inverse=True)
            order = np.argsort(first)
            rank = np.empty_like(order)
            rank[order] = np.arange(len(order))
            return nodes[order], rank[where]

        return self.once("distinct", make)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


@storable
class Nodes(Domain):
    """The nodes of one graph. Samples are names; positions too, unless a name is a number."""

    name = "nodes of a graph"
    accepts = frozenset({"indices", "objects"})
    # A file holds the matrix of the graph, which is read again.
    stored: ClassVar[State] = State(
        plain=("names", "matrix"), rebuilt=("graph", "where", "by_position")
    )

    def __init__(self, graph: Graph, names: list[Hashable] | None = None) -> None:
        self.graph = graph
        if (
            names is not None
            and all(type(name) is int for name in names)
            and names == list(range(len(graph)))
        ):
            names = None  # positions are the names
        self.names = names
        self.where = None if names is None else {name: at for at, name in enumerate(names)}
        self.by_position = names is None or not any(_is_number(name) for name in names)

    def _before_store(self, state: dict[str, object]) -> None:
        state["matrix"] = self.graph.matrix

    def _rebuild(self) -> None:
        nodes = read_nodes(vars(self).pop("matrix"), self.names, "graph")
        vars(self).update(vars(nodes))

    def __hash__(self) -> int:
        return hash((Nodes, self.graph.key))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Nodes)
            and other.graph.key == self.graph.key
            and other.names == self.names
        )

    def encode(self, batch: Batch) -> Samples:
        values = self._listed(batch)
        if len(values) == 0:
            raise EmptyInputError(batch.side, "no nodes", "is empty", "give at least one node")
        if isinstance(values, np.ndarray):
            if self.names is None:
                return NodeSamples(self._positions(values, batch.side))
            values = values.tolist()
        found = (self._position(value, row, batch.side) for row, value in enumerate(values))
        return NodeSamples(np.fromiter(found, dtype=np.int64, count=len(values)))

    @staticmethod
    def _listed(batch: Batch) -> Any:
        """The collection as a list, or as a vector of numbers."""
        raw: RawSamples = batch.raw
        if hasattr(raw, "columns"):
            if len(raw.columns) != 1:
                rule = f"has {len(raw.columns)} columns, where one of nodes is wanted"
                raise InputTypeError(batch.side, "a table", rule, "say which: k.on('column')")
            raw = raw[raw.columns[0]]
        if hasattr(raw, "to_list"):
            return raw.to_list()
        if isinstance(raw, (list, tuple, range)):
            return list(raw)
        if isinstance(raw, np.ndarray):
            if raw.ndim != 1 and not (raw.ndim == 2 and raw.shape[1] == 1):
                rule = "must be nodes, one for each sample"
                raise ShapeError(
                    batch.side, f"array of shape {raw.shape}", rule, "give a vector or one column"
                )
            raw = raw.ravel()
            return raw if raw.dtype.kind in "iuf" else raw.tolist()
        raise InputTypeError(
            batch.side, type(raw).__name__, "is not a collection of nodes", "give a list of nodes"
        )

    def _positions(self, values: np.ndarray, side: str) -> np.ndarray:
        """Numbers that are the nodes themselves."""
        with np.errstate(invalid="ignore"):
            known = (values >= 0) & (values < len(self.graph)) & (values == np.floor(values))
        if not known.all():
            row = int(np.argmin(known))
            raise self._unknown(values[row].item(), row, side)
        return values.astype(np.int64)

    def _position(self, value: Any, row: int, side: str) -> int:
        at = None
        if self.where is not None:
            try:
                at = self.where.get(value)
            except TypeError:
                at = None
        if at is not None:
            return at
        if isinstance(value, (list, tuple, np.ndarray)) and len(value) == 1:  # a row of one column
            return self._position(value[0], row, side)
        if (
            self.by_position
            and _is_number(value)
            and 0 <= value < len(self.graph)
            and float(value).is_integer()
        ):
            return int(value)
        raise self._unknown(value, row, side)

    def _unknown(self, value: Any, row: int, side: str) -> Exception:
        count = len(self.graph)
        if (
            value is None
            or type(value).__name__ in ("NAType", "NaTType")
            or (isinstance(value, float) and math.isnan(value))
        ):
            rule = f"is missing, where each sample must be one of the {count} nodes of the graph"
            return NotFiniteError(f"{side}[{row}]", value, rule, "leave the sample out")
        remedy = (
            "nodes are the positions"
            if self.names is None
            else f"nodes are names such as {self.names[0]!r}"
        )
        if self.by_position:
            remedy += (
                f" 0 to {count - 1}" if self.names is None else f", or positions 0 to {count - 1}"
            )
        if isinstance(value, (bool, np.bool_)):
            remedy += "; of a mask take np.flatnonzero(mask)"
        return DomainError(
            f"{side}[{row}]", value, f"is not a node of the graph, which has {count} nodes", remedy
        )

    def _raw(self, at: np.ndarray) -> Any:
        return at if self.names is None else [self.names[i] for i in at]

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        return self._raw(rng.integers(0, len(self.graph), count))

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        """All nodes, or some of many."""
        count = len(self.graph)
        return [
            self._raw(
                np.arange(count) if count <= 200 else np.sort(rng.choice(count, 200, replace=False))
            )
        ]
