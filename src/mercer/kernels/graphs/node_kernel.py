"""Base class of kernels on nodes: a function f(A) of a matrix A of the graph.

It is computed by eigenvectors on small graphs, and by its action on vectors on large ones.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer.aliases import GraphLike, NodeNames, SparseMatrix
from mercer.definiteness import STRICT, Definite
from mercer.definiteness.means import FINITE_SET, SILENT
from mercer.domains.base import Batch
from mercer.domains.nodes import Graph, Nodes, NodeSamples, read_nodes
from mercer.errors import InfiniteFeaturesError, KernelOverflowError, ParameterError, ShapeError
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.functions import name_object
from mercer.kernels.graphs.matrix_functions import BLOCK_COLUMNS, Spectrum, is_small, spectrum
from mercer.kernels.graphs.row_cache import RowCache, columns_of
from mercer.kernels.parameters import show_value, value_key
from mercer.params import Constraint
from mercer.state import State

__all__: list[str] = []

# Errors in B or in the names are found when the graph is read, and reported with their place.
graph_like = Constraint(
    "a symmetric matrix, a scipy sparse matrix or a networkx graph",
    lambda v: v is not None and not isinstance(v, (str, bytes)),
)
node_names = Constraint(
    "None or a list of names, one for each node", lambda v: v is None or hasattr(v, "__len__")
)


class _Read(NamedTuple):
    """The nodes that were read, and what they were read from."""

    B: GraphLike
    names: NodeNames
    nodes: Nodes


class NodeKernel(Kernel, abstract=True):
    """k(i, j) = f(A)_ij for a function f of A: B itself, L = D − B, or D^{−1/2} L D^{−1/2}.

    B is read when the kernel is made: changes to it afterwards are not seen.
    """

    matrix: ClassVar[str] = "matrix"  # A, as an attribute of `Graph`
    needs_nonnegative: ClassVar[bool] = False
    stored: ClassVar[State] = State(rebuilt=("_held",))  # by the constructor

    # -- the graph ---------------------------------------------------------------------------------

    def check_params(self) -> None:
        held = self.__dict__.get("_held")
        B, names = vars(self)["B"], vars(self)["names"]
        fresh = held is None or held.B is not B or held.names is not names
        if held is None or fresh:
            held = self._read()
        self.check_graph(held.nodes, fresh)
        object.__setattr__(self, "_held", held)

    def _read(self) -> _Read:
        B, names = vars(self)["B"], vars(self)["names"]
        return _Read(B, names, read_nodes(B, names, type(self).__name__))

    def check_graph(self, nodes: Nodes, fresh: bool) -> None:
        """Whether the kernel is defined on this graph; ``fresh`` if it has just been read."""
        if not (fresh and self.needs_nonnegative):
            return
        edge = nodes.graph.negative_pair()
        if edge is not None:
            labels = edge if nodes.names is None else [nodes.names[i] for i in edge]
            what = f"{type(self).__name__}: B[{', '.join(map(repr, labels))}]"
            rule = "must be >= 0: with negative weights the Laplacian is not positive semi-definite"
            remedy = "use Diffusion or LaplacianDiffusion, which take any weights"
            raise ParameterError(what, float(nodes.graph.matrix[edge]), rule, remedy)

    @property
    def domain(self) -> Nodes:  # type: ignore[override]
        held = self.__dict__.get("_held")
        if held is None:  # A pickle does not hold the graph.
            held = self._read()
            object.__setattr__(self, "_held", held)
        return held.nodes

    @property
    def _graph(self) -> Graph:
        return self.domain.graph

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_held"}

    def copy(self) -> Self:
        copied = super().copy()
        if "_held" in self.__dict__:
            object.__setattr__(copied, "_held", self.__dict__["_held"])
        return copied

    def __sklearn_clone__(self) -> Self:
        """The graph is only read, so clones share it."""
        return self.copy()

    def __repr__(self) -> str:
        nodes = self.domain
        content = nodes.graph.key + repr(nodes.names)
        shown = [f"B={name_object(nodes, f'graph_of_{len(nodes.graph)}_nodes', content)}"]
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name not in ("B", "names") and repr(value) != repr(field.default):
                shown.append(f"{field.name}={show_value(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def _value_key(self) -> tuple[Hashable, ...]:
        """Graphs are compared by their weights and names, in whatever form they were given."""
        own = [name for name in self._names if name not in ("B", "names")]
        params = ((name, value_key(getattr(self, name))) for name in own)
        return (type(self), self.domain, *params)

    def on_nodes(self, status: str, rule: str, *facts: str) -> Definite:
        """A claim about the nodes of the graph."""
        means = FINITE_SET if status == STRICT else SILENT
        nodes = f"the {len(self._graph)} nodes of the graph"
        return Definite(status, rule, nodes, facts=facts, means=means)

    # -- the function f, defined by each kernel ----------------------------------------------------

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

    # -- computing ---------------------------------------------------------------------------------

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        if not self.by_spectrum():
            self._row_cache(pair, "value").fill(pair.rows, pair.cols, out)
            return
        s = spectrum(self._graph, self.matrix)
        f = self.transform(s)
        self._product(pair, s, f, out)
        same = pair.x.at[pair.rows, None] == pair.y.at[None, pair.cols]
        if same.any():  # The same sum as in `diagonal` gives the same bits.
            values = _weighted_squares(self._eigenvector_rows(pair.x, s, pair.rows), f)
            np.copyto(out, values[:, None], where=same)

    def diagonal(self, samples: NodeSamples) -> np.ndarray:
        nodes, where = samples.distinct()
        values = np.empty(len(nodes))
        if self.by_spectrum():
            s = spectrum(self._graph, self.matrix)
            f = self.transform(s)
            size = 256
        else:
            size = BLOCK_COLUMNS

        def work_on(number: int, _: Workspace) -> None:
            block = slice(number * size, (number + 1) * size)
            if self.by_spectrum():
                values[block] = _weighted_squares(s.vectors[nodes[block]], f)
            else:
                values[block] = self._diagonal_by_action(nodes[block])

        run(-(-len(nodes) // size), work_on, "diagonal")
        return values[where]

    def _diagonal_by_action(self, nodes: np.ndarray) -> np.ndarray:
        graph = self._graph
        columns = columns_of(lambda V: self.apply(graph, V), nodes, len(graph))
        return columns[nodes, np.arange(len(nodes))]

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name in self._continuous:
            tile = np.empty(pair.shape)
            if self.by_spectrum():
                s = spectrum(self._graph, self.matrix)
                self._product(pair, s, self.slope(s), tile)
            else:
                self._row_cache(pair, "slope").fill(pair.rows, pair.cols, tile)
            yield name, None, tile

    def act(self, V: ArrayLike) -> np.ndarray:
        """The product k V with vectors on all nodes; for large graphs no n x n matrix is made.

        Parameters
        ----------
        V : array-like of shape (n_nodes,) or (n_nodes, n_vectors)
            One row for each node, in the order of the graph.

        Returns
        -------
        ndarray of the shape of V
            The product.

        Examples
        --------
        >>> from mercer import RegularizedLaplacian
        >>> path = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
        >>> RegularizedLaplacian(path, t=1.0).act([1.0, 0.0, 0.0]).round(3).tolist()
        [0.625, 0.25, 0.125]
        """
        given = _read_vectors(V, len(self._graph))
        vectors = given.reshape(len(given), -1)
        with np.errstate(all="ignore"):
            product = self._act(vectors)
        if not np.isfinite(product).all():
            row, column = np.argwhere(~np.isfinite(product))[0]
            what = f"(k V)[{row}, {column}]"
            rule = "is not a finite number"
            remedy = "give finite vectors, or take a smaller t or power"
            raise KernelOverflowError(what, float(product[row, column]), rule, remedy)
        return product.reshape(given.shape)

    def _act(self, vectors: np.ndarray) -> np.ndarray:
        graph = self._graph
        if self.by_spectrum():
            s = spectrum(graph, self.matrix)
            return s.vectors @ (self.transform(s)[:, None] * (s.vectors.T @ vectors))
        product = np.empty(vectors.shape)

        def work_on(number: int, _: Workspace) -> None:
            block = slice(number * BLOCK_COLUMNS, (number + 1) * BLOCK_COLUMNS)
            product[:, block] = self.apply(graph, np.ascontiguousarray(vectors[:, block]))

        run(-(-vectors.shape[1] // BLOCK_COLUMNS), work_on, "action")
        return product

    def _eigenvector_rows(self, samples: NodeSamples, s: Spectrum, where: slice) -> np.ndarray:
        """The eigenvectors at some samples; they are gathered once where samples are few."""
        if len(samples) > len(self._graph):
            return s.vectors[samples.at[where]]
        return samples.once(("eigenvectors", self.matrix), lambda: s.vectors[samples.at])[where]

    def _product(self, pair: Pair, s: Spectrum, f: np.ndarray, out: np.ndarray) -> None:
        """Σ f(λ) u(i) u(j)."""
        pair.work.serial_blas()
        left = self._eigenvector_rows(pair.x, s, pair.rows) * f
        np.matmul(left, self._eigenvector_rows(pair.y, s, pair.cols).T, out=out)

    def _row_cache(self, pair: Pair, what: str) -> RowCache:
        """The rows of values or slopes that the tiles of a Gram matrix share."""
        x, y, graph = pair.x, pair.y, self._graph
        own = [name for name in self._names if name not in ("B", "names")]
        parameters = tuple(getattr(self, name) for name in own)
        # The cache outlives this call, and the parameters of this kernel may change.
        kernel = self.copy()
        function = kernel.apply if what == "value" else kernel.apply_slope
        return x.once(
            (what, type(self), parameters, id(y)),
            lambda: RowCache(lambda V: function(graph, V), len(graph), x, y),
        )

    # -- features ----------------------------------------------------------------------------------

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray | SparseMatrix:
        samples = self.prepare(batch)
        if not is_small(self._graph):
            nodes = f"the graph's {len(self._graph)} nodes"
            rule = f"has no features at hand: {nodes} are too many to decompose"
            remedy = "use KernelMap(kernel, centers), which samples them"
            raise InfiniteFeaturesError("features", self, rule, remedy)
        s = spectrum(self._graph, self.matrix)
        return s.vectors[samples.at] * np.sqrt(np.maximum(self.transform(s), 0.0))

    def feature_dim(self, p: int) -> float:
        return len(self._graph)


def _read_vectors(V: ArrayLike, n_nodes: int) -> np.ndarray:
    """A vector or a matrix of numbers with one row for each node."""
    try:
        given = np.asarray(V, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError("V", type(V).__name__, "must be a matrix of numbers") from None
    if given.ndim not in (1, 2) or len(given) != n_nodes:
        rule = f"must have one row for each of the {n_nodes} nodes"
        raise ShapeError("V", f"array of shape {given.shape}", rule)
    return given


def _weighted_squares(rows: np.ndarray, f: np.ndarray) -> np.ndarray:
    return np.add.reduce(rows * f * rows, axis=1)


def example_graph(connected: bool = False) -> np.ndarray:
    """Two triangles and an edge of different weights, a loop, and a node by itself."""
    B = np.zeros((7, 7))
    B[0, 1] = B[2, 3] = B[4, 5] = 1.0
    B[1, 2] = 0.5
    B[0, 2] = 2.0
    B[3, 4] = 1.5
    B[3, 5] = 0.25
    if connected:
        B[5, 6] = 1.0
    B += B.T
    B[1, 1] = 0.5
    return B
