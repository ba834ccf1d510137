"""The forms in which a graph may be given, each read into the same few arrays.

Objects of networkx, igraph, PyTorch Geometric and RDKit are known by their methods: none of these
libraries is imported here, but RDKit where a graph is a text in SMILES.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from mercer.aliases import GraphLike, SparseMatrix
from mercer.domains.structures.given_graph import Form, GivenGraph, Names
from mercer.errors import InputTypeError, MissingDependencyError, ShapeError

Entries = tuple[list[int], list[Any], list[Any]]  # degrees, neighbors, data of edges

_VALUES = operator.methodcaller("values")
_FORMS = "give a networkx graph, (edges, node_labels), a sparse matrix or a dictionary"
KEYS = ("edges", "n_nodes", "node_labels", "edge_labels", "attributes", "directed")


def read_one(graph: GraphLike, names: Names, what: str) -> GivenGraph:
    """The arrays of a graph in any form; messages call it ``what``."""
    given = _reader(graph, what)(graph, names, what)
    if names.node is None:
        given.node_labels = None
    if names.edge is None:
        given.edge_labels = None
    if names.attributes is None:
        given.attributes = None
    if not given.grouped:
        given.check(what)
    return given


def known_by_attribute(sample: object) -> bool:
    """Whether an object is a graph of a library, or a matrix."""
    return any(hasattr(sample, attribute) for attribute in _BY_ATTRIBUTE)


def _reader(graph: GraphLike, what: str) -> Callable[[Any, Names, str], GivenGraph]:
    for attribute, reader in _BY_ATTRIBUTE.items():
        if hasattr(graph, attribute):
            return reader
    for kind, reader in _BY_TYPE.items():
        if isinstance(graph, kind):
            return reader
    raise InputTypeError(what, type(graph).__name__, "is not a graph", _FORMS)


# -- networkx --------------------------------------------------------------------------------------


def _from_networkx(graph: GraphLike, names: Names, what: str) -> GivenGraph:
    adjacency = dict(graph.adjacency())
    n = len(adjacency)
    entries_of = _entries_of_multigraph if graph.is_multigraph() else _entries_of_graph
    degrees, neighbors, data = entries_of(list(adjacency.values()))
    listed = list(adjacency)
    if listed != list(range(n)):
        at = {node: place for place, node in enumerate(listed)}
        neighbors = [at[node] for node in neighbors]
    form: Form = "directed" if graph.is_directed() else "both"
    given = GivenGraph(n, degrees, neighbors, form, grouped=True)
    given.edge_labels = _named(data, names.edge, f"{what}: edge", None)
    _name_nodes(given, graph, listed, names, what)
    return given


def _entries_of_graph(rows: list[Mapping[Hashable, Any]]) -> Entries:
    """How many neighbors nodes have, all neighbors, and what is known of the edges to them."""
    chain = itertools.chain.from_iterable
    return [*map(len, rows)], [*chain(rows)], [*chain(map(_VALUES, rows))]


def _entries_of_multigraph(rows: list[Mapping[Hashable, Any]]) -> Entries:
    """The entries of a multigraph: each neighbor as often as edges lead to it."""
    neighbors = [node for row in rows for node, edges in row.items() for _ in edges]
    data = [values for row in rows for edges in row.values() for values in edges.values()]
    return [sum(map(len, row.values())) for row in rows], neighbors, data


def _name_nodes(
    given: GivenGraph, graph: GraphLike, listed: list[Hashable], names: Names, what: str
) -> None:
    """Take the labels and attributes of the nodes of a networkx graph."""
    nodes = [values for _, values in graph.nodes(data=True)]
    given.node_labels = _named(nodes, names.node, f"{what}: node", listed)
    vectors = _named(nodes, names.attributes, f"{what}: node", listed)
    if vectors is not None:
        given.attributes = _vectors(vectors, f"{what}: {names.attributes}")


def _named(
    things: Sequence[Mapping[str, Any]], name: str | None, what: str, listed: list[Hashable] | None
) -> list[Any] | None:
    """The values that all nodes or all edges have under a name; None if none has one."""
    if name is None or not any(things):
        return None
    try:
        values = [*map(operator.itemgetter(name), things)]
    except KeyError:
        values = [thing.get(name) for thing in things]
    absent = values.count(None) if None in values else 0
    if absent == len(values):
        return None
    if absent:
        at = values.index(None)
        place = at if listed is None else listed[at]
        rule = f"has no {name!r}, which others of the graph have"
        raise InputTypeError(what, place, rule, f"give all of them a {name!r}, or none")
    return values


def _vectors(values: object, what: str) -> np.ndarray:
    """Rows of numbers, one for each node."""
    try:
        rows = np.asarray(_array(values), dtype=np.float64)
    except (TypeError, ValueError):
        rule = "are not rows of numbers, as many for each node"
        raise ShapeError(what, type(values).__name__, rule) from None
    if rows.ndim == 1:
        return rows[:, None]
    if rows.ndim != 2:
        raise ShapeError(what, f"array of shape {rows.shape}", "must have one row for each node")
    return rows


# -- edges with labels -----------------------------------------------------------------------------


def _from_sequence(graph: Sequence[Any], names: Names, what: str) -> GivenGraph:
    if not 2 <= len(graph) <= 3:
        rule = "must be (edges, node_labels) or (edges, node_labels, edge_labels)"
        raise ShapeError(what, f"{type(graph).__name__} of {len(graph)} parts", rule, _FORMS)
    edges, nodes, labels = (*graph, None)[:3]
    if hasattr(edges, "tocsr"):
        _check_no_labels(labels, what)
        return _with_nodes(_from_sparse(edges, names, what), nodes, what)
    if isinstance(labels, Mapping):
        labels = _by_edge(labels, edges, what)
    if isinstance(nodes, Mapping):
        edges, nodes = _by_place(edges, nodes, what)
    begins, ends = _pairs(edges, what)
    n_nodes = int(max(begins.max(initial=-1), ends.max(initial=-1))) + 1
    given = GivenGraph(n_nodes, begins, ends, "once", edge_labels=labels)
    return _with_nodes(given, nodes, what)


def _by_place(edges: Any, nodes: Mapping[Hashable, Any], what: str) -> tuple[list[Any], list[Any]]:
    """Edges between named nodes as pairs of positions, and the labels of the nodes."""
    places = {node: place for place, node in enumerate(nodes)}
    pairs = []
    for at, edge in enumerate(edges):
        if not all(node in places for node in edge):
            rule = "leads to a node that does not exist: node_labels does not name it"
            raise ShapeError(f"{what}: edge {at}", tuple(edge), rule, "give it a label")
        pairs.append(tuple(places[node] for node in edge))
    return pairs, list(nodes.values())


def _by_edge(labels: Mapping[Any, Any], edges: Any, what: str, directed: bool = False) -> list[Any]:
    """The label of every edge; undirected ones may be named in either direction."""
    edge_labels = []
    for at, edge in enumerate(map(tuple, edges)):
        names = [edge] if directed else [edge, edge[::-1]]
        name = next((name for name in names if name in labels), None)
        if name is None:
            rule = "is not named by edge_labels"
            raise InputTypeError(f"{what}: edge {at}", edge, rule, "give every edge a label")
        edge_labels.append(labels[name])
    return edge_labels


def _with_nodes(given: GivenGraph, nodes: Any, what: str) -> GivenGraph:
    """The graph with labels, with rows of numbers, or with a number of nodes."""
    if nodes is None:
        return given
    if isinstance(nodes, (int, np.integer)):
        given.resize(_number_of_nodes(nodes, what), what)
        return given
    if isinstance(nodes, (str, bytes)) or not hasattr(nodes, "__len__"):
        rule = "is not a list of labels, one for each node"
        raise InputTypeError(f"{what}: node_labels", nodes, rule)
    if getattr(nodes, "ndim", 1) == 2:
        given.attributes = _vectors(nodes, f"{what}: attributes")
    else:
        given.node_labels = nodes
    given.resize(len(nodes), what)
    return given


def _number_of_nodes(value: Any, what: str) -> int:
    if not isinstance(value, (int, np.integer)) or value < 0:
        raise InputTypeError(f"{what}: n_nodes", value, "is not a whole number >= 0")
    return int(value)


def _pairs(edges: Any, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Where edges begin and end."""
    array = _array_of_edges(edges)
    if array.shape[1:] != (2,) or array.dtype.kind not in "iu":
        shown = f"{type(edges).__name__} of shape {array.shape} and type {array.dtype}"
        rule = "must be pairs of positions of nodes, from 0 on"
        raise ShapeError(f"{what}: edges", shown, rule, "give [(0, 1), (1, 2)]")
    pairs = array.astype(np.int64)
    return pairs[:, 0], pairs[:, 1]


def _array_of_edges(edges: Any) -> np.ndarray:
    """Edges as rows of an array; an array of objects if they are none."""
    if isinstance(edges, (set, frozenset)):
        edges = list(edges)
    try:
        array = np.asarray(_array(edges))
    except (TypeError, ValueError):
        return np.empty(0, dtype=object)
    if array.size == 0 and array.dtype != object:
        return np.empty((0, 2), dtype=np.int64)
    return array


def _from_mapping(graph: Mapping[str, Any], names: Names, what: str) -> GivenGraph:
    if not {"edges"} <= set(graph) <= set(KEYS):
        rule = f"must have 'edges', and may have {', '.join(KEYS[1:])}"
        raise InputTypeError(what, f"a dictionary of {list(graph)}", rule)
    edges, kinds = graph["edges"], graph.get("edge_labels")
    if isinstance(kinds, Mapping):
        kinds = _by_edge(kinds, edges, what, bool(graph.get("directed")))
    given = _from_sequence((edges, graph.get("node_labels"), kinds), names, what)
    if graph.get("attributes") is not None:
        given.attributes = _vectors(graph["attributes"], f"{what}: attributes")
        given.resize(len(given.attributes), what)
    if graph.get("n_nodes") is not None:
        given.resize(_number_of_nodes(graph["n_nodes"], what), what)
    if graph.get("directed"):
        given.form = "directed"
    return given


# -- matrices --------------------------------------------------------------------------------------


def _from_sparse(matrix: SparseMatrix, names: Names, what: str) -> GivenGraph:
    """The graph of an adjacency matrix: entries are labels of edges, 1 where there are none."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        rule, remedy = "must be square", "give one row and one column for each node"
        raise ShapeError(what, f"matrix of shape {matrix.shape}", rule, remedy)
    entries = matrix.tocoo()
    present = entries.data != 0
    begins = entries.row[present].astype(np.int64)
    ends = entries.col[present].astype(np.int64)
    labels = entries.data[present]
    form: Form = "directed" if _is_directed(begins, ends, labels) else "both"
    return GivenGraph(int(matrix.shape[0]), begins, ends, form, edge_labels=labels, is_matrix=True)


def _check_no_labels(labels: object, what: str) -> None:
    """Refuse a list of labels beside a matrix, because the order of its edges is unknown."""
    if labels is not None:
        rule = "beside a matrix, whose entries are the labels of edges"
        raise InputTypeError(f"{what}: edge_labels", "a list", rule, "write them into the matrix")


def _is_directed(begins: np.ndarray, ends: np.ndarray, labels: np.ndarray | None) -> bool:
    """Whether edges differ from the same edges with their directions reversed."""
    if labels is None:
        labels = np.zeros(len(begins))
    forth = np.lexsort((labels, ends, begins))
    back = np.lexsort((labels, begins, ends))
    same = (begins[forth] == ends[back]) & (ends[forth] == begins[back])
    return not bool((same & (labels[forth] == labels[back])).all())


# -- igraph, PyTorch Geometric, RDKit --------------------------------------------------------------


def _array(values: Any) -> Any:
    """An array of a tensor, which may be on another device; anything else as it is."""
    if hasattr(values, "detach"):
        return values.detach().cpu().numpy()
    return values


def _from_igraph(graph: GraphLike, names: Names, what: str) -> GivenGraph:
    begins, ends = _pairs(np.array(graph.get_edgelist(), np.int64).reshape(-1, 2), what)
    form: Form = "directed" if graph.is_directed() else "once"
    given = GivenGraph(int(graph.vcount()), begins, ends, form)
    if names.node in graph.vs.attributes():
        given.node_labels = graph.vs[names.node]
    if names.edge in graph.es.attributes():
        given.edge_labels = graph.es[names.edge]
    if names.attributes in graph.vs.attributes():
        given.attributes = _vectors(graph.vs[names.attributes], f"{what}: {names.attributes}")
    return given


def _from_geometric(graph: GraphLike, names: Names, what: str) -> GivenGraph:
    """The graph of ``edge_index``, ``x`` and ``edge_attr``; rows with a single 1 are labels too."""
    index = np.asarray(_array(graph.edge_index)).reshape(2, -1)
    begins, ends = _pairs(index.T, what)
    rows, kinds = getattr(graph, "x", None), getattr(graph, "edge_attr", None)
    n_nodes = int(index.max(initial=-1)) + 1
    given = GivenGraph(n_nodes, begins, ends, "directed")
    if rows is not None:
        given.attributes = _vectors(rows, f"{what}: x")
        given.n_nodes = len(given.attributes)
        given.node_labels = _coded_labels(given.attributes)
    if getattr(graph, "num_nodes", None) is not None:
        given.n_nodes = int(graph.num_nodes)
    labels = None
    if kinds is not None and names.edge is not None:
        labels = _edge_kinds(kinds, f"{what}: edge_attr")
    given.edge_labels = labels
    if not _is_directed(begins, ends, labels):
        given.form = "both"
    return given


def _edge_kinds(kinds: Any, what: str) -> np.ndarray | None:
    """The labels of edges that PyTorch Geometric has as rows of numbers; None of no edges."""
    vectors = _vectors(kinds, what)
    labels = _coded_labels(vectors)
    if labels is None and len(vectors):
        rule = "are vectors, where kernels read one label for each edge"
        remedy = "give whole numbers, or edge_labels=None to ignore them"
        raise ShapeError(what, f"shape {vectors.shape}", rule, remedy)
    return labels


def _coded_labels(rows: np.ndarray) -> np.ndarray | None:
    """The labels in rows that hold one whole number, or a single 1; None of other rows."""
    if rows.shape[1] == 1:
        whole = bool((rows == np.round(rows)).all())
        return rows[:, 0].astype(np.int64) if whole else None
    is_coded = np.isin(rows, (0.0, 1.0)).all() and (rows.sum(axis=1) == 1.0).all()
    return np.argmax(rows, axis=1) if is_coded else None


def _from_molecule(molecule: Any, names: Names, what: str) -> GivenGraph:
    """The graph of an RDKit molecule: labels are the symbols of atoms and the types of bonds."""
    atoms, bonds = list(molecule.GetAtoms()), list(molecule.GetBonds())
    pairs = np.array([(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in bonds], np.int64)
    begins, ends = _pairs(pairs.reshape(-1, 2), what)
    symbols = [atom.GetSymbol() for atom in atoms]
    kinds = [str(bond.GetBondType()) for bond in bonds]
    return GivenGraph(len(atoms), begins, ends, "once", symbols, kinds)


def _from_smiles(text: str, names: Names, what: str) -> GivenGraph:
    try:
        from rdkit import Chem
    except ImportError:
        rule, remedy = "is a text, which RDKit reads as SMILES", "pip install 'mercer[molecules]'"
        raise MissingDependencyError(what, text, rule, remedy) from None
    molecule = Chem.MolFromSmiles(text)
    if molecule is None:
        raise InputTypeError(what, text, "is not a molecule in SMILES", "correct the text")
    return _from_molecule(molecule, names, what)


_BY_ATTRIBUTE: dict[str, Callable[[Any, Names, str], GivenGraph]] = {
    "adjacency": _from_networkx,
    "tocsr": _from_sparse,
    "get_edgelist": _from_igraph,
    "edge_index": _from_geometric,
    "GetAtoms": _from_molecule,
}
_BY_TYPE: dict[type, Callable[[Any, Names, str], GivenGraph]] = {
    str: _from_smiles,
    Mapping: _from_mapping,
    tuple: _from_sequence,
    list: _from_sequence,
}
