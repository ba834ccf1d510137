"""Any smooth convex loss on centers: L-BFGS that begins with the preconditioner as inverse Hessian.

That is L-BFGS in the preconditioned coordinates. Gradients are those by the coefficients
themselves, so that rounding in the preconditioner costs steps and never accuracy.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from mercer.execution.cancel import check_stop
from mercer.gram.fused import CenterMatrix, Local
from mercer.linalg.matrices import Multipliable
from mercer.solvers.nystrom.squared import CenterSolution, Watch

_MEMORY = 20  # pairs of steps and changes of the gradient
_DECREASE, _TURN = 1e-4, 0.9  # what a step has to reach, of what the slope promised
PRECISION = "no further progress in floating point"
_TRIALS = 25  # of the length of one step
_ROUNDING = 1e-13  # relative error of the objective
_IDLE = 4  # steps that lower the objective by no more than that
_STAGNANT = 1e-4  # a residual below this, where no step helps, is rounding error
_ATTAINABLE = 1e-12  # a smaller residual is beyond what an objective in double precision can show

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]


def solve_loss(
    matrix: CenterMatrix,
    loss: Local,
    penalty: float,
    inverse: Multipliable,
    *,
    n_outputs: int,
    intercept: bool,
    tol: float,
    limit: int,
    start: np.ndarray | None = None,
    tilt: float = 0.0,
    watch: Watch | None = None,
) -> CenterSolution:
    """Minimize Σ w loss(f(x) + b, y) + ½ λ uᵀ K_mm u + tilt·Σ b.

    Other parameters are those of `solve_squared`.
    """
    m = len(matrix)

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        V = flat.reshape(m + intercept, n_outputs)
        bias = V[m] if intercept else np.zeros(n_outputs)
        value, slopes, sums = matrix.gather(loss, V[:m], bias)
        pull = penalty * (matrix.inner @ np.ascontiguousarray(V[:m]))
        gradient = slopes + pull
        if intercept:
            gradient = np.vstack([gradient, sums + tilt])
            value += tilt * float(bias.sum())
        return value + 0.5 * float(np.sum(V[:m] * pull)), gradient.ravel()

    def precondition(flat: np.ndarray) -> np.ndarray:
        return (inverse @ flat.reshape(m + intercept, n_outputs)).ravel()

    descent = _Descent(objective, precondition, np.zeros((m + intercept) * n_outputs))
    if start is not None:  # the residual is measured beside that of f = 0
        size = descent.first
        descent = _Descent(objective, precondition, start.ravel().copy())
        descent.first = size
    steps, residual, idle = 0, descent.residual, 0
    while steps < limit and residual > tol and idle < _IDLE:
        before = descent.value
        if not descent.step():
            break
        steps, residual = steps + 1, descent.residual
        idle = idle + 1 if before - descent.value <= _ROUNDING * abs(before) else 0
        if watch is not None:
            watch(descent.x.reshape(m + intercept, n_outputs), residual)
    V = descent.x.reshape(m + intercept, n_outputs)
    reachable = residual <= _STAGNANT and tol >= _ATTAINABLE
    converged = residual <= tol or reachable
    return CenterSolution(
        V[:m],
        V[m] if intercept else np.zeros(n_outputs),
        descent.value,
        iterations=steps,
        residual=residual,
        converged=converged,
        reason=_reason(converged, steps < limit),
    )


def _reason(converged: bool, steps_are_left: bool) -> str:
    if converged:
        return "converged"
    return PRECISION if steps_are_left else "too many steps"


class _Descent:
    """The state of L-BFGS: a point, its gradient, and the last steps."""

    def __init__(
        self, objective: Objective, precondition: Callable[[np.ndarray], np.ndarray], x: np.ndarray
    ) -> None:
        self.objective, self.precondition = objective, precondition
        self.x = x
        self.value, self.gradient = objective(x)
        self.scale = 1.0
        self.pairs: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=_MEMORY)
        self.direction = -precondition(self.gradient)
        self.first = max(-float(self.gradient @ self.direction), 1e-300)

    @property
    def residual(self) -> float:
        """The gradient in the norm of the inverse Hessian, beside that of the beginning."""
        energy = -float(self.gradient @ self.direction)
        return float(np.sqrt(max(energy, 0.0) / self.first))

    def step(self) -> bool:
        """Take one step; False where none lowers the objective."""
        check_stop()
        minimum = self._search()
        if minimum is None:
            return False
        length, value, gradient = minimum
        step, change = length * self.direction, gradient - self.gradient
        curvature = float(step @ change)
        if curvature > 1e-14 * float(np.linalg.norm(step) * np.linalg.norm(change)):
            self.pairs.append((step, change, curvature))
            # the preconditioner is made for the largest curvature of the loss: the true one is less
            self.scale = curvature / float(change @ self.precondition(change))
        self.x = self.x + step
        self.value, self.gradient = value, gradient
        self.direction = -self._inverse_times(gradient)
        return True

    def _inverse_times(self, vector: np.ndarray) -> np.ndarray:
        """The product with the inverse Hessian estimated from the last steps, by two loops."""
        q = vector.copy()
        shares = []
        for step, change, curvature in reversed(self.pairs):
            share = float(step @ q) / curvature
            q -= share * change
            shares.append(share)
        r = self.scale * self.precondition(q)
        for (step, change, curvature), share in zip(self.pairs, reversed(shares), strict=True):
            r += (share - float(change @ r) / curvature) * step
        return r

    def _search(self) -> tuple[float, float, np.ndarray] | None:
        """A length that lowers the objective enough and turns the slope, by bisection.

        Where differences of the objective are rounding errors, the slope alone decides.
        """
        slope = float(self.gradient @ self.direction)
        if slope >= 0:
            return None
        low, high, length = 0.0, np.inf, 1.0
        noise = _ROUNDING * abs(self.value)
        for _ in range(_TRIALS):
            value, gradient = self.objective(self.x + length * self.direction)
            new = float(gradient @ self.direction)
            if value > self.value + _DECREASE * length * slope + noise:
                high = length
            elif new < _TURN * slope:
                low = length
            elif new > -_TURN * slope and value > self.value + _DECREASE * length * slope:
                high = length  # beyond the minimum, as far as rounding lets one see
            else:
                return length, value, gradient
            length = self._next(low, high, slope, new, length)
        return None

    def _next(self, low: float, high: float, slope: float, new: float, length: float) -> float:
        """The zero of the slope by a line through two, kept inside of the bracket."""
        guess = length * slope / (slope - new) if new > slope else 2.0 * length
        if np.isinf(high):
            return min(max(guess, 1.5 * length), 4.0 * length)
        width = high - low
        return min(max(guess, low + 0.1 * width), high - 0.1 * width)
