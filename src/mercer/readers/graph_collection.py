"""Many graphs in a few arrays: one disjoint graph in CSR form, and where each graph begins."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from mercer.aliases import Index
from mercer.errors import InputError

Labels = tuple[Hashable, ...]


def ranges(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The numbers from each start on, as many as the sizes say, one range after the other."""
    first = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) + np.repeat(starts - first, sizes)


def _offsets(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@dataclasses.dataclass(frozen=True, eq=False)
class GraphCollection(Sequence[Any]):
    """A collection of graphs in a few arrays, to be used wherever a list of graphs may be.

    Item i is graph i as a dictionary of plain values, which kernels on graphs read as well; a slice
    or an array of positions gives another collection. Node v of the whole collection has the
    neighbors ``indices[indptr[v]:indptr[v + 1]]``; an undirected edge is listed at both of its
    ends, a loop once.

    Parameters
    ----------
    starts : ndarray of shape (n_graphs + 1,)
        Where the nodes of each graph begin, and where the last ones end.
    indptr : ndarray of shape (n_nodes + 1,)
        Where the neighbors of each node begin.
    indices : ndarray of shape (n_entries,)
        The neighbors.
    directed : ndarray of bool of shape (n_graphs,)
        Which graphs are directed; their entries lead from a node to its successors.
    node_labels : ndarray of shape (n_nodes,) or None
        The labels of the nodes, as positions in ``node_names``.
    node_names : tuple
        The different labels of nodes.
    edge_labels : ndarray of shape (n_entries,) or None
        The labels of the entries, as positions in ``edge_names``.
    edge_names : tuple
        The different labels of edges.
    attributes : ndarray of shape (n_nodes, n_attributes) or None
        A row of numbers for each node.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import GraphCollection, WeisfeilerLehman
    >>> starts, ends, directed = (
    ...     np.array([0, 2, 3]),
    ...     np.array([0, 1, 2, 2]),
    ...     np.zeros(2, bool),
    ... )
    >>> graphs = GraphCollection(starts, ends, np.array([1, 0]), directed)
    >>> graphs
    GraphCollection(2 graphs, 3 nodes, 1 edges)
    >>> WeisfeilerLehman(depth=1)(graphs).tolist()
    [[8.0, 0.0], [0.0, 2.0]]
    """

    starts: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    directed: np.ndarray
    node_labels: np.ndarray | None = None
    node_names: Labels = ()
    edge_labels: np.ndarray | None = None
    edge_names: Labels = ()
    attributes: np.ndarray | None = None

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together: compiled code relies on them."""
        n_nodes, n_entries = len(self.indptr) - 1, len(self.indices)
        _check_starts("starts", self.starts, n_nodes)
        _check_starts("indptr", self.indptr, n_entries)
        owner = np.repeat(np.arange(len(self)), np.diff(self.indptr[self.starts]))
        low, high = self.starts[:-1][owner], self.starts[1:][owner]
        if len(owner) != n_entries or ((self.indices < low) | (self.indices >= high)).any():
            raise _contradiction("indices", "lead out of their graph")
        if np.shape(self.directed) != (len(self),):
            raise _contradiction("directed", "is not one value for each graph")
        _check_labels("node_labels", self.node_labels, n_nodes, len(self.node_names))
        _check_labels("edge_labels", self.edge_labels, n_entries, len(self.edge_names))
        if self.attributes is not None and len(self.attributes) != n_nodes:
            raise _contradiction("attributes", f"are not rows for {n_nodes} nodes")

    @property
    def shape(self) -> tuple[int]:
        """The number of graphs, as of an array of one axis."""
        return (len(self),)

    @property
    def n_nodes(self) -> np.ndarray:
        """The number of nodes of every graph."""
        return np.diff(self.starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        sources = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))
        once = self._directed_nodes()[sources] | (sources <= self.indices)
        return f"GraphCollection({len(self)} graphs, {self.starts[-1]} nodes, {once.sum()} edges)"

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self._graph(row) for row in range(len(self)))

    def __getitem__(self, rows: Index) -> Any:
        if isinstance(rows, tuple):  # (rows, ...), as scikit-learn asks for rows of arrays
            rows = rows[0]
        if isinstance(rows, (int, np.integer)):
            return self._graph(range(len(self))[rows])
        return self._take(np.arange(len(self))[rows])

    def copy(self) -> GraphCollection:
        """The collection itself, which does not change."""
        return self

    def _directed_nodes(self) -> np.ndarray:
        return np.repeat(self.directed, self.n_nodes)

    def _take(self, rows: np.ndarray) -> GraphCollection:
        sizes = self.n_nodes[rows]
        starts = _offsets(sizes)
        nodes = ranges(self.starts[rows], sizes)
        degrees = np.diff(self.indptr)[nodes]
        entries = ranges(self.indptr[nodes], degrees)
        shifts = np.repeat(np.repeat(starts[:-1] - self.starts[rows], sizes), degrees)
        return dataclasses.replace(
            self,
            starts=starts,
            indptr=_offsets(degrees),
            indices=self.indices[entries] + shifts,
            directed=self.directed[rows],
            node_labels=None if self.node_labels is None else self.node_labels[nodes],
            edge_labels=None if self.edge_labels is None else self.edge_labels[entries],
            attributes=None if self.attributes is None else self.attributes[nodes],
        )

    def _graph(self, row: int) -> dict[str, Any]:
        first, last = int(self.starts[row]), int(self.starts[row + 1])
        entries = slice(int(self.indptr[first]), int(self.indptr[last]))
        ends = self.indices[entries] - first
        begins = np.repeat(np.arange(last - first), np.diff(self.indptr[first : last + 1]))
        once = begins <= ends
        if self.directed[row]:
            once[:] = True
        graph: dict[str, Any] = {
            "n_nodes": last - first,
            "edges": np.stack([begins[once], ends[once]], axis=1),
            "directed": bool(self.directed[row]),
        }
        if self.node_labels is not None:
            graph["node_labels"] = [self.node_names[at] for at in self.node_labels[first:last]]
        if self.edge_labels is not None:
            graph["edge_labels"] = [self.edge_names[at] for at in self.edge_labels[entries][once]]
        if self.attributes is not None:
            graph["attributes"] = self.attributes[first:last]
        return graph


def _contradiction(what: str, rule: str) -> InputError:
    return InputError(f"GraphCollection: {what}", "an array", rule)


def _check_starts(what: str, starts: np.ndarray, last: int) -> None:
    is_vector = isinstance(starts, np.ndarray) and starts.ndim == 1 and starts.dtype.kind == "i"
    if not is_vector or not len(starts) or starts[0] != 0 or starts[-1] != last:
        raise _contradiction(what, f"are not positions from 0 to {last}")
    if (np.diff(starts) < 0).any():
        raise _contradiction(what, "do not ascend")


def _check_labels(what: str, labels: np.ndarray | None, count: int, n_names: int) -> None:
    if labels is None:
        return
    if labels.shape != (count,) or labels.dtype.kind != "i":
        raise _contradiction(what, f"are not {count} positions of labels")
    if count and (labels.min() < 0 or labels.max() >= n_names):
        raise _contradiction(what, f"are not all among the {n_names} labels")
