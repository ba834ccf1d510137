"""The exponential of the edit distance between graphs, which is not positive semi-definite."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.definiteness import INDEFINITE, UNKNOWN, Certificate, Where, Witness
from mercer.domains.base import Batch, Samples
from mercer.domains.raw import starts_of
from mercer.domains.structures.graphs import GraphSamples
from mercer.errors import ShapeError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.strings.pairwise import Entries
from mercer.kernels.whole_graphs.graph_kernel import GraphKernel
from mercer.params import param, positive

__all__ = ["GraphEditDistance"]

_MOST_NODES = 10
# of P3 + K1, K3 + K1, K1,3, P4 and the paw
_WITNESS = (
    [(0, 1), (1, 2)],
    [(0, 1), (1, 2), (0, 2)],
    [(0, 1), (0, 2), (0, 3)],
    [(0, 1), (1, 2), (2, 3)],
    [(0, 1), (1, 2), (0, 2), (2, 3)],
)


class _Matrices(Samples):
    """Graphs as dense matrices of the colors of their edges."""

    def __init__(self, graphs: GraphSamples) -> None:
        self.graphs = graphs
        sizes = graphs.sizes
        offsets = starts_of(sizes**2)
        flat = np.zeros(int(offsets[-1]), dtype=np.uint64)
        sources = np.repeat(np.arange(len(graphs.owners)), graphs.degrees)
        owners = graphs.owners[sources]
        first = graphs.starts[owners]
        places = offsets[owners] + (sources - first) * sizes[owners]
        np.add.at(flat, places + graphs.graphs.indices - first, graphs.edge_colors())
        colors = graphs.node_colors("constant")
        self.arrays = graphs.starts, offsets, colors, flat, graphs.graphs.directed

    def __len__(self) -> int:
        return len(self.graphs)

    @property
    def lengths(self) -> np.ndarray:
        return 2 ** np.minimum(self.graphs.sizes, 12)

    def take(self, rows: np.ndarray) -> _Matrices:
        return _Matrices(self.graphs.take(rows))._inherit(self, rows)


class GraphEditDistance(GraphKernel):
    """exp(−γ d), d the edit distance: the fewest edits of nodes and edges that turn x into y.

    An edit inserts, deletes or relabels a node or an edge. The distance is exact, and takes time
    that grows exponentially with the number of nodes: graphs may have 10 nodes at most. The kernel
    is not positive semi-definite where γ < ½ ln 2, and not known to be where it is larger.

    Parameters
    ----------
    gamma : float, default=1.0
        The rate γ of decay, a positive number.
    node_labels, edge_labels : str or None, default="label"
        What networkx and igraph graphs call the labels of nodes and of edges. None ignores the
        labels of graphs of all forms.

    Examples
    --------
    >>> from mercer import GraphEditDistance
    >>> path, triangle = ([(0, 1), (1, 2)], 3), ([(0, 1), (1, 2), (2, 0)], 3)
    >>> GraphEditDistance(gamma=1.0)([path], [triangle]).round(4).tolist()  # exp(−1)
    [[0.3679]]
    """

    gamma: float = param(default=1.0, check=positive, continuous=True)

    def certify(self, d: int | None) -> Certificate:
        where = Where("graphs")
        witness = self._witness()
        if witness is None:
            rule = "no rule: the edit distance is not conditionally negative"
            return Certificate(UNKNOWN, repr(self), rule, where)
        rule = "a counterexample: γ < ½ ln 2 leaves five graphs on four nodes a negative form"
        return Certificate(INDEFINITE, repr(self), rule, where, witness=witness)

    def _witness(self) -> Witness | None:
        """Five graphs with a negative form, unless γ is too large for them.

        The second, third and fourth are two edits apart, and so are the first and the last; any
        other two are one apart. With q = e^−γ and c = (−t, s, s, s, −t), cᵀKc = 3(1 + 2q²)s² − 12q
        st + 2(1 + q²)t², negative for some s and t if q² > ½.
        """
        q = math.exp(-self.gamma)
        t = 3.0
        s = t * math.sqrt(2 * (1 + q * q) / (3 * (1 + 2 * q * q)))
        value = 3 * (1 + 2 * q * q) * s * s - 12 * q * s * t + 2 * (1 + q * q) * t * t
        if value > -1e-9:  # A value closer to 0 may be a rounding error.
            return None
        graphs = [(edges, 4) for edges in _WITNESS]
        return Witness(graphs, np.array([-t, s, s, s, -t]), value)

    def prepare(self, batch: Batch) -> _Matrices:
        samples: Prepared = batch.encode(self.domain)
        large = samples.sizes > _MOST_NODES
        if large.any():
            row = int(np.argmax(large))
            rule = f"is too large for an exact edit distance, which takes {_MOST_NODES} at most"
            remedy = "use WeisfeilerLehman or ShortestPaths"
            what = f"{batch.argument}[{row}]"
            raise ShapeError(what, f"{samples.sizes[row]} nodes", rule, remedy)

        def make() -> _Matrices:
            matrices = _Matrices(samples)
            matrices.origin, matrices.index = samples.origin, samples.index
            return matrices

        return samples.once("matrices", make)

    def _distances(self, pair: Pair) -> np.ndarray:
        """The edit distances of one tile."""
        graphs = pair.x.arrays, pair.y.arrays
        compute = functools.partial(_compiled.graphs.edit_distances, *graphs)
        return Entries.of_tile(pair).tile(pair, compute)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.exp(-self.gamma * self._distances(pair), out=out)

    def diagonal(self, samples: _Matrices) -> np.ndarray:
        return np.ones(len(samples))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        distances = self._distances(pair)
        yield "gamma", None, -distances * np.exp(-self.gamma * distances)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(gamma=0.2, node_labels=None)]
