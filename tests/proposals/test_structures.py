"""Kernels that are tried on graphs."""

from __future__ import annotations

import numpy as np

from mercer import RBF, GraphHopper
from mercer.proposals.structures import graph_kernels


def graph(attributes):
    return {"edges": [(0, 1), (1, 2)], "n_nodes": 3, "attributes": attributes}


def test_attributes_are_compared_in_their_own_units():
    rows = np.array([[0.0, 5.0], [2.0, 5.0], [1.0, 5.0]])
    spread = float(f"{rows[:, 0].std():.4g}")
    family = graph_kernels([graph(rows), graph(rows[::-1])])[-1]
    hoppers = [GraphHopper(node=RBF([share * spread, share])) for share in (2.0, 1.0)]
    assert family == [hopper.normalize() for hopper in hoppers]


def test_graphs_without_attributes_have_no_such_kernel():
    assert "Hopper" not in repr(graph_kernels([([(0, 1)], ["C", "O"])]))
    assert "Hopper" not in repr(graph_kernels([{"edges": [], "n_nodes": 0}]))
