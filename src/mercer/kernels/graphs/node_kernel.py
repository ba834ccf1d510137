"""What the kernels of nodes share: f(A) of a matrix A of the graph, by eigenvectors or by its action on vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer.aliases import Prepared
from mercer.definiteness import Definite
from mercer.domains.base import Batch
from mercer.domains.nodes import Graph, Nodes, NodeSamples, read_nodes
from mercer.errors import InfiniteFeaturesError, KernelOverflowError, ParameterError, ShapeError
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.graphs.matrix_functions import WIDTH, Spectrum, is_small, spectrum
from mercer.kernels.graphs.node_rows import Table, columns_of
from mercer.params import Constraint

__all__: list[str] = []

# What is wrong with B or its names is found, and told with its place, when the graph is read.
graph_like = Constraint(
    "a symmetric matrix, a scipy sparse matrix or a networkx graph",
    lambda v: v is not None and not isinstance(v, (str, bytes)),
)
node_names = Constraint(
    "None or a list of names, one for each node", lambda v: v is None or hasattr(v, "__len__")
)


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
            raise ParameterError(what, float(nodes.graph.matrix[pair]), rule, remedy)

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
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if f.name not in ("B", "names") and repr(value) != repr(f.default):
                shown.append(
                    f"{f.name}={value.item() if isinstance(value, np.generic) else value!r}"
                )
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
                found = columns_of(lambda V: self.apply(graph, V), some, len(graph))[
                    some, np.arange(len(some))
                ]
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
            raise ShapeError("V", type(V).__name__, "must be a matrix of numbers") from None
        if given.ndim not in (1, 2) or len(given) != len(graph):
            rule = f"must have one row for each of the {len(graph)} nodes"
            raise ShapeError("V", f"array of shape {given.shape}", rule)
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
            raise KernelOverflowError(
                f"(k V)[{row}, {column}]", float(out[row, column]), "is not a finite number", remedy
            )
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
        numbers = tuple(
            getattr(self, name) for name in self._param_names() if name not in ("B", "names")
        )
        me = self.copy()  # a table outlives this call, and the parameters may change

        def action(V: np.ndarray) -> np.ndarray:
            return me.apply(graph, V) if what == "value" else me.apply_slope(graph, V)

        x, y = pair.x, pair.y
        return x.once((what, type(self), numbers, id(y)), lambda: Table(action, len(graph), x, y))

    # -- features ----------------------------------------------------------------------------------------------------

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        side: Prepared = self.prepare(batch)
        if not is_small(self._graph):
            rule = f"has no features at hand: the graph's {len(self._graph)} nodes are too many to decompose"
            raise InfiniteFeaturesError(
                "features", self, rule, "use KernelMap(kernel, landmarks), which samples them"
            )
        s = spectrum(self._graph, self.matrix)
        return s.vectors[side.at] * np.sqrt(np.maximum(self.transform(s), 0.0))

    def feature_dim(self, p: int) -> float:
        return len(self._graph)


def _weighted_squares(rows: np.ndarray, f: np.ndarray) -> np.ndarray:
    return np.add.reduce(rows * f * rows, axis=1)
