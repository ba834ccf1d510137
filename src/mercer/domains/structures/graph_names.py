"""Names of labels and attributes that were given, and that graphs do not have."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mercer.aliases import GraphLike
from mercer.domains.structures.given_graph import Names
from mercer.errors import ParameterError
from mercer.readers.graph_collection import GraphCollection

_DEFAULT = Names()


def check_names(graphs: Sequence[GraphLike], names: Names, read: GraphCollection) -> None:
    """Refuse a name that was given, if no node or edge of any graph that names things has it.

    Graphs need not have labels of the default name.
    """
    if names.node != _DEFAULT.node and read.node_labels is None:
        _check("node_labels", names.node, "node", map(_of_nodes, graphs))
    if names.edge != _DEFAULT.edge and read.edge_labels is None:
        _check("edge_labels", names.edge, "edge", map(_of_edges, graphs))
    if names.attributes != _DEFAULT.attributes and read.attributes is None:
        _check("attributes", names.attributes, "node", map(_of_nodes, graphs))


def _check(
    parameter: str, name: str | None, thing: str, attributes: Iterable[set[str] | None]
) -> None:
    """Raise an error unless something has an attribute of this name, or nothing could have one."""
    if name is None:  # labels are ignored
        return
    known = [names for names in attributes if names is not None]
    if not known or any(name in names for names in known):
        return
    others = ", ".join(sorted(map(repr, set().union(*known)))) or "no attributes"
    rule = f"is an attribute of no {thing}"
    raise ParameterError(parameter, name, rule, f"the {thing}s have {others}")


def _of_nodes(graph: GraphLike) -> set[str] | None:
    """The names of all attributes of nodes; None if there are no nodes, or nothing has a name."""
    if hasattr(graph, "adjacency"):
        return _keys(data for _, data in graph.nodes(data=True))
    if hasattr(graph, "vs") and len(graph.vs):
        return set(graph.vs.attributes())
    return None


def _of_edges(graph: GraphLike) -> set[str] | None:
    """The names of all attributes of edges; None if there are no edges, or no names."""
    if hasattr(graph, "adjacency"):
        return _keys(data for _, _, data in graph.edges(data=True))
    if hasattr(graph, "es") and len(graph.es):
        return set(graph.es.attributes())
    return None


def _keys(things: Iterator[Mapping[str, Any]]) -> set[str] | None:
    listed = list(things)
    return set(itertools.chain.from_iterable(listed)) if listed else None
