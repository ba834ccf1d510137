"""The posterior of a Gaussian process, exact by one Cholesky factor of the dense matrix or not."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from scipy import linalg

from mercer.aliases import RawSamples
from mercer.config import format_bytes
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ModelFileError, explain, warn
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.gp.hyperparameters import Hyperparameters
from mercer.estimators.gp.sparse_inputs import SparseInputs
from mercer.linalg.products import product
from mercer.solvers.gp.evidence import Evidence, evidence
from mercer.solvers.gp.weighted_noise import WeightedNoise
from mercer.state import State, storable

_SINGULAR = 1e12  # a condition number with which an evidence has three digits
_BLOCK = 2048  # new samples whose variance is computed at a time


class Posterior(abc.ABC):
    """The distribution of the function given targets Y at the samples X, and the evidence of Y.

    The evidence can be asked for at any θ; the posterior is that at the θ of the last `condition`.
    """

    stored: ClassVar[State] = State(
        finite=("Y", "noise", "weight", "jitter", "value", "lower", "dual"),
        plain=("parameters", "X", "likelihood", "bound", "doubt"),
        samples=("X",),
        per_sample=("Y",),
    )

    def __init__(
        self,
        parameters: Hyperparameters,
        X: RawSamples,
        Y: np.ndarray,
        noise: np.ndarray,
        weight: np.ndarray | float = 1.0,
    ) -> None:
        self.parameters, self.X, self.Y, self.noise = parameters, X, Y, noise
        self.weight = weight  # how often every target was observed
        self.jitter = 0.0  # what was added to the diagonal
        self.doubt = ""  # why rounding errors rule the evidence, where they do
        self.bound: float | None = None  # a lower bound of the evidence, where that is learned by
        self.likelihood = np.nan  # the evidence itself, where it is known

    value: float  # what was maximized
    lower: np.ndarray  # a Cholesky factor
    dual: np.ndarray  # c of the mean Σ c k(x, x_i)

    @property
    @abc.abstractmethod
    def plan(self) -> str:
        """How the posterior is computed, and why, for the report."""

    @abc.abstractmethod
    def evidence(self, theta: np.ndarray, eval_gradient: bool) -> tuple[float, np.ndarray]:
        """The log evidence, or its bound, at θ, and its gradient, which is empty if not wanted."""

    @abc.abstractmethod
    def condition(self) -> None:
        """Compute the posterior at the present θ."""

    @abc.abstractmethod
    def covariance(self, X: RawSamples) -> np.ndarray:
        """The covariance matrix of the function at X."""

    @abc.abstractmethod
    def _explained(self, K: np.ndarray) -> np.ndarray:
        """How much the data reduce the variances, for rows k(x) in K, which may be overwritten."""

    def expansion_samples(self) -> RawSamples:
        """The samples x_i of the mean Σ c k(x, x_i)."""
        return self.X

    def _block_size(self) -> int:
        return _BLOCK

    def mean(self, X: RawSamples) -> np.ndarray:
        """The mean of the function at X."""
        samples, kernel = self.expansion_samples(), self.parameters.mercer_kernel
        if kernel is None:
            return self.parameters.cross(X, samples) @ self.dual
        n = raw_length(samples)
        expansion = Expansion(kernel, samples, np.arange(n), n)
        return expansion.apply(X, np.ascontiguousarray(self.dual))

    def mean_and_variance(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance at X from the same kernel values, a block of samples at a time."""
        variance = self.parameters.diag(X)
        mean = np.empty((len(variance), self.dual.shape[1]))
        samples, size = self.expansion_samples(), self._block_size()
        for rows, K in cross_blocks(self.parameters, X, samples, size):
            mean[rows] = product(K, self.dual)
            variance[rows] -= self._explained(K)
        return mean, _non_negative(variance)

    def facts(self) -> dict[str, float | None]:
        """What the report says of the posterior."""
        return {"bound": self.bound, "likelihood": self.likelihood, "jitter": self.jitter}

    def _not_definite(self) -> np.linalg.LinAlgError:
        rule = "gives a matrix that is not positive definite, even with jitter"
        remedy = "raise alpha; kernel.refute(X) looks for a reason in the kernel"
        return np.linalg.LinAlgError(explain("kernel", self.parameters.kernel, rule, remedy))

    def _check_loaded(self) -> None:
        count = raw_length(self.expansion_samples())
        if self.dual.ndim != 2 or len(self.dual) != count:
            rule = f"must have one row for each of {count} samples"
            raise ModelFileError("dual", f"array of shape {self.dual.shape}", rule)


def cross_blocks(
    parameters: Hyperparameters, X: RawSamples, samples: RawSamples, size: int = _BLOCK
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Positions of some of X, and the kernel between them and the samples."""
    n = raw_length(X)
    for start in range(0, n, size):
        rows = np.arange(start, min(n, start + size))
        yield rows, parameters.cross(pick_rows(X, rows), samples)


def sums_over(
    parameters: Hyperparameters, X: RawSamples, samples: RawSamples, weights: np.ndarray
) -> np.ndarray:
    """Σ w_i k(x, x_i) over the samples, for each of X."""
    sums = np.empty(raw_length(X))
    for rows, K in cross_blocks(parameters, X, samples):
        sums[rows] = product(K, weights)
    return sums


def _non_negative(variance: np.ndarray) -> np.ndarray:
    """Variances without rounding errors below 0; warns of more than rounding errors."""
    if (variance < 0).any():
        if variance.min() < -1e-6 * max(float(np.abs(variance).max()), 1e-300):
            warn("Predicted variances smaller than 0. Setting those variances to 0.")
        np.maximum(variance, 0.0, out=variance)
    return variance


@storable
class ExactPosterior(Posterior):
    """Evidence, gradient, means and covariances by a Cholesky factor L of K + noise."""

    @property
    def plan(self) -> str:
        size = format_bytes(8 * len(self.Y) ** 2)
        return f"exact, dense Gram matrix, float64, {size}, Cholesky"

    def evidence(self, theta: np.ndarray, eval_gradient: bool) -> tuple[float, np.ndarray]:
        self.parameters.theta = theta
        noise, inputs = self._weighted_noise()
        # jitter only where there is no other way; `condition` reports it
        result = self._factor(noise) or self._factor(noise, jitter=True)
        if result is None or not np.isfinite(result.value):
            return -np.inf, np.zeros(len(theta))
        if not eval_gradient:
            return result.value, np.zeros(0)
        weights = result.weights()
        diagonal = weights.diagonal().copy()
        gradient = self.parameters.gradient(self.X, weights)
        if inputs is not None:  # white noise is divided by the weights, and the function is not
            more = noise.slopes(diagonal, self.Y.shape[1]) - diagonal
            gradient += self.parameters.chain_rule(inputs.diagonal_gradient(more, -more))
        return result.value, gradient

    def _weighted_noise(self) -> tuple[WeightedNoise, SparseInputs | None]:
        """The noise of the samples, and the kernel's part of it where there are weights."""
        kernel = self.parameters.mercer_kernel
        if np.ndim(self.weight) == 0 or kernel is None or not kernel.has_white_noise:
            return WeightedNoise(self.noise, 0.0, self.weight), None
        inputs = SparseInputs(kernel, self.X, pick_rows(self.X, np.arange(1)))
        return WeightedNoise(self.noise, inputs.white_noise(), self.weight), inputs

    def _factor(self, noise: WeightedNoise, jitter: bool = False) -> Evidence | None:
        K = self.parameters.training_gram(self.X)
        result = evidence(K, noise.added, self.Y, jitter)
        if result is not None:
            result.values += noise.constant
        return result

    def condition(self) -> None:
        result = self._factor(self._weighted_noise()[0], jitter=True)
        if result is None:
            raise self._not_definite()
        self.jitter = result.jitter
        condition = result.condition()
        if condition > _SINGULAR:
            self.doubt = f"K + alpha has a condition number of {condition:.1e}"
        self.value = self.likelihood = result.value
        self.lower, self.dual = np.tril(result.upper.T), result.alpha

    def _explained(self, K: np.ndarray) -> np.ndarray:
        # K is in C order and Lᵀ in Fortran order: the solution from the right needs no copy.
        V = linalg.blas.dtrsm(1.0, self.lower.T, K.T, trans_a=1, overwrite_b=1)
        return np.einsum("ij,ij->j", V, V)

    def covariance(self, X: RawSamples) -> np.ndarray:
        K = self.parameters.cross(X, self.X)
        V = linalg.solve_triangular(self.lower, K.T, lower=True, check_finite=False)
        return self.parameters.gram(X) - product(V.T, V)

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        """How far each target lies from its mean given all others, and the variance there."""
        inverse, _ = linalg.lapack.dpotri(self.lower.T, lower=0)
        variance = 1.0 / inverse.diagonal()[:, None]
        return self.dual * variance, variance
