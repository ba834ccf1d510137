"""Graphs of networkx that are read at once are those that are read one by one."""

import dataclasses

import networkx as nx
import numpy as np
import pytest

from mercer.domains.structures import graph_assembly
from mercer.domains.structures.given_graph import Names
from mercer.domains.structures.graph_assembly import assemble
from mercer.errors import InputTypeError

NAMES = Names("label", "label", None)


def graph(nodes, edges, cls=nx.Graph, labels=None, kinds=None):
    made = cls()
    made.add_nodes_from(nodes)
    made.add_edges_from(edges)
    if labels is not None:
        nx.set_node_attributes(made, dict(zip(nodes, labels)), "label")
    if kinds is not None:
        nx.set_edge_attributes(made, dict(zip(edges, kinds)), "label")
    return made


PATH, TRIANGLE = [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]
COLLECTIONS = {
    "plain": [graph(range(3), PATH), graph(range(3), TRIANGLE)],
    "empty": [graph([], []), graph(range(3), PATH), graph([], [])],
    "nothing": [graph([], [])],
    "labels": [graph(range(3), PATH, labels="abc"), graph(range(3), TRIANGLE, labels="aab")],
    "equal numbers": [graph(range(3), PATH, labels=[1, 1.0, True])],
    "edges": [graph(range(3), PATH, labels="aba", kinds=["x", "y"])],
    "edges of 1": [graph(range(3), PATH, kinds=[1, 1])],
    "weights": [graph(range(3), [(0, 1, {"weight": 2.0}), (1, 2, {"weight": 1.0})])],
    "loop, isolated": [graph(range(4), [(0, 0), (0, 1)], labels="abcd")],
    "directed": [graph(range(3), TRIANGLE, nx.DiGraph), graph(range(3), PATH)],
    "another order": [graph([2, 0, 1], PATH, labels="abc"), graph(range(3), PATH, labels="abc")],
    "texts": [graph("xyz", [("x", "y"), ("z", "y")], labels="abc")],
    "texts of digits": [graph("021", [("0", "1")]), graph("01", [("0", "1")])],
    "fractions": [graph([0.0, 1.5, 2.5], [(0.0, 2.5), (1.5, 2.5)])],
    "tuples": [nx.grid_2d_graph(2, 3), graph(range(2), [(0, 1)])],
    "large numbers": [graph([10**30, -1], [(10**30, -1)])],
    "view": [nx.complete_graph(5).subgraph([4, 1, 3]), nx.reverse_view(nx.DiGraph(PATH))],
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_reading_at_once_is_reading_one_by_one(name, monkeypatch):
    at_once = dataclasses.asdict(assemble(COLLECTIONS[name], NAMES, "X"))
    monkeypatch.setattr(graph_assembly, "are_networkx", lambda graphs: False)
    for field, values in dataclasses.asdict(assemble(COLLECTIONS[name], NAMES, "X")).items():
        assert np.array_equal(at_once[field], values), field


@pytest.mark.parametrize("name", COLLECTIONS)
def test_none_of_these_needs_to_be_read_alone(name, monkeypatch):
    def refuse(*_):
        raise AssertionError("read alone")

    monkeypatch.setattr(graph_assembly, "read_one", refuse)
    assemble(COLLECTIONS[name], NAMES, "X")


@pytest.mark.parametrize(
    "label", [[1], float("nan"), float("inf"), None, object()], ids=lambda v: type(v).__name__
)
def test_an_error_names_the_graph(label):
    graphs = [graph(range(3), PATH, labels="abc"), graph(range(2), [(0, 1)], labels=["a", label])]
    with pytest.raises(InputTypeError, match=r"X\[1\]"):
        assemble(graphs, NAMES, "X")
