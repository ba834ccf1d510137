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

import dataclasses
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse

from mercer.definiteness import POSITIVE_DIAGONAL, PSD, SEPARATES, STRICT, Definite
from mercer.domains.base import Batch
from mercer.domains.nodes import Graph, Nodes, NodeSamples, read_nodes
from mercer.errors import InfiniteFeaturesError, KernelOverflowError, ParameterError, ShapeError, explain, warn
from mercer.gram.pair import Pair
from mercer.gram.run import Workspace, run
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.graph_functions import (
    WIDTH,
    Spectrum,
    exponential,
    is_small,
    pseudo_inverse,
    resolvent,
    spectrum,
)
from mercer.kernels.node_table import Table, columns_of
from mercer.params import Constraint, integer, is_real, nonnegative, param, real

__all__ = ["CommonNeighbours", "CommuteTime", "Diffusion", "LaplacianDiffusion", "RandomWalk", "RegularizedLaplacian"]

# What is wrong with B or its names is found, and told with its place, when the graph is read.
_graph = Constraint(
    "a symmetric matrix, a scipy sparse matrix or a networkx graph", lambda v: v is not None and not isinstance(v, (str, bytes))
)
_names = Constraint("None or a list of names, one for each node", lambda v: v is None or hasattr(v, "__len__"))
_at_least_two = Constraint("a number >= 2", lambda v: is_real(v) and v >= 2, "the spectrum of the normalised Laplacian lies in [0, 2]")


class NodeKernel(Kernel, abstract=True):
    """k(i, j) = f(A)_ij for a function f of a matrix A of the graph: B itself, L = D − B, or D^{−1/2} L D^{−1/2}.

    B is read when the kernel is made: changes to it afterwards are not seen.
    """

    matrix: ClassVar[str] = "B"  # whose function it is: "B", "L" or "Lsym"
    needs_nonnegative: ClassVar[bool] = False

    # -- the graph ---------------------------------------------------------------------------------------------------

    def check_params(self) -> None:
        held = self.__dict__.get("_held")
        fresh = held is None or held[0] is not vars(self)["B"] or held[1] is not vars(self)["names"]
        if held is None or fresh:
            held = self._read()
        self.check_graph(held[2], fresh)
        object.__setattr__(self, "_held", held)

    def _read(self) -> tuple[Any, Any, Nodes]:
        B, names = vars(self)["B"], vars(self)["names"]
        return B, names, read_nodes(B, names, type(self).__name__)

    def check_graph(self, nodes: Nodes, fresh: bool) -> None:
        """Whether the kernel is defined on this graph."""
        pair = nodes.graph.negative_pair() if fresh and self.needs_nonnegative else None
        if pair is not None:
            place = ", ".join(str(i) if nodes.names is None else repr(nodes.names[i]) for i in pair)
            what = f"{type(self).__name__}: B[{place}]"
            rule = "must be >= 0: with negative weights the Laplacian is not positive semi-definite"
            remedy = "use Diffusion or LaplacianDiffusion, which take any weights"
            raise ParameterError(explain(what, float(nodes.graph.matrix[pair]), rule, remedy))

    @property
    def domain(self) -> Nodes:  # type: ignore[override]
        held = self.__dict__.get("_held")
        if held is None:  # it came by pickle
            held = self._read()
            object.__setattr__(self, "_held", held)
        return held[2]

    @property
    def _graph(self) -> Graph:
        return self.domain.graph

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_held"}

    def copy(self) -> Self:
        made = super().copy()
        if "_held" in self.__dict__:
            object.__setattr__(made, "_held", self.__dict__["_held"])
        return made

    def __sklearn_clone__(self) -> Self:
        """The graph is only read, so clones share it."""
        return self.copy()

    def __repr__(self) -> str:
        shown = [f"B=<{len(self._graph)} nodes>"]
        for f in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if f.name not in ("B", "names") and repr(value) != repr(f.default):
                shown.append(f"{f.name}={value.item() if isinstance(value, np.generic) else value!r}")
        if vars(self)["names"] is not None:
            shown.append(f"names=<{len(vars(self)['names'])} names>")
        return f"{type(self).__name__}({', '.join(shown)})"

    def claimed(self, status: str, rule: str, *facts: str) -> Definite:
        return Definite(status, rule, f"the {len(self._graph)} nodes of the graph", facts=facts)

    # -- what a kernel says of its function --------------------------------------------------------------------------

    def transform(self, s: Spectrum) -> np.ndarray:
        """f of the eigenvalues."""
        raise NotImplementedError(f"{type(self).__name__} must define transform(spectrum)")

    def slope(self, s: Spectrum) -> np.ndarray:
        """df/dt of the eigenvalues."""
        raise NotImplementedError(f"{type(self).__name__} must define slope(spectrum)")

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        """f(A) V without f(A)."""
        raise NotImplementedError(f"{type(self).__name__} must define apply(graph, V)")

    def apply_slope(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        """df(A)/dt V without the matrix."""
        raise NotImplementedError(f"{type(self).__name__} must define apply_slope(graph, V)")

    def by_spectrum(self) -> bool:
        """Whether values come from eigenvectors, or else from actions on vectors."""
        return is_small(self._graph)

    # -- computing ---------------------------------------------------------------------------------------------------

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        if not self.by_spectrum():
            self._table(pair, "value").fill(pair.rows, pair.cols, out)
            return
        s = spectrum(self._graph, self.matrix)
        f = self.transform(s)
        self._product(pair, s, f, out)
        same = pair.x.at[pair.rows, None] == pair.y.at[None, pair.cols]
        if same.any():  # by the same sum as `diagonal`, to the bit
            values = _weighted_squares(self._rows(pair.x, s, pair.rows), f)
            np.copyto(out, values[:, None], where=same)

    def diagonal(self, side: NodeSamples) -> np.ndarray:
        nodes, where = side.distinct()
        values = np.empty(len(nodes))
        graph = self._graph
        width = WIDTH
        if self.by_spectrum():
            s = spectrum(graph, self.matrix)
            f = self.transform(s)
            width = 256

        def work_on(number: int, _: Workspace) -> None:
            some = nodes[number * width : (number + 1) * width]
            if self.by_spectrum():
                found = _weighted_squares(s.vectors[some], f)
            else:
                found = columns_of(lambda V: self.apply(graph, V), some, len(graph))[some, np.arange(len(some))]
            values[number * width : (number + 1) * width] = found

        run(-(-len(nodes) // width), work_on, "diagonal")
        return values[where]

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name in self._continuous:
            tile = np.empty(pair.shape)
            if self.by_spectrum():
                s = spectrum(self._graph, self.matrix)
                self._product(pair, s, self.slope(s), tile)
            else:
                self._table(pair, "slope").fill(pair.rows, pair.cols, tile)
            yield name, None, tile

    def act(self, V: Any) -> np.ndarray:
        """k V for a vector or a matrix V with one row for each node, in the order of the graph; for large graphs no matrix is made.

        >>> import numpy as np
        >>> from mercer import RegularizedLaplacian
        >>> RegularizedLaplacian([[0, 1, 0], [1, 0, 1], [0, 1, 0]], t=1.0).act([1.0, 0.0, 0.0]).round(3).tolist()
        [0.625, 0.25, 0.125]
        """
        graph = self._graph
        try:
            given = np.asarray(V, dtype=np.float64)
        except (TypeError, ValueError):
            raise ShapeError(explain("V", type(V).__name__, "must be a matrix of numbers")) from None
        if given.ndim not in (1, 2) or len(given) != len(graph):
            rule = f"must have one row for each of the {len(graph)} nodes"
            raise ShapeError(explain("V", f"array of shape {given.shape}", rule))
        vectors = given.reshape(len(graph), -1)
        out = np.empty(vectors.shape)

        def work_on(number: int, _: Workspace) -> None:
            some = slice(number * WIDTH, (number + 1) * WIDTH)
            out[:, some] = self.apply(graph, np.ascontiguousarray(vectors[:, some]))

        with np.errstate(all="ignore"):
            if self.by_spectrum():
                s = spectrum(graph, self.matrix)
                out = s.vectors @ (self.transform(s)[:, None] * (s.vectors.T @ vectors))
            else:
                run(-(-vectors.shape[1] // WIDTH), work_on, "action")
        if not np.isfinite(out).all():
            row, column = np.argwhere(~np.isfinite(out))[0]
            remedy = "give finite vectors, or take a smaller t or power"
            raise KernelOverflowError(explain(f"(k V)[{row}, {column}]", float(out[row, column]), "is not a finite number", remedy))
        return out.reshape(given.shape)

    def _rows(self, side: NodeSamples, s: Spectrum, some: slice) -> np.ndarray:
        """Eigenvectors at some samples; gathered once where they are not many."""
        if len(side) > len(self._graph):
            return s.vectors[side.at[some]]
        return side.once(("eigenvectors", self.matrix), lambda: s.vectors[side.at])[some]

    def _product(self, pair: Pair, s: Spectrum, f: np.ndarray, out: np.ndarray) -> None:
        """Σ f(λ) u(i) u(j)."""
        pair.work.serial_blas()
        np.matmul(self._rows(pair.x, s, pair.rows) * f, self._rows(pair.y, s, pair.cols).T, out=out)

    def _table(self, pair: Pair, what: str) -> Table:
        graph = self._graph
        numbers = tuple(getattr(self, name) for name in self._param_names() if name not in ("B", "names"))
        me = self.copy()  # a table outlives this call, and the parameters may change

        def action(V: np.ndarray) -> np.ndarray:
            return me.apply(graph, V) if what == "value" else me.apply_slope(graph, V)

        x, y = pair.x, pair.y
        return x.once((what, type(self), numbers, id(y)), lambda: Table(action, len(graph), x, y))

    # -- features ----------------------------------------------------------------------------------------------------

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        side: Any = self.prepare(batch)
        if not is_small(self._graph):
            rule = f"has no features at hand: the graph's {len(self._graph)} nodes are too many to decompose"
            raise InfiniteFeaturesError(explain("features", self, rule, "use KernelMap(kernel, landmarks), which samples them"))
        s = spectrum(self._graph, self.matrix)
        return s.vectors[side.at] * np.sqrt(np.maximum(self.transform(s), 0.0))

    def feature_dim(self, p: int) -> float:
        return len(self._graph)


def _weighted_squares(rows: np.ndarray, f: np.ndarray) -> np.ndarray:
    return np.add.reduce(rows * f * rows, axis=1)


class CommonNeighbours(NodeKernel):
    """(B^power)_ij, the number (or weight) of walks of that length between two nodes; power 2 counts common neighbours.

    Even powers are positive semi-definite, odd ones only if B is. Values of a graph of whole weights are whole numbers.

    >>> from mercer import CommonNeighbours
    >>> CommonNeighbours([[0, 1, 1], [1, 0, 1], [1, 1, 0]])([0, 1, 2]).tolist()
    [[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]
    """

    B: Any = param(check=_graph)
    power: int = param(default=2, check=integer(1))
    names: Any = param(default=None, check=_names)

    def check_graph(self, nodes: Nodes, fresh: bool) -> None:
        if self.power % 2 == 1:
            reason = _why_not_psd(nodes.graph)
            if reason:
                rule = f"is odd, which needs a positive semi-definite B, but {reason}"
                raise ParameterError(explain("CommonNeighbours: power", self.power, rule, f"take {self.power + 1}, or add loops to B"))

    def claim(self) -> Definite:
        graph = self._graph
        facts = (POSITIVE_DIAGONAL,) if (np.diff(graph.matrix.indptr) > 0).all() else ()
        if self.power % 2 == 0:
            half = "B" if self.power == 2 else f"B^{self.power // 2}"
            return self.claimed(PSD, f"inner product: φ(i) = row i of {half}, a symmetric matrix", *facts)
        return self.claimed(PSD, "spectral: the eigenvalues of B are >= 0 (checked), and so are their powers", *facts)

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
        side: Any = self.prepare(batch)
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
        bad = (rows != matrix.indices) & (matrix.data**2 > (1 + 1e-12) * diagonal[rows] * diagonal[matrix.indices])
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

    B: Any = param(check=_graph)
    t: float = param(default=1.0, check=real, continuous=True)
    names: Any = param(default=None, check=_names)

    def claim(self) -> Definite:
        return self.claimed(STRICT, "spectral: the eigenvalues exp(tλ) are positive; φ(i) = row i of exp(tB/2), which is nonsingular")

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
        return [cls(_example(), t=0.5), cls(scipy.sparse.csr_array(_example()), t=-0.7), cls(_example(), t=0.25, names=list("abcdefg"))]


class LaplacianDiffusion(NodeKernel):
    """exp(−tL) with L = D − B: the share of heat that starts at one node and is at another after time t.

    >>> from mercer import LaplacianDiffusion
    >>> LaplacianDiffusion([[0, 1], [1, 0]], t=1.0)([0, 1]).round(4).tolist()
    [[0.5677, 0.4323], [0.4323, 0.5677]]
    """

    matrix: ClassVar[str] = "L"
    B: Any = param(check=_graph)
    t: float = param(default=1.0, check=real, continuous=True)
    names: Any = param(default=None, check=_names)

    def claim(self) -> Definite:
        return self.claimed(STRICT, "spectral: the eigenvalues exp(−tλ) are positive; φ(i) = row i of exp(−tL/2), which is nonsingular")

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
    B: Any = param(check=_graph)
    t: float = param(default=1.0, check=nonnegative, continuous=True)
    names: Any = param(default=None, check=_names)

    def claim(self) -> Definite:
        return self.claimed(STRICT, "spectral: L is psd for weights >= 0, so the eigenvalues 1/(1 + tλ) are positive")

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
    B: Any = param(check=_graph)
    names: Any = param(default=None, check=_names)

    def check_graph(self, nodes: Nodes, fresh: bool) -> None:
        super().check_graph(nodes, fresh)
        parts = nodes.graph.components[0]
        if fresh and parts > 1:
            rule = f"is disconnected: commute times between its {parts} parts are infinite, and the kernel is 0 there"
            remedy = "take one part, or RegularizedLaplacian, which is strict on every graph"
            warn(explain("CommuteTime: B", f"{len(nodes.graph)} nodes", rule, remedy))

    def claim(self) -> Definite:
        lonely = self._graph.lonely
        facts = ((POSITIVE_DIAGONAL,) if lonely == 0 else ()) + ((SEPARATES,) if lonely <= 1 else ())
        return self.claimed(PSD, "spectral: L is psd for weights >= 0, and so is its pseudo-inverse; φ(i) = row i of its root", *facts)

    def transform(self, s: Spectrum) -> np.ndarray:
        return np.where(s.first, 0.0, 1.0 / np.where(s.first, 1.0, s.values))

    def apply(self, graph: Graph, V: np.ndarray) -> np.ndarray:
        return pseudo_inverse(graph, V)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(_example(connected=True)), cls(scipy.sparse.csr_array(_example(connected=True)))]


class RandomWalk(NodeKernel):
    """(aI − D^{−1/2} L D^{−1/2})^steps with a >= 2: walks of that many steps that may stay where they are; for weights >= 0.

    A node without edges has a^steps with itself and 0 with all others.

    >>> from mercer import RandomWalk
    >>> RandomWalk([[0, 1], [1, 0]], steps=2, a=3.0)([0, 1]).round(4).tolist()
    [[5.0, 4.0], [4.0, 5.0]]
    """

    matrix: ClassVar[str] = "Lsym"
    needs_nonnegative: ClassVar[bool] = True
    B: Any = param(check=_graph)
    steps: int = param(default=2, check=integer(1))
    a: float = param(default=2.0, check=_at_least_two)
    names: Any = param(default=None, check=_names)

    def claim(self) -> Definite:
        if self.a > 2:
            return self.claimed(
                STRICT, f"spectral: the normalised Laplacian lies in [0, 2], so the eigenvalues (a − λ)^{self.steps} are positive"
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
    for i, j, weight in [(0, 1, 1.0), (1, 2, 0.5), (0, 2, 2.0), (2, 3, 1.0), (3, 4, 1.5), (4, 5, 1.0), (3, 5, 0.25), (1, 1, 0.5)]:
        B[i, j] = B[j, i] = weight
    if connected:
        B[5, 6] = B[6, 5] = 1.0
    return B
