"""The GraphHopper kernel: nodes that shortest paths visit at the same position.

>>> from mercer import GraphHopper
>>> GraphHopper()([([(0, 1)], ["a", "b"])]).tolist()
[[6.0]]
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import Features, Prepared
from mercer.definiteness import PSD, Definite
from mercer.domains.base import Batch
from mercer.domains.ngrams import NgramCounts, splitmix64
from mercer.domains.raw import starts_of
from mercer.domains.structures.graph_counts import count_hashes
from mercer.domains.structures.graphs import GraphSamples
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import as_dense
from mercer.kernels.whole_graphs.node_pairs import NodePairKernel, NodeRows
from mercer.kernels.whole_graphs.paths import Slopes, all_distances
from mercer.readers.graph_collection import ranges

__all__ = ["GraphHopper"]

_COLUMN = np.uint64(0xEB44ACCAB455D165)  # columns are hashed apart from labels


@dataclasses.dataclass
class Hops:
    """How many shortest paths have a node at a position: a row for each node, or for several.

    Row i is ``flat[offsets[i]:offsets[i + 1]]``; position p of paths of l edges has the column
    l(l + 1)/2 + p, whatever the longest path is.
    """

    flat: np.ndarray
    offsets: np.ndarray

    def block(self, rows: slice, width: int) -> np.ndarray:
        """Some rows as a matrix of so many columns, the last of them 0 where paths are shorter."""
        matrix = np.zeros((rows.stop - rows.start, width))
        sizes = np.minimum(np.diff(self.offsets[rows.start : rows.stop + 1]), width)
        starts = self.offsets[rows]
        columns = ranges(np.zeros(len(sizes), dtype=np.int64), sizes)
        matrix[np.repeat(np.arange(len(sizes)), sizes), columns] = self.flat[ranges(starts, sizes)]
        return matrix


def hops_of(samples: GraphSamples, slots: np.ndarray, owners: np.ndarray) -> Hops:
    """The counts of all nodes, those of equal ``slots`` together; slot s is in graph owners[s]."""
    distances = all_distances(samples)
    adjacency = samples.adjacency()  # parallel edges make one path
    longest = np.zeros(len(samples), dtype=np.int64)
    rows = np.repeat(np.arange(len(samples.owners)), np.diff(distances.indptr))
    np.maximum.at(longest, samples.owners[rows], distances.data)
    widths = (longest + 1) * (longest + 2) // 2
    offsets = starts_of(widths[owners])
    flat = np.zeros(int(offsets[-1]))
    indptr, indices = adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64)
    _compiled.graphs.hops(indptr, indices, samples.starts, longest, slots, offsets, flat)
    return Hops(flat, offsets)


def _hops_of_nodes(samples: GraphSamples) -> Hops:
    nodes = np.arange(len(samples.owners))
    return samples.once("hops", lambda: hops_of(samples, nodes, samples.owners))


class GraphHopper(NodePairKernel):
    """Σ k(v, v′) ⟨M_v, M_v′⟩ over nodes; M_v counts shortest paths by length and v's position.

    It compares all shortest paths of x with those of y that have the same length, node by node. A
    path leads from a node to any node, itself included, and is a sequence of nodes. Without
    ``node``, k(v, v′) is 1 if the labels are equal and 0 otherwise; with it, a kernel on attributes
    (0 where labels exist and differ). Labels of edges do not matter.

    Parameters
    ----------
    node : Kernel or None, default=None
        A kernel on the attributes of nodes.
    node_labels, edge_labels : str or None, default="label"
        What networkx and igraph graphs call the labels of nodes and of edges. None ignores the
        labels of graphs of all forms.
    unlabeled : {"degree", "constant"}, default="degree"
        What stands for the labels of nodes where graphs have none. Beside a kernel ``node``, it is
        a constant.
    attributes : str, default="attributes"
        What networkx and igraph graphs call the attributes of nodes.

    Examples
    --------
    >>> from mercer import GraphHopper
    >>> path, triangle = [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]
    >>> GraphHopper()([(path, ["C", "C", "O"]), (triangle, ["C", "C", "O"])]).tolist()
    [[33.0, 33.0], [33.0, 45.0]]

    References
    ----------
    A. Feragen, N. Kasenburg, J. Petersen, M. de Bruijne and K. Borgwardt (2013). Scalable kernels
    for graphs with continuous attributes. Advances in Neural Information Processing Systems 26.
    """

    _pairwise: ClassVar[str] = (
        "convolution: sums over pairs of nodes of ⟨M_v, M_v′⟩, an inner product, times a kernel"
    )

    def claim(self) -> Definite:
        rule = "inner product: φ_(a,i,l)(G) = the number of shortest paths of G of l edges whose "
        return Definite(PSD, f"{rule}node at position i has the label a", "graphs")

    def find(self, samples: GraphSamples, group: tuple[int, ...]) -> NgramCounts:
        colors = samples.node_colors(self.unlabeled)
        keys = np.stack([samples.owners.astype(np.uint64), colors])
        different, slots = np.unique(keys, axis=1, return_inverse=True)
        owners = different[0].astype(np.int64)
        hops = hops_of(samples, slots.reshape(-1), owners)
        widths = np.diff(hops.offsets)
        columns = ranges(np.zeros(len(widths), dtype=np.int64), widths).astype(np.uint64)
        hashes = splitmix64(
            np.repeat(splitmix64(different[1]), widths) ^ splitmix64(columns ^ _COLUMN)
        )
        present = hops.flat > 0
        graphs = np.repeat(owners, widths)[present]
        starts = np.searchsorted(graphs, np.arange(len(samples) + 1))
        return count_hashes(hashes[present], starts, hops.flat[present])

    def weighted_rows(
        self, pair: Pair, slopes: bool
    ) -> Iterator[tuple[NodeRows, np.ndarray, Slopes]]:
        x, y = _hops_of_nodes(pair.x.graphs), _hops_of_nodes(pair.y.graphs)
        starts = pair.x.graphs.starts
        for rows in self.node_rows(pair, slopes):
            nodes = slice(int(starts[rows.graph]), int(starts[rows.graph + 1]))
            width = 1
            if nodes.stop > nodes.start:
                width = int(x.offsets[nodes.start + 1] - x.offsets[nodes.start])
            weights = x.block(nodes, width) @ y.block(rows.columns, width).T
            yield rows, weights, {}

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        if self.node is None:
            return super().map_features(batch, truncate)
        samples: Prepared = batch.encode(self.domain)
        inner = as_dense(self.node.map_features(self._attribute_batch(batch), truncate))
        inner = inner[: len(samples.owners)]
        hops = _hops_of_nodes(samples)
        width = int(np.diff(hops.offsets).max(initial=1))
        colors = samples.node_colors("constant")
        blocks = []
        for color in np.unique(colors):
            chosen = inner * (colors == color)[:, None]
            features = np.zeros((len(samples), width * inner.shape[1]))
            for row, (first, last) in enumerate(itertools.pairwise(samples.starts)):
                counts = hops.block(slice(int(first), int(last)), width)
                features[row] = (counts.T @ chosen[first:last]).ravel()
            blocks.append(features)
        return np.concatenate(blocks, axis=1) if blocks else np.zeros((len(samples), 1))

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.dot import Linear

        return [cls(), cls(node=Linear() + 0.5 * Linear() ** 2)]
