"""Kernels on the nodes of a graph by walks along its edges: powers of a matrix of the graph."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy

from mercer.aliases import GraphLike, NodeNames, SparseMatrix
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, STRICT, Definite
from mercer.domains.base import Batch
from mercer.domains.nodes import Graph, Nodes
from mercer.errors import ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.graphs.matrix_functions import Spectrum, is_small, spectrum
from mercer.kernels.graphs.node_kernel import NodeKernel, example_graph, graph_like, node_names
from mercer.params import Constraint, integer, is_real, param

__all__ = ["CommonNeighbours", "RandomWalk"]

_at_least_two = Constraint(
    "a number >= 2",
    lambda v: is_real(v) and v >= 2,
    "the spectrum of the normalized Laplacian lies in [0, 2]",
)


class CommonNeighbours(NodeKernel):
    """(B^power)_ij, the number (or weight) of walks of length ``power`` from node i to node j.

    Power 2 counts common neighbors. Even powers are positive semi-definite, odd ones only if B is.
    Values of a graph of whole weights are whole numbers.

    Parameters
    ----------
    B : array-like or sparse matrix of shape (n_nodes, n_nodes), or networkx graph
        The symmetric matrix of weights.
    power : int, default=2
        The number of steps of the walks.
    names : list or None, default=None
        The names of the nodes; None to call them 0, 1, 2, ...

    Examples
    --------
    >>> from mercer import CommonNeighbours
    >>> CommonNeighbours([[0, 1, 1], [1, 0, 1], [1, 1, 0]])([0, 1, 2]).tolist()
    [[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]

    References
    ----------
    D. Liben-Nowell and J. Kleinberg (2007). The link-prediction problem for social networks.
    Journal of the American Society for Information Science and Technology 58, 1019-1031.
    """

    B: GraphLike = param(check=graph_like)
    power: int = param(default=2, check=integer(1))
    names: NodeNames = param(default=None, check=node_names)

    def check_graph(self, nodes: Nodes, fresh: bool) -> None:
        if self.power % 2 == 0:
            return
        reason = _why_not_psd(nodes.graph)
        if reason:
            rule = f"is odd, which needs a positive semi-definite B, but {reason}"
            remedy = f"take {self.power + 1}, or add loops to B"
            raise ParameterError("CommonNeighbours: power", self.power, rule, remedy)

    def claim(self) -> Definite:
        rule = "spectral: the eigenvalues of B are >= 0 (checked), and so are their powers"
        if self.power % 2 == 0:
            half = "B" if self.power == 2 else f"B^{self.power // 2}"
            rule = f"inner product: φ(i) = row i of {half}, a symmetric matrix"
        if (np.diff(self._graph.matrix.indptr) > 0).all():
            return self.on_nodes(PSD, rule, POSITIVE_DIAGONAL)
        return self.on_nodes(PSD, rule)

    def by_spectrum(self) -> bool:
        return False  # Products of whole numbers are exact.

    def transform(self, s: Spectrum) -> np.ndarray:
        return s.values**self.power

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        for _ in range(self.power):
            V = graph.matrix @ V
        return V

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray | SparseMatrix:
        if self.power % 2 == 1:
            return super().map_features(batch, truncate)
        matrix = self._graph.matrix
        rows = scipy.sparse.csr_matrix(matrix[self.prepare(batch).at])
        for _ in range(self.power // 2 - 1):
            rows = rows @ matrix
        return scipy.sparse.csr_matrix(rows)

    @classmethod
    def examples(cls) -> list[Kernel]:
        B = example_graph()
        with_loops = B + 8.0 * np.eye(7)
        return [
            cls(B),
            cls(scipy.sparse.csr_array(B), power=4),
            cls(with_loops, power=3, names=list("abcdefg")),
        ]


def _why_not_psd(graph: Graph) -> str:
    """Why B is not known to be positive semi-definite; empty if it is.

    A 2 x 2 minor may refute it, Gershgorin's circles may prove it; else the eigenvalues decide.
    """
    matrix = graph.matrix
    diagonal = matrix.diagonal()
    if diagonal.min() < 0:
        lowest = int(np.argmin(diagonal))
        return f"B[{lowest}, {lowest}] is negative"
    rows = np.repeat(np.arange(len(graph)), np.diff(matrix.indptr))
    with np.errstate(over="ignore"):
        bound = (1 + 1e-12) * diagonal[rows] * diagonal[matrix.indices]
        bad = (rows != matrix.indices) & (matrix.data**2 > bound)
    if bad.any():
        i, j = int(rows[bad][0]), int(matrix.indices[bad][0])
        return f"B[{i}, {j}]² > B[{i}, {i}] B[{j}, {j}]"
    if (2 * diagonal >= np.asarray(abs(matrix).sum(axis=1)).ravel()).all():
        return ""
    if not is_small(graph):
        return f"that is not known of a graph of {len(graph)} nodes"
    values = spectrum(graph, "matrix").values
    low = float(values.min())
    rounding = 10 * len(graph) * np.finfo(float).eps * float(np.abs(values).max())
    if low >= -rounding:
        return ""
    return f"its smallest eigenvalue is {low:.4g}"


class RandomWalk(NodeKernel):
    """(aI − D^{−1/2} L D^{−1/2})^steps with a >= 2: lazy random walks of ``steps`` steps.

    A lazy walk may stay where it is. Weights must be >= 0. A node without edges has a^steps with
    itself and 0 with all others.

    Parameters
    ----------
    B : array-like or sparse matrix of shape (n_nodes, n_nodes), or networkx graph
        The symmetric matrix of weights >= 0.
    steps : int, default=2
        The number of steps.
    a : float, default=2.0
        The larger, the more the walk stays where it is; at least 2.
    names : list or None, default=None
        The names of the nodes; None to call them 0, 1, 2, ...

    Examples
    --------
    >>> from mercer import RandomWalk
    >>> RandomWalk([[0, 1], [1, 0]], steps=2, a=3.0)([0, 1]).round(4).tolist()
    [[5.0, 4.0], [4.0, 5.0]]

    References
    ----------
    A. J. Smola and R. Kondor (2003). Kernels and regularization on graphs. Learning Theory and
    Kernel Machines, 144-158.
    """

    matrix: ClassVar[str] = "normalized_laplacian"
    needs_nonnegative: ClassVar[bool] = True
    B: GraphLike = param(check=graph_like)
    steps: int = param(default=2, check=integer(1))
    a: float = param(default=2.0, check=_at_least_two)
    names: NodeNames = param(default=None, check=node_names)

    def claim(self) -> Definite:
        rule = "spectral: the normalized Laplacian lies in [0, 2], so the eigenvalues"
        if self.a > 2:
            return self.on_nodes(STRICT, f"{rule} (a − λ)^{self.steps} are positive")
        return self.on_nodes(PSD, f"{rule} (2 − λ)^{self.steps} are >= 0", POSITIVE_DIAGONAL)

    def transform(self, s: Spectrum) -> np.ndarray:
        return np.maximum(self.a - s.values, 0.0) ** self.steps

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        for _ in range(self.steps):
            V = self.a * V - graph.normalized_laplacian @ V
        return V

    @classmethod
    def examples(cls) -> list[Kernel]:
        B = example_graph()
        return [cls(B, a=4.0), cls(scipy.sparse.csr_array(B), steps=3, a=5.0)]
