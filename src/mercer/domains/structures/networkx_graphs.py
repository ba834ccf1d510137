"""Graphs of networkx, all of a collection read at once.

Of small graphs, most of the time of a Gram matrix is their reading, and one by one they would take
several times as long. What is wrong with a graph is said by those who read it alone.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mercer.aliases import GraphLike
from mercer.domains.raw import starts_of
from mercer.domains.structures.graph_labels import Numbering, label_hashes, plain
from mercer.errors import ABSENT, InputTypeError
from mercer.readers.graph_collection import GraphCollection

Things = Sequence[Mapping[str, Any]]  # what is known of nodes or of edges
Label = tuple[np.ndarray | None, tuple[Hashable, ...]]

_chain = itertools.chain.from_iterable
_values = operator.methodcaller("values")


def are_networkx(graphs: Iterable[GraphLike]) -> bool:
    """Whether all graphs are those of networkx, without parallel edges."""
    kinds = {type(graph): graph for graph in graphs}.values()
    return all(
        hasattr(graph, "_adj") and hasattr(graph, "_node") and not graph.is_multigraph()
        for graph in kinds
    )


def read_networkx(
    graphs: Sequence[GraphLike], node: str | None, edge: str | None
) -> GraphCollection:
    """Graphs with the labels of nodes and edges of these names; None ignores them.

    An error does not say which graph it is about.
    """
    # both are dictionaries by node in all classes of networkx, and in its views
    adjacency = [graph._adj for graph in graphs]
    nodes = [graph._node for graph in graphs]
    rows = [*_chain(map(_values, adjacency))]
    starts = starts_of(np.fromiter(map(len, adjacency), np.int64, len(graphs)))
    indptr = starts_of(np.fromiter(map(len, rows), np.int64, len(rows)))
    shifts = np.repeat(starts[:-1], np.diff(indptr[starts]))
    node_labels, node_names = _numbered([*_chain(map(_values, nodes))], node)
    edge_labels, edge_names = _edge_labels(rows, edge)
    return GraphCollection(
        starts=starts,
        indptr=indptr,
        indices=_places(adjacency, rows, starts, int(indptr[-1])) + shifts,
        directed=np.array([graph.is_directed() for graph in graphs], dtype=bool),
        node_labels=node_labels,
        node_names=node_names,
        edge_labels=edge_labels,
        edge_names=edge_names,
    )


def _places(
    adjacency: list[Mapping[Hashable, Any]], rows: Things, starts: np.ndarray, count: int
) -> np.ndarray:
    """The neighbors of all nodes, as positions among the nodes of their graphs."""
    own = np.arange(len(rows)) - np.repeat(starts[:-1], np.diff(starts))
    try:
        # if the numbers of all nodes are their positions, those of neighbors are, too
        if (np.fromiter(_chain(adjacency), np.int64, len(rows)) == own).all():
            return np.fromiter(_chain(rows), np.int64, count)
    except (TypeError, ValueError, OverflowError):
        pass  # nodes are not numbers
    places: list[int] = []
    for graph in adjacency:
        at = {node: place for place, node in enumerate(graph)}
        places += map(at.__getitem__, _chain(graph.values()))
    return np.array(places, dtype=np.int64)


def _edge_labels(rows: Things, name: str | None) -> Label:
    """The labels of all entries."""
    if name is None:
        return None, ()
    return _numbered([*_chain(map(_values, rows))], name)


def _numbered(things: Things, name: str | None) -> Label:
    """The numbers of the labels that all things have, and the labels; None if none has one."""
    if name is None or not any(things):
        return None, ()
    try:
        labels = [*map(operator.itemgetter(name), things)]
    except KeyError:
        labels = [thing.get(name) for thing in things]
    numbering = Numbering()
    numbers = numbering.number(labels, name)
    names = tuple(map(plain, numbering.names))
    if names == (None,):
        return None, ()
    if None in names:
        raise InputTypeError(name, ABSENT, "is missing where others have one")
    label_hashes(names)  # which refuses what cannot be a label
    return numbers, names
