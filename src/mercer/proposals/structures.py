"""Kernels to try on graphs, trees and series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.domains.base import Batch
from mercer.domains.structures.graphs import GRAPHS
from mercer.domains.structures.series import SERIES
from mercer.domains.structures.trees import TREES
from mercer.kernels.base import Kernel
from mercer.kernels.series.global_alignment import GlobalAlignment
from mercer.kernels.series.signature import Signature
from mercer.kernels.series.widths import median_width
from mercer.kernels.trees.fragments import SubsetTrees
from mercer.kernels.trees.partial import PartialTrees
from mercer.kernels.trees.subtrees import Subtrees
from mercer.kernels.vectors.radial import RBF
from mercer.kernels.whole_graphs.hopper import GraphHopper
from mercer.kernels.whole_graphs.paths import ShortestPaths
from mercer.kernels.whole_graphs.weisfeiler_lehman import (
    WeisfeilerLehman,
    WeisfeilerLehmanAssignment,
)
from mercer.proposals.items import Families

_MOST_NODES = 10_000  # of all graphs, up to which their attributes are compared in seconds
_SMALL_TREES = 60  # nodes, on average, up to which partial trees are counted quickly


def graph_kernels(samples: Sequence[Any]) -> Families:
    """Colors of neighborhoods of several depths, and shortest paths; attributes where they are."""
    families: Families = [
        [WeisfeilerLehman(depth=depth).normalize() for depth in (3, 1, 5)],
        [WeisfeilerLehmanAssignment(depth=depth).normalize() for depth in (3, 5)],
        [ShortestPaths().normalize()],
    ]
    attributes = GRAPHS.own(samples).attributes
    if attributes is not None and 0 < len(attributes) <= _MOST_NODES:
        units = np.array([float(f"{unit:.4g}") or 1.0 for unit in attributes.std(axis=0)])
        nodes = [RBF((share * units).tolist()) for share in (2.0, 1.0)]
        families.append([GraphHopper(node=node).normalize() for node in nodes])
    return families


def tree_kernels(samples: Sequence[Any]) -> Families:
    """Common subtrees, and fragments at several rates of decay."""
    families: Families = [
        [SubsetTrees(decay=decay, count_leaves=True) for decay in (0.4, 0.1, 0.8)],
        [Subtrees()],
    ]
    if float(np.mean(list(map(len, TREES.own(samples))))) <= _SMALL_TREES:
        families.append([PartialTrees()])
    return families


def series_kernels(samples: Sequence[Any]) -> Families:
    """Alignments at several widths, and signatures of steps at two scales of the values."""
    encoded = SERIES.encode(Batch(samples))
    width = median_width(encoded)
    aligned: list[Kernel] = [
        GlobalAlignment(float(f"{share * width:.4g}")) for share in (0.5, 1.0, 0.2, 0.1)
    ]
    spread = [float(f"{unit:.4g}") or 1.0 for unit in encoded.values.std(axis=0)]
    units = np.array([*spread, 1.0])
    signatures: list[Kernel] = [Signature(3, RBF((share * units).tolist())) for share in (1.0, 0.5)]
    return [aligned, signatures]
