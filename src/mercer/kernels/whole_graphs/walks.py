"""The random walk kernel between graphs: walks that both of them have.

>>> from mercer import GraphWalks
>>> GraphWalks(decay=0.1)([([(0, 1)], 2)]).round(6).tolist()  # Σ 0.1^t 2², as 1ᵀAᵗ1 = 2
[[4.444444]]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.definiteness import PSD, Definite
from mercer.domains.base import Batch, Samples
from mercer.domains.structures.graphs import GraphSamples
from mercer.domains.vectors.domain import VectorSamples
from mercer.errors import ParameterError, RadiusError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.strings.pairwise import Entries
from mercer.kernels.whole_graphs.graph_kernel import GraphKernel
from mercer.kernels.whole_graphs.radii import largest_radius, radii
from mercer.params import Constraint, is_real, param
from mercer.state import State

__all__ = ["GraphWalks"]

_AUTO = 0.5  # of the largest decay that the training graphs allow
_SHARE = 1e-18  # of a sum, that its remaining terms may have
_MOST_TERMS = 20_000

decay_or_auto = Constraint(
    "positive, or 'auto'",
    lambda v: (isinstance(v, str) and v == "auto") or (is_real(v) and v > 0),
    "give a number > 0, or 'auto' to take half of what the training graphs allow",
)


class WalkSamples(Samples):
    """Graphs, of which the walks are counted as far as a tile needs them."""

    def __init__(self, graphs: GraphSamples, labeled: bool, decay: float) -> None:
        self.graphs, self.labeled, self.decay = graphs, labeled, decay
        self._sums: list[np.ndarray] = []  # of the first terms
        self.terms = 0 if labeled else self._enough()

    def __len__(self) -> int:
        return len(self.graphs)

    @property
    def lengths(self) -> np.ndarray:
        """The numbers of nodes, which say how long a comparison takes."""
        return self.graphs.sizes

    def take(self, rows: np.ndarray) -> WalkSamples:
        return WalkSamples(self.graphs.take(rows), self.labeled, self.decay)._inherit(self, rows)

    def _enough(self) -> int:
        """The number of terms after which the sum of no graph with itself changes any more."""
        total, last, before = np.zeros((3, len(self)))
        worst = np.zeros(len(self))
        for t, counts in enumerate(self._scaled()):
            self._sums.append(counts)
            term = counts**2
            total += term
            with np.errstate(divide="ignore", invalid="ignore"):
                # of two steps, as terms of graphs in two parts fall in every other step only
                ratio = np.where(before > 0, np.sqrt(term / before), 0.0)
            rest = term * (t + 1) / np.maximum(1.0 - np.maximum(ratio, worst), 1e-9) ** 2
            worst, before, last = ratio, last, term
            if t > 2 and (rest <= _SHARE * total).all():
                return t + 1
        raise _too_close(self.decay)

    def _scaled(self) -> Iterator[np.ndarray]:
        """decay^{t/2} 1ᵀAᵗ1 of every graph, for t = 0, 1, ..."""
        graphs, factor = self.graphs.graphs, math.sqrt(self.decay)
        walks = np.ones(len(graphs.indptr) - 1)
        for _ in range(_MOST_TERMS):
            longer, sums = np.empty_like(walks), np.empty(len(self))
            step = _compiled.graphs.walk_step
            step(graphs.indptr, graphs.indices, graphs.starts, factor, walks, longer, sums)
            yield sums
            walks = longer

    def rows(self, terms: int) -> VectorSamples:
        """The scaled counts of walks of less than so many edges."""

        def make() -> VectorSamples:
            if terms > len(self._sums):
                self._sums = list(itertools.islice(self._scaled(), terms))
            return VectorSamples(np.ascontiguousarray(np.stack(self._sums[:terms], axis=1)))

        return self.once(("rows", terms), make)

    def slopes(self, terms: int) -> VectorSamples:
        """The features with the t-th column multiplied by t/decay, for the derivative."""

        def make() -> VectorSamples:
            factors = np.arange(terms) / self.decay
            return VectorSamples(np.ascontiguousarray(self.rows(terms).x * factors))

        return self.once(("slopes", terms), make)

    def arrays(self) -> tuple[np.ndarray, ...]:
        """What compiled code reads of graphs with labels."""
        graphs = self.graphs.graphs
        colors = self.graphs.node_colors("constant")
        edges = self.graphs.edge_colors()
        return graphs.starts, graphs.indptr, graphs.indices, colors, edges


class GraphWalks(GraphKernel):
    """Σ_t decay^t times the number of pairs of walks of t edges, one in x and one in y, that match.

    Walks match if the labels of all their nodes and edges do; without labels, all walks of the same
    length do, and the kernel is the inner product Σ_t decay^t (1ᵀAᵗ1)(1ᵀBᵗ1) of the numbers of
    walks. A walk of no edges is a node. Parallel edges make several walks.

    The series converges if decay · ρ < 1, where ρ is the largest eigenvalue of the graph of
    matching pairs of nodes of x with itself; without labels it is the square of the largest
    eigenvalue of x. It is checked for all graphs, at prediction too, and a `RadiusError` says below
    which value the decay must stay.

    Parameters
    ----------
    decay : float or "auto", default="auto"
        The factor for every edge of a walk; "auto" takes half of what the training graphs allow.
    node_labels, edge_labels : str or None, default="label"
        What networkx and igraph graphs call the labels of nodes and of edges. None ignores the
        labels of graphs of all forms. Labels of edges are compared also where those of nodes are
        ignored. Where both are None, or graphs have neither, walks are merely counted, which is
        some hundred times as fast.

    Examples
    --------
    >>> from mercer import GraphWalks
    >>> path, triangle = ([(0, 1), (1, 2)], 3), ([(0, 1), (1, 2), (2, 0)], 3)
    >>> GraphWalks(decay=0.1)([path, triangle]).round(4).tolist()
    [[11.0417, 12.3913], [12.3913, 15.0]]

    References
    ----------
    T. Gärtner, P. Flach and S. Wrobel (2003). On graph kernels: hardness results and efficient
    alternatives. Learning Theory and Kernel Machines, 129-143.
    S. V. N. Vishwanathan, N. N. Schraudolph, R. Kondor and K. M. Borgwardt (2010). Graph kernels.
    Journal of Machine Learning Research 11, 1201-1242.
    """

    stored: ClassVar[State] = State(plain=("decay_",))
    decay: Any = param(default="auto", check=decay_or_auto, continuous=True)

    def claim(self) -> Definite:
        rule = (
            "inner product: φ_s(G) = decay^{t/2} times the number of walks of G whose labels are "
        )
        condition = "decay times the largest eigenvalue of each product graph below 1 (checked)"
        rule += "a sequence of t edges"
        return Definite(PSD, rule, "graphs", conditions=(condition,))

    def continuous_params(self) -> dict[str, Any]:
        return {} if self.decay == "auto" else super().continuous_params()

    def fit_batch(self, batch: Batch) -> Self:
        super().fit_batch(batch)
        if self.decay == "auto":
            samples: Prepared = batch.encode(self.domain)
            radius = largest_radius(samples, _is_labeled(samples))
            self.decay_ = _AUTO / radius if radius > 0 else _AUTO
        return self

    def remark(self) -> str:
        remarks = [super().remark()]
        if self.decay == "auto" and "decay_" in vars(self):
            remarks.append(f"decay {self.decay_:.4g}, half of what the training graphs allow")
        return "; ".join(filter(None, remarks))

    def _decay(self) -> float:
        """The decay, which "auto" learns from the training graphs."""
        if self.decay != "auto":
            return float(self.decay)
        if "decay_" not in vars(self):
            remedy = "fit the kernel on training graphs: kernel.fit(X), or give a number"
            raise ParameterError("GraphWalks: decay", "auto", "is not known yet", remedy)
        return self.decay_

    def prepare(self, batch: Batch) -> WalkSamples:
        samples: Prepared = batch.encode(self.domain)
        decay, labeled = self._decay(), _is_labeled(samples)
        if batch.like is not None:
            labeled = labeled or _is_labeled(batch.like.encode(self.domain))  # type: ignore[arg-type]
        key = ("walks", decay, labeled)

        def make() -> WalkSamples:
            self._check_radius(radii(samples, labeled, 1.0 / decay), batch.argument)
            walks = WalkSamples(samples, labeled, decay)
            walks.origin, walks.index = samples.origin, samples.index
            return walks

        return samples.once(key, make)

    def _check_radius(self, radius: np.ndarray, argument: str) -> None:
        # an eigenvalue has a rounding error, which depends on the processor
        if not len(radius) or self._decay() * radius.max() < 1.0 - 1e-12:
            return
        row = int(np.argmax(radius))
        rule = f"is too large for {argument}[{row}]: it must stay below {1.0 / radius[row]:.6g}"
        remedy = "take less, or decay='auto', which takes half of what the training graphs allow"
        if self.decay == "auto":
            remedy = "give a smaller number; decay='auto' knows the training graphs only"
        raise RadiusError("GraphWalks: decay", self._decay(), rule, remedy)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        if self._as_labeled(pair):
            np.copyto(out, self._labeled_tile(pair)[0])
            return
        terms = max(pair.x.terms, pair.y.terms)
        np.copyto(out, pair.of(pair.x.rows(terms), pair.y.rows(terms)).dot(out))

    @staticmethod
    def _as_labeled(pair: Pair) -> bool:
        return pair.x.labeled or pair.y.labeled

    def diagonal(self, samples: WalkSamples) -> np.ndarray:
        if samples.labeled:
            return self._compare(samples, samples, Entries.of_diagonal(samples))[0]
        return samples.rows(samples.terms).norms.copy()

    def _compare(
        self, x: WalkSamples, y: WalkSamples, entries: Entries
    ) -> tuple[np.ndarray, np.ndarray]:
        """The kernel of each two graphs with labels, and its derivative in the decay."""
        values, slopes = np.empty(len(entries.left)), np.empty(len(entries.left))
        left, right, decay = x.arrays(), y.arrays(), self._decay()

        def fill(rows: np.ndarray, cols: np.ndarray, where: slice) -> None:
            compute = _compiled.graphs.labeled_walks
            compute(left, right, rows, cols, decay, values[where], slopes[where])

        entries.run(fill)
        if np.isnan(values).any():
            raise _too_close(decay)
        return values, slopes

    def _labeled_tile(self, pair: Pair) -> tuple[np.ndarray, np.ndarray]:
        entries = Entries.of_tile(pair)
        tiles = np.empty(pair.shape), np.empty(pair.shape)
        for values, tile in zip(self._compare(pair.x, pair.y, entries), tiles, strict=True):
            entries.scatter(pair, values, tile)
        return tiles

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        if self.decay == "auto":
            return
        if self._as_labeled(pair):
            yield "decay", None, self._labeled_tile(pair)[1]
            return
        terms = max(pair.x.terms, pair.y.terms)
        yield "decay", None, pair.of(pair.x.rows(terms), pair.y.slopes(terms)).dot()

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(decay=0.03), cls(decay=0.02, node_labels=None, edge_labels=None), cls()]


def _too_close(decay: float) -> RadiusError:
    rule = "is too close to the largest that the graphs allow: the sum over walks does not end"
    return RadiusError("GraphWalks: decay", decay, rule, "take less, or decay='auto'")


def _is_labeled(samples: GraphSamples) -> bool:
    return samples.labeled or samples.edges_labeled
