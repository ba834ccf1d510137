"""Newton's method for log-losses in feature space: minimise L(F) + ½ Σ aᵀKa, F = KA + 1b, one column of A per output.

A step solves A = −∇L(F₀) − H(F − F₀). With H = RRᵀ sample by sample and A = RU it reads (I + RᵀKR) U + Rᵀ1b = s, where
Σ(RU) = 0 is what determines b; the matrix is never worse than I, so that conjugate gradients need few products with K.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg
from scipy.special import expit, log_expit, logsumexp, softmax

Product = Callable[[np.ndarray], np.ndarray]
_SMALLEST = 1e-30  # of a probability that is divided by


class Binary:
    """Σ w log(1 + exp(∓f)) for labels 1 and 0: one output."""

    outputs = 1

    def __init__(self, label: np.ndarray, weight: np.ndarray) -> None:
        self.y, self.w = label[:, None].astype(float), weight[:, None]

    def value(self, F: np.ndarray) -> float:
        return -float((self.w * log_expit(np.where(self.y > 0, F, -F))).sum())

    def look(self, F: np.ndarray) -> np.ndarray:
        """Stand at F; returns −∇L."""
        p = expit(F)
        spread = np.sqrt(np.maximum(p * expit(-F), _SMALLEST))
        self.root = np.sqrt(self.w) * spread
        difference = np.where(self.y > 0, expit(-F), -p)
        self.pull = np.sqrt(self.w) * difference / spread  # R⁺(−∇L)
        return self.w * difference

    def forward(self, U: np.ndarray) -> np.ndarray:
        return self.root * U

    backward = forward

    def curvature(self, a: int, b: int) -> np.ndarray:
        """H between two outputs, of every sample."""
        return self.root[:, 0] ** 2


class Multinomial:
    """Σ w (log Σ exp f − f_y): one output per class."""

    def __init__(self, label: np.ndarray, weight: np.ndarray, classes: int) -> None:
        self.outputs = classes
        self.label, self.w = label, weight[:, None]
        self.y = (label[:, None] == np.arange(classes)).astype(float)

    def value(self, F: np.ndarray) -> float:
        chosen = np.take_along_axis(F, self.label[:, None], axis=1)[:, 0]
        return float((self.w[:, 0] * (logsumexp(F, axis=1) - chosen)).sum())

    def look(self, F: np.ndarray) -> np.ndarray:
        self.p = np.maximum(softmax(F, axis=1), _SMALLEST)
        self.root, self.scale = np.sqrt(self.p), np.sqrt(self.w)
        self.pull = self.scale * (self.y - self.p) / self.root
        return self.w * (self.y - self.p)

    def forward(self, U: np.ndarray) -> np.ndarray:
        """R U with R = diag(√p) − p√pᵀ, whose RRᵀ is diag(p) − ppᵀ."""
        return self.scale * (self.root * U - self.p * (self.root * U).sum(axis=1, keepdims=True))

    def backward(self, V: np.ndarray) -> np.ndarray:
        return self.scale * self.root * (V - (self.p * V).sum(axis=1, keepdims=True))

    def curvature(self, a: int, b: int) -> np.ndarray:
        return self.w[:, 0] * self.p[:, a] * (float(a == b) - self.p[:, b])


@dataclasses.dataclass(frozen=True)
class NewtonSolution:
    """The coefficients, the biases, and how well the equation A = −∇L holds."""

    dual: np.ndarray
    bias: np.ndarray
    objective: float
    residual: float  # max |A + ∇L| over the largest weight
    iterations: int
    products: int  # of K with a matrix
    converged: bool
    reason: str


def newton(
    multiply: Product,
    K: np.ndarray | None,
    loss: Any,
    *,
    intercept: bool = True,
    low: np.ndarray | None = None,
    tol: float = 1e-8,
    max_iter: int = 100,
    start: tuple[np.ndarray, np.ndarray] | None = None,
    progress: Callable[[int, float], Any] | None = None,
) -> NewtonSolution:
    """``multiply`` is the product with K; K itself, where it is stored, lets a single output be solved by Cholesky.

    ``low``, a matrix with low·lowᵀ near K, makes conjugate gradients quick.
    """
    n = len(loss.w)
    counted = _Counted(multiply)
    A, b = np.zeros((n, loss.outputs)), np.zeros(loss.outputs)
    KA = np.zeros_like(A)
    value = loss.value(KA)
    if start is not None:  # made to fit the sums, and taken if it is better than nothing
        A0 = start[0] - start[0].mean(axis=0) if intercept else start[0]
        b0 = start[1] if intercept else b
        KA0 = counted(A0)
        better = loss.value(KA0 + b0) + 0.5 * float((A0 * KA0).sum())
        if better < value:
            A, b, KA, value = A0, b0, KA0, better
    largest = float(loss.w.max())
    residual, reason, done = np.inf, "max_iter reached", 0
    for done in range(max_iter + 1):
        gradient = loss.look(KA + b)
        residual = float(np.abs(A - gradient).max()) / largest
        if residual <= tol:
            reason = "converged"
            break
        if done == max_iter or (progress is not None and progress(done, value)):
            reason = "max_iter reached" if done == max_iter else "stopped by a callback"
            break
        right = loss.backward(KA + b) + loss.pull
        if K is not None and loss.outputs == 1:
            aim, level = _direct(K, loss, right, intercept)
        else:
            aim, level = _projected_cg(
                counted, loss, right, intercept, max(1e-13, min(1e-2, 0.1 * residual)), low
            )
        step, bias_step = aim - A, level - b
        K_step = counted(step)
        share = 1.0
        while True:  # the objective must not grow; near the end it moves by rounding only
            new_A, new_b, new_KA = A + share * step, b + share * bias_step, KA + share * K_step
            new = loss.value(new_KA + new_b) + 0.5 * float((new_A * new_KA).sum())
            if new <= value + 1e-12 * abs(value) or share < 1e-10:
                break
            share /= 2
        if share < 1e-10 or not np.isfinite(new):
            reason = "no further progress in floating point"
            break
        A, b, KA, value = new_A, new_b, new_KA, new
    return NewtonSolution(A, b, value, residual, done, counted.count, reason == "converged", reason)


class _Counted:
    def __init__(self, multiply: Product) -> None:
        self.multiply, self.count = multiply, 0

    def __call__(self, V: np.ndarray) -> np.ndarray:
        self.count += 1
        return self.multiply(V)


def _direct(
    K: np.ndarray, loss: Any, right: np.ndarray, intercept: bool
) -> tuple[np.ndarray, np.ndarray]:
    """One output: Cholesky of I + RKR."""
    root = loss.root[:, 0]
    system = K * root[:, None]
    system *= root[None, :]
    system[np.diag_indices_from(system)] += 1.0
    factor, info = linalg.lapack.dpotrf(system.T, lower=0, overwrite_a=1, clean=0)
    if info:
        raise np.linalg.LinAlgError("I + RKR is not positive definite: K is not a kernel matrix")
    solved = linalg.lapack.dpotrs(
        factor, np.asfortranarray(np.column_stack([right, root])), lower=0
    )[0]
    U, border = solved[:, :1], solved[:, 1]
    if not intercept:
        return root[:, None] * U, np.zeros(1)
    level = float(root @ U[:, 0]) / float(root @ border)
    return root[:, None] * (U - level * border[:, None]), np.array([level])


class _Preconditioner:
    """(I + RᵀLLᵀR)⁻¹ by the Woodbury identity: one system with a block LᵀHL for every pair of outputs."""

    def __init__(self, L: np.ndarray, loss: Any) -> None:
        self.L, self.loss = L, loss
        rank, outputs = L.shape[1], loss.outputs
        system = np.eye(rank * outputs)
        for a in range(outputs):
            for b in range(a, outputs):
                block = L.T @ (loss.curvature(a, b)[:, None] * L)
                system[a * rank : (a + 1) * rank, b * rank : (b + 1) * rank] += block
        self.factor = linalg.cho_factor(system, lower=False, overwrite_a=True, check_finite=False)

    def __call__(self, V: np.ndarray) -> np.ndarray:
        reduced = self.L.T @ self.loss.forward(V)
        solved = linalg.cho_solve(self.factor, reduced.T.ravel(), check_finite=False)
        return V - self.loss.backward(self.L @ solved.reshape(reduced.T.shape).T)


def _projected_cg(
    multiply: Product,
    loss: Any,
    right: np.ndarray,
    intercept: bool,
    tol: float,
    low: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Preconditioned conjugate gradients among the U whose coefficients RU sum to 0 in every column."""
    n, outputs = right.shape
    near: Product = (
        (lambda V: V) if low is None or low.shape[1] == 0 else _Preconditioner(low, loss)
    )
    inverse: np.ndarray = np.zeros((outputs, outputs))
    border = np.zeros((outputs, n, outputs))  # near⁻¹ of the directions that the sums forbid
    if intercept:
        for c in range(outputs):
            direction = np.zeros((n, outputs))
            direction[:, c] = 1.0
            border[c] = near(loss.backward(direction))
            inverse[:, c] = loss.forward(border[c]).sum(axis=0)
        inverse = np.linalg.pinv((inverse + inverse.T) / 2, hermitian=True)

    def precondition(V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """near⁻¹V without what the sums forbid, and how much of V that was: it belongs to the bias."""
        Z = near(V)
        part = inverse @ loss.forward(Z).sum(axis=0)
        return Z - np.tensordot(part, border, axes=1), part

    bias = np.zeros(outputs)
    U = np.zeros_like(right)
    R = right.copy()
    P, rho, goal = np.zeros_like(right), 1.0, 0.0
    for step in range(2 * right.size + 10):
        Z, part = precondition(R)
        R -= loss.backward(
            np.broadcast_to(part, R.shape)
        )  # left in R, it would drown what is still to be solved
        bias += part
        fresh = float((R * Z).sum())
        goal = tol * tol * max(fresh, 1e-300) if step == 0 else goal
        if fresh <= goal:
            break
        P = Z if step == 0 else Z + (fresh / rho) * P
        rho = fresh
        Q = P + loss.backward(multiply(loss.forward(P)))
        curve = float((P * Q).sum())
        if curve <= 0:
            break
        U += (rho / curve) * P
        R -= (rho / curve) * Q
    return loss.forward(U), bias
