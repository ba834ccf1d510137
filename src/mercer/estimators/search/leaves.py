"""The base kernels of an expression: Gram matrices, and gradients in logarithms of parameters.

A search evaluates a few kernels very often. Of symmetric matrices it computes the values on and
below the diagonal alone, as vectors. For kernels of distances, and for periods of one column, what
does not depend on parameters is kept, and the values serve their own derivatives.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mercer.domains.base import Batch
from mercer.estimators.gp.hyperparameters import KernelParameters
from mercer.estimators.search.expression import columns_of, innermost
from mercer.estimators.search.ranges import Column
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.coordinate import Periodic
from mercer.kernels.vectors.gaussian_mixtures import RationalQuadratic
from mercer.kernels.vectors.radial import RBF

Shared = dict[object, np.ndarray]  # what leaves of the same samples have in common


class Pairs(NamedTuple):
    """The places on and below the diagonal of a square matrix: rows, columns, and both in one."""

    rows: np.ndarray
    cols: np.ndarray
    flat: np.ndarray

    @classmethod
    def of(cls, n: int) -> Pairs:
        """The places of an n × n matrix."""
        rows, cols = np.tril_indices(n)
        return cls(rows, cols, rows * n + cols)

    def values(self, matrix: np.ndarray) -> np.ndarray:
        """The values of a matrix in C order at these places."""
        return matrix.reshape(-1)[self.flat]

    def matrix(self, values: np.ndarray) -> np.ndarray:
        """The matrix with these values, and 0 above the diagonal."""
        n = int(self.rows[-1]) + 1
        full = np.zeros(n * n)
        full[self.flat] = values
        return full.reshape(n, n)


class Leaf:
    """A base kernel at its present parameters, on samples that have these columns."""

    def __init__(
        self,
        parameters: KernelParameters,
        batch: Batch,
        pairs: Pairs,
        columns: list[Column],
        shared: Shared,
    ) -> None:
        self.parameters, self.batch, self.pairs = parameters, batch, pairs
        self.columns, self.shared = columns, shared
        self.count = len(parameters.places)
        self.inner = innermost(parameters.kernel)

    @property
    def kernel(self) -> Kernel:
        """The kernel itself."""
        return self.parameters.kernel

    def gram(self) -> np.ndarray:
        """The values of all pairs, not to be changed; they are kept if nothing is learned."""
        if self.count:
            return self._gram()
        key = "gram", self.kernel
        if key not in self.shared:
            self.shared["gram", self.kernel.copy()] = self._gram()
        return self.shared[key]

    def _gram(self) -> np.ndarray:
        samples = self.kernel.prepare(self.batch)
        return self.pairs.values(dense(self.kernel, samples, samples, FLOAT64))

    def gradient(self, K: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The gradient of Σ weights∘K; K is what `gram` has returned."""
        W = self.pairs.matrix(weights)
        return self.parameters.chain_rule(self.kernel.gradient(self.batch, W))

    def _differences(self, column: Column) -> np.ndarray:
        return column.values[self.pairs.rows] - column.values[self.pairs.cols]

    def size(self) -> float:
        """The mean of k(x, x), by which weights are measured."""
        return float(np.mean(self.kernel.diagonal(self.kernel.prepare(self.batch)))) or 1.0


class GaussianLeaf(Leaf):
    """A Gaussian with one length scale."""

    def _squares(self) -> np.ndarray:
        """The squared distances in units of the length scale."""
        key = "squares", columns_of(self.kernel)
        if key not in self.shared:
            differences = [self._differences(column) for column in self.columns]
            self.shared[key] = np.sum(np.square(differences), axis=0)
        return self.shared[key] * (1.0 / float(self.inner.length_scale) ** 2)

    def _gram(self) -> np.ndarray:
        return np.exp(-0.5 * self._squares())

    def gradient(self, K: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.array([np.vdot(weights, K * self._squares())])


class RationalLeaf(GaussianLeaf):
    """A rational quadratic kernel (1 + u)^(−α) with one length scale, u = s²/(2α)."""

    def _gram(self) -> np.ndarray:
        alpha = float(self.inner.alpha)
        return np.exp(-alpha * np.log1p(self._squares() / (2.0 * alpha)))

    def gradient(self, K: np.ndarray, weights: np.ndarray) -> np.ndarray:
        alpha = float(self.inner.alpha)
        u = self._squares() / (2.0 * alpha)
        weighted = 2.0 * alpha * weights * K
        share = u / (1.0 + u)
        tail = 0.5 * (share - np.log1p(u))
        return np.array([np.vdot(weighted, share), np.vdot(weighted, tail)])


class PeriodicLeaf(Leaf):
    """A periodic kernel of one column: sin(a − b) = sin a cos b − cos a sin b."""

    _known: tuple[float, np.ndarray] = (np.nan, np.empty(0))

    def _waves(self) -> tuple[np.ndarray, np.ndarray]:
        turns = np.pi * (self.columns[0].values / float(self.inner.period))
        return np.sin(turns), np.cos(turns)

    def _sines(self) -> np.ndarray:
        """sin(π (x − y)/p) of all pairs; those of the last period are kept."""
        period = float(self.inner.period)
        if self._known[0] != period:
            sine, cosine = self._waves()
            rows, cols, _ = self.pairs
            self._known = period, sine[rows] * cosine[cols] - cosine[rows] * sine[cols]
        return self._known[1]

    def _gram(self) -> np.ndarray:
        K = np.square(self._sines())
        K *= -2.0 / float(self.inner.length_scale) ** 2
        return np.exp(K, out=K)

    def gradient(self, K: np.ndarray, weights: np.ndarray) -> np.ndarray:
        sine, cosine = self._waves()
        half, (rows, cols, _) = self._sines(), self.pairs
        other = cosine[rows] * cosine[cols] + sine[rows] * sine[cols]
        weighted = (4.0 / float(self.inner.length_scale) ** 2) * weights * K * half
        in_scale = np.vdot(weighted, half)
        other *= self._differences(self.columns[0])
        in_period = np.vdot(weighted, other) * np.pi / float(self.inner.period)
        return np.array([in_period, in_scale])


def leaf(
    parameters: KernelParameters, batch: Batch, pairs: Pairs, columns: list[Column], shared: Shared
) -> Leaf:
    """The quickest way to evaluate a base kernel."""
    kind = _kind_of_leaf(innermost(parameters.kernel), len(columns))
    return kind(parameters, batch, pairs, columns, shared)


def _kind_of_leaf(kernel: Kernel, n_columns: int) -> type[Leaf]:
    """The class that knows the formula of a kernel of so many columns, or that of all others."""
    kind, most = _KINDS.get(type(kernel), (Leaf, 0))
    if not 1 <= n_columns <= most:
        return Leaf
    if any(np.ndim(value) > 0 for value in kernel.continuous_params().values()):
        return Leaf  # a parameter for each column
    return kind


# kernels whose formulas are known, and the largest number of columns that they are for
_KINDS: dict[type[Kernel], tuple[type[Leaf], float]] = {
    RBF: (GaussianLeaf, math.inf),
    RationalQuadratic: (RationalLeaf, math.inf),
    Periodic: (PeriodicLeaf, 1),
}
