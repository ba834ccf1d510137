"""Folders in the format of TUDataset."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer.errors import InputError

FILES = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 4\n",
    "graph_indicator": "1\n1\n1\n2\n",
    "graph_labels": "1\n-1\n",
    "node_labels": "0\n1\n0\n2\n",
    "edge_labels": "5\n5\n6\n6\n5\n",
    "node_attributes": "0.5, 1\n1, 2\n2, 3\n4, 5\n",
}


def folder_of(tmp_path, **changes):
    folder = tmp_path / "TWO"
    folder.mkdir()
    for part, text in {**FILES, **changes}.items():
        if text is not None:
            (folder / f"TWO_{part}.txt").write_text(text)
    return folder


def test_everything_is_read(tmp_path):
    graphs, y = mercer.read_tudataset(folder_of(tmp_path))
    assert y.tolist() == [1, -1]
    first, second = graphs
    assert first["edges"].tolist() == [[0, 1], [1, 2]]
    assert first["node_labels"] == [0, 1, 0] and first["edge_labels"] == [5, 6]
    assert first["attributes"].tolist() == [[0.5, 1], [1, 2], [2, 3]] and not first["directed"]
    assert second["edges"].tolist() == [[0, 0]]


def test_edges_in_one_direction_are_directed(tmp_path):
    folder = folder_of(tmp_path, A="1, 2\n2, 3\n4, 4\n", edge_labels=None)
    assert all(graph["directed"] for graph in mercer.read_tudataset(folder)[0])


def test_graphs_may_be_without_nodes_and_targets_may_be_numbers(tmp_path):
    folder = folder_of(tmp_path, graph_labels=None, graph_attributes="0.5\n1.5\n2.5\n")
    graphs, y = mercer.read_tudataset(folder)
    assert y.tolist() == [0.5, 1.5, 2.5] and graphs.n_nodes.tolist() == [3, 1, 0]


BAD = {
    "no indicator": ({"graph_indicator": None}, "TWO_graph_indicator.txt"),
    "no edges": ({"A": None}, "has no file TWO_A.txt"),
    "neither": ({"A": None, "graph_indicator": None}, "NAME_A.txt"),
    "edge to nowhere": ({"A": "1, 9\n"}, "line 1"),
    "edge between graphs": ({"A": "1, 2\n3, 4\n", "edge_labels": None}, "line 2"),
    "labels too short": ({"node_labels": "0\n"}, "1 lines"),
    "text": ({"node_labels": "0\nC\n0\n0\n"}, "TWO_node_labels.txt"),
    "graphs out of order": ({"graph_indicator": "2\n1\n1\n2\n"}, "line 2"),
    "targets too few": ({"graph_labels": "1\n"}, "1 targets"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_folders_are_refused(tmp_path, case):
    changes, place = BAD[case]
    with pytest.raises(InputError) as caught:
        mercer.read_tudataset(folder_of(tmp_path, **changes))
    assert place in str(caught.value) and "\n" not in str(caught.value)


def test_the_command_reads_a_folder(tmp_path):
    source = mercer.readers.read_source(folder_of(tmp_path))
    assert source.kind == "graphs" and source.description == "2 graphs of 1 to 3 nodes"
    assert np.array_equal(source.labels, [1, -1])


def test_the_command_names_a_file_that_is_missing(tmp_path):
    with pytest.raises(InputError, match=r"has no file TWO_A\.txt"):
        mercer.readers.read_source(folder_of(tmp_path, A=None))
