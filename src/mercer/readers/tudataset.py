"""Folders in the format of TUDataset: graphs as text files of edges, labels and attributes."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from mercer.errors import InputError
from mercer.readers.files import read_text
from mercer.readers.graph_collection import GraphCollection

_NEEDED = ("A", "graph_indicator")
_GAPS = "nodes of a graph must be numbered one after the other"


def read_tudataset(folder: str | PathLike[str]) -> tuple[GraphCollection, np.ndarray | None]:
    """Graphs and their targets from a folder in the format of TUDataset.

    The folder ``NAME`` holds ``NAME_A.txt`` (edges, as pairs of nodes numbered from 1),
    ``NAME_graph_indicator.txt`` (the graph of each node), and may hold ``NAME_graph_labels.txt`` or
    ``NAME_graph_attributes.txt`` (targets), ``NAME_node_labels.txt``, ``NAME_edge_labels.txt`` and
    ``NAME_node_attributes.txt``. Attributes of edges are not read. Graphs are undirected if every
    edge is listed in both directions, and directed otherwise.

    Parameters
    ----------
    folder : str or path
        The folder.

    Returns
    -------
    graphs : GraphCollection
        The graphs.
    y : ndarray of shape (n_graphs,), or (n_graphs, n_targets), or None
        Labels as whole numbers; else the attributes of graphs; None where there are neither.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "TWO"
    >>> folder.mkdir()
    >>> _ = (folder / "TWO_A.txt").write_text("1, 2\\n2, 1\\n")
    >>> _ = (folder / "TWO_graph_indicator.txt").write_text("1\\n1\\n2\\n")
    >>> _ = (folder / "TWO_graph_labels.txt").write_text("1\\n-1\\n")
    >>> from mercer import read_tudataset
    >>> read_tudataset(folder)
    (GraphCollection(2 graphs, 3 nodes, 1 edges), array([ 1, -1]))
    """
    folder = Path(folder)
    name = _name_of(folder)
    owners = _whole(folder, name, "graph_indicator").ravel() - 1
    n_graphs = _check_owners(owners, folder)
    y = _targets(folder, name)
    if y is not None and len(y) != n_graphs:
        n_graphs = _with_empty(len(y), n_graphs, folder)
    starts = np.searchsorted(owners, np.arange(n_graphs + 1))
    edges = _edges(folder, name, owners)
    edge_labels, edge_names = _labels(folder, name, "edge_labels", len(edges))
    node_labels, node_names = _labels(folder, name, "node_labels", len(owners))
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    degrees = np.bincount(edges[:, 0], minlength=len(owners))
    graphs = GraphCollection(
        starts=starts.astype(np.int64),
        indptr=np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64),
        indices=edges[order, 1],
        directed=np.full(n_graphs, _is_directed(edges, edge_labels)),
        node_labels=node_labels,
        node_names=node_names,
        edge_labels=None if edge_labels is None else edge_labels[order],
        edge_names=edge_names,
        attributes=_attributes(folder, name, len(owners)),
    )
    return graphs, y


def is_tudataset(folder: Path) -> bool:
    """Whether a folder holds files named as those of TUDataset, though not all of them."""
    return folder.is_dir() and bool(_names_in(folder))


def _names_in(folder: Path) -> list[str]:
    """The names of the data sets of which a folder holds a file that each of them needs."""
    names = {
        file.name.removesuffix(f"_{part}.txt")
        for part in _NEEDED
        for file in folder.glob(f"*_{part}.txt")
    }
    return sorted(names)


def _name_of(folder: Path) -> str:
    """The name with which all files begin."""
    if not folder.is_dir():
        raise InputError("folder", str(folder), "is not there", "give a folder in TUDataset format")
    names = _names_in(folder)
    if len(names) != 1:
        rule = f"must hold one file NAME_A.txt, and holds {len(names)}"
        raise InputError("folder", str(folder), rule, "give a folder in TUDataset format")
    name = names[0]
    for part in _NEEDED:
        if not (folder / f"{name}_{part}.txt").exists():
            rule = f"has no file {name}_{part}.txt, which TUDataset needs"
            raise InputError("folder", str(folder), rule, "unpack the whole data set again")
    return name


def _numbers(folder: Path, name: str, part: str) -> np.ndarray:
    """The rows of numbers of a file, with commas between them."""
    file = folder / f"{name}_{part}.txt"
    text = read_text(file).replace(",", " ")
    lines = [line for line in text.splitlines() if line.strip()]
    width = len(lines[0].split()) if lines else 1
    try:
        values = np.array(" ".join(lines).split(), dtype=np.float64).reshape(len(lines), width)
    except ValueError as error:
        rule = f"is not a table of numbers ({error})"
        raise InputError("file", str(file), rule) from None
    if not np.isfinite(values).all():
        line = int(np.argmin(np.isfinite(values).all(axis=1))) + 1
        raise InputError(f"{file.name}, line {line}", lines[line - 1], "is not finite")
    return values


def _whole(folder: Path, name: str, part: str) -> np.ndarray:
    """Rows of whole numbers."""
    values = _numbers(folder, name, part)
    whole = (values == np.round(values)).all(axis=1)
    if not whole.all():
        line = int(np.argmin(whole)) + 1
        what = f"{name}_{part}.txt, line {line}"
        raise InputError(what, values[line - 1].tolist(), "must be whole numbers")
    return values.astype(np.int64)


def _check_owners(owners: np.ndarray, folder: Path) -> int:
    """The number of graphs, whose nodes must follow each other."""
    back = np.diff(owners, prepend=0) < 0
    if back.any():
        line = int(np.argmax(back)) + 1
        raise InputError(f"graph_indicator, line {line}", int(owners[line - 1]) + 1, _GAPS)
    if not len(owners):
        raise InputError("folder", str(folder), "holds no nodes")
    return int(owners[-1]) + 1


def _with_empty(n_targets: int, n_graphs: int, folder: Path) -> int:
    """The number of graphs, of which the last may have no nodes."""
    if n_targets < n_graphs:
        rule = f"has {n_targets} targets for {n_graphs} graphs"
        raise InputError("folder", str(folder), rule)
    return n_targets


def _edges(folder: Path, name: str, owners: np.ndarray) -> np.ndarray:
    """Pairs of nodes, numbered from 0."""
    edges = _whole(folder, name, "A").reshape(-1, 2) - 1
    outside = np.any((edges < 0) | (edges >= len(owners)), axis=1, keepdims=True)
    inside = np.where(outside, 0, edges)
    across = owners[inside[:, 0]] != owners[inside[:, 1]]
    for wrong, rule in (
        (outside, "names a node that does not exist"),
        (across, "joins two graphs"),
    ):
        if np.any(wrong):
            at = int(np.argmax(wrong))
            what = f"{name}_A.txt, line {at + 1}"
            raise InputError(what, (edges[at] + 1).tolist(), rule, f"nodes are 1 to {len(owners)}")
    return edges


def _labels(
    folder: Path, name: str, part: str, count: int
) -> tuple[np.ndarray | None, tuple[object, ...]]:
    """The numbers of labels, and the different labels; several columns make one label."""
    if not (folder / f"{name}_{part}.txt").exists():
        return None, ()
    rows = _whole(folder, name, part)
    _check_lines(len(rows), count, f"{name}_{part}.txt")
    different, numbers = np.unique(rows, axis=0, return_inverse=True)
    names = [tuple(row) if len(row) > 1 else row[0] for row in different.tolist()]
    return numbers.reshape(-1).astype(np.int64), tuple(names)


def _check_lines(n_lines: int, count: int, file: str) -> None:
    if n_lines != count:
        rule = f"must have a line for each of the {count} nodes or edges"
        raise InputError(file, f"{n_lines} lines", rule)


def _attributes(folder: Path, name: str, n_nodes: int) -> np.ndarray | None:
    if not (folder / f"{name}_node_attributes.txt").exists():
        return None
    rows = _numbers(folder, name, "node_attributes")
    _check_lines(len(rows), n_nodes, f"{name}_node_attributes.txt")
    return rows


def _targets(folder: Path, name: str) -> np.ndarray | None:
    if (folder / f"{name}_graph_labels.txt").exists():
        labels = _whole(folder, name, "graph_labels")
        return labels[:, 0] if labels.shape[1] == 1 else labels
    if (folder / f"{name}_graph_attributes.txt").exists():
        values = _numbers(folder, name, "graph_attributes")
        return values[:, 0] if values.shape[1] == 1 else values
    return None


def _is_directed(edges: np.ndarray, labels: np.ndarray | None) -> bool:
    """Whether some edge is not listed in both directions, with the same label."""
    if labels is None:
        labels = np.zeros(len(edges), dtype=np.int64)
    forth = np.column_stack([edges, labels])
    back = np.column_stack([edges[:, ::-1], labels])
    forth, back = (rows[np.lexsort(rows.T[::-1])] for rows in (forth, back))
    return not np.array_equal(forth, back)
