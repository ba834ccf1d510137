"""Kernels between graphs that sum over pairs of nodes, which a kernel on attributes compares.

A tile of graphs is visited one graph of its rows at a time, beside the nodes of all graphs of its
columns.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer.aliases import Prepared
from mercer.definiteness import PSD, UNKNOWN, Certificate, Where
from mercer.domains.base import Batch, Samples
from mercer.domains.structures.given_graph import Names
from mercer.domains.structures.graphs import GraphSamples
from mercer.domains.vectors.domain import TILE
from mercer.errors import DomainMismatchError, InputTypeError
from mercer.execution.cancel import check_stop
from mercer.execution.workspace import Workspace
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel, Place
from mercer.kernels.whole_graphs.graph_kernel import CountKernel, name_or_none
from mercer.params import Constraint, param
from mercer.readers.graph_collection import ranges

__all__: list[str] = []

kernel_or_none = Constraint(
    "a kernel or None", lambda v: v is None or isinstance(v, Kernel), "give a mercer kernel object"
)


@dataclasses.dataclass(eq=False)
class NodeSamples(Samples):
    """Graphs whose nodes are prepared for the kernel on attributes, and k(x, x) of every graph."""

    graphs: GraphSamples
    elements: Prepared
    squares: np.ndarray

    def __len__(self) -> int:
        return len(self.graphs)

    def take(self, rows: np.ndarray) -> NodeSamples:
        nodes = ranges(self.graphs.starts[rows], self.graphs.sizes[rows])
        elements = None if self.elements is None else self.elements.take(nodes)
        taken = NodeSamples(self.graphs.take(rows), elements, self.squares[rows])
        return taken._inherit(self, rows)


@dataclasses.dataclass
class NodeRows:
    """The nodes of one graph beside those of several: k of every two, and its derivatives."""

    graph: int  # among all of the first collection
    values: np.ndarray
    columns: slice  # nodes of the second collection
    starts: np.ndarray  # where its graphs begin among them
    slopes: dict[tuple[str, Place], np.ndarray]

    def sums(self, weights: np.ndarray) -> np.ndarray:
        """The sums of a weight for every two nodes, over the nodes of each two graphs."""
        totals = np.add.reduceat(np.append(weights.sum(axis=0), 0.0), self.starts[:-1])
        return np.where(np.diff(self.starts) > 0, totals, 0.0)


class NodePairKernel(CountKernel, abstract=True):
    """A kernel that counts features of labels, or with a kernel on attributes sums over nodes."""

    node: Any = param(default=None, check=kernel_or_none)
    attributes: str = param(default="attributes", check=name_or_none, kw_only=True)

    order: ClassVar[int] = 1  # the number of times that k of two nodes is a factor of each term
    _pairwise: ClassVar[str] = ""  # the formula with a kernel on attributes, for certificates

    @property
    def by_pairs(self) -> bool:
        """Whether nodes are compared by kernels, so that there is no finite feature map."""
        return self.node is not None

    @property
    def aligned(self) -> bool:  # type: ignore[override]
        return not self.by_pairs

    def check_params(self) -> None:
        if self.node is not None and "matrix" not in self.node.domain.accepts:
            what = f"{type(self).__name__}: node"
            raise DomainMismatchError(what, self.node, "must be a kernel on rows of numbers")

    def names(self) -> Names:
        """Labels of edges do not matter, and are not read."""
        return Names(self.node_labels, None, self.attributes if self.by_pairs else None)

    def continuous_params(self) -> dict[str, Any]:
        params = dict(super().continuous_params())
        for name, child in self.named_children().items():
            params |= {f"{name}__{inner}": v for inner, v in child.continuous_params().items()}
        return params

    # -- definiteness ------------------------------------------------------------------------------

    def certify(self, d: int | None) -> Certificate:
        children = self.named_children()
        if not children:
            return super().certify(d)
        # all but the kernel on attributes compare distances, which are numbers
        parts = [child.certify(d if name == "node" else 1) for name, child in children.items()]
        where = self._where(dict(zip(children, parts, strict=True)))
        if all(part.psd for part in parts):
            return Certificate(PSD, repr(self), self._pairwise, where, tuple(parts))
        rule = "no rule: a kernel inside is not known to be psd"
        return Certificate(UNKNOWN, repr(self), rule, where, tuple(parts))

    def _where(self, parts: dict[str, Certificate]) -> Where:
        """The graphs whose attributes are in the set on which the kernel on them is certified."""
        conditions = itertools.chain.from_iterable(part.where.conditions for part in parts.values())
        where = Where("graphs", conditions=tuple(dict.fromkeys(conditions)))
        if self.node is None:
            return where
        inner = parts["node"].where
        space = f"graphs with attributes in {inner.space} on their nodes"
        return dataclasses.replace(where, space=space, max_dim=inner.max_dim)

    # -- samples -----------------------------------------------------------------------------------

    def _attribute_batch(self, batch: Batch) -> Batch:
        """The attributes of all nodes as a batch, which is compared with that of ``batch.like``."""
        samples: Prepared = batch.encode(self.domain)
        like = None if batch.like is None else self._attribute_batch(batch.like)
        if samples.graphs.attributes is None:
            self._check_no_nodes(samples, batch.argument)
            # a row that no graph has, for kernels that need one
            return Batch(np.zeros((1, 1)) if like is None else np.zeros((1, like.raw.shape[1])))
        return samples.once(
            ("attributes", id(like)), lambda: Batch(samples.graphs.attributes, like, new=batch.new)
        )

    def _check_no_nodes(self, samples: Prepared, argument: str) -> None:
        """Raise an error for nodes without attributes, which the kernel would compare."""
        if len(samples.owners):
            what = f"{type(self).__name__}: node"
            remedy = f"give all nodes {self.attributes!r}, or node=None"
            rule = f"compares attributes of nodes, which {argument} has not"
            raise InputTypeError(what, self.node, rule, remedy)

    def fit_batch(self, batch: Batch) -> Self:
        super().fit_batch(batch)
        if self.by_pairs and self.node is not None:
            self.node.fit_batch(self._attribute_batch(batch))
        return self

    def prepare(self, batch: Batch) -> Prepared:
        if not self.by_pairs:
            return super().prepare(batch)
        graphs: Prepared = batch.encode(self.domain)
        elements = None
        if self.node is not None:
            elements = self.node.prepare(self._attribute_batch(batch))
        samples = NodeSamples(graphs, elements, np.zeros(len(graphs)))
        samples.origin, samples.index = graphs.origin, graphs.index
        samples.squares = self._squares(samples)
        return samples

    def _squares(self, samples: NodeSamples) -> np.ndarray:
        """k(x, x) of every graph, in the same way wherever a tile begins."""
        squares = np.zeros(len(samples))
        for row in range(len(samples)):
            alone = samples.take(np.array([row]))
            pair = Pair(alone, alone, 0, 1, 0, 1, Workspace())
            squares[row] = self._pair_tile(pair)[0, 0]
        return squares

    # -- computing ---------------------------------------------------------------------------------

    def weighted_rows(
        self, pair: Pair, slopes: bool
    ) -> Iterator[tuple[NodeRows, np.ndarray, dict[tuple[str, Place], np.ndarray]]]:
        """The nodes of each graph of the rows, and what each k of two nodes is multiplied by.

        The values of the kernel are Σ weight · k; the slopes are of all that is not ``node``.
        """
        raise NotImplementedError(f"{type(self).__name__} must define weighted_rows(pair, slopes)")

    def _pair_tile(self, pair: Pair) -> np.ndarray:
        out = np.zeros(pair.shape)
        for rows, weights, _ in self.weighted_rows(pair, slopes=False):
            out[rows.graph - pair.i0] = rows.sums(rows.values * weights)
        return out

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        if not self.by_pairs:
            super().tile(pair, out)
            return
        pair.work.serial_blas()
        np.copyto(out, self._pair_tile(pair))
        if pair.x.origin is pair.y.origin:
            same = pair.x.identities()[pair.rows, None] == pair.y.identities()[None, pair.cols]
            np.copyto(out, pair.x.squares[pair.rows, None], where=same)

    def diagonal(self, samples: Prepared) -> np.ndarray:
        return samples.squares.copy() if self.by_pairs else super().diagonal(samples)

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        if self.by_pairs:
            return Kernel.map_features(self, batch, truncate)
        return super().map_features(batch, truncate)

    def node_rows(self, pair: Pair, slopes: bool) -> Iterator[NodeRows]:
        """Every graph of the tile's rows, with the kernel between its nodes and all columns'."""
        x, y = pair.x.graphs, pair.y.graphs
        columns = slice(int(y.starts[pair.j0]), int(y.starts[pair.j1]))
        starts = y.starts[pair.j0 : pair.j1 + 1] - columns.start
        x_colors, y_colors = x.node_colors("constant"), y.node_colors("constant")
        for graph in range(pair.i0, pair.i1):
            check_stop()
            nodes = slice(int(x.starts[graph]), int(x.starts[graph + 1]))
            values, derivatives = self._node_values(pair, nodes, columns, slopes)
            same = x_colors[nodes, None] == y_colors[None, columns]
            for each in (values, *derivatives.values()):
                each *= same
            yield NodeRows(graph, values, columns, starts, derivatives)

    def _node_values(
        self, pair: Pair, nodes: slice, columns: slice, slopes: bool
    ) -> tuple[np.ndarray, dict[tuple[str, Place], np.ndarray]]:
        """The kernel between attributes of nodes, and its derivatives; 1 where there is none."""
        shape = (nodes.stop - nodes.start, columns.stop - columns.start)
        if self.node is None or 0 in shape:
            return np.ones(shape), {}
        inner = pair.of(pair.x.elements, pair.y.elements)
        return evaluate(self.node, inner, nodes, columns, slopes)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        if not self.by_pairs:
            return
        total: dict[tuple[str, Place], np.ndarray] = {}
        for rows, weights, others in self.weighted_rows(pair, slopes=True):
            derivatives = self._graph_derivatives(rows, self.order * weights, others)
            for key, values in derivatives.items():
                tile = total.setdefault(key, np.zeros(pair.shape))
                tile[rows.graph - pair.i0] = values
        for (name, place), tile in total.items():
            yield name, place, tile

    @staticmethod
    def _graph_derivatives(
        rows: NodeRows, weights: np.ndarray, others: dict[tuple[str, Place], np.ndarray]
    ) -> dict[tuple[str, Place], np.ndarray]:
        """The derivatives of the kernel of one graph with all columns', by parameters."""
        derivatives = {}
        for (name, place), slope in rows.slopes.items():
            derivatives[f"node__{name}", place] = rows.sums(slope * weights)
        for key, slope in others.items():
            derivatives[key] = rows.sums(rows.values * slope)
        return derivatives


def evaluate(
    kernel: Kernel, pair: Pair, rows: slice, columns: slice, slopes: bool
) -> tuple[np.ndarray, dict[tuple[str, Place], np.ndarray]]:
    """The values of a kernel on any rows and columns of the pair's samples, and its derivatives."""
    work = Workspace()
    work.run = pair.work.run
    values = np.empty((rows.stop - rows.start, columns.stop - columns.start))
    derivatives: dict[tuple[str, Place], np.ndarray] = {}
    starts = range(columns.start - columns.start % TILE, columns.stop, TILE)
    for r0, c0 in itertools.product(range(rows.start, rows.stop, TILE), starts):
        r1, c1 = min(r0 + TILE, rows.stop), min(c0 + TILE, columns.stop)
        skip = max(columns.start - c0, 0)
        here = slice(r0 - rows.start, r1 - rows.start)
        there = slice(c0 + skip - columns.start, c1 - columns.start)
        work.reset()
        board: dict[Any, np.ndarray] | None = {} if kernel.leaves > 1 else None
        inner = Pair(pair.x, pair.y, r0, r1, c0, c1, work, board)
        tile = work.out(*inner.shape)
        kernel.tile(inner, tile)
        values[here, there] = tile[:, skip:]
        for name, place, slope in kernel.tile_derivatives(inner) if slopes else ():
            whole = derivatives.setdefault((name, place), np.zeros_like(values))
            whole[here, there] = slope[:, skip:]
    return values, derivatives
