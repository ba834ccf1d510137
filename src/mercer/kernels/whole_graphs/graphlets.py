"""The graphlet kernel: how often each graph on three or four nodes is part of a graph.

>>> from mercer import Graphlets
>>> Graphlets(size=3).features([([(0, 1), (1, 2), (2, 0), (2, 3)], 4)]).tolist()
[[0.0, 1.0, 2.0, 1.0]]
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.definiteness import PSD, Definite
from mercer.definiteness.means import finite
from mercer.domains.base import Batch, Domain
from mercer.domains.structures.given_graph import Names
from mercer.domains.structures.graphs import Graphs, GraphSamples
from mercer.domains.vectors.domain import VectorSamples
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.parameters import computed
from mercer.params import choice, param

__all__ = ["Graphlets"]

# How many copies of each graph on four nodes the graphs with more edges contain. Rows and columns
# are: no edge, one, two apart, two adjacent, triangle, star, path, paw, square, diamond, clique.
_COPIES = np.array(
    [
        [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
        [0, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6],
        [0, 0, 1, 0, 0, 0, 1, 1, 2, 2, 3],
        [0, 0, 0, 1, 3, 3, 2, 5, 4, 8, 12],
        [0, 0, 0, 0, 1, 0, 0, 1, 0, 2, 4],
        [0, 0, 0, 0, 0, 1, 0, 1, 0, 2, 4],
        [0, 0, 0, 0, 0, 0, 1, 2, 4, 6, 12],
        [0, 0, 0, 0, 0, 0, 0, 1, 0, 4, 12],
        [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 3],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 6],
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    ],
    dtype=np.int64,
)
_COPIES_OF_THREE = np.array(
    [[1, 1, 1, 1], [0, 1, 2, 3], [0, 0, 1, 3], [0, 0, 0, 1]], dtype=np.int64
)


class _Simple:
    """Undirected graphs without loops and parallel edges, and the counts that formulas need."""

    def __init__(self, samples: GraphSamples) -> None:
        from scipy.sparse import csr_matrix

        matrix = samples.adjacency()
        matrix = csr_matrix(matrix + matrix.T)
        matrix.setdiag(0)
        matrix.eliminate_zeros()
        self.samples = samples
        self.indptr = matrix.indptr.astype(np.int64)
        self.indices = matrix.indices.astype(np.int64)
        self.n = samples.sizes
        self.degrees = np.diff(self.indptr)
        self.sources = np.repeat(np.arange(len(self.degrees)), self.degrees)
        self.common = np.zeros(len(self.indices), dtype=np.int64)  # neighbors of both ends
        _compiled.graphs.triangles(self.indptr, self.indices, samples.starts, self.common)

    def by_node(self, values: np.ndarray) -> np.ndarray:
        """The sums of values of nodes over each graph."""
        until = np.concatenate([[0], np.cumsum(values)])
        return until[self.samples.starts[1:]] - until[self.samples.starts[:-1]]

    def by_entry(self, values: np.ndarray) -> np.ndarray:
        """The sums of values of entries over each graph; every edge has two entries."""
        until = np.concatenate([[0], np.cumsum(values)])
        bounds = self.indptr[self.samples.starts]
        return until[bounds[1:]] - until[bounds[:-1]]

    def of_three(self) -> np.ndarray:
        """How often graphs on three nodes occur, with further edges or without."""
        n, m = self.n, self.by_node(self.degrees) // 2
        paths = self.by_node(_choose(self.degrees, 2))
        triangles = self.by_entry(self.common) // 6
        return np.stack([_choose(n, 3), m * np.maximum(n - 2, 0), paths, triangles])

    def of_four(self) -> np.ndarray:
        """Counts of the graphlets of four nodes."""
        n, d = self.n, self.degrees
        _, _, paths, triangles = self.of_three()
        m = self.by_node(d) // 2
        squares, cliques = np.zeros(len(n), dtype=np.int64), np.zeros(len(n), dtype=np.int64)
        count = _compiled.graphs.squares_and_cliques
        count(self.indptr, self.indices, self.samples.starts, squares, cliques)
        middles = self.by_entry((d[self.sources] - 1) * (d[self.indices] - 1)) // 2
        paws = self.by_entry(self.common * (d[self.sources] - 2)) // 2
        return np.stack(
            [
                _choose(n, 4),
                m * _choose(n - 2, 2),
                _choose(m, 2) - paths,
                paths * np.maximum(n - 3, 0),
                triangles * np.maximum(n - 3, 0),
                self.by_node(_choose(d, 3)),
                middles - 3 * triangles,
                paws,
                squares // 2,
                self.by_entry(_choose(self.common, 2)) // 2,
                cliques,
            ]
        )


def _choose(n: np.ndarray, k: int) -> np.ndarray:
    """Binomial coefficients of whole numbers, 0 for n < k."""
    n = np.maximum(n, 0)
    result = np.ones_like(n)
    for i in range(k):
        result = result * (n - i) // (i + 1)
    return np.where(n >= k, result, 0)


def _induced(counts: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """The counts without those that have further edges, from the graph with most edges down."""
    result = counts.copy()
    for row in range(len(copies) - 2, -1, -1):
        result[row] -= copies[row, row + 1 :] @ result[row + 1 :]
    return result


class Graphlets(Kernel):
    """Σ_g #g(x) #g(y) over the graphs g on three or four nodes, #g(x) the induced copies of g in x.

    There are 4 graphs on three nodes and 11 on four. All sets of nodes are counted exactly, by
    formulas of degrees, triangles, squares and cliques. Labels, directions, loops and parallel
    edges do not matter.

    Parameters
    ----------
    size : {3, 4}, default=4
        The number of nodes.

    Examples
    --------
    >>> from mercer import Graphlets
    >>> path, triangle = ([(0, 1), (1, 2)], 3), ([(0, 1), (1, 2), (2, 0)], 3)
    >>> Graphlets(size=3)([path, triangle, path]).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]

    References
    ----------
    N. Shervashidze, S. V. N. Vishwanathan, T. Petri, K. Mehlhorn and K. Borgwardt (2009). Efficient
    graphlet kernels for large graph comparison. Artificial Intelligence and Statistics, 488-495.
    """

    aligned: ClassVar[bool] = True
    definite = Definite(
        PSD,
        "inner product: φ_g(G) = the number of induced copies of g in G",
        "graphs",
        means=finite("counts of graphlets"),
    )
    size: int = param(default=4, check=choice(3, 4))

    @computed
    def domain(self) -> Domain:
        return Graphs(Names(None, None, None))

    def prepare(self, batch: Batch) -> VectorSamples:
        samples: Prepared = batch.encode(self.domain)

        def make() -> VectorSamples:
            simple = _Simple(samples)
            if self.size == 3:
                counts = _induced(simple.of_three(), _COPIES_OF_THREE)
            else:
                counts = _induced(simple.of_four(), _COPIES)
            rows = VectorSamples(np.ascontiguousarray(counts.T, dtype=np.float64))
            rows.origin, rows.index = samples.origin, samples.index
            return rows

        return samples.once(("graphlets", int(self.size)), make)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.dot(out))

    def diagonal(self, samples: VectorSamples) -> np.ndarray:
        return samples.norms.copy()

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        return self.prepare(batch).x

    def feature_dim(self, p: int) -> float:
        return 4 if self.size == 3 else 11

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(size=3), cls(size=4)]
