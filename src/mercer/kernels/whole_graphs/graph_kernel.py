"""Base classes of kernels between whole graphs, and of those that count features."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import ClassVar, Self

import numpy as np

from mercer.aliases import Prepared, RawSamples, SparseMatrix
from mercer.domains.base import Batch, Domain, Tile
from mercer.domains.counts import NgramCounts
from mercer.domains.parts import Parts
from mercer.domains.structures.given_graph import Names
from mercer.domains.structures.graph_counts import GraphCounts
from mercer.domains.structures.graphs import Graphs, GraphSamples
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.parameters import computed
from mercer.params import Constraint, choice, integer, param
from mercer.state import State

__all__: list[str] = []

name_or_none = Constraint(
    "a name or None", lambda v: v is None or (isinstance(v, str) and v != ""), "None ignores labels"
)
_STAND_INS = {"degree": "their degrees stand for them", "constant": "a constant stands for them"}
degree_or_constant = choice("degree", "constant")


class GraphKernel(Kernel, abstract=True):
    """A function of two graphs that may have labels on nodes and edges."""

    node_labels: str | None = param(default="label", check=name_or_none, kw_only=True)
    edge_labels: str | None = param(default="label", check=name_or_none, kw_only=True)
    stored: ClassVar[State] = State(plain=("labels_",))

    def names(self) -> Names:
        """The names of labels and attributes that the kernel reads in graphs."""
        return Names(self.node_labels, self.edge_labels, None)

    @computed
    def domain(self) -> Domain:
        return Graphs(self.names())

    def fit_batch(self, batch: Batch) -> Self:
        """Note what distinguishes nodes, for reports."""
        samples: Prepared = batch.encode(self.domain)
        self.labels_ = "labels" if samples.labeled else self.stand_in()
        return self

    def stand_in(self) -> str:
        """Labels for nodes that have none: their degrees, or a constant."""
        return "constant"

    def remark(self) -> str:
        """Describe, for reports, a kernel that was fitted to graphs without labels."""
        if getattr(self, "node", None) is not None:
            return ""  # nodes are compared by their attributes
        stand_in = _STAND_INS.get(getattr(self, "labels_", "labels"))
        return f"nodes have no labels; {stand_in}" if stand_in else ""


class CountKernel(GraphKernel, abstract=True):
    """⟨φ(x), φ(y)⟩ with coordinates √w times the counts that ``find`` finds, in groups of weight w.

    Features of a group depend on what ``find`` is given beside the graphs.
    """

    unlabeled: str = param(default="degree", check=degree_or_constant, kw_only=True)

    def stand_in(self) -> str:
        return self.unlabeled

    @property
    def aligned(self) -> bool:  # type: ignore[override]
        """Whether columns are the same for all samples; those of several groups are not."""
        return len(self.groups()) == 1

    def groups(self) -> list[tuple[float, tuple[int, ...]]]:
        """The weight of each group of features, and what ``find`` is given to find them."""
        return [(1.0, ())]

    def find(self, samples: GraphSamples, group: tuple[int, ...]) -> NgramCounts:
        """The counts of a group of features of every graph."""
        raise NotImplementedError(f"{type(self).__name__} must define find(samples, group)")

    def key(self) -> tuple[object, ...]:
        """Return the values on which the features of a group depend, beside the group."""
        return (type(self).__name__, self.unlabeled)

    def _counts(self, group: tuple[int, ...]) -> GraphCounts:
        # Encoded samples hold the domain, and must keep only a copy of the kernel alive.
        finder = functools.partial(self.copy()._find, group)
        return GraphCounts((*self.key(), group), finder, Graphs(self.names()))

    def _find(self, group: tuple[int, ...], samples: GraphSamples, name: str) -> NgramCounts:
        return self.find(samples, group)

    def prepare(self, batch: Batch) -> Parts:
        batch.encode(self.domain)
        return Parts(*(batch.encode(self._counts(group)) for _, group in self.groups()))

    def products(self, pair: Pair) -> Iterator[tuple[float, np.ndarray]]:
        """The weight of each group, and the inner products of its counts."""
        for at, (weight, _) in enumerate(self.groups()):
            tile = np.empty(pair.shape)
            pair.x[at].dot(pair.y[at], Tile(pair.rows, pair.cols, tile, pair.work))
            yield weight, tile

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        out[...] = 0.0
        for weight, tile in self.products(pair):
            tile *= weight
            out += tile

    def diagonal(self, samples: Parts) -> np.ndarray:
        total = np.zeros(len(samples))
        for at, (weight, _) in enumerate(self.groups()):
            total += samples[at].norms * weight
        return total

    def map_features(self, batch: Batch, truncate: int | None) -> SparseMatrix:
        from scipy.sparse import hstack

        samples, blocks = self.prepare(batch), []
        for at, (weight, _) in enumerate(self.groups()):
            blocks.append(samples[at].matrix() * np.sqrt(weight))
        return hstack(blocks, format="csr")

    def hashed_features(self, X: RawSamples, width: int = 2**20) -> SparseMatrix:
        """Sparse rows of hashed features, in the same columns for every collection.

        They serve linear learners on more graphs than a Gram matrix can hold. Features that share a
        column by chance add up, which hardly matters if there are many more columns than features.

        Parameters
        ----------
        X : collection of graphs
            The graphs.
        width : int, default=2**20
            The number of columns.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, width)
            One row for each graph.
        """
        integer(1).check("width", width)
        batch = Batch(X)
        blocks = [
            self._counts(group).hashed(batch, int(width)) * np.sqrt(weight)
            for weight, group in self.groups()
        ]
        return sum(blocks[1:], blocks[0])
