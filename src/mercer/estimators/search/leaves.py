"""The base kernels of an expression: Gram matrices, and gradients in logarithms of parameters.

A search evaluates a few kernels very often. For those of distances, and for periods of one column,
what does not depend on parameters is kept, and the Gram matrix serves its own derivatives.
"""

from __future__ import annotations

import numpy as np

from mercer.domains.base import Batch
from mercer.estimators.gp.hyperparameters import KernelParameters
from mercer.estimators.search.expression import columns_of, innermost
from mercer.estimators.search.ranges import Column
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.coordinate import Periodic
from mercer.kernels.vectors.radial import RBF, RationalQuadratic

Matrices = dict[object, np.ndarray]  # what leaves of the same samples share


class Leaf:
    """A base kernel at its present parameters, on samples that have these columns."""

    def __init__(
        self, parameters: KernelParameters, batch: Batch, columns: list[Column], shared: Matrices
    ) -> None:
        self.parameters, self.batch = parameters, batch
        self.columns, self.shared = columns, shared
        self.count = len(parameters.places)
        self.inner = innermost(parameters.kernel)

    @property
    def kernel(self) -> Kernel:
        """The kernel itself."""
        return self.parameters.kernel

    def gram(self) -> np.ndarray:
        """The Gram matrix, which is not to be changed; it is kept if nothing is learned."""
        if self.count:
            return self._gram()
        key = "gram", self.kernel
        if key not in self.shared:
            self.shared["gram", self.kernel.copy()] = self._gram()
        return self.shared[key]

    def _gram(self) -> np.ndarray:
        samples = self.kernel.prepare(self.batch)
        return dense(self.kernel, samples, samples, FLOAT64)

    def gradient(self, K: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The gradient of Σ weights∘K; K is what `gram` has returned."""
        return self.parameters.chain_rule(self.kernel.gradient(self.batch, weights))

    def size(self) -> float:
        """The mean of k(x, x), by which weights are measured."""
        return float(np.mean(self.kernel.diagonal(self.kernel.prepare(self.batch)))) or 1.0


class GaussianLeaf(Leaf):
    """A Gaussian with one length scale."""

    def _squares(self) -> np.ndarray:
        """The squared distances in units of the length scale."""
        key = "squares", columns_of(self.kernel)
        if key not in self.shared:
            differences = [np.subtract.outer(c.values, c.values) for c in self.columns]
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
            sines = np.multiply.outer(sine, cosine)
            sines -= sines.T.copy()
            self._known = period, sines
        return self._known[1]

    def _gram(self) -> np.ndarray:
        K = np.square(self._sines())
        K *= -2.0 / float(self.inner.length_scale) ** 2
        return np.exp(K, out=K)

    def gradient(self, K: np.ndarray, weights: np.ndarray) -> np.ndarray:
        sine, cosine = self._waves()
        half = self._sines()
        other = np.multiply.outer(cosine, cosine)
        other += np.multiply.outer(sine, sine)
        weighted = (4.0 / float(self.inner.length_scale) ** 2) * weights * K * half
        in_scale = np.vdot(weighted, half)
        x = self.columns[0].values
        other *= np.subtract.outer(x, x)
        in_period = np.vdot(weighted, other) * np.pi / float(self.inner.period)
        return np.array([in_period, in_scale])


def leaf(
    parameters: KernelParameters, batch: Batch, columns: list[Column], shared: Matrices
) -> Leaf:
    """The quickest way to evaluate a base kernel."""
    inner = innermost(parameters.kernel)
    scalar = all(np.ndim(value) == 0 for value in inner.continuous_params().values())
    kind: type[Leaf] = Leaf
    if columns and scalar and type(inner) is RBF:
        kind = GaussianLeaf
    elif columns and scalar and type(inner) is RationalQuadratic:
        kind = RationalLeaf
    elif len(columns) == 1 and scalar and type(inner) is Periodic:
        kind = PeriodicLeaf
    return kind(parameters, batch, columns, shared)
