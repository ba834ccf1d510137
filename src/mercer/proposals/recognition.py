"""How graphs and series are distinguished from tables, trees and texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from mercer.domains.structures.graph_forms import KEYS, known_by_attribute


def are_graphs(samples: Sequence[Any]) -> bool:
    """Whether samples are graphs in any form but SMILES, which look like other texts."""
    return all(map(_is_graph, samples))


def _is_graph(sample: Any) -> bool:
    if isinstance(sample, Mapping):
        return set(sample) <= set(KEYS) and _are_edges(sample.get("edges"))
    if isinstance(sample, (tuple, list)):
        return 2 <= len(sample) <= 3 and _are_edges(sample[0]) and _are_of_nodes(sample[1])
    if hasattr(sample, "tocsr"):
        return _is_square(sample)
    return known_by_attribute(sample)


def _is_square(matrix: Any) -> bool:
    return len(matrix.shape) == 2 and matrix.shape[0] == matrix.shape[1]


def _are_edges(edges: Any) -> bool:
    """Whether these are an adjacency matrix, pairs of whole numbers, or an empty list."""
    if hasattr(edges, "tocsr"):
        return _is_square(edges)
    if isinstance(edges, np.ndarray):
        return edges.size == 0 or (edges.shape[1:] == (2,) and edges.dtype.kind in "iu")
    return isinstance(edges, (list, tuple, set, frozenset)) and all(map(_is_edge, edges))


def _is_edge(edge: Any) -> bool:
    if not isinstance(edge, (tuple, list, np.ndarray)) or len(edge) != 2:
        return False
    return all(isinstance(node, (int, np.integer)) for node in edge)


def _are_of_nodes(labels: Any) -> bool:
    """Whether these may be the number of nodes, or something for each of them."""
    if isinstance(labels, str):
        return False
    return isinstance(labels, (int, np.integer)) or hasattr(labels, "__len__")


def are_series(samples: Sequence[Any]) -> bool:
    """Whether samples are series or curves of their own, which do not make up a table."""
    if all(map(_is_curve, samples)) or all(hasattr(one, "columns") for one in samples):
        return True
    if all(map(_is_row_of_numbers, samples)):
        return len(set(map(len, samples))) > 1
    if not all(isinstance(one, np.ndarray) and one.dtype.kind in "fiu" for one in samples):
        return False
    return samples[0].ndim == 2 or len({one.shape for one in samples}) > 1


def _is_curve(sample: Any) -> bool:
    """Whether a sample is a pair (times, values)."""
    if not isinstance(sample, tuple) or len(sample) != 2:
        return False
    times, values = sample
    if isinstance(times, (str, Mapping)) or isinstance(values, (str, Mapping)):
        return False
    return np.ndim(times) == 1 and np.ndim(values) in (1, 2) and len(times) == len(values) > 0


def _is_row_of_numbers(sample: Any) -> bool:
    if not isinstance(sample, (list, tuple)):
        return False
    return all(isinstance(value, Real) for value in sample)
