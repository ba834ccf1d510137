"""One graph as it was given: few arrays, whatever its form was, and their checks."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from mercer.errors import ShapeError

Labels = Sequence[Hashable] | np.ndarray | None
Places = np.ndarray | list[int]
# "once": each undirected edge is listed once, or in both directions; "both": always in both
Form = Literal["once", "both", "directed"]


class Names(NamedTuple):
    """The names of labels and attributes in graphs that name them; None to ignore them."""

    node: str | None = "label"
    edge: str | None = "label"
    attributes: str | None = "attributes"


@dataclasses.dataclass
class GivenGraph:
    """One graph: edges as pairs of positions of nodes, with what is known of nodes and edges.

    Edges that are grouped by the nodes where they begin have the numbers of these groups as
    ``begins``; they are known to join nodes that exist.
    """

    n_nodes: int
    begins: Places
    ends: Places
    form: Form
    node_labels: Labels = None
    edge_labels: Labels = None
    attributes: np.ndarray | None = None
    grouped: bool = False
    is_matrix: bool = False

    def resize(self, n_nodes: int, what: str) -> None:
        """Take a number of nodes, which a matrix determines, but a list of edges does not."""
        if self.is_matrix and n_nodes != self.n_nodes:
            rule = f"does not have one row for each of {n_nodes} nodes"
            remedy = "give a label for every row of the matrix"
            raise ShapeError(what, f"matrix of {self.n_nodes} rows", rule, remedy)
        self.n_nodes = n_nodes

    def check(self, what: str) -> None:
        """Refuse edges to nodes that do not exist, and labels of the wrong number."""
        n = self.n_nodes
        begins, ends = np.asarray(self.begins), np.asarray(self.ends)
        wrong = (begins < 0) | (begins >= n) | (ends < 0) | (ends >= n)
        if wrong.any():
            at = int(np.argmax(wrong))
            edge = (int(begins[at]), int(ends[at]))
            nodes = f"nodes are 0 to {n - 1}" if n else "the graph has no nodes"
            remedy = "correct the edge, or give a label for every node"
            rule = f"leads to a node that does not exist: {nodes}"
            raise ShapeError(f"{what}: edge {at}", edge, rule, remedy)
        _check_count(self.node_labels, n, f"{what}: node_labels", "nodes")
        _check_count(self.edge_labels, len(self.begins), f"{what}: edge_labels", "edges")
        _check_count(self.attributes, n, f"{what}: attributes", "nodes")


def _check_count(values: Labels, count: int, what: str, things: str) -> None:
    if values is not None and len(values) != count:
        rule = f"must be one for each of the {count} {things}"
        raise ShapeError(what, f"{len(values)} values", rule)
