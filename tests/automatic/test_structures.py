"""Automatic models of graphs and of series, in all the forms that they may have."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import mercer
from mercer.automatic.candidates import candidates, kind_of
from mercer.errors import InputTypeError, ShapeError

Y = np.array([0, 1] * 10)
SHAPES = [(nx.star_graph, nx.cycle_graph)[kind](5 + row % 4) for row, kind in enumerate(Y)]


def by_index(graph):
    """A graph of PyTorch Geometric."""
    edges = np.array([*graph.edges, *(edge[::-1] for edge in graph.edges)]).T
    return SimpleNamespace(edge_index=edges, num_nodes=len(graph))


FORMS = {
    "networkx": lambda graph: graph,
    "edges": lambda graph: (list(graph.edges), len(graph)),
    "labels": lambda graph: (np.array(graph.edges), ["a"] * len(graph), [2] * len(graph.edges)),
    "matrix": lambda graph: nx.to_scipy_sparse_array(graph).tocsr(),
    "labeled matrix": lambda graph: (nx.to_scipy_sparse_array(graph), ["a"] * len(graph)),
    "dictionary": lambda graph: {"edges": list(graph.edges)},
    "geometric": by_index,
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_graphs_are_recognized(form):
    graphs = [*map(form, SHAPES)]
    assert kind_of(graphs) == "graphs"
    assert kind_of(tuple(graphs)) == "graphs"


def test_what_is_no_graph():
    assert kind_of([{"a": [[0, 1]]}, {"edges": 1}]) == "trees"
    assert kind_of([{"edges": "many", "color": 3}]) == "trees"
    assert kind_of([[[0.5, 1.5], [1.0, 2.0]], [[0.5, 1.0], [1.0, 2.0]]]) != "graphs"
    assert kind_of([(1, 2), (2, 3)]) == "table"
    assert kind_of([("a", "b"), ("c", "d")]) == "table"


@pytest.mark.parametrize("form", ["labels", "dictionary"])
def test_a_classifier_of_graphs(form, tmp_path):
    X = [*map(FORMS[form], SHAPES)]
    model = mercer.AutoClassifier().fit(X, Y)
    assert model.score(X, Y) == 1.0
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_collections_that_were_read_from_files():
    graphs = mercer.WeisfeilerLehman().domain.own(SHAPES)
    model = mercer.AutoRegressor().fit(graphs, Y.astype(float))
    assert model.score(graphs, Y) > 0.9
    np.testing.assert_allclose(model.predict(SHAPES), model.predict(graphs))


# -- series ----------------------------------------------------------------------------------------


def waves(channels, rng):
    """Slow and fast waves of unequal lengths, with noise."""
    sizes = rng.integers(8, 14, len(Y))
    phases = rng.random(len(Y)) * 6
    angles = [np.arange(n) * (0.3 + 0.5 * kind) for n, kind in zip(sizes, Y)]
    return [
        np.sin(angle + phase)[:, None] + 0.1 * rng.standard_normal((len(angle), channels))
        for angle, phase in zip(angles, phases)
    ]


FORMS_OF_SERIES = {
    "vectors": lambda one: one[:, 0],
    "channels": lambda one: one,
    "frames": lambda one: pd.DataFrame(one, columns=["a", "b"]),
    "curves": lambda one: (np.arange(len(one)), one),
    "numbers": lambda one: one[:, 0].tolist(),
}


@pytest.mark.parametrize("form", FORMS_OF_SERIES.values(), ids=FORMS_OF_SERIES)
def test_a_classifier_of_series(form, tmp_path):
    X = [*map(form, waves(2, np.random.default_rng(0)))]
    assert kind_of(X) == "series"
    model = mercer.AutoClassifier().fit(X, Y)
    assert model.score(X, Y) > 0.9
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_rows_of_equal_lengths_are_a_table():
    assert kind_of([[1.0, 2.0], [2.0, 3.0]]) == "table"
    assert kind_of([np.array([1.0, 2.0]), np.array([2.0, 3.0])]) == "table"


def test_arrays_of_three_axes():
    X = np.random.default_rng(0).standard_normal((20, 6, 2))
    with pytest.raises(ShapeError, match=r"list\(X\) if its axes are \(n, length, channels\)"):
        mercer.AutoClassifier().fit(X, Y)
    kernel = mercer.GlobalAlignment(2.0, channels="last")
    model = mercer.AutoClassifier(kernel).fit(X, Y)
    other = mercer.AutoClassifier(mercer.GlobalAlignment(2.0)).fit(list(X), Y)
    assert np.array_equal(model.predict(X), other.predict(list(X)))
    with pytest.raises(ShapeError, match="two axes"):
        mercer.AutoClassifier(mercer.RBF()).fit(X, Y)


def test_widths_that_are_learned_are_kept():
    X = waves(1, np.random.default_rng(0))
    assert candidates(X, mercer.GlobalAlignment("median")) == [mercer.GlobalAlignment("median")]
    assert mercer.AutoClassifier(mercer.GlobalAlignment("median")).fit(X, Y).score(X, Y) > 0.8


WAVES = [np.sin((1 + kind) * np.arange(12.0 + row % 3)) for row, kind in enumerate(Y)]
TREES = [("S", ("A", "B")) if kind else ("S", ("A", ("C", "D"))) for kind in Y]


@pytest.mark.parametrize("cells", [WAVES, TREES, SHAPES], ids=["series", "trees", "graphs"])
@pytest.mark.parametrize("container", [pd.Series, lambda cells: pd.DataFrame({"only": cells})])
def test_a_single_column_of_samples_is_the_list_of_them(cells, container):
    model = mercer.AutoClassifier(random_state=0)
    assert kind_of(model._check_samples(container(cells), reset=True)) == kind_of(cells)


@pytest.mark.parametrize("cells", [WAVES, TREES, SHAPES], ids=["series", "trees", "graphs"])
def test_samples_beside_other_columns_are_refused_by_name(cells):
    frame = pd.DataFrame({"number": np.arange(len(Y)), "odd": cells})
    with pytest.raises(InputTypeError, match=r"column 'odd'.* list\(X\['odd'\]\)"):
        mercer.AutoClassifier().fit(frame, Y)
