"""Optimal assignments between the elements of two bags.

>>> from mercer import Assignment
>>> tree = {"dog": "mammal", "cat": "mammal", "mammal": "animal", "fly": "animal"}
>>> Assignment(hierarchy=tree)([["dog", "fly"]], [["cat", "fly"], ["cat"]]).tolist()
[[4.0, 2.0]]
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np

from mercer.aliases import Prepared, SparseMatrix
from mercer.definiteness import INDEFINITE, PSD, UNKNOWN, Certificate, Where, Witness
from mercer.domains.base import Batch, Domain, Tile
from mercer.domains.distributions import Bags
from mercer.domains.ngrams import NgramCounts, Ngrams
from mercer.domains.structures.graph_counts import count_hashes, in_unary
from mercer.domains.structures.graph_labels import label_hashes
from mercer.domains.structures.label_bags import LABEL_BAGS, LabelBags, LabelBagSamples
from mercer.errors import MercerError, ParameterError
from mercer.execution.cancel import check_stop
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel, Place
from mercer.kernels.numerics.refutation import witness_among
from mercer.kernels.parameters import computed
from mercer.kernels.whole_graphs.node_pairs import evaluate, kernel_or_none
from mercer.params import Constraint, param

__all__ = ["Assignment"]

_PLANE = [[[0, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 0], [0, 0]], [[1, 1], [0, 0]]]
_LINE = [[2, 3], [2, 1], [0, 2], [1, 0], [3, 0], [3, 1]]


def _is_hierarchy(value: object) -> bool:
    return value is None or (isinstance(value, Mapping) and len(value) > 0)


hierarchy_or_none = Constraint(
    "a dictionary of parents or None", _is_hierarchy, "give {child: parent, ...}"
)


class _HierarchyCounts(Ngrams):
    """Bags read by a feature map, which counts the ancestors of their labels."""

    name, accepts, base = LabelBags.name, LabelBags.accepts, LABEL_BAGS
    sample = LABEL_BAGS.sample  # type: ignore[assignment]
    lattices = LABEL_BAGS.lattices


class Assignment(Kernel):
    """max Σ k(a, π(a)) over assignments π of the elements of one bag to those of the other.

    Each element of the smaller bag is assigned to another element of the larger one. With a
    ``hierarchy``, k(a, b) is the number of common ancestors of a and b, themselves included, and
    the kernel is positive semi-definite: it is Σ_c min(#c(x), #c(y)) over all members c, where
    #c(x) elements of x are c or below c. With any other ``kernel`` on elements it is not, and
    learners refuse it; the certificate has a counterexample where one is known.

    Parameters
    ----------
    hierarchy : dict or None, default=None
        The parent of each member that has one. Elements that it does not name have no ancestors.
    kernel : Kernel or None, default=None
        A kernel on elements, in place of a hierarchy.

    Examples
    --------
    >>> from mercer import Assignment
    >>> Assignment(hierarchy={"a": "ab", "b": "ab"})([["a", "c"]], [["b", "c"]]).tolist()
    [[2.0]]

    References
    ----------
    N. M. Kriege, P.-L. Giscard and R. C. Wilson (2016). On valid optimal assignment kernels and
    applications to graph classification. Advances in Neural Information Processing Systems 29.
    """

    hierarchy: Any = param(default=None, check=hierarchy_or_none)
    kernel: Any = param(default=None, check=kernel_or_none)

    def check_params(self) -> None:
        if (self.hierarchy is None) == (self.kernel is None):
            given = "neither" if self.kernel is None else "both"
            what, rule = "Assignment: hierarchy, kernel", "must be one of the two"
            raise ParameterError(what, given, rule, "give hierarchy={child: parent, ...}")
        if self.hierarchy is not None:
            for member in self.hierarchy:
                _ancestors(member, self.hierarchy)
            label_hashes([*self.hierarchy, *self.hierarchy.values()])

    @computed
    def domain(self) -> Domain:
        return LABEL_BAGS if self.kernel is None else Bags(self.kernel.domain)

    def continuous_params(self) -> dict[str, Any]:
        if self.kernel is None:
            return {}
        return {f"kernel__{name}": v for name, v in self.kernel.continuous_params().items()}

    # -- definiteness ------------------------------------------------------------------------------

    def certify(self, d: int | None) -> Certificate:
        if self.kernel is None:
            rule = "inner product: φ_(c,t)(x) = 1 if at least t elements of x are c or below it, "
            rule += "else 0, as min(a, b) = Σ_t [a ≥ t][b ≥ t]"
            return Certificate(PSD, repr(self), rule, Where(LABEL_BAGS.name))
        where, part = Where("finite bags"), self.kernel.certify(d)
        witness = self._witness()
        if witness is None:
            rule = "no rule: optimal assignments are known to be psd for kernels of a hierarchy"
            return Certificate(UNKNOWN, repr(self), rule, where, (part,))
        rule = "a counterexample: the best assignments of a few bags have a negative form"
        return Certificate(INDEFINITE, repr(self), rule, where, (part,), witness=witness)

    def _witness(self) -> Witness | None:
        """Bags of vectors on which many kernels are refuted."""
        plane, line = np.array(_PLANE, dtype=float), np.array(_LINE, dtype=float)[:, :, None]
        for bags in (list(plane), list(line)):
            try:
                witness = witness_among(self.copy().fit(bags), bags, balanced=False)
            except MercerError:  # samples of another kind
                continue
            if witness is not None:
                return witness
        return None

    # -- computing ---------------------------------------------------------------------------------

    def _counts(self) -> Ngrams:
        key = tuple(sorted(map(repr, self.hierarchy.items())))
        return _HierarchyCounts(("Assignment", key), functools.partial(_find, dict(self.hierarchy)))

    def fit_batch(self, batch: Batch) -> Assignment:
        bags: Prepared = batch.encode(self.domain)
        if self.kernel is not None:
            self.kernel.fit_batch(bags.elements)
        return self

    def prepare(self, batch: Batch) -> Prepared:
        if self.kernel is None:
            return batch.encode(self._counts())
        bags: Prepared = batch.encode(self.domain)
        return bags.with_elements(self.kernel.prepare(bags.elements))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        if self.kernel is None:
            pair.x.dot(pair.y, Tile(pair.rows, pair.cols, out, pair.work))
            return
        for i, j, values, _, best in self._assigned(pair, slopes=False):
            out[i, j] = values[best].sum()

    def diagonal(self, samples: Prepared) -> np.ndarray:
        if self.kernel is None:
            return samples.norms
        return super().diagonal(samples)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        if self.kernel is None:
            return
        total: dict[tuple[str, Place], np.ndarray] = {}
        for i, j, _, slopes, best in self._assigned(pair, slopes=True):
            for key, slope in slopes.items():
                total.setdefault(key, np.zeros(pair.shape))[i, j] = slope[best].sum()
        for (name, place), tile in total.items():
            yield f"kernel__{name}", place, tile

    def _assigned(self, pair: Pair, slopes: bool) -> Iterator[tuple[Any, ...]]:
        """Every two bags of a tile: their kernel, its derivatives, and the best assignment."""
        from scipy.optimize import linear_sum_assignment

        x, y = pair.x.offsets, pair.y.offsets
        inner = pair.of(pair.x.elements, pair.y.elements)
        columns = slice(int(y[pair.j0]), int(y[pair.j1]))
        for i in range(pair.shape[0]):
            check_stop()
            rows = slice(int(x[pair.i0 + i]), int(x[pair.i0 + i + 1]))
            values, derivatives = evaluate(self.kernel, inner, rows, columns, slopes)
            for j in range(pair.shape[1]):
                here = slice(y[pair.j0 + j] - columns.start, y[pair.j0 + j + 1] - columns.start)
                part = values[:, here]
                parts = {key: slope[:, here] for key, slope in derivatives.items()}
                yield i, j, part, parts, linear_sum_assignment(part, maximize=True)

    def map_features(self, batch: Batch, truncate: int | None) -> SparseMatrix:
        if self.kernel is not None:
            return super().map_features(batch, truncate)
        return self.prepare(batch).matrix()

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(hierarchy={"a": "x", "b": "x", "c": "y", "x": "z", "y": "z"})]


def _ancestors(member: Hashable, hierarchy: Mapping[Hashable, Hashable]) -> list[Hashable]:
    """A member, its parent, and so on."""
    line = [member]
    while line[-1] in hierarchy:
        line.append(hierarchy[line[-1]])
        if len(line) > len(hierarchy) + 1:
            rule = "is its own ancestor"
            raise ParameterError("Assignment: hierarchy", member, rule, "give a tree of parents")
    return line


def _find(
    hierarchy: Mapping[Hashable, Hashable], samples: LabelBagSamples, name: str
) -> NgramCounts:
    """How many elements of every bag are below each member, in unary."""
    lines = [label_hashes(_ancestors(label, hierarchy)) for label in samples.names]
    sizes = np.array([len(line) for line in lines], dtype=np.int64)[samples.labels]
    hashes = [lines[label] for label in samples.labels]
    until = np.concatenate([[0], np.cumsum(sizes)])
    joined = np.concatenate([np.empty(0, dtype=np.uint64), *hashes])
    return in_unary(count_hashes(joined, until[samples.starts]))
