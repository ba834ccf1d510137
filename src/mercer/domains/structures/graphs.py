"""Whole graphs as samples: all graphs of a collection are one disjoint graph in CSR form.

What the parts of a graph mean:

- Labels are texts, numbers or tuples of them. Numbers that are equal are equal labels, whatever
  their types. Where no node has a label, a kernel takes degrees or a constant, by its parameters.
- An undirected edge joins two nodes; one that is listed in both directions is still one edge.
  Edges that are listed several times in one direction are parallel, and count as often.
- A loop makes a node its own neighbor, once. Isolated nodes count as all nodes do.
- A graph without nodes is legal; every kernel of it is 0, but for those that are constant.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mercer.aliases import Prepared, RawSamples, SparseMatrix
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.raw import as_list, starts_of
from mercer.domains.structures.given_graph import Names
from mercer.domains.structures.graph_assembly import assemble
from mercer.domains.structures.graph_labels import label_hashes
from mercer.domains.structures.graph_names import check_names
from mercer.errors import EmptyInputError, InputTypeError, WidthError
from mercer.readers.graph_collection import GraphCollection
from mercer.state import storable

storable(GraphCollection)

_DEFAULT = Names()


@dataclasses.dataclass(eq=False)
class GraphSamples(Samples):
    """Graphs as kernels read them: the arrays of a `GraphCollection`, and what follows from them.

    Labels are hashes of 64 bits, which depend on nothing but the labels themselves.
    """

    graphs: GraphCollection

    def __len__(self) -> int:
        return len(self.graphs)

    @property
    def starts(self) -> np.ndarray:
        """Where the nodes of each graph begin."""
        return self.graphs.starts

    @property
    def sizes(self) -> np.ndarray:
        """The number of nodes of every graph."""
        return np.diff(self.graphs.starts)

    @property
    def owners(self) -> np.ndarray:
        """The graph that each node belongs to."""
        return self.once("owners", lambda: np.repeat(np.arange(len(self)), self.sizes))

    @property
    def degrees(self) -> np.ndarray:
        """The number of entries of every node: neighbors, or successors."""
        return np.diff(self.graphs.indptr)

    @property
    def labeled(self) -> bool:
        """Whether nodes have labels."""
        return self.graphs.node_labels is not None

    @property
    def edges_labeled(self) -> bool:
        """Whether edges have labels other than 1, which is as good as none."""
        return self.graphs.edge_labels is not None and set(self.graphs.edge_names) != {1}

    @property
    def n_attributes(self) -> int | None:
        """The number of attributes of every node; None where nodes have no attributes."""
        if self.graphs.attributes is None:
            return None
        return self.graphs.attributes.shape[1]

    def node_colors(self, unlabeled: str) -> np.ndarray:
        """Labels of nodes as hashes; of nodes without labels the degree, or a constant."""

        def make() -> np.ndarray:
            if self.graphs.node_labels is not None:
                return label_hashes(self.graphs.node_names)[self.graphs.node_labels]
            if unlabeled == "constant":
                return np.repeat(label_hashes([1]), len(self.owners))
            return _hashed_numbers(self.degrees)

        return self.once(("colors", unlabeled), make)

    def edge_colors(self) -> np.ndarray:
        """Labels of entries as hashes, those of 1 where edges have no labels."""

        def make() -> np.ndarray:
            if self.graphs.edge_labels is None:
                return np.repeat(label_hashes([1]), len(self.graphs.indices))
            return label_hashes(self.graphs.edge_names)[self.graphs.edge_labels]

        return self.once("edge colors", make)

    def reversed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The entries that lead to each node: where they begin, their sources, and their places."""

        def make() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            indices = self.graphs.indices
            sources = np.repeat(np.arange(len(self.owners)), self.degrees)
            order = np.argsort(indices, kind="stable")
            arriving = np.bincount(indices, minlength=len(self.owners))
            return starts_of(arriving), sources[order], order

        return self.once("reversed", make)

    def adjacency(self) -> SparseMatrix:
        """The adjacency matrix of all graphs together; parallel edges add up."""
        from scipy.sparse import csr_matrix

        def make() -> SparseMatrix:
            ones = np.ones(len(self.graphs.indices))
            n = len(self.owners)
            matrix = csr_matrix((ones, self.graphs.indices, self.graphs.indptr), shape=(n, n))
            matrix.sum_duplicates()
            return matrix

        return self.once("adjacency", make)

    def blocks(self, nodes: int) -> Iterator[GraphSamples]:
        """The graphs in order, in blocks of about that many nodes."""
        first = 0
        while first < len(self):
            end = self.starts[first] + nodes
            last = int(np.searchsorted(self.starts, end, side="right")) - 1
            last = max(first + 1, min(last, len(self)))
            yield self.take(np.arange(first, last))
            first = last

    def take(self, rows: np.ndarray) -> GraphSamples:
        return GraphSamples(self.graphs[np.asarray(rows)])._inherit(self, rows)


def _hashed_numbers(numbers: np.ndarray) -> np.ndarray:
    """The hashes of whole numbers as labels."""
    different, places = np.unique(numbers, return_inverse=True)
    return label_hashes(different.tolist())[places]


class Graphs(Domain):
    """Whole graphs: of networkx, igraph or PyTorch Geometric, edges with labels, molecules.

    Graphs that name their labels and attributes are read by ``names``.
    """

    name = "graphs"
    accepts = frozenset({"graphs", "objects"})

    def __init__(self, names: Names = _DEFAULT) -> None:
        self.names = names

    def __hash__(self) -> int:
        return hash((Graphs, self.names))

    def __eq__(self, other: object) -> bool:
        return type(other) is Graphs and other.names == self.names

    def encode(self, batch: Batch) -> GraphSamples:
        samples = GraphSamples(self._collect(batch.raw, batch.argument))
        like: Prepared = batch.encode_like(self)
        if like is not None:
            _check_alike(samples, like, batch)
        return samples

    def own(self, raw: RawSamples) -> RawSamples:
        """The graphs in few arrays, which later changes do not reach, and which files can hold."""
        return self._collect(raw, "X")

    def _collect(self, raw: RawSamples, argument: str) -> GraphCollection:
        if isinstance(raw, GraphCollection):
            return self._without_ignored(raw)
        if isinstance(raw, np.ndarray) and raw.shape[1:] == (1,):
            raw = raw[:, 0]
        graphs = as_list(raw, argument, "graphs", "give a list of graphs")
        if len(graphs) == 0:
            raise EmptyInputError(argument, graphs, "is empty", "give at least one graph")
        read = assemble(graphs, self.names, argument)
        check_names(graphs, self.names, read)
        return read

    def _without_ignored(self, graphs: GraphCollection) -> GraphCollection:
        """The collection without what the parameters of a kernel ignore."""
        if self.names.node is None:
            graphs = dataclasses.replace(graphs, node_labels=None, node_names=())
        if self.names.edge is None:
            graphs = dataclasses.replace(graphs, edge_labels=None, edge_names=())
        if self.names.attributes is None:
            graphs = dataclasses.replace(graphs, attributes=None)
        return graphs

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> list[Any]:
        """Random graphs of few nodes, with labels of nodes and edges and a number for each node."""
        graphs = []
        for _ in range(count):
            n = int(rng.integers(0, n_columns + 3))
            pairs = np.array(list(itertools.combinations(range(n), 2)), np.int64).reshape(-1, 2)
            edges = pairs[rng.random(len(pairs)) < 0.4]
            graph = {"edges": edges, "n_nodes": n, "attributes": rng.integers(-4, 5, (n, 1)) / 4}
            graph["node_labels"] = [(1, "b")[at] for at in rng.integers(0, 2, n)]
            graph["edge_labels"] = rng.integers(1, 3, len(edges)).tolist()
            graphs.append(graph)
        return graphs

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        """All graphs of up to four nodes, paths and cycles, stars, and random graphs."""
        return [_small_graphs(), _regular_shapes(), self.sample(60, n_columns, rng)]


def _small_graphs() -> list[dict[str, Any]]:
    """All graphs of up to four nodes."""
    small = []
    for n in range(5):
        pairs = list(itertools.combinations(range(n), 2))
        for chosen in itertools.product((False, True), repeat=len(pairs)):
            edges = list(itertools.compress(pairs, chosen))
            small.append(_plain(edges, n))
    return small


def _regular_shapes() -> list[dict[str, Any]]:
    """Paths, cycles and stars of up to eleven nodes."""
    paths = [_plain([(i, i + 1) for i in range(n - 1)], n) for n in range(1, 12)]
    cycles = [_plain([(i, (i + 1) % n) for i in range(n)], n) for n in range(3, 12)]
    stars = [_plain([(0, i) for i in range(1, n)], n) for n in range(1, 12)]
    return paths + cycles + stars


def _plain(edges: list[tuple[int, int]], n_nodes: int) -> dict[str, Any]:
    """A graph without labels, whose nodes have their degrees as attributes."""
    degrees = np.bincount(np.array(edges, np.int64).ravel(), minlength=n_nodes)
    return {"edges": edges, "n_nodes": n_nodes, "attributes": degrees[:, None] / 2.0}


def _check_alike(samples: GraphSamples, like: GraphSamples, batch: Batch) -> None:
    """Refuse graphs with labels beside such without, and attributes of other widths."""
    if len(samples.owners) and len(like.owners):
        first = f"{batch.argument}[{samples.owners[0]}]"
        _check_labels(samples.labeled, like.labeled, "nodes", first, batch.other)
        if samples.n_attributes != like.n_attributes:
            widths = f"{samples.n_attributes} columns, not {like.n_attributes}"
            rule = f"do not fit {batch.other}: {widths}"
            raise WidthError(f"attributes of {first}", "a graph", rule, "give both the same")
    if len(samples.graphs.indices) and len(like.graphs.indices):
        edges = int(np.argmax(samples.degrees > 0))
        first = f"{batch.argument}[{samples.owners[edges]}]"
        if samples.graphs.edge_labels is None or like.graphs.edge_labels is None:
            both = samples.edges_labeled, like.edges_labeled
            _check_labels(*both, "edges", first, batch.other)


def _check_labels(own: bool, others: bool, things: str, first: str, other: str) -> None:
    if own == others:
        return
    rule = f"has no labels of {things}, but {other} have some"
    if own:
        rule = f"has labels of {things}, but {other} have none"
    raise InputTypeError(first, "a graph", rule, "give both the same")


def read_together(domains: Sequence[Domain]) -> Graphs | None:
    """The domain that reads all that several domains of graphs read; None where there is none."""
    parts = [domain.names for domain in domains if isinstance(domain, Graphs)]
    if not parts or len(parts) < len(domains):
        return None
    wanted = [{name for name in column if name is not None} for column in zip(*parts, strict=True)]
    if any(len(names) > 1 for names in wanted):
        return None
    return Graphs(Names(*(next(iter(names), None) for names in wanted)))


GRAPHS = Graphs()
