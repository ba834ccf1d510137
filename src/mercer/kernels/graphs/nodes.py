"""Kernels on the nodes of a network, given by a symmetric matrix B of weights or by a networkx graph.

Small graphs are decomposed once into eigenvectors, which all kernels and all values of ``t`` on the same graph share. For large sparse
ones no n x n matrix is ever made: a Gram matrix of m nodes costs the action of the kernel on m indicator vectors, and ``k.act(V)`` is
the product with vectors on all nodes.

>>> from mercer import SVC, Diffusion
>>> B = [[0, 1, 1, 0, 0, 0], [1, 0, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0], [0, 0, 1, 0, 1, 1], [0, 0, 0, 1, 0, 1], [0, 0, 0, 1, 1, 0]]
>>> SVC(kernel=Diffusion(B, t=0.5)).fit([0, 5], ["left", "right"]).predict([1, 2, 3, 4]).tolist()
['left', 'left', 'right', 'right']
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy

from mercer.aliases import Prepared
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, SEPARATES, STRICT, Definite
from mercer.domains.base import Batch
from mercer.domains.nodes import Graph, Nodes
from mercer.errors import ParameterError, explain, warn
from mercer.kernels.base import Kernel
from mercer.kernels.graphs.matrix_functions import (
    Spectrum,
    exponential,
    is_small,
    pseudo_inverse,
    resolvent,
    spectrum,
)
from mercer.kernels.graphs.node_kernel import NodeKernel, graph_like, node_names
from mercer.params import Constraint, integer, is_real, nonnegative, param, real

__all__ = [
    "CommonNeighbours",
    "CommuteTime",
    "Diffusion",
    "LaplacianDiffusion",
    "RandomWalk",
    "RegularizedLaplacian",
]

_at_least_two = Constraint(
    "a number >= 2",
    lambda v: is_real(v) and v >= 2,
    "the spectrum of the normalised Laplacian lies in [0, 2]",
)


class CommonNeighbours(NodeKernel):
    """(B^power)_ij, the number (or weight) of walks of that length between two nodes; power 2 counts common neighbours.

    Even powers are positive semi-definite, odd ones only if B is. Values of a graph of whole weights are whole numbers.

    >>> from mercer import CommonNeighbours
    >>> CommonNeighbours([[0, 1, 1], [1, 0, 1], [1, 1, 0]])([0, 1, 2]).tolist()
    [[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]
    """

    B: Any = param(check=graph_like)
    power: int = param(default=2, check=integer(1))
    names: Any = param(default=None, check=node_names)

    def check_graph(self, nodes: Nodes, fresh: bool) -> None:
        if self.power % 2 == 1:
            reason = _why_not_psd(nodes.graph)
            if reason:
                rule = f"is odd, which needs a positive semi-definite B, but {reason}"
                raise ParameterError(
                    "CommonNeighbours: power",
                    self.power,
                    rule,
                    f"take {self.power + 1}, or add loops to B",
                )

    def claim(self) -> Definite:
        graph = self._graph
        facts = (POSITIVE_DIAGONAL,) if (np.diff(graph.matrix.indptr) > 0).all() else ()
        if self.power % 2 == 0:
            half = "B" if self.power == 2 else f"B^{self.power // 2}"
            return self.claimed(
                PSD, f"inner product: φ(i) = row i of {half}, a symmetric matrix", *facts
            )
        return self.claimed(
            PSD,
            "spectral: the eigenvalues of B are >= 0 (checked), and so are their powers",
            *facts,
        )

    def by_spectrum(self) -> bool:
        return False  # products of whole numbers are exact

    def transform(self, s: Spectrum) -> np.ndarray:
        return s.values**self.power

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        for _ in range(self.power):
            V = graph.matrix @ V
        return V

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        if self.power % 2 == 1:
            return super().map_features(batch, truncate)
        side: Prepared = self.prepare(batch)
        rows = scipy.sparse.csr_matrix(self._graph.matrix[side.at])
        for _ in range(self.power // 2 - 1):
            rows = rows @ self._graph.matrix
        return scipy.sparse.csr_matrix(rows)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [
            cls(_example()),
            cls(scipy.sparse.csr_array(_example()), power=4),
            cls(_example() + 8.0 * np.eye(7), power=3, names=list("abcdefg")),
        ]


def _why_not_psd(graph: Graph) -> str:
    """Words if B is not known to be positive semi-definite: by a 2 x 2 minor, else by Gershgorin, else by eigenvalues."""
    matrix = graph.matrix
    diagonal = matrix.diagonal()
    if diagonal.min() < 0:
        return f"B[{int(np.argmin(diagonal))}, {int(np.argmin(diagonal))}] is negative"
    rows = np.repeat(np.arange(len(graph)), np.diff(matrix.indptr))
    with np.errstate(over="ignore"):
        bad = (rows != matrix.indices) & (
            matrix.data**2 > (1 + 1e-12) * diagonal[rows] * diagonal[matrix.indices]
        )
    if bad.any():
        i, j = int(rows[bad][0]), int(matrix.indices[bad][0])
        return f"B[{i}, {j}]² > B[{i}, {i}] B[{j}, {j}]"
    if (2 * diagonal >= np.asarray(abs(matrix).sum(axis=1)).ravel()).all():
        return ""
    if not is_small(graph):
        return f"that is not known of a graph of {len(graph)} nodes"
    values = spectrum(graph, "B").values
    low = float(values.min())
    rounding = 10 * len(graph) * np.finfo(float).eps * float(np.abs(values).max())
    return "" if low >= -rounding else f"its smallest eigenvalue is {low:.4g}"


class Diffusion(NodeKernel):
    """exp(tB), the sum of tⁿ/n! times the walks of length n: heat, or a rumour, that spreads along edges.

    Any symmetric weights, any real t.

    >>> from mercer import Diffusion
    >>> Diffusion([[0, 1], [1, 0]], t=1.0)([0, 1]).round(4).tolist()
    [[1.5431, 1.1752], [1.1752, 1.5431]]
    """

    B: Any = param(check=graph_like)
    t: float = param(default=1.0, check=real, continuous=True)
    names: Any = param(default=None, check=node_names)

    def claim(self) -> Definite:
        return self.claimed(
            STRICT,
            "spectral: the eigenvalues exp(tλ) are positive; φ(i) = row i of exp(tB/2), which is nonsingular",
        )

    def transform(self, s: Spectrum) -> np.ndarray:
        return np.exp(self.t * s.values)

    def slope(self, s: Spectrum) -> np.ndarray:
        return s.values * np.exp(self.t * s.values)

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        return exponential(graph, "B", self.t, V)

    def apply_slope(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        return graph.matrix @ exponential(graph, "B", self.t, V)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [
            cls(_example(), t=0.5),
            cls(scipy.sparse.csr_array(_example()), t=-0.7),
            cls(_example(), t=0.25, names=list("abcdefg")),
        ]


class LaplacianDiffusion(NodeKernel):
    """exp(−tL) with L = D − B: the share of heat that starts at one node and is at another after time t.

    >>> from mercer import LaplacianDiffusion
    >>> LaplacianDiffusion([[0, 1], [1, 0]], t=1.0)([0, 1]).round(4).tolist()
    [[0.5677, 0.4323], [0.4323, 0.5677]]
    """

    matrix: ClassVar[str] = "L"
    B: Any = param(check=graph_like)
    t: float = param(default=1.0, check=real, continuous=True)
    names: Any = param(default=None, check=node_names)

    def claim(self) -> Definite:
        return self.claimed(
            STRICT,
            "spectral: the eigenvalues exp(−tλ) are positive; φ(i) = row i of exp(−tL/2), which is nonsingular",
        )

    def transform(self, s: Spectrum) -> np.ndarray:
        return np.exp(-self.t * s.values)

    def slope(self, s: Spectrum) -> np.ndarray:
        return -s.values * np.exp(-self.t * s.values)

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        return exponential(graph, "L", -self.t, V)

    def apply_slope(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        return -(graph.laplacian @ exponential(graph, "L", -self.t, V))

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(_example(), t=0.5), cls(scipy.sparse.csr_array(_example()), t=2.0)]


class RegularizedLaplacian(NodeKernel):
    """(I + tL)⁻¹ with L = D − B: a random walk that restarts, for weights >= 0.

    >>> from mercer import RegularizedLaplacian
    >>> RegularizedLaplacian([[0, 1], [1, 0]], t=1.0)([0, 1]).round(4).tolist()
    [[0.6667, 0.3333], [0.3333, 0.6667]]
    """

    matrix: ClassVar[str] = "L"
    needs_nonnegative: ClassVar[bool] = True
    B: Any = param(check=graph_like)
    t: float = param(default=1.0, check=nonnegative, continuous=True)
    names: Any = param(default=None, check=node_names)

    def claim(self) -> Definite:
        return self.claimed(
            STRICT,
            "spectral: L is psd for weights >= 0, so the eigenvalues 1/(1 + tλ) are positive",
        )

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
        return [cls(_example(), t=0.5), cls(scipy.sparse.csr_array(_example()), t=3.0)]


class CommuteTime(NodeKernel):
    """L⁺, the pseudo-inverse of L = D − B, whose squared distance is proportional to the time of a random walk from i to j and back.

    For weights >= 0. Between two parts of a disconnected graph no walk leads: there k is 0, and a warning says so.

    >>> from mercer import CommuteTime
    >>> CommuteTime([[0, 1], [1, 0]])([0, 1]).round(4).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """

    matrix: ClassVar[str] = "L"
    needs_nonnegative: ClassVar[bool] = True
    B: Any = param(check=graph_like)
    names: Any = param(default=None, check=node_names)

    def check_graph(self, nodes: Nodes, fresh: bool) -> None:
        super().check_graph(nodes, fresh)
        parts = nodes.graph.components[0]
        if fresh and parts > 1:
            rule = f"is disconnected: commute times between its {parts} parts are infinite, and the kernel is 0 there"
            remedy = "take one part, or RegularizedLaplacian, which is strict on every graph"
            warn(explain("CommuteTime: B", f"{len(nodes.graph)} nodes", rule, remedy))

    def claim(self) -> Definite:
        lonely = self._graph.lonely
        facts = ((POSITIVE_DIAGONAL,) if lonely == 0 else ()) + (
            (SEPARATES,) if lonely <= 1 else ()
        )
        return self.claimed(
            PSD,
            "spectral: L is psd for weights >= 0, and so is its pseudo-inverse; φ(i) = row i of its root",
            *facts,
        )

    def transform(self, s: Spectrum) -> np.ndarray:
        return np.where(s.first, 0.0, 1.0 / np.where(s.first, 1.0, s.values))

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        return pseudo_inverse(graph, V)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [
            cls(_example(connected=True)),
            cls(scipy.sparse.csr_array(_example(connected=True))),
        ]


class RandomWalk(NodeKernel):
    """(aI − D^{−1/2} L D^{−1/2})^steps with a >= 2: walks of that many steps that may stay where they are; for weights >= 0.

    A node without edges has a^steps with itself and 0 with all others.

    >>> from mercer import RandomWalk
    >>> RandomWalk([[0, 1], [1, 0]], steps=2, a=3.0)([0, 1]).round(4).tolist()
    [[5.0, 4.0], [4.0, 5.0]]
    """

    matrix: ClassVar[str] = "Lsym"
    needs_nonnegative: ClassVar[bool] = True
    B: Any = param(check=graph_like)
    steps: int = param(default=2, check=integer(1))
    a: float = param(default=2.0, check=_at_least_two)
    names: Any = param(default=None, check=node_names)

    def claim(self) -> Definite:
        if self.a > 2:
            return self.claimed(
                STRICT,
                f"spectral: the normalised Laplacian lies in [0, 2], so the eigenvalues (a − λ)^{self.steps} are positive",
            )
        rule = f"spectral: the normalised Laplacian lies in [0, 2], so the eigenvalues (2 − λ)^{self.steps} are >= 0"
        return self.claimed(PSD, rule, POSITIVE_DIAGONAL)

    def transform(self, s: Spectrum) -> np.ndarray:
        return np.maximum(self.a - s.values, 0.0) ** self.steps

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        for _ in range(self.steps):
            V = self.a * V - graph.normalized_laplacian @ V
        return V

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(_example(), a=4.0), cls(scipy.sparse.csr_array(_example()), steps=3, a=5.0)]


def _example(connected: bool = False) -> np.ndarray:
    """Two triangles and an edge of different weights, a loop, and a node by itself."""
    B = np.zeros((7, 7))
    for i, j, weight in [
        (0, 1, 1.0),
        (1, 2, 0.5),
        (0, 2, 2.0),
        (2, 3, 1.0),
        (3, 4, 1.5),
        (4, 5, 1.0),
        (3, 5, 0.25),
        (1, 1, 0.5),
    ]:
        B[i, j] = B[j, i] = weight
    if connected:
        B[5, 6] = B[6, 5] = 1.0
    return B
