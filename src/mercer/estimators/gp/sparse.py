"""Gaussian processes beyond the dense matrix: inducing points with Titsias' variational bound, and
exact predictions by conjugate gradients.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.aliases import RawSamples
from mercer.config import format_bytes
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.errors import explain, warn
from mercer.estimators.gp.posterior import Posterior
from mercer.estimators.gp.sparse_inputs import NoiseFreeGram, SparseInputs, add_derivatives
from mercer.gram.matrix import Matrix, Shifted, Weighted
from mercer.gram.plan import COPY, FLOAT64, Plan, fits, require_room, rows_at_a_time
from mercer.gram.streamed import Streamed
from mercer.kernels.base import Kernel
from mercer.kernels.numerics.derivatives import gradient_between
from mercer.linalg.cg import LowRankInverse, Ridge, conjugate_gradients
from mercer.linalg.cholesky import landmarks
from mercer.linalg.products import product
from mercer.solvers.gp.evidence import evidence
from mercer.solvers.gp.inducing import Bound, bound
from mercer.solvers.gp.weighted_noise import WeightedNoise
from mercer.state import State, check_positions, storable

_FEW = 3000  # samples up to which the exact likelihood is computed beside the bound
_ROUNDING = 1e-3  # an error of a log evidence that misleads an optimizer
_COPIES = 8  # of matrices of the inducing points
_FACTOR = 0.25  # of the memory budget for a factor of low rank
_RANK = 300  # of the preconditioner of conjugate gradients


@storable
class SparsePosterior(Posterior):
    """Titsias' bound, with the samples of largest remaining variance as inducing points."""

    stored: ClassVar[State] = State(
        plain=("count", "reason", "inducing", "inducing_samples", "posterior", "given"),
        per_sample=("noise",),
    )
    method: ClassVar[str] = "sparse"

    reason: str  # why the exact posterior is not computed
    count: int  # of inducing points at most
    inducing: np.ndarray  # their positions among the samples, or among the points that are given
    given: RawSamples = None  # inducing points that are no samples

    @property
    def kernel(self) -> Kernel:
        """The mercer kernel at the present parameters."""
        kernel = self.parameters.mercer_kernel
        assert kernel is not None
        return kernel

    def begin(self, count: int, given: RawSamples = None) -> None:
        """Choose the first inducing points; raise an error where they cannot be used."""
        self._check()
        self.given = given
        self.count = count if given is not None else min(count, len(self.Y))
        require_room(
            _COPIES * self.count,
            self.count,
            FLOAT64,
            f"{_COPIES} matrices of the inducing points",
            "lower n_inducing",
        )
        self.inducing = np.arange(self.count)
        self.choose_inducing()

    def _check(self) -> None:
        if self.parameters.mercer_kernel is None:
            rule = "has no derivatives between different samples, which inducing points need"
            remedy = "write it with mercer's kernels, or set method='exact'"
            raise ValueError(explain("kernel", self.parameters.kernel, rule, remedy))
        one = pick_rows(self.X, np.arange(1))
        white = SparseInputs(self.kernel, one, one).white_noise()
        if float((self.noise + float(white[0])).min()) <= 0:
            rule = f"leaves samples without noise, and {self.method} inference divides by it"
            remedy = "raise alpha, or add a noise term to the kernel: + 0.1 * White()"
            raise ValueError(explain("alpha", float(self.noise.min()), rule, remedy))

    def _inputs(self, inducing: np.ndarray) -> SparseInputs:
        """The samples, and the inducing points at some positions among them."""
        points = self.X if self.given is None else self.given
        return SparseInputs(self.kernel, self.X, pick_rows(points, inducing))

    def choose_inducing(self) -> None:
        """Take the inducing points that suit the present parameters."""
        n = len(self.Y)
        if self.given is None and self.count < n:
            # a factor of as many columns is computed for all candidates
            candidates = self._candidates()
            some = self.X if len(candidates) == n else pick_rows(self.X, candidates)
            inputs = SparseInputs(self.kernel, some, pick_rows(some, np.arange(1)))
            pivots, _ = landmarks(NoiseFreeGram(self.kernel, some, inputs), self.count)
            self.inducing = np.sort(candidates[pivots])

    def _candidates(self) -> np.ndarray:
        """Positions of the samples among which inducing points are chosen: all that fit, evenly."""
        n = len(self.Y)
        most = max(self.count, rows_at_a_time(self.count, _FACTOR))
        return np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))

    def _weighted_noise(self, inputs: SparseInputs) -> WeightedNoise:
        return WeightedNoise(self.noise, inputs.white_noise(), self.weight)

    def _bound(self, inputs: SparseInputs) -> Bound | None:
        noise = self._weighted_noise(inputs)
        keep = fits(len(self.Y), len(self.inducing), COPY)
        Kuu = inputs.inducing_gram()
        result = bound(Kuu, inputs, inputs.function_diagonal, noise.variance, self.Y, keep)
        if result is not None:
            result.value += self.Y.shape[1] * noise.constant
        return result

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
        kernel = self.kernel
        total = gradient_between(kernel, inputs.u, inputs.u_copy, result.landmark_weights())
        for rows, weights in result.sample_weights():
            samples = inputs.x.take(np.arange(rows.start, rows.stop))
            add_derivatives(total, gradient_between(kernel, samples, inputs.u, weights))
        n_targets = self.Y.shape[1]
        function = -0.5 * n_targets / result.noise
        noise = function
        if inputs.has_white_noise:
            weighted = self._weighted_noise(inputs)
            noise = weighted.slopes(result.noise_slopes(each=weighted.given), n_targets)
        add_derivatives(total, inputs.diagonal_gradient(noise, function - noise))
        return self.parameters.chain_rule(total)

    def condition(self) -> None:
        result = self._bound(self._inputs(self.inducing))
        if result is None:
            raise self._not_definite()
        self.posterior = result.posterior()
        self.jitter = result.jitter
        if result.rounding > _ROUNDING:
            size = f"{result.rounding:.1g}"
            self.doubt = f"with so little noise the bound has an error of about {size}"
        self.value = self.bound = result.value
        self.lower, self.dual = result.lower, result.weights
        points = self.X if self.given is None else self.given
        self.inducing_samples = pick_rows(points, self.inducing)
        self._compare_to_exact()

    def _compare_to_exact(self) -> None:
        """Compute the evidence beside its bound, where that is quick."""
        n = len(self.Y)
        if n <= _FEW and fits(n, n, COPY):
            K = self.parameters.training_gram(self.X)
            noise = self._weighted_noise(self._inputs(np.arange(1)))
            exact = evidence(K, noise.added, self.Y, jitter=True)
            if exact is not None:
                self.likelihood = exact.value + self.Y.shape[1] * noise.constant

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
        points = self.Y if self.given is None else self.given
        check_positions("inducing", self.inducing, raw_length(points))


@storable
class IterativePosterior(SparsePosterior):
    """Hyperparameters by the bound, predictions by the exact posterior.

    (K + noise)⁻¹ is applied by preconditioned conjugate gradients.
    """

    stored: ClassVar[State] = State(
        finite=("white", "root", "preconditioner"),
        rebuilt=("prepared",),
        per_sample=("white", "root", "preconditioner"),
    )
    method: ClassVar[str] = "iterative"

    def condition(self) -> None:
        super().condition()
        inputs = self._inputs(np.arange(1))
        self.prepared, self.white = inputs.x, inputs.white_noise()
        self.root = 1.0 / np.sqrt(self._weighted_noise(inputs).variance)
        n = len(self.Y)
        rank = min(n, rows_at_a_time(n, _FACTOR, most=_RANK))
        _, factor = landmarks(NoiseFreeGram(self.kernel, self.X, inputs), rank)
        self.preconditioner = np.multiply(factor, self.root[:, None], out=factor)
        self.dual = self._solve(self.Y)

    def _rebuild(self) -> None:
        self.prepared = self.kernel.prepare(Batch(self.X))

    def _matrix(self) -> Matrix:
        """The covariance of the function, scaled so that every sample has noise 1."""
        size = FLOAT64.itemsize * len(self.Y) ** 2
        plan = Plan("streamed", FLOAT64, size, "is not stored")
        streamed = Streamed(self.kernel, self.prepared, self.prepared, plan)
        return Weighted(Shifted(streamed, -self.white), self.root)

    def _solve(self, V: np.ndarray) -> np.ndarray:
        """(K + noise)⁻¹V."""
        root = self.root[:, None]
        inverse = LowRankInverse(self.preconditioner, 1.0)
        solution = conjugate_gradients(Ridge(self._matrix(), 1.0), root * V, inverse, tol=1e-9)
        if not solution.converged:
            reached = f"conjugate gradients stopped at a residual of {solution.residual:.1e}"
            warn(f"{reached}; raise alpha, or set method='sparse'", ConvergenceWarning)
        return root * solution.x

    @property
    def plan(self) -> str:
        way = "exact mean and variance by preconditioned conjugate gradients, tiles computed anew"
        learned = f"parameters by the bound of {len(self.inducing)} inducing points"
        return f"iterative: {learned}, {way}: {self.reason}"

    def expansion_samples(self) -> RawSamples:
        return self.X

    def _block_size(self) -> int:
        return rows_at_a_time(len(self.Y), 0.125, most=256)

    def _explained(self, K: np.ndarray) -> np.ndarray:
        return np.einsum("ij,ji->i", K, self._solve(np.ascontiguousarray(K.T)))

    def covariance(self, X: RawSamples) -> np.ndarray:
        K = self.parameters.cross(self.X, X)
        return self.parameters.gram(X) - product(K.T, self._solve(K))
