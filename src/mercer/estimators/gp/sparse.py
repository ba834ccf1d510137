"""Sparse Gaussian processes: Titsias' variational bound with inducing points."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mercer.aliases import RawSamples
from mercer.config import format_bytes
from mercer.domains.base import pick_rows
from mercer.errors import explain
from mercer.estimators.gp.hyperparameters import Hyperparameters
from mercer.estimators.gp.posterior import Posterior
from mercer.estimators.gp.sparse_inputs import NoiseFreeGram, SparseInputs, add_derivatives
from mercer.gram.plan import PRODUCTS, fits
from mercer.kernels.base import Kernel
from mercer.kernels.derivatives import gradient_between
from mercer.linalg.cholesky import landmarks
from mercer.linalg.products import product
from mercer.solvers.gp.evidence import evidence
from mercer.solvers.gp.inducing import Bound, bound
from mercer.state import State, check_positions, storable

_FEW = 3000  # samples up to which the exact likelihood is computed beside the bound


@storable
class SparsePosterior(Posterior):
    """Titsias' bound, with the samples of largest remaining variance as inducing points."""

    stored: ClassVar[State] = State(
        plain=("count", "reason", "inducing", "inducing_samples", "posterior"),
        per_sample=("noise",),
        positions={"inducing": "Y"},
    )
    method: ClassVar[str] = "sparse"

    def __init__(
        self,
        parameters: Hyperparameters,
        X: RawSamples,
        Y: np.ndarray,
        noise: np.ndarray,
        count: int,
        reason: str,
    ) -> None:
        super().__init__(parameters, X, Y, np.broadcast_to(noise, (len(Y),)))
        self.count, self.reason = min(count, len(Y)), reason
        self.inducing = np.arange(self.count)  # positions of inducing points among the samples

    @property
    def kernel(self) -> Kernel:
        """The mercer kernel at the present parameters."""
        kernel = self.parameters.mercer_kernel
        assert kernel is not None
        return kernel

    def check(self) -> None:
        """Raise an error where inducing points cannot be used."""
        if self.parameters.mercer_kernel is None:
            rule = "has no derivatives between different samples, which inducing points need"
            remedy = "write it with mercer's kernels, or say method='exact'"
            raise ValueError(explain("kernel", self.parameters.kernel, rule, remedy))
        white = self._inputs(np.arange(1), np.arange(1)).white_noise()
        if float((self.noise + float(white[0])).min()) <= 0:
            rule = f"leaves samples without noise, and {self.method} inference divides by it"
            remedy = "raise alpha, or add a noise term to the kernel: + 0.1 * White()"
            raise ValueError(explain("alpha", float(self.noise.min()), rule, remedy))

    def _inputs(self, inducing: np.ndarray, samples: np.ndarray | None = None) -> SparseInputs:
        """Samples, all by default, and inducing points, both given by their positions."""
        X = self.X if samples is None else pick_rows(self.X, samples)
        return SparseInputs(self.kernel, X, pick_rows(self.X, inducing))

    def choose_inducing(self) -> None:
        """Take the inducing points that suit the present parameters."""
        if self.count < len(self.Y):
            pivots, _ = self._pivots(self._inputs(np.arange(1)), self.count)
            self.inducing = np.sort(pivots)

    def _pivots(self, inputs: SparseInputs, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Samples of largest remaining variance, and the low-rank factor that belongs to them."""
        return landmarks(NoiseFreeGram(self.kernel, self.X, inputs), count)

    def _bound(self, inputs: SparseInputs) -> Bound | None:
        noise = self.noise + inputs.white_noise()
        keep = fits(len(self.Y), len(self.inducing), PRODUCTS)
        Kuu = inputs.inducing_gram()
        return bound(Kuu, inputs, inputs.function_diagonal, noise, self.Y, keep)

    def evidence(self, theta: np.ndarray, eval_gradient: bool) -> tuple[float, np.ndarray]:
        self.parameters.theta = theta
        inputs = self._inputs(self.inducing)
        result = self._bound(inputs)
        if result is None or not np.isfinite(result.value):
            return -np.inf, np.zeros(len(theta))
        if not eval_gradient:
            return result.value, np.zeros(0)
        return result.value, self._gradient(result, inputs)

    def _gradient(self, result: Bound, inputs: SparseInputs) -> np.ndarray:
        kernel, n = self.kernel, len(self.Y)
        total = gradient_between(kernel, inputs.u, inputs.u_copy, result.landmark_weights())
        for rows, weights in result.sample_weights():
            samples = inputs.x.take(np.arange(rows.start, rows.stop))
            add_derivatives(total, gradient_between(kernel, samples, inputs.u, weights))
        function = -0.5 * self.Y.shape[1] / result.noise
        noise = function
        if inputs.has_white_noise:
            uniform = float(np.ptp(result.noise)) == 0.0
            noise = np.full(n, result.noise_slope() / n) if uniform else result.noise_slopes()
        add_derivatives(total, inputs.diagonal_gradient(noise, function - noise))
        return self.parameters.chain_rule(total)

    def condition(self) -> None:
        result = self._bound(self._inputs(self.inducing))
        if result is None:
            raise self._not_definite()
        self.posterior = result.posterior()
        self.value = self.bound = result.value
        self.lower, self.dual = result.lower, result.weights
        self.inducing_samples = pick_rows(self.X, self.inducing)
        n = len(self.Y)
        if n <= _FEW and fits(n, n):
            K = self.parameters.training_gram(self.X)
            exact = evidence(K, self.noise, self.Y, jitter=True)
            self.likelihood = np.nan if exact is None else exact.value

    @property
    def plan(self) -> str:
        n, m = len(self.Y), len(self.inducing)
        size = format_bytes(8 * n * m)
        return f"sparse, {m} inducing points of {n} samples, {size}: {self.reason}"

    def expansion_samples(self) -> RawSamples:
        return self.inducing_samples

    def _explained(self, K: np.ndarray) -> np.ndarray:
        V, R = self.posterior.explained(K)
        return np.einsum("ij,ij->j", V, V) - np.einsum("ij,ij->j", R, R)

    def covariance(self, X: RawSamples) -> np.ndarray:
        V, R = self.posterior.explained(self.parameters.cross(X, self.inducing_samples))
        return self.parameters.gram(X) - product(V.T, V) + product(R.T, R)

    def _check_loaded(self) -> None:
        super()._check_loaded()
        check_positions("inducing", self.inducing, len(self.Y))
