"""Kernels between graphs by the shortest paths between their nodes.

>>> from mercer import ShortestPaths
>>> path, triangle = (
...     ([(0, 1), (1, 2)], ["a"] * 3),
...     ([(0, 1), (1, 2), (2, 0)], ["a"] * 3),
... )
>>> ShortestPaths()([path, triangle]).tolist()
[[20.0, 24.0], [24.0, 36.0]]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared, SparseMatrix
from mercer.definiteness import PSD, Definite
from mercer.domains.base import Batch
from mercer.domains.ngrams import NgramCounts, splitmix64
from mercer.domains.raw import starts_of
from mercer.domains.structures.graph_counts import count_hashes
from mercer.domains.structures.graphs import GraphSamples
from mercer.errors import DomainMismatchError
from mercer.execution.workspace import Workspace
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel, Place
from mercer.kernels.whole_graphs.node_pairs import (
    NodePairKernel,
    NodeRows,
    evaluate,
    kernel_or_none,
)
from mercer.params import param

__all__ = ["ShortestPaths"]

Slopes = dict[tuple[str, Place], np.ndarray]


def all_distances(samples: GraphSamples) -> SparseMatrix:
    """The matrix of distances between different nodes of the same graph that paths join."""
    from scipy.sparse import csr_matrix

    def make() -> SparseMatrix:
        sizes = samples.sizes
        offsets = starts_of(sizes**2)
        flat = np.full(int(offsets[-1]), -1, dtype=np.int32)
        graphs = samples.graphs
        starts = samples.starts
        _compiled.graphs.distances(graphs.indptr, graphs.indices, starts, offsets, flat)
        per_node = sizes[samples.owners]
        first = np.repeat(starts[:-1], sizes)
        columns = np.arange(len(flat)) + np.repeat(first - starts_of(per_node)[:-1], per_node)
        n = len(per_node)
        matrix = csr_matrix((flat, columns, starts_of(per_node)), shape=(n, n))
        matrix.data[matrix.data < 0] = 0
        matrix.eliminate_zeros()
        return matrix

    return samples.once("distances", make)


class ShortestPaths(NodePairKernel):
    """Σ [u ~ u′][v ~ v′][d(u, v) = d(u′, v′)] over pairs (u, v) of x and (u′, v′) of y.

    The sum runs over ordered pairs of different nodes that a path joins; d is the number of edges
    of the shortest one, and u ~ u′ means that labels are equal. With ``node``, a kernel on
    attributes takes the place of equal labels (labels that exist must be equal as well), and with
    ``length`` a kernel on distances that of equal distances. Labels of edges do not matter.

    Parameters
    ----------
    node : Kernel or None, default=None
        A kernel on the attributes of nodes.
    length : Kernel or None, default=None
        A kernel on distances, which are rows of one number.
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
    >>> from mercer import ShortestPaths
    >>> path, triangle = [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]
    >>> ShortestPaths()([(path, ["C", "C", "O"]), (triangle, ["C", "C", "O"])]).tolist()
    [[8.0, 8.0], [8.0, 12.0]]

    References
    ----------
    K. M. Borgwardt and H.-P. Kriegel (2005). Shortest-path kernels on graphs. IEEE International
    Conference on Data Mining, 74-81.
    """

    order: ClassVar[int] = 2
    _pairwise: ClassVar[str] = (
        "convolution: sums over pairs of nodes of products of kernels on both ends and on distances"
    )
    length: Any = param(default=None, check=kernel_or_none)

    @property
    def by_pairs(self) -> bool:
        return self.node is not None or self.length is not None

    def check_params(self) -> None:
        super().check_params()
        if self.length is not None and "matrix" not in self.length.domain.accepts:
            what = "ShortestPaths: length"
            raise DomainMismatchError(what, self.length, "must be a kernel on rows of numbers")

    def claim(self) -> Definite:
        rule = "inner product: φ_(a,b,d)(G) = the number of pairs of nodes of G with labels a and b"
        return Definite(PSD, f"{rule} at distance d", "graphs")

    def fit_batch(self, batch: Batch) -> Self:
        super().fit_batch(batch)
        if self.length is not None:
            samples: Prepared = batch.encode(self.domain)
            longest = int(all_distances(samples).data.max(initial=1))
            self.length.fit_batch(Batch(_lengths(longest)))
        return self

    def find(self, samples: GraphSamples, group: tuple[int, ...]) -> NgramCounts:
        graphs, until = samples.graphs, np.zeros(len(samples) + 1, dtype=np.int64)
        colors = splitmix64(samples.node_colors(self.unlabeled))
        count = _compiled.graphs.path_counts
        hashes, counts = count(graphs.indptr, graphs.indices, samples.starts, colors, until)
        return count_hashes(hashes, until, counts)

    def weighted_rows(
        self, pair: Pair, slopes: bool
    ) -> Iterator[tuple[NodeRows, np.ndarray, Slopes]]:
        x, y = all_distances(pair.x.graphs), all_distances(pair.y.graphs)
        first, last = (int(pair.y.graphs.starts[at]) for at in (pair.j0, pair.j1))
        right = y[first:last, first:last]
        longest = int(max(x.data.max(initial=1), y.data.max(initial=1)))
        similar, changes = self._of_lengths(longest, pair, slopes)
        directed = pair.x.graphs.graphs.directed.any() or pair.y.graphs.graphs.directed.any()
        starts = pair.x.graphs.starts
        for rows in self.node_rows(pair, slopes):
            nodes = slice(int(starts[rows.graph]), int(starts[rows.graph + 1]))
            left = x[nodes, nodes].toarray()
            others = {
                (f"length__{name}", place): _joined(left, right, rows.values, change, directed)
                for (name, place), change in changes.items()
            }
            yield rows, _joined(left, right, rows.values, similar, directed), others

    def _of_lengths(self, longest: int, pair: Pair, slopes: bool) -> tuple[np.ndarray, Slopes]:
        """The kernel of all distances from 1 on, and its derivatives."""
        if self.length is None:
            return np.eye(longest), {}
        lengths = self.length.prepare(Batch(_lengths(longest)))
        whole = slice(0, longest)
        square = Pair(lengths, lengths, 0, longest, 0, longest, Workspace())
        return evaluate(self.length, square, whole, whole, slopes)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.radial import RBF

        return [cls(), cls(RBF(2.0), RBF(3.0))]


def _lengths(longest: int) -> np.ndarray:
    return np.arange(1.0, longest + 1.0)[:, None]


def _joined(
    left: np.ndarray, right: SparseMatrix, values: np.ndarray, similar: np.ndarray, directed: bool
) -> np.ndarray:
    """Σ_{v,v′} similar[d(u, v), d(u′, v′)] values[v, v′] for nodes u and u′.

    Of directed graphs, the mean of what leads away from u and u′ and of what leads to them.
    """
    total = np.zeros_like(values)
    for distance in range(1, int(left.max(initial=0)) + 1):
        near = (left == distance).astype(np.float64)
        alike = right.astype(np.float64)
        alike.data = similar[distance - 1][right.data - 1]
        if directed:
            total += 0.5 * (alike.T @ (near.T @ values).T).T + 0.5 * (alike @ (near @ values).T).T
        else:
            total += (alike @ (near @ values).T).T
    return total
