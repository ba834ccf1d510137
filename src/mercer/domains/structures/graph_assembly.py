"""Graphs in any form, put together as one collection of few arrays."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.aliases import GraphLike
from mercer.domains.raw import starts_of
from mercer.domains.structures.given_graph import GivenGraph, Labels, Names
from mercer.domains.structures.graph_forms import read_one
from mercer.domains.structures.graph_labels import Numbering, label_hashes, plain
from mercer.domains.structures.networkx_graphs import are_networkx, read_networkx
from mercer.errors import InputTypeError, MercerError, NotFiniteError, ShapeError
from mercer.readers.graph_collection import GraphCollection


def assemble(graphs: Sequence[GraphLike], names: Names, argument: str) -> GraphCollection:
    """All graphs as one collection; an error names the graph that it is about."""
    if names.attributes is None and are_networkx(graphs):
        with contextlib.suppress(MercerError):
            return read_networkx(graphs, names.node, names.edge)
    given = [read_one(graph, names, f"{argument}[{row}]") for row, graph in enumerate(graphs)]
    starts = starts_of(np.array([graph.n_nodes for graph in given], dtype=np.int64))
    counts = np.array([len(graph.ends) for graph in given], dtype=np.int64)
    begins, ends = _joined_edges(given, starts, counts)
    edge_labels, edge_names = _edge_labels(given, argument)
    once = np.repeat([graph.form == "once" for graph in given], counts)
    entries = _entries(begins, ends, edge_labels, once)
    begins, ends = entries[0], entries[1]
    node_labels, node_names = _node_labels(given, argument)
    return GraphCollection(
        starts=starts,
        indptr=starts_of(np.bincount(begins, minlength=int(starts[-1]))),
        indices=ends,
        directed=np.array([graph.form == "directed" for graph in given], dtype=bool),
        node_labels=node_labels,
        node_names=node_names,
        edge_labels=None if edge_labels is None else entries[2],
        edge_names=edge_names,
        attributes=_attributes(given, argument),
    )


def _joined_edges(
    given: list[GivenGraph], starts: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where all edges begin and end, as positions among the nodes of all graphs."""
    shifts = np.repeat(starts[:-1], counts)
    if all(graph.grouped for graph in given):
        chain = itertools.chain.from_iterable
        ends = np.array([*chain(graph.ends for graph in given)], dtype=np.int64)
        degrees = np.array([*chain(graph.begins for graph in given)], dtype=np.int64)
        return np.repeat(np.arange(len(degrees)), degrees), ends + shifts
    ends = np.concatenate([np.asarray(graph.ends, dtype=np.int64) for graph in given])
    return np.concatenate(list(map(_begins_of, given))) + shifts, ends + shifts


def _begins_of(graph: GivenGraph) -> np.ndarray:
    """Where the edges of a graph begin."""
    if graph.grouped:
        return np.repeat(np.arange(graph.n_nodes), np.asarray(graph.begins, dtype=np.int64))
    return np.asarray(graph.begins, dtype=np.int64)


def _entries(
    begins: np.ndarray, ends: np.ndarray, labels: np.ndarray | None, once: np.ndarray
) -> np.ndarray:
    """Rows (begins, ends, labels) of all entries, ordered by where they begin.

    Edges that are listed once get an entry at their other end. One that is listed in both
    directions is one edge: of m and n edges that are listed from u to v and from v to u, there are
    max(m, n).
    """
    if labels is None:
        labels = np.zeros(len(begins), dtype=np.int64)
    forth = np.stack([begins, ends, labels])
    mirror = once & (begins != ends)
    if not mirror.any():
        return forth[:, _order(forth)] if (np.diff(begins) < 0).any() else forth
    both = np.concatenate([forth, forth[[1, 0, 2]][:, mirror]], axis=1)
    order = _order(both)  # a stable order: what is listed comes before its mirror image
    both = both[:, order]
    mirrored = order >= len(begins)
    fresh = np.ones(both.shape[1], dtype=bool)
    fresh[1:] = (both[:, 1:] != both[:, :-1]).any(axis=0)
    first = np.flatnonzero(fresh)
    group = np.cumsum(fresh) - 1
    listed = np.bincount(group, weights=~mirrored).astype(np.int64)
    place = np.arange(len(group)) - first[group]
    return both[:, ~mirrored | (place >= 2 * listed[group])]


def _order(entries: np.ndarray) -> np.ndarray:
    """A stable order of columns by their rows, the first row first."""
    sizes = [int(row.max(initial=0)) + 1 for row in entries]
    if float(sizes[0]) * sizes[1] * sizes[2] < 2.0**62:
        return np.argsort(
            (entries[0] * sizes[1] + entries[1]) * sizes[2] + entries[2], kind="stable"
        )
    return np.lexsort(entries[::-1])


def _node_labels(
    given: list[GivenGraph], argument: str
) -> tuple[np.ndarray | None, tuple[object, ...]]:
    """The numbers of all labels of nodes, and the labels; None where graphs have none."""
    lists = {row: graph.node_labels for row, graph in enumerate(given) if graph.n_nodes}
    return _labels_of(lists, argument, "node")


def _edge_labels(
    given: list[GivenGraph], argument: str
) -> tuple[np.ndarray | None, tuple[object, ...]]:
    """The labels of edges. Graphs without labels agree with those in which every label is 1."""
    lists = {row: graph.edge_labels for row, graph in enumerate(given) if len(graph.ends)}
    some_have_none = any(labels is None for labels in lists.values())
    if some_have_none and all(labels is None or _are_ones(labels) for labels in lists.values()):
        return None, ()
    return _labels_of(lists, argument, "edge")


def _are_ones(labels: Any) -> bool:
    """Whether all labels are 1, as the entries of most adjacency matrices are."""
    return labels[0] == 1 and all(label == 1 for label in labels)


def _labels_of(
    lists: dict[int, Labels], argument: str, kind: str
) -> tuple[np.ndarray | None, tuple[object, ...]]:
    """The numbers of the labels in the lists of all graphs, and the different labels."""
    labeled = [row for row, labels in lists.items() if labels is not None]
    if not labeled:
        return None, ()
    _check_all(labeled, list(lists), argument, f"labels of {kind}s")
    return _numbered([lists[row] for row in labeled], labeled, argument, kind)


def _check_all(labeled: list[int], having: list[int], argument: str, what: str) -> None:
    if len(labeled) == len(having):
        return
    without = next(row for row in having if row not in set(labeled))
    rule = f"has no {what}, but {argument}[{labeled[0]}] has some"
    remedy = f"give all graphs {what}, or none"
    raise InputTypeError(f"{argument}[{without}]", "a graph", rule, remedy)


def _numbered(
    lists: list[Any], rows: list[int], argument: str, kind: str
) -> tuple[np.ndarray, tuple[object, ...]]:
    numbering = Numbering()
    parts = []
    for row, labels in zip(rows, lists, strict=True):
        parts.append(numbering.number(labels, f"{argument}[{row}]: {kind}_labels"))
    names = tuple(map(plain, numbering.names))
    try:
        label_hashes(names)
    except MercerError as error:
        _name_graph(error, lists, rows, argument, kind)
        raise
    return np.concatenate(parts), names


def _name_graph(
    error: MercerError, lists: list[Any], rows: list[int], argument: str, kind: str
) -> None:
    """Say in which graph a label is wrong."""
    for row, labels in zip(rows, lists, strict=True):
        try:
            label_hashes(list(labels))
        except MercerError:
            message = f"{argument}[{row}]: {kind}_labels: {error}"
            raise InputTypeError(message) from None


def _attributes(given: list[GivenGraph], argument: str) -> np.ndarray | None:
    having = [row for row, graph in enumerate(given) if graph.n_nodes]
    rows = [row for row in having if given[row].attributes is not None]
    if not rows:
        return None
    _check_all(rows, having, argument, "attributes of nodes")
    parts = [np.asarray(given[row].attributes) for row in rows]
    rule = f"must have {parts[0].shape[1]} columns, as those of {argument}[{rows[0]}]"
    for row, part in zip(rows, parts, strict=True):
        what = f"{argument}[{row}]: attributes"
        if part.shape[1] != parts[0].shape[1]:
            raise ShapeError(what, f"{part.shape[1]} columns", rule)
        _check_finite(part, what)
    return np.concatenate(parts)


def _check_finite(attributes: np.ndarray, what: str) -> None:
    finite = np.isfinite(attributes).all(axis=1)
    if not finite.all():
        node = int(np.argmin(finite))
        value = attributes[node].tolist()
        raise NotFiniteError(f"{what} of node {node}", value, "must be finite numbers")
