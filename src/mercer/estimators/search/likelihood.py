"""The evidence of an expression as a function of the logarithms of its parameters."""

from __future__ import annotations

import math

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, pick_rows
from mercer.errors import MercerError, NotDifferentiableError
from mercer.estimators.gp.hyperparameters import KernelParameters
from mercer.estimators.search.expression import Expression, Term, form
from mercer.estimators.search.leaves import Leaf, Pairs, Shared, leaf
from mercer.estimators.search.ranges import Ranges
from mercer.estimators.search.scores import Blocks
from mercer.kernels.base import Kernel
from mercer.solvers.gp.evidence import Evidence, evidence
from mercer.solvers.gp.weighted_noise import WeightedNoise

NOISE = (1e-6, 10.0)  # of the variance of the targets, which is 1
WEIGHT = (1e-6, 1e3)  # of a term whose mean of k(x, x) is 1


class Samples:
    """The samples and targets of a search, and matrices that do not change.

    Parameters
    ----------
    X : collection of n samples
        The samples.
    y : ndarray of shape (n,)
        Their targets.
    ranges : Ranges
        What the samples say of parameters.
    blocks : list of ndarray or None
        Samples that are left out together.
    weight : ndarray of shape (n,) or float
        The weights of the samples, 1.0 for all.
    """

    def __init__(
        self,
        X: RawSamples,
        y: np.ndarray,
        ranges: Ranges,
        blocks: Blocks | None = None,
        weight: np.ndarray | float = 1.0,
    ) -> None:
        self.X, self.batch, self.ranges = X, Batch(X), ranges
        self.blocks, self.weight = blocks, weight
        self.y = y
        self.Y = np.asfortranarray(y[:, None])
        self.evaluations = 0
        self.pairs = Pairs.of(len(y))
        self._shared: Shared = {}
        self._fixed: dict[str, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self.y)

    def some(self, rows: np.ndarray) -> Samples:
        """Some of the samples, in blocks of those of their blocks."""
        blocks = self.blocks
        if blocks is not None:
            places = [np.flatnonzero(np.isin(rows, block)) for block in blocks]
            blocks = [block for block in places if len(block)]
        weight = self.weight[rows] if isinstance(self.weight, np.ndarray) else 1.0
        X, ranges = pick_rows(self.X, rows), self.ranges.of_rows(rows)
        return Samples(X, self.y[rows], ranges, blocks, weight)

    def noise(self, variance: float) -> WeightedNoise:
        """The noise of every sample, of which a weight is a number of copies."""
        return WeightedNoise(np.asarray(variance), 0.0, self.weight)

    def leaf(self, kernel: Kernel) -> Leaf:
        """A copy of a base kernel, of which everything is learned that has a derivative."""
        kernel = kernel.copy()
        fixed = self._without_derivative(kernel)
        parameters = KernelParameters(kernel, self.ranges.bounds(kernel), fixed)
        columns = self.ranges.columns_of(kernel)
        return leaf(parameters, self.batch, self.pairs, columns, self._shared)

    def _without_derivative(self, kernel: Kernel) -> tuple[str, ...]:
        """The continuous parameters of a kernel that cannot be differentiated: all of them."""
        key = form(kernel)
        if key not in self._fixed:
            self._fixed[key] = ()
            try:
                kernel.gradient(self.batch, np.zeros((len(self), len(self))))
            except NotDifferentiableError:
                self._fixed[key] = tuple(kernel.continuous_params())
        return self._fixed[key]


class Likelihood:
    """Minus the log evidence of an expression, with its gradient, for a descent.

    θ has the logarithms of the noise, of the weights, and of the parameters of all base kernels.
    """

    def __init__(self, samples: Samples, expression: Expression) -> None:
        self.samples = samples
        self.terms = [[samples.leaf(each) for each in term.factors] for term in expression.terms]
        self.bounds = self._bounds()
        self.theta = np.clip(self._start(expression), *self.bounds.T)

    def _leaves(self) -> list[Leaf]:
        """The base kernels of all terms, in order."""
        return [each for factors in self.terms for each in factors]

    def _bounds(self) -> np.ndarray:
        """The least and the largest θ, a row for each number of it."""
        weights = []
        for factors in self.terms:
            size = math.prod(each.size() for each in factors)
            weights.append((WEIGHT[0] / size, WEIGHT[1] / size))
        inside = [each.parameters.bounds() for each in self._leaves()]
        return np.concatenate([np.log([NOISE, *weights]), *inside])

    def _start(self, expression: Expression) -> np.ndarray:
        """θ of the given expression."""
        scales = np.log([expression.noise, *(term.weight for term in expression.terms)])
        return np.concatenate([scales, *(each.parameters.theta for each in self._leaves())])

    def expression(self, theta: np.ndarray) -> Expression:
        """The expression at θ."""
        noise, *weights = self._set(theta)
        terms = [
            Term(weight, tuple(each.kernel.copy() for each in factors))
            for weight, factors in zip(weights, self.terms, strict=True)
        ]
        return Expression(tuple(terms), noise)

    def _set(self, theta: np.ndarray) -> list[float]:
        """Set the parameters of all base kernels; returns the noise and the weights."""
        at = len(self.terms) + 1
        scales = np.exp(theta[:at]).tolist()
        for each in self._leaves():
            if each.count:
                each.parameters.theta = theta[at : at + each.count]
                at += each.count
        return scales

    def evidence(self, theta: np.ndarray) -> Evidence | None:
        """The evidence at θ; None where there is none."""
        noise, *weights = self._set(theta)
        return self._evidence(noise, weights, self._products())

    def _products(self) -> list[np.ndarray]:
        return [_product([each.gram() for each in factors]) for factors in self.terms]

    def _evidence(
        self, noise: float, weights: list[float], products: list[np.ndarray]
    ) -> Evidence | None:
        self.samples.evaluations += 1
        K = weights[0] * products[0]
        for weight, product in zip(weights[1:], products[1:], strict=True):
            K += weight * product
        spread = self.samples.noise(noise)
        result = evidence(self.samples.pairs.matrix(K), spread.added, self.samples.Y)
        if result is None or not np.isfinite(result.value):
            return None
        result.values = result.values + spread.constant
        return result

    def value(self) -> float:
        """The log evidence at the start."""
        try:
            result = self.evidence(self.theta)
        except MercerError:  # a kernel that is not defined for these samples at all parameters
            return -np.inf
        return -np.inf if result is None else result.value

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        noise, *weights = self._set(theta)
        grams = [[each.gram() for each in factors] for factors in self.terms]
        products = [_product(factors) for factors in grams]
        result = self._evidence(noise, weights, products)
        if result is None:
            return np.inf, np.zeros(len(theta))
        full = result.weights()
        W = self.samples.pairs.values(full)
        slopes = self.samples.noise(noise).slopes(full.diagonal(), 1)
        scales, inside = [noise * float(np.sum(slopes))], []
        for at, weight in enumerate(weights):
            scales.append(weight * float(np.vdot(W, products[at])))
            for place, each in enumerate(self.terms[at]):
                if each.count:
                    others = [weight * W, *grams[at][:place], *grams[at][place + 1 :]]
                    inside.append(each.gradient(grams[at][place], _product(others)))
        return -result.value, -np.concatenate([scales, *inside])


def _product(matrices: list[np.ndarray]) -> np.ndarray:
    """The Schur product, which is the only one itself if there is one."""
    total = matrices[0]
    for matrix in matrices[1:]:
        total = total * matrix
    return total
