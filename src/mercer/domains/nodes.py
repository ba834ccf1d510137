"""The nodes of a graph as samples, given by their names or their positions."""

from __future__ import annotations

import numbers
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.aliases import GraphLike, RawSamples
from mercer.domains.base import Batch, Domain, Samples
from mercer.domains.graphs import Graph, Names, check_names, read_graph
from mercer.domains.raw import as_list
from mercer.domains.tables.columns import missing_values
from mercer.errors import DomainError, EmptyInputError, NotFiniteError, ShapeError
from mercer.state import State, storable

__all__ = ["Graph", "NodeSamples", "Nodes", "read_nodes"]


@dataclass(eq=False)
class NodeSamples(Samples):
    """Positions among the nodes of a graph."""

    at: np.ndarray

    def __len__(self) -> int:
        return len(self.at)

    def take(self, rows: np.ndarray) -> NodeSamples:
        return NodeSamples(self.at[rows])._inherit(self, rows)

    def distinct(self) -> tuple[np.ndarray, np.ndarray]:
        """Different nodes as they first occur, and the position of each sample among them."""

        def make() -> tuple[np.ndarray, np.ndarray]:
            nodes, first, where = np.unique(self.at, return_index=True, return_inverse=True)
            order = np.argsort(first)
            rank = np.empty_like(order)
            rank[order] = np.arange(len(order))
            return nodes[order], rank[where]

        return self.once("distinct", make)


def read_nodes(B: GraphLike, names: Names | None, what: str) -> Nodes:
    """The nodes of a matrix, a data frame or a networkx graph; messages begin with ``what``."""
    if not isinstance(B, Nodes):
        return Nodes(*read_graph(B, names, what))
    if names is None:
        return B
    return Nodes(B.graph, check_names(names, len(B.graph), f"{what}: names"))


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def _as_vector(array: np.ndarray, argument: str) -> np.ndarray:
    """A vector, or the only column of a matrix."""
    if array.ndim != 1 and array.shape[1:] != (1,):
        shown, rule = f"array of shape {array.shape}", "must be nodes, one for each sample"
        raise ShapeError(argument, shown, rule, "give a vector or one column")
    return array.ravel()


def _are_positions(names: list[Hashable]) -> bool:
    return all(type(name) is int for name in names) and names == list(range(len(names)))


@storable
class Nodes(Domain):
    """The nodes of one graph. Samples are names, or positions unless a name is a number."""

    name = "nodes of a graph"
    accepts = frozenset({"indices", "objects"})
    # A file holds the matrix of the graph, which is read again.
    stored: ClassVar[State] = State(
        plain=("names", "matrix"), rebuilt=("graph", "_positions", "_by_position")
    )

    def __init__(self, graph: Graph, names: list[Hashable] | None = None) -> None:
        self.graph = graph
        if names is not None and _are_positions(names):
            names = None
        self.names = names
        self._positions = {name: at for at, name in enumerate(names or ())}
        self._by_position = not any(map(_is_number, names or ()))

    def _before_store(self, state: dict[str, object]) -> None:
        state["matrix"] = self.graph.matrix

    def _rebuild(self) -> None:
        nodes = read_nodes(vars(self).pop("matrix"), self.names, "graph")
        vars(self).update(vars(nodes))

    def __hash__(self) -> int:
        return hash((Nodes, self.graph.key))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Nodes):
            return False
        return other.graph.key == self.graph.key and other.names == self.names

    def encode(self, batch: Batch) -> NodeSamples:
        values = self._listed(batch)
        if len(values) == 0:
            raise EmptyInputError(batch.argument, "no nodes", "is empty", "give at least one node")
        if isinstance(values, np.ndarray):
            return NodeSamples(self._as_positions(values, batch.argument))
        places = [self._position(value, row, batch.argument) for row, value in enumerate(values)]
        return NodeSamples(np.array(places, dtype=np.int64))

    def _listed(self, batch: Batch) -> np.ndarray | list[object]:
        """The collection as an array of positions, or as a list."""
        raw = batch.raw
        if isinstance(raw, np.ndarray):
            raw = _as_vector(raw, batch.argument)
            if self.names is None and raw.dtype.kind in "iuf":
                return raw
        return as_list(raw, batch.argument, "nodes", "give a list of nodes")

    def _as_positions(self, values: np.ndarray, argument: str) -> np.ndarray:
        """Numbers that are positions of nodes."""
        with np.errstate(invalid="ignore"):
            known = (values >= 0) & (values < len(self.graph)) & (values == np.floor(values))
        if not known.all():
            row = int(np.argmin(known))
            raise self._unknown(values[row].item(), row, argument)
        return values.astype(np.int64)

    def _position(self, value: RawSamples, row: int, argument: str) -> int:
        """The position of a node, given by its name, its position, or a row of one column."""
        if self._is_name(value):
            return self._positions[value]
        if isinstance(value, (list, tuple, np.ndarray)) and len(value) == 1:
            return self._position(value[0], row, argument)
        number = self._by_position and _is_number(value)
        if number and 0 <= value < len(self.graph) and float(value).is_integer():
            return int(value)
        raise self._unknown(value, row, argument)

    def _is_name(self, value: Hashable) -> bool:
        try:
            return value in self._positions
        except TypeError:  # not hashable
            return False

    def _unknown(self, value: object, row: int, argument: str) -> Exception:
        """The error for a value that is not a node."""
        count, what = len(self.graph), f"{argument}[{row}]"
        if missing_values([value])[0]:
            rule = f"is missing, where each sample must be one of the {count} nodes of the graph"
            return NotFiniteError(what, value, rule, "leave the sample out")
        if self.names is None:
            remedy = f"nodes are the positions 0 to {count - 1}"
        else:
            remedy = f"nodes are names such as {self.names[0]!r}"
            if self._by_position:
                remedy += f", or positions 0 to {count - 1}"
        if isinstance(value, (bool, np.bool_)):
            remedy += "; of a mask take np.flatnonzero(mask)"
        rule = f"is not a node of the graph, which has {count} nodes"
        return DomainError(what, value, rule, remedy)

    def _raw(self, at: np.ndarray) -> RawSamples:
        if self.names is None:
            return at
        return [self.names[i] for i in at]

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> RawSamples:
        return self._raw(rng.integers(0, len(self.graph), count))

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        """All nodes, or some of many."""
        nodes = np.arange(len(self.graph))
        if len(nodes) > 200:
            nodes = np.sort(rng.choice(len(nodes), 200, replace=False))
        return [self._raw(nodes)]
