"""Newton's method for log-losses in feature space: minimize L(F) + ½ Σ aᵀKa, F = KA + 1b.

There is one column of A for each output. A step solves A = −∇L(F₀) − H(F − F₀). With H = RRᵀ sample
by sample and A = RU it reads (I + RᵀKR) U + Rᵀ1b = s, where Σ(RU) = 0 determines b. The matrix is
never worse conditioned than I, so that conjugate gradients need few products with K.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from scipy import linalg
from scipy.special import expit, log_expit, logsumexp, softmax

from mercer.gram.matrix import Matrix
from mercer.linalg.cg import conjugate_gradients
from mercer.linalg.matrices import Identity, Multipliable
from mercer.linalg.solution import Solution

_SMALLEST = 1e-30  # of a probability that is divided by
_LEAST_STEP = 1e-10  # of a Newton step, below which there is no progress


class Loss(Protocol):
    """A convex loss with a factor R of its Hessian, sample by sample."""

    outputs: int
    w: np.ndarray
    pull: np.ndarray  # R⁺(−∇L)

    def value(self, F: np.ndarray) -> float: ...
    def look(self, F: np.ndarray) -> np.ndarray: ...
    def forward(self, U: np.ndarray) -> np.ndarray: ...
    def backward(self, V: np.ndarray) -> np.ndarray: ...
    def curvature(self, a: int, b: int) -> np.ndarray: ...


class Binary:
    """Σ w log(1 + exp(∓f)) for labels 1 and 0: one output."""

    outputs = 1

    def __init__(self, label: np.ndarray, weight: np.ndarray) -> None:
        self.y, self.w = label[:, None].astype(float), weight[:, None]

    def value(self, F: np.ndarray) -> float:
        """The loss."""
        return -float((self.w * log_expit(np.where(self.y > 0, F, -F))).sum())

    def look(self, F: np.ndarray) -> np.ndarray:
        """Set the expansion point F; returns −∇L."""
        p = expit(F)
        spread = np.sqrt(np.maximum(p * expit(-F), _SMALLEST))
        self.root = np.sqrt(self.w) * spread
        difference = np.where(self.y > 0, expit(-F), -p)
        self.pull = np.sqrt(self.w) * difference / spread
        return self.w * difference

    def forward(self, U: np.ndarray) -> np.ndarray:
        """R U."""
        return self.root * U

    backward = forward

    def curvature(self, a: int, b: int) -> np.ndarray:
        """The Hessian between two outputs, of every sample."""
        return self.root[:, 0] ** 2


class Multinomial:
    """Σ w (log Σ exp f − f_y): one output per class."""

    def __init__(self, label: np.ndarray, weight: np.ndarray, classes: int) -> None:
        self.outputs = classes
        self.label, self.w = label, weight[:, None]
        self.y = (label[:, None] == np.arange(classes)).astype(float)

    def value(self, F: np.ndarray) -> float:
        """The loss."""
        chosen = np.take_along_axis(F, self.label[:, None], axis=1)[:, 0]
        return float((self.w[:, 0] * (logsumexp(F, axis=1) - chosen)).sum())

    def look(self, F: np.ndarray) -> np.ndarray:
        """Set the expansion point F; returns −∇L."""
        self.p = np.maximum(softmax(F, axis=1), _SMALLEST)
        self.root, self.scale = np.sqrt(self.p), np.sqrt(self.w)
        self.pull = self.scale * (self.y - self.p) / self.root
        return self.w * (self.y - self.p)

    def forward(self, U: np.ndarray) -> np.ndarray:
        """R U with R = diag(√p) − p√pᵀ, whose RRᵀ is diag(p) − ppᵀ."""
        return self.scale * (self.root * U - self.p * (self.root * U).sum(axis=1, keepdims=True))

    def backward(self, V: np.ndarray) -> np.ndarray:
        """Rᵀ V."""
        return self.scale * self.root * (V - (self.p * V).sum(axis=1, keepdims=True))

    def curvature(self, a: int, b: int) -> np.ndarray:
        """The Hessian between two outputs, of every sample."""
        return self.w[:, 0] * self.p[:, a] * (float(a == b) - self.p[:, b])


@dataclasses.dataclass
class NewtonSolution(Solution):
    """Coefficients and biases; the residual is max |A + ∇L| over the largest weight."""

    dual: np.ndarray
    bias: np.ndarray
    objective: float
    products: int  # of K with a matrix


@dataclasses.dataclass
class _Point:
    """A, b, KA and the objective there."""

    A: np.ndarray
    b: np.ndarray
    KA: np.ndarray
    value: float

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self.value))


class _Problem:
    """The objective, with a count of the products with K."""

    def __init__(self, matrix: Matrix, loss: Loss) -> None:
        self.matrix, self.loss = matrix, loss
        self.products = 0

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        self.products += 1
        return self.matrix @ V

    def at(self, A: np.ndarray, b: np.ndarray, KA: np.ndarray) -> _Point:
        return _Point(A, b, KA, self.loss.value(KA + b) + 0.5 * float((A * KA).sum()))

    def start(self, given: tuple[np.ndarray, np.ndarray] | None, intercept: bool) -> _Point:
        """Zero, or an earlier solution, moved to fit the sums, where it is better."""
        zero = np.zeros((len(self.loss.w), self.loss.outputs))
        origin = self.at(zero, np.zeros(self.loss.outputs), zero.copy())
        if given is None:
            return origin
        A, b = given
        if intercept:
            A = A - A.mean(axis=0)
        else:
            b = origin.b
        earlier = self.at(A, b, self @ A)
        return min(origin, earlier, key=lambda point: point.value)

    def search(self, point: _Point, A: np.ndarray, b: np.ndarray) -> _Point | None:
        """Towards A and b as far as the objective does not grow; None without progress."""
        step, bias_step = A - point.A, b - point.b
        K_step = self @ step
        # near the end the objective moves by rounding error only
        highest = point.value + 1e-12 * abs(point.value)
        share = 1.0
        while share >= _LEAST_STEP:
            new = self.at(
                point.A + share * step, point.b + share * bias_step, point.KA + share * K_step
            )
            if new.value <= highest:
                return new if new.finite else None
            share /= 2
        return None


def newton(
    matrix: Matrix,
    loss: Loss,
    *,
    intercept: bool = True,
    low: np.ndarray | None = None,
    tol: float = 1e-8,
    max_iter: int = 100,
    start: tuple[np.ndarray, np.ndarray] | None = None,
    callback: Callable[[int, float], Any] | None = None,
) -> NewtonSolution:
    """Minimize L(KA + 1b) + ½ Σ aᵀKa.

    Parameters
    ----------
    matrix : Matrix
        K. Where it is stored, a single output is solved by Cholesky.
    loss : Binary or Multinomial
        The loss L.
    intercept : bool, default=True
        Whether there are biases b.
    low : ndarray of shape (n, rank), default=None
        A factor with low·lowᵀ near K, which preconditions conjugate gradients.
    tol : float, default=1e-8
        Where to stop: max |A + ∇L| over the largest weight.
    max_iter : int, default=100
        Newton steps at most.
    start : tuple of A and b, default=None
        An earlier solution.
    callback : callable, default=None
        Called with the number of steps and the objective; True asks to stop.
    """
    problem = _Problem(matrix, loss)
    point = problem.start(start, intercept)
    step = _DirectStep(matrix.dense()) if _is_direct(matrix, loss) else _IterativeStep(problem, low)
    largest = float(loss.w.max())
    iterations, reason, residual = 0, "", np.inf
    while not reason:
        gradient = loss.look(point.KA + point.b)
        residual = float(np.abs(point.A - gradient).max()) / largest
        reason = _reason_to_stop(residual <= tol, iterations, max_iter, point.value, callback)
        if reason:
            break
        right = loss.backward(point.KA + point.b) + loss.pull
        A, b = step.solve(loss, right, intercept, residual)
        new = problem.search(point, A, b)
        if new is None:
            reason = "no further progress in floating point"
            break
        point = new
        iterations += 1
    return NewtonSolution(
        point.A,
        point.b,
        point.value,
        problem.products,
        iterations=iterations,
        residual=residual,
        converged=reason == "converged",
        reason=reason,
    )


def _is_direct(matrix: Matrix, loss: Loss) -> bool:
    return matrix.plan.stored and loss.outputs == 1


def _reason_to_stop(
    converged: bool,
    iterations: int,
    max_iter: int,
    value: float,
    callback: Callable[[int, float], Any] | None,
) -> str:
    if converged:
        return "converged"
    if iterations == max_iter:
        return "max_iter reached"
    if callback is not None and callback(iterations, value):
        return "stopped by a callback"
    return ""


class _DirectStep:
    """One output: Cholesky of I + RKR."""

    def __init__(self, K: np.ndarray) -> None:
        self.K = K

    def solve(
        self, loss: Any, right: np.ndarray, intercept: bool, residual: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """The A and b that a Newton step aims at."""
        root = loss.root[:, 0]
        system = self.K * root[:, None]
        system *= root[None, :]
        system[np.diag_indices_from(system)] += 1.0
        factor, info = linalg.lapack.dpotrf(system.T, lower=0, overwrite_a=1, clean=0)
        if info:
            reason = "kernel.refute(X) looks for a reason in the kernel"
            message = f"I + RKR is not positive definite: K is not a kernel matrix; {reason}"
            raise np.linalg.LinAlgError(message)
        both = np.asfortranarray(np.column_stack([right, root]))
        solved = linalg.lapack.dpotrs(factor, both, lower=0)[0]
        U, border = solved[:, :1], solved[:, 1]
        if not intercept:
            return root[:, None] * U, np.zeros(1)
        level = float(root @ U[:, 0]) / float(root @ border)
        return root[:, None] * (U - level * border[:, None]), np.array([level])


class _IterativeStep:
    """Preconditioned conjugate gradients among the U whose coefficients RU sum to 0."""

    def __init__(self, matrix: Multipliable, low: np.ndarray | None) -> None:
        self.matrix, self.low = matrix, low

    def solve(
        self, loss: Loss, right: np.ndarray, intercept: bool, residual: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """The A and b that a Newton step aims at."""
        system = _Hessian(self.matrix, loss, right.shape)
        near: Multipliable = Identity()
        if self.low is not None and self.low.shape[1] > 0:
            near = _LowRankInverse(self.low, loss)
        inverse = _Projected(near, loss, right.shape, intercept)
        solution = conjugate_gradients(
            system,
            right.reshape(-1, 1),
            inverse,
            tol=max(1e-13, min(1e-2, 0.1 * residual)),
            limit=2 * right.size + 10,
            measure="energy",
        )
        return loss.forward(solution.x.reshape(right.shape)), inverse.bias


class _Hessian:
    """I + RᵀKR on matrices U, laid out as one column."""

    def __init__(self, matrix: Multipliable, loss: Loss, shape: tuple[int, ...]) -> None:
        self.matrix, self.loss, self.shape = matrix, loss, shape

    def __matmul__(self, P: np.ndarray) -> np.ndarray:
        image = self.matrix @ self.loss.forward(P.reshape(self.shape))
        return P + self.loss.backward(image).reshape(-1, 1)


class _LowRankInverse:
    """(I + RᵀLLᵀR)⁻¹ by the Woodbury identity: a block LᵀHL for every two outputs."""

    def __init__(self, L: np.ndarray, loss: Loss) -> None:
        self.L, self.loss = L, loss
        rank, outputs = L.shape[1], loss.outputs
        system = np.eye(rank * outputs)
        for a in range(outputs):
            for b in range(a, outputs):
                block = L.T @ (loss.curvature(a, b)[:, None] * L)
                system[a * rank : (a + 1) * rank, b * rank : (b + 1) * rank] += block
        self.factor = linalg.cho_factor(system, lower=False, overwrite_a=True, check_finite=False)

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        reduced = self.L.T @ self.loss.forward(V)
        solved = linalg.cho_solve(self.factor, reduced.T.ravel(), check_finite=False)
        return V - self.loss.backward(self.L @ solved.reshape(reduced.T.shape).T)


class _Projected:
    """A preconditioner that keeps the sums of RU at 0; what the sums forbid belongs to the bias."""

    def __init__(
        self, near: Multipliable, loss: Loss, shape: tuple[int, ...], intercept: bool
    ) -> None:
        self.near, self.loss, self.shape = near, loss, shape
        n, outputs = shape
        self.bias = np.zeros(outputs)
        self.inverse: np.ndarray = np.zeros((outputs, outputs))
        self.border = np.zeros((outputs, n, outputs))  # near⁻¹ of the forbidden directions
        if intercept:
            self._find_border()

    def _find_border(self) -> None:
        for c in range(len(self.bias)):
            direction = np.zeros(self.shape)
            direction[:, c] = 1.0
            self.border[c] = self.near @ self.loss.backward(direction)
            self.inverse[:, c] = self.loss.forward(self.border[c]).sum(axis=0)
        self.inverse = np.linalg.pinv((self.inverse + self.inverse.T) / 2, hermitian=True)

    def __matmul__(self, R: np.ndarray) -> np.ndarray:
        """near⁻¹R without what the sums forbid, which is taken off R in place."""
        V = R.reshape(self.shape)
        Z = self.near @ V
        part = self.inverse @ self.loss.forward(Z).sum(axis=0)
        allowed = Z - np.tensordot(part, self.border, axes=1)
        # left in R, it would drown what is still to be solved
        V -= self.loss.backward(np.broadcast_to(part, self.shape))
        self.bias += part
        return allowed.reshape(-1, 1)
