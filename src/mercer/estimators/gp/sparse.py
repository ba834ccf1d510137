"""Gaussian processes beyond the dense matrix: inducing points, and exact prediction by conjugate gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.aliases import RawSamples
from mercer.config import format_bytes, get_config
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.errors import explain, warn
from mercer.estimators.gp.exact import blocks, expand, positive
from mercer.estimators.gp.hyperparameters import Learned, Theirs
from mercer.gram.fill import dense, multiply
from mercer.kernels.base import Kernel
from mercer.kernels.derivatives import gradient_between
from mercer.linalg.cg import conjugate_gradients
from mercer.linalg.cholesky import landmarks
from mercer.linalg.products import product
from mercer.solvers.gp.evidence import evidence
from mercer.solvers.gp.inducing import Bound, bound

_ROWS = 4096  # samples that meet the inducing points at a time
_DIAGONAL = 64  # samples whose k(x, x) is differentiated at a time, where it depends on x
_BOTH = 3000  # samples up to which the exact likelihood is computed beside the bound
_RANK = 300  # of the preconditioner
_FLOAT = np.dtype(np.float64)


class Sides:
    """Samples and landmarks as the kernel reads them at its present parameters.

    Values of the function alone, without white noise, are those between different collections: a sample and its copy share what
    the function says of them and not the noise.
    """

    def __init__(self, kernel: Kernel, X: RawSamples, U: Any) -> None:
        self.kernel = kernel
        self.flat, self.white = kernel.constant_diagonal, kernel.has_white_noise
        batch = Batch(X)
        self.x = kernel.prepare(batch)
        self.u, self.u_copy = (kernel.prepare(Batch(U, like=batch)) for _ in range(2))
        few = pick_rows(X, np.arange(1)) if self.flat else X
        self.copy = kernel.prepare(Batch(few, like=batch)) if self.white else None
        with np.errstate(all="ignore"):
            self.full = kernel.diagonal(self.x)
        self.function = self.full if not self.white else self._function_diagonal()

    def _function_diagonal(self) -> np.ndarray:
        parts = [
            dense(self.kernel, self.x.take(rows), copy, _FLOAT).diagonal()
            for rows, copy in self._pieces()
        ]
        return np.full(len(self.x), float(parts[0][0])) if self.flat else np.concatenate(parts)

    def _pieces(self) -> Iterator[tuple[np.ndarray, Any]]:
        """Rows, and their copies."""
        count = 1 if self.flat else len(self.x)
        for start in range(0, count, _DIAGONAL):
            rows = np.arange(start, min(count, start + _DIAGONAL))
            yield rows, None if self.copy is None else self.copy.take(rows)

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        for start in range(0, len(self.x), _ROWS):
            rows = np.arange(start, min(len(self.x), start + _ROWS))
            yield (
                slice(start, start + len(rows)),
                dense(self.kernel, self.x.take(rows), self.u, _FLOAT),
            )

    def landmark_gram(self) -> np.ndarray:
        K = dense(self.kernel, self.u, self.u_copy, _FLOAT)
        return 0.5 * (K + K.T)

    def diagonal_gradient(self, full: np.ndarray, function: np.ndarray) -> dict[str, Any]:
        """d/dθ of Σ full·k(x, x) + Σ function·k(x, x′) with x′ a copy."""
        if self.flat:
            full, function = full.sum(keepdims=True), function.sum(keepdims=True)
        found: dict[str, Any] = {}
        for rows, copy in self._pieces():
            taken = self.x.take(rows)
            add(found, gradient_between(self.kernel, taken, taken, np.diag(full[rows])))
            if copy is not None:
                add(found, gradient_between(self.kernel, taken, copy, np.diag(function[rows])))
        return found


def add(total: dict[str, Any], more: dict[str, Any]) -> None:
    for name, value in more.items():
        total[name] = total[name] + value if name in total else value


def _forgotten() -> Iterator[Any]:
    raise RuntimeError("what only the gradient needs is not kept after a fit")


class Sparse:
    """Titsias' bound with landmarks among the samples, the ones of largest remaining variance."""

    def __init__(
        self,
        model: Learned | Theirs,
        X: RawSamples,
        Y: np.ndarray,
        noise: np.ndarray,
        count: int,
        why: str,
    ) -> None:
        if model.ours is None:
            rule = "has no derivatives between different samples, which inducing points need"
            raise ValueError(
                explain(
                    "kernel",
                    model.kernel,
                    rule,
                    "write it with mercer's kernels, or say method='exact'",
                )
            )
        self.model, self.X, self.Y = model, X, Y
        self.noise = np.broadcast_to(noise, (len(Y),))
        self.count, self.why = min(count, len(Y)), why
        self.jitter, self.likelihood = 0.0, np.nan
        weakest = float((self.noise + self._white_of_one()).min())
        if weakest <= 0:
            rule = f"leaves samples without noise, and {type(self).__name__.lower()} inference divides by it"
            raise ValueError(
                explain(
                    "alpha",
                    float(np.min(noise)),
                    rule,
                    "raise alpha, or add a noise term to the kernel: + 0.1 * White()",
                )
            )
        self.choose()

    @property
    def kernel(self) -> Kernel:
        """Ours, at the present parameters."""
        found = self.model.ours
        assert found is not None
        return found

    def _white_of_one(self) -> float:
        few = pick_rows(self.X, np.arange(1))
        sides = Sides(self.kernel, few, few)
        return float(sides.full[0] - sides.function[0])

    def choose(self) -> None:
        """Take the landmarks that suit the present parameters."""
        n = len(self.Y)
        if self.count == n:
            self.inducing = np.arange(n)
            return
        sides = Sides(self.kernel, self.X, pick_rows(self.X, np.arange(1)))
        self.inducing = np.sort(self._landmarks(sides, self.count)[0])

    def _landmarks(self, sides: Sides, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Samples of largest remaining variance, and the factor they make; rows of a copy, so that white noise is not among them."""
        copy = self.kernel.prepare(Batch(self.X, like=Batch(self.X)))
        return landmarks(
            sides.function,
            lambda i: dense(self.kernel, copy.take(np.array([i])), sides.x, _FLOAT)[0],
            count,
        )

    def _bound(self) -> tuple[Bound | None, Sides]:
        sides = Sides(self.kernel, self.X, pick_rows(self.X, self.inducing))
        noise = self.noise + (sides.full - sides.function)
        keep = 8 * len(self.Y) * len(self.inducing) <= get_config().memory_budget // 2
        return bound(
            sides.landmark_gram(), sides.blocks, sides.function, noise, self.Y, keep
        ), sides

    def objective(self, theta: np.ndarray, slope: bool) -> tuple[float, np.ndarray]:
        self.model.theta = theta
        found, sides = self._bound()
        if found is None or not np.isfinite(found.value):
            return -np.inf, np.zeros(len(theta))
        return found.value, self._slope(found, sides) if slope else np.zeros(0)

    def _slope(self, found: Bound, sides: Sides) -> np.ndarray:
        kernel, n = self.kernel, len(self.Y)
        total = gradient_between(kernel, sides.u, sides.u_copy, found.landmark_weights())
        for rows, weights in found.sample_weights():
            taken = sides.x.take(np.arange(rows.start, rows.stop))
            add(total, gradient_between(kernel, taken, sides.u, weights))
        function = -0.5 * self.Y.shape[1] / found.noise
        if not sides.white:
            add(total, sides.diagonal_gradient(function, function))
            return self.model.logarithmic(total)
        uniform = float(np.ptp(found.noise)) == 0.0
        noise = np.full(n, found.noise_slope() / n) if uniform else found.noise_slopes()
        add(total, sides.diagonal_gradient(noise, function - noise))
        return self.model.logarithmic(total)

    def settle(self) -> None:
        found, _ = self._bound()
        if found is None:
            rule = "gives a matrix that is not positive definite, even with jitter"
            raise np.linalg.LinAlgError(
                explain(
                    "kernel",
                    self.model.kernel,
                    rule,
                    "raise alpha, or look at kernel.certificate()",
                )
            )
        self.found, self.value, self.bound = found, found.value, found.value
        self.samples, self.dual = pick_rows(self.X, self.inducing), found.weights
        self.lower = found.lower
        n = len(self.Y)
        if n <= _BOTH and 8 * n * n <= get_config().memory_budget:
            both = evidence(self.model.gram(self.X), self.noise, self.Y, patient=True)
            self.likelihood = np.nan if both is None else both.value
        found.spread = _forgotten

    @property
    def plan(self) -> str:
        size = 8 * len(self.Y) * len(self.inducing)
        return f"sparse, {len(self.inducing)} inducing points of {len(self.Y)} samples, {format_bytes(size)}: {self.why}"

    def mean(self, X: RawSamples) -> np.ndarray:
        return expand(self.model, X, self.samples, self.dual)

    def mean_and_variance(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        variance = self.model.diag(X)
        mean = np.empty((len(variance), self.dual.shape[1]))
        for rows, K in blocks(self.model, X, self.samples):
            mean[rows] = product(K, self.dual)
            V, R = self.found.explained(K)
            variance[rows] += np.einsum("ij,ij->j", R, R) - np.einsum("ij,ij->j", V, V)
        return mean, positive(variance)

    def covariance(self, X: RawSamples) -> np.ndarray:
        V, R = self.found.explained(self.model.cross(X, self.samples))
        return self.model.own(X) - product(V.T, V) + product(R.T, R)


class Iterative(Sparse):
    """Parameters by the bound, predictions by the exact posterior: (K + noise)⁻¹ by preconditioned conjugate gradients."""

    def settle(self) -> None:
        super().settle()
        sides = Sides(self.kernel, self.X, pick_rows(self.X, np.arange(1)))
        self.side, white = sides.x, sides.full - sides.function
        self.root = 1.0 / np.sqrt(self.noise + white)
        self.white = white
        self.preconditioner = (
            self._landmarks(sides, min(_RANK, len(self.Y)))[1] * self.root[:, None]
        )
        self.dual = self._solve(self.Y)

    def _solve(self, V: np.ndarray) -> np.ndarray:
        """(K + noise)⁻¹V; scaled so that every sample has noise 1."""
        root = self.root[:, None]

        def times(P: np.ndarray) -> np.ndarray:
            P = root * P
            return root * (multiply(self.kernel, self.side, self.side, P) - self.white[:, None] * P)

        found = conjugate_gradients(times, 1.0, root * V, self.preconditioner, tol=1e-9)
        self.iterations = found.iterations
        if not found.converged:
            message = f"conjugate gradients stopped at a residual of {found.residual:.1e}; raise alpha, or say method='sparse'"
            warn(message, ConvergenceWarning)
        return root * found.x

    @property
    def plan(self) -> str:
        means = "exact mean and variance by preconditioned conjugate gradients, tiles computed anew"
        return f"iterative: parameters by the bound of {len(self.inducing)} inducing points, {means}: {self.why}"

    def mean(self, X: RawSamples) -> np.ndarray:
        return expand(self.model, X, self.X, self.dual)

    def mean_and_variance(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        variance = self.model.diag(X)
        mean = np.empty((len(variance), self.dual.shape[1]))
        width = max(1, min(256, get_config().memory_budget // (8 * 8 * raw_length(self.X))))
        for rows, K in blocks(self.model, X, self.X, width):
            mean[rows] = product(K, self.dual)
            variance[rows] -= np.einsum("ij,ji->i", K, self._solve(np.ascontiguousarray(K.T)))
        return mean, positive(variance)

    def covariance(self, X: RawSamples) -> np.ndarray:
        K = self.model.cross(self.X, X)
        return self.model.own(X) - product(K.T, self._solve(K))
