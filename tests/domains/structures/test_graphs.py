"""Graphs in every form are the same samples, and bad ones are refused by name."""

from __future__ import annotations

import types
from functools import partial

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

from mercer import RBF, GraphCollection, GraphHopper, GraphWalks, ShortestPaths, WeisfeilerLehman
from mercer.domains.base import Batch
from mercer.domains.structures.graphs import GRAPHS
from mercer.errors import (
    InputTypeError,
    MercerError,
    MissingDependencyError,
    ParameterError,
    ShapeError,
)

EDGES, LABELS, KINDS = [(0, 1), (1, 2), (2, 3), (3, 1)], list("CCON"), [1, 2, 1, 1]
RING = ([(0, 1), (1, 2), (2, 0)], list("CCO"), [1, 1, 2])
kernel = WeisfeilerLehman(depth=3)


def as_networkx(edges=EDGES, labels=LABELS, kinds=KINDS, cls=nx.Graph, node="label", edge="label"):
    graph = cls()
    graph.add_nodes_from((f"n{at}", {node: label}) for at, label in enumerate(labels))
    ends = [(f"n{u}", f"n{v}") for u, v in edges]
    graph.add_edges_from((*end, {edge: kind}) for end, kind in zip(ends, kinds, strict=True))
    return graph


def as_sparse():
    rows, columns = np.array(EDGES).T
    half = scipy.sparse.coo_matrix((KINDS, (rows, columns)), shape=(4, 4))
    return (half + half.T).tocsr(), LABELS


def as_igraph():
    """An object with the methods of igraph's graphs that are used."""

    class Table(list):
        def attributes(self):
            return ["label"]

        def __getitem__(self, name):
            return list(self)

    return types.SimpleNamespace(
        get_edgelist=lambda: EDGES,
        vcount=lambda: 4,
        is_directed=lambda: False,
        vs=Table(LABELS),
        es=Table(KINDS),
    )


def as_geometric():
    """An object with the attributes of PyTorch Geometric's graphs that are used."""
    index = np.array(EDGES + [(v, u) for u, v in EDGES]).T
    codes = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    return types.SimpleNamespace(
        edge_index=index, x=codes, edge_attr=np.array(KINDS + KINDS), num_nodes=4
    )


def as_molecule():
    """An object with the methods of RDKit's molecules that are used."""
    atoms = [types.SimpleNamespace(GetSymbol=lambda symbol=s: symbol) for s in LABELS]
    bonds = [
        types.SimpleNamespace(
            GetBeginAtomIdx=lambda u=u: u, GetEndAtomIdx=lambda v=v: v, GetBondType=lambda k=k: k
        )
        for (u, v), k in zip(EDGES, KINDS, strict=True)
    ]
    return types.SimpleNamespace(GetAtoms=lambda: atoms, GetBonds=lambda: bonds)


BOTH_WAYS = (EDGES + [(v, u) for u, v in EDGES], LABELS, KINDS + KINDS)
SAME = {
    "tuple": (EDGES, LABELS, KINDS),
    "both directions": BOTH_WAYS,
    "arrays": (np.array(EDGES), np.array(LABELS), np.array(KINDS, dtype=float)),
    "dictionaries": (
        [tuple("abcd"[v] for v in edge) for edge in EDGES],
        dict(zip("abcd", LABELS, strict=True)),
        {tuple("abcd"[v] for v in e): k for e, k in zip(EDGES, KINDS, strict=True)},
    ),
    "mapping": {"edges": EDGES, "node_labels": LABELS, "edge_labels": KINDS},
    "networkx": as_networkx(),
    "sparse": as_sparse(),
    "igraph": as_igraph(),
}


@pytest.mark.parametrize("form", SAME)
def test_every_form_is_the_same_graph(form):
    wanted = kernel([SAME["tuple"], RING])
    assert np.array_equal(kernel([SAME[form], RING]), wanted)
    assert np.array_equal(kernel([RING], [SAME[form]]), wanted[1:, :1])


def test_geometric_graphs_and_molecules_have_the_same_structure():
    # their labels are numbers of columns, and texts for bonds
    wanted = kernel([SAME["tuple"]])
    assert np.array_equal(kernel([as_geometric()]), wanted)
    assert np.array_equal(kernel([as_molecule()]), wanted)


def test_names_of_attributes_are_given_on_the_kernel():
    graph = as_networkx(node="atom", edge="bond")
    named = WeisfeilerLehman(depth=3, node_labels="atom", edge_labels="bond")
    assert np.array_equal(
        named([graph, as_networkx(*RING, node="atom", edge="bond")]), kernel([SAME["tuple"], RING])
    )


def test_multigraphs_count_parallel_edges():
    once = as_networkx(cls=nx.MultiGraph)
    twice = as_networkx([*EDGES, (0, 1)], LABELS, [*KINDS, 1], nx.MultiGraph)
    assert np.array_equal(kernel([once]), kernel([SAME["tuple"]]))
    assert np.array_equal(kernel([twice]), kernel([([*EDGES, (0, 1)], LABELS, [*KINDS, 1])]))
    assert kernel([once], [twice])[0, 0] < kernel([once], [once])[0, 0]


def test_directed_graphs_tell_directions_apart():
    forth, back = as_networkx(cls=nx.DiGraph), as_networkx(cls=nx.DiGraph).reverse()
    K = WeisfeilerLehman(depth=1)([forth, back])
    assert K[0, 1] < K[0, 0]
    given = {"edges": EDGES, "node_labels": LABELS, "edge_labels": KINDS, "directed": True}
    assert np.array_equal(WeisfeilerLehman(depth=1)([given, back]), K)


def test_loops_isolated_nodes_and_empty_graphs():
    loop, alone, empty = ([(0, 0)], ["a"]), ([], ["a"]), ([], [])
    K = WeisfeilerLehman(depth=1)([loop, alone, empty])
    assert K.tolist() == [[2, 1, 0], [1, 2, 0], [0, 0, 0]]
    assert WeisfeilerLehman().normalize()([loop, empty]).tolist() == [[1, 0], [0, 0]]


def test_equal_numbers_are_equal_labels_and_texts_are_not():
    one = ([(0, 1)], [1, 2])
    for labels in ([1.0, 2.0], np.array([1, 2], dtype=np.uint8), [True, 2]):
        assert kernel([one], [([(0, 1)], labels)])[0, 0] == kernel([one])[0, 0]
    assert kernel([one], [([(0, 1)], ["1", "2"])])[0, 0] == 0


def test_absent_labels_are_degrees_or_constant_and_the_kernel_says_which():
    path = ([(0, 1), (1, 2)], 3)
    assert WeisfeilerLehman(depth=0).fit([path])([path]).tolist() == [[5.0]]
    assert WeisfeilerLehman(depth=0, unlabeled="constant")([path]).tolist() == [[9.0]]
    assert WeisfeilerLehman().fit([path]).labels_ == "degree"
    assert GraphWalks(decay=0.1).fit([path]).labels_ == "constant"
    assert kernel.copy().fit([RING]).labels_ == "labels"


def test_a_collection_is_a_sequence_of_graphs():
    graphs = GRAPHS.encode(Batch([SAME["tuple"], RING, ([], ["C"])])).graphs
    assert isinstance(graphs, GraphCollection) and graphs.shape == (3,)
    assert repr(graphs) == "GraphCollection(3 graphs, 8 nodes, 7 edges)"
    assert graphs[-1]["n_nodes"] == 1 and len(list(graphs)) == 3
    wanted = kernel(graphs)
    assert np.array_equal(kernel(list(graphs)), wanted)
    for rows in ([2, 0, 0], slice(1, None), np.array([True, False, True])):
        assert np.array_equal(kernel(graphs[rows]), wanted[rows][:, rows])


HALF = nx.path_graph(3)
HALF.nodes[0]["label"] = 1
SQUARE = scipy.sparse.csr_matrix(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
BAD = {
    "edge to nowhere": ([([(0, 5)], list("ab"))], "X[0]: edge 0 = (0, 5)"),
    "too many labels": ([([(0, 1)], list("ab"), [1, 2])], "X[0]: edge_labels"),
    "mixed nodes": ([RING, ([(0, 1)], 2, [1])], "X[1]"),
    "mixed edges": ([RING, ([(0, 1)], list("ab"))], "X[1]"),
    "unhashable": ([([], ["a", []])], "X[0]: node_labels[1]"),
    "nan": ([([], ["a", float("nan")])], "X[0]: node_labels"),
    "number": ([RING, 3.0], "X[1]"),
    "long tuple": ([([], [], [], [])], "X[0]"),
    "unknown key": ([{"edges": [], "labels": []}], "X[0]"),
    "text edges": ([([("a", "b")], 2)], "X[0]: edges"),
    "unknown name": ([RING, ([("a", "z")], {"a": 1, "b": 2})], "X[1]: edge 0 = ('a', 'z')"),
    "edge without label": ([([(0, 1)], {0: 1, 1: 2}, {(0, 2): 1})], "X[0]: edge 0 = (0, 1)"),
    "label of the reversed edge": (
        [{"edges": [(0, 1)], "n_nodes": 2, "edge_labels": {(1, 0): 1}, "directed": True}],
        "X[0]: edge 0 = (0, 1)",
    ),
    "text as number of nodes": ([{"edges": [], "n_nodes": "x"}], "X[0]: n_nodes = 'x'"),
    "broken number of nodes": ([{"edges": [], "n_nodes": 2.5}], "X[0]: n_nodes = 2.5"),
    "nodes below 0": ([RING, ([], -2)], "X[1]: n_nodes = -2"),
    "not square": ([scipy.sparse.csr_matrix((2, 3))], "X[0]"),
    "labels for some rows": ([(SQUARE, list("ab"))], "X[0] = 'matrix of 3 rows'"),
    "labels for more rows": ([(SQUARE, list("abcd"))], "X[0] = 'matrix of 3 rows'"),
    "another number of rows": ([{"edges": SQUARE, "n_nodes": 2}], "X[0] = 'matrix of 3 rows'"),
    "labels beside a matrix": ([(SQUARE, list("abc"), [1])], "X[0]: edge_labels"),
    "missing label": ([nx.Graph([(0, 1)]), as_networkx()], "X[0]"),
    "label on one node": ([HALF], "X[0]: node"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_graphs_are_refused_by_name(case):
    graphs, place = BAD[case]
    with pytest.raises(MercerError) as caught:
        kernel(graphs)
    assert place in str(caught.value)


def test_labels_must_be_there_at_prediction_as_in_training():
    bare, empty = ([(0, 1)], 2), ([], [])
    with pytest.raises(InputTypeError, match=r"Y\[1\] .* has no labels of nodes, but X have some"):
        kernel([RING], [empty, bare])
    with pytest.raises(InputTypeError, match=r"Y\[1\] .* has labels of nodes, but X have none"):
        kernel([bare], [empty, (*RING[:2], None)])
    assert kernel([RING], [empty]).tolist() == [[0.0]]


def test_labels_of_edges_must_be_there_at_prediction_as_in_training():
    bare = RING[:2]
    with pytest.raises(InputTypeError, match=r"Y\[0\] .* has no labels of edges, but X have some"):
        kernel([RING], [bare])
    with pytest.raises(InputTypeError, match=r"Y\[0\] .* has labels of edges, but X have none"):
        kernel([bare], [RING])
    ignoring = WeisfeilerLehman(edge_labels=None)
    assert ignoring([RING], [bare]) == ignoring([bare])
    alone, ones = ([], ["C"]), (*bare, [1, 1, 1])
    assert kernel([RING], [alone])[0, 0] > 0  # it has no edges, whose labels could be missing
    assert kernel([bare], [ones]) == kernel([ones], [bare]) == kernel([bare])
    assert kernel([RING], [ones])[0, 0] > 0


def test_labels_by_edge_may_name_an_undirected_edge_in_either_direction():
    kinds = {(v, u): kind for (u, v), kind in zip(EDGES, KINDS, strict=True)}
    nodes = dict(enumerate(LABELS))
    assert kernel([(EDGES, nodes, kinds)]) == kernel([SAME["tuple"]])


def test_a_single_graph_is_no_collection():
    with pytest.raises(InputTypeError, match="not a collection of graphs"):
        kernel(as_networkx())


def test_texts_are_molecules():
    try:
        import rdkit  # noqa: F401
    except ImportError:
        with pytest.raises(MissingDependencyError, match="molecules"):
            kernel(["CCO"])
    else:
        assert kernel(["CCO", "OCC"]).tolist() == [[14.0, 14.0], [14.0, 14.0]]


def test_attributes_are_checked():
    from mercer import RBF

    hopper = GraphHopper(node=RBF())
    rows = {"edges": [(0, 1)], "attributes": [[0.0], [1.0]]}
    assert hopper([rows]).shape == (1, 1)
    with pytest.raises(InputTypeError, match="compares attributes"):
        hopper([RING])
    with pytest.raises(ShapeError, match=r"X\[1\]: attributes"):
        hopper([rows, {"edges": [], "attributes": [[0.0, 1.0]]}])
    with pytest.raises(MercerError, match="node 1"):
        ShortestPaths(node=RBF())([{"edges": [(0, 1)], "attributes": [[0.0], [np.inf]]}])


def test_matrices_of_ones_are_graphs_without_labels_of_edges():
    ones = scipy.sparse.csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    labeled = scipy.sparse.csr_array(np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]]))
    edges = ([(0, 1), (1, 2)], 3)
    kernel = WeisfeilerLehman(2)
    assert len(np.unique(kernel([edges, ones]))) == 1
    K = kernel([labeled, ones])
    assert np.array_equal(kernel([ones], [labeled, ones]), K[1:])
    assert GraphWalks(decay=0.1).fit([ones]).prepare(Batch([ones])).labeled is False
    with pytest.raises(InputTypeError, match=r"X\[1\] = 'a graph' has no labels of edges"):
        kernel([labeled, edges])


@pytest.mark.parametrize("kernel", [WeisfeilerLehman, ShortestPaths, partial(GraphWalks, 0.1)])
def test_a_name_that_no_node_or_edge_has_is_refused(kernel):
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, "a", "label")
    nx.set_edge_attributes(graph, "b", "kind")
    with pytest.raises(ParameterError, match=r"node_labels = 'lable' .* no node.*'label'"):
        kernel(node_labels="lable")([graph])
    if kernel is not ShortestPaths:  # which reads no labels of edges
        with pytest.raises(ParameterError, match=r"edge_labels = 'knd' .* no edge.*'kind'"):
            kernel(edge_labels="knd")([graph])
        kernel(edge_labels="kind")([graph])
    bare = nx.path_graph(3)
    kernel()([bare, bare])  # graphs need not have labels
    with pytest.raises(ParameterError, match="no attributes"):
        kernel(node_labels="lable")([bare])
    kernel(node_labels="lable")([([(0, 1)], ["a", "b"])])  # a list has no names
    kernel(node_labels="lable")([nx.Graph()])


def test_a_name_of_attributes_that_no_node_has_is_refused():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 1.5, "size")
    with pytest.raises(ParameterError, match=r"attributes = 'sise' .* no node.*'size'"):
        ShortestPaths(RBF(), attributes="sise")([graph])
