"""Kernels on the nodes of a graph by diffusion along its edges: exponentials and inverses.

Small graphs are decomposed once into eigenvectors, which all kernels and all values of ``t`` on the
same graph share. For large sparse ones no n x n matrix is ever made: a Gram matrix of m nodes costs
the action of the kernel on m indicator vectors, and ``k.act(V)`` is the product with vectors on all
nodes.

>>> from mercer import SVC, Diffusion
>>> triangle = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
>>> import numpy as np
>>> B = np.kron(np.eye(2), triangle)
>>> B[2, 3] = B[3, 2] = 1.0
>>> model = SVC(kernel=Diffusion(B, t=0.5)).fit([0, 5], ["left", "right"])
>>> model.predict([1, 2, 3, 4]).tolist()
['left', 'left', 'right', 'right']
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import scipy

from mercer.aliases import GraphLike, NodeNames
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, SEPARATES, STRICT, Definite
from mercer.domains.nodes import Graph, Nodes
from mercer.errors import explain, warn
from mercer.kernels.base import Kernel
from mercer.kernels.graphs.matrix_functions import Spectrum, exponential, pseudo_inverse, resolvent
from mercer.kernels.graphs.node_kernel import NodeKernel, example_graph, graph_like, node_names
from mercer.params import nonnegative, param, real

__all__ = ["CommuteTime", "Diffusion", "LaplacianDiffusion", "RegularizedLaplacian"]


class HeatKernel(NodeKernel, abstract=True):
    """exp(sign · tA), where A is the matrix of weights or the Laplacian."""

    sign: ClassVar[int] = 1
    B: GraphLike = param(check=graph_like)
    t: float = param(default=1.0, check=real, continuous=True)
    names: NodeNames = param(default=None, check=node_names)

    def transform(self, s: Spectrum) -> np.ndarray:
        return np.exp(self.sign * self.t * s.values)

    def slope(self, s: Spectrum) -> np.ndarray:
        return self.sign * s.values * self.transform(s)

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        return exponential(graph, self.matrix, self.sign * self.t, V)

    def apply_slope(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        return self.sign * (getattr(graph, self.matrix) @ self.apply(graph, V))


class Diffusion(HeatKernel):
    """exp(tB), the sum of tⁿ/n! times the walks of length n: the heat that spreads along edges.

    Weights may be any real numbers.

    Parameters
    ----------
    B : array-like or sparse matrix of shape (n_nodes, n_nodes), or networkx graph
        The symmetric matrix of weights.
    t : float, default=1.0
        The time of diffusion, any real number.
    names : list or None, default=None
        The names of the nodes; None to call them 0, 1, 2, ...

    Examples
    --------
    >>> from mercer import Diffusion
    >>> Diffusion([[0, 1], [1, 0]], t=1.0)([0, 1]).round(4).tolist()
    [[1.5431, 1.1752], [1.1752, 1.5431]]

    References
    ----------
    R. I. Kondor and J. Lafferty (2002). Diffusion kernels on graphs and other discrete input
    spaces. International Conference on Machine Learning, 315-322.
    """

    def claim(self) -> Definite:
        rule = "spectral: the eigenvalues exp(tλ) are positive; "
        return self.on_nodes(STRICT, rule + "φ(i) = row i of exp(tB/2), which is nonsingular")

    @classmethod
    def examples(cls) -> list[Kernel]:
        B = example_graph()
        return [
            cls(B, t=0.5),
            cls(scipy.sparse.csr_array(B), t=-0.7),
            cls(B, t=0.25, names=list("abcdefg")),
        ]


class LaplacianDiffusion(HeatKernel):
    """exp(−tL) with L = D − B: the share of heat that starts at node i and is at node j at time t.

    Weights may be any real numbers.

    Values are about 1/n on a graph of n nodes, while the default penalties of learners suit
    k(x, x) near 1: use ``kernel.normalize()``, or choose the penalty by cross-validation.

    Parameters
    ----------
    B : array-like or sparse matrix of shape (n_nodes, n_nodes), or networkx graph
        The symmetric matrix of weights.
    t : float, default=1.0
        The time of diffusion, any real number.
    names : list or None, default=None
        The names of the nodes; None to call them 0, 1, 2, ...

    Examples
    --------
    >>> from mercer import LaplacianDiffusion
    >>> LaplacianDiffusion([[0, 1], [1, 0]], t=1.0)([0, 1]).round(4).tolist()
    [[0.5677, 0.4323], [0.4323, 0.5677]]

    References
    ----------
    R. I. Kondor and J. Lafferty (2002). Diffusion kernels on graphs and other discrete input
    spaces. International Conference on Machine Learning, 315-322.
    """

    matrix: ClassVar[str] = "laplacian"
    sign: ClassVar[int] = -1

    def claim(self) -> Definite:
        rule = "spectral: the eigenvalues exp(−tλ) are positive; "
        return self.on_nodes(STRICT, rule + "φ(i) = row i of exp(−tL/2), which is nonsingular")

    @classmethod
    def examples(cls) -> list[Kernel]:
        B = example_graph()
        return [cls(B, t=0.5), cls(scipy.sparse.csr_array(B), t=2.0)]


class RegularizedLaplacian(NodeKernel):
    """(I + tL)⁻¹ with L = D − B: a random walk that restarts, for weights >= 0.

    Values are about 1/n on a graph of n nodes, while the default penalties of learners suit
    k(x, x) near 1: use ``kernel.normalize()``, or choose the penalty by cross-validation.

    Parameters
    ----------
    B : array-like or sparse matrix of shape (n_nodes, n_nodes), or networkx graph
        The symmetric matrix of weights >= 0.
    t : float, default=1.0
        How far the walk goes before it restarts, a number >= 0.
    names : list or None, default=None
        The names of the nodes; None to call them 0, 1, 2, ...

    Examples
    --------
    >>> from mercer import RegularizedLaplacian
    >>> RegularizedLaplacian([[0, 1], [1, 0]], t=1.0)([0, 1]).round(4).tolist()
    [[0.6667, 0.3333], [0.3333, 0.6667]]

    References
    ----------
    A. J. Smola and R. Kondor (2003). Kernels and regularization on graphs. Learning Theory and
    Kernel Machines, 144-158.
    """

    matrix: ClassVar[str] = "laplacian"
    needs_nonnegative: ClassVar[bool] = True
    B: GraphLike = param(check=graph_like)
    t: float = param(default=1.0, check=nonnegative, continuous=True)
    names: NodeNames = param(default=None, check=node_names)

    def claim(self) -> Definite:
        rule = "spectral: L is psd for weights >= 0, so the eigenvalues 1/(1 + tλ) are positive"
        return self.on_nodes(STRICT, rule)

    def transform(self, s: Spectrum) -> np.ndarray:
        return 1.0 / (1.0 + self.t * s.values)

    def slope(self, s: Spectrum) -> np.ndarray:
        return -s.values / (1.0 + self.t * s.values) ** 2

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        return resolvent(graph, self.t, V)

    def apply_slope(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        return -resolvent(graph, self.t, graph.laplacian @ resolvent(graph, self.t, V))

    @classmethod
    def examples(cls) -> list[Kernel]:
        B = example_graph()
        return [cls(B, t=0.5), cls(scipy.sparse.csr_array(B), t=3.0)]


class CommuteTime(NodeKernel):
    """L⁺, the pseudo-inverse of L = D − B: its squared distances are proportional to commute times.

    A commute time is that of a random walk from one node to another and back. Weights must be >= 0.
    Between two components of a disconnected graph no walk leads: there k is 0, and a warning says
    so. Values may be small where weights are large: see `LaplacianDiffusion`.

    Parameters
    ----------
    B : array-like or sparse matrix of shape (n_nodes, n_nodes), or networkx graph
        The symmetric matrix of weights >= 0.
    names : list or None, default=None
        The names of the nodes; None to call them 0, 1, 2, ...

    Examples
    --------
    >>> from mercer import CommuteTime
    >>> CommuteTime([[0, 1], [1, 0]])([0, 1]).round(4).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]

    References
    ----------
    F. Fouss, A. Pirotte, J.-M. Renders and M. Saerens (2007). Random-walk computation of
    similarities between nodes of a graph with application to collaborative recommendation. IEEE
    Transactions on Knowledge and Data Engineering 19, 355-369.
    """

    matrix: ClassVar[str] = "laplacian"
    needs_nonnegative: ClassVar[bool] = True
    B: GraphLike = param(check=graph_like)
    names: NodeNames = param(default=None, check=node_names)

    def check_graph(self, nodes: Nodes, fresh: bool) -> None:
        super().check_graph(nodes, fresh)
        parts = nodes.graph.components[0]
        if fresh and parts > 1:
            rule = f"is disconnected: commute times between its {parts} parts are infinite"
            rule += ", and the kernel is 0 there"
            remedy = "take one part, or RegularizedLaplacian, which is strict on every graph"
            warn(explain("CommuteTime: B", f"{len(nodes.graph)} nodes", rule, remedy))

    def claim(self) -> Definite:
        isolated = self._graph.lonely
        facts = []
        if isolated == 0:
            facts.append(POSITIVE_DIAGONAL)
        if isolated <= 1:
            facts.append(SEPARATES)
        rule = "spectral: L is psd for weights >= 0, and so is its pseudo-inverse; "
        return self.on_nodes(PSD, rule + "φ(i) = row i of its root", *facts)

    def transform(self, s: Spectrum) -> np.ndarray:
        return np.where(s.first, 0.0, 1.0 / np.where(s.first, 1.0, s.values))

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        return pseudo_inverse(graph, V)

    @classmethod
    def examples(cls) -> list[Kernel]:
        B = example_graph(connected=True)
        return [cls(B), cls(scipy.sparse.csr_array(B))]
