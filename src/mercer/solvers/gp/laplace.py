"""Laplace's approximation of a Gaussian process with logistic likelihood: the mode, its evidence, and the weights of its gradient."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy import linalg
from scipy.special import expit, log_expit

from mercer.linalg.products import product


@dataclasses.dataclass
class Laplace:
    """The mode f = K a, W = π(1 − π) there, and B = I + √W K √W factored."""

    mode: np.ndarray
    dual: np.ndarray
    probability: np.ndarray
    root: np.ndarray  # √W
    lower: np.ndarray  # LLᵀ = B
    value: float  # the approximate log evidence
    iterations: int
    converged: bool

    def weights(self, K: np.ndarray, label: np.ndarray) -> np.ndarray:
        """V with Σ V∘dK, for a symmetric dK, the derivative of the evidence: what K moves directly, and what it moves through the mode.

        V is left triangular, its part above the diagonal counted twice. With W = √W√W the posterior variances are (1 − diag B⁻¹)/W,
        and log|B| changes with the mode by them times W(1 − 2π): W itself, which may be as good as zero, need not be divided by.
        """
        root, p = self.root, self.probability
        inverse, _ = linalg.lapack.dpotri(
            self.lower, lower=1
        )  # its lower triangle, in Fortran order
        pull = -0.5 * (1.0 - inverse.diagonal()) * (1.0 - 2.0 * p)
        through = pull - root * linalg.blas.dsymv(1.0, inverse, root * product(K, pull), lower=1)
        V = np.triu(inverse.T)
        V *= -root[:, None]
        V *= root
        V.reshape(-1)[:: len(V) + 1] *= 0.5
        gradient = label - p
        halves = np.array([0.5 * self.dual, through, gradient])
        others = np.array([self.dual, 0.5 * gradient, 0.5 * through])
        return linalg.blas.dgemm(1.0, halves, others, beta=1.0, c=V.T, trans_a=1, overwrite_c=1).T


def laplace(
    K: np.ndarray,
    label: np.ndarray,
    start: np.ndarray | None = None,
    most: int = 100,
    tol: float = 1e-10,
) -> Laplace | None:
    """Newton's method for the mode of labels 0 and 1; None where it does not exist because K is no kernel matrix."""
    n = len(label)
    sign = 2.0 * label - 1.0
    f = np.zeros(n) if start is None or len(start) != n else start
    value, a = -np.inf, np.zeros(n)
    steps, converged = 0, False
    factored = _factor(K, f)
    while factored is not None and steps < most and not converged:
        steps += 1
        p, root, lower = factored
        b = root**2 * f + (label - p)
        new_a = b - root * linalg.cho_solve((lower, True), root * product(K, b), check_finite=False)
        new_f = product(K, new_a)
        new = _fit(new_a, new_f, sign)
        share = 1.0
        while new < value - 1e-10 * abs(value) and share > 1e-6:  # too long a step
            share /= 2
            new_a, new_f = a + share * (new_a - a), f + share * (new_f - f)
            new = _fit(new_a, new_f, sign)
        converged = abs(new - value) <= tol * max(1.0, abs(new))
        a, f, value = new_a, new_f, new
        factored = _factor(K, f)
    if factored is None or not np.isfinite(value):
        return None
    p, root, lower = factored
    return Laplace(
        f, a, p, root, lower, value - float(np.log(lower.diagonal()).sum()), steps, converged
    )


def _fit(a: np.ndarray, f: np.ndarray, sign: np.ndarray) -> float:
    """−½ aᵀKa + log-likelihood, which the mode maximises."""
    return -0.5 * float(a @ f) + float(log_expit(sign * f).sum())


def _factor(K: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Probabilities, √W and the lower factor of I + √W K √W at f."""
    p = expit(f)
    root = np.sqrt(p * (1 - p))
    B = root[:, None] * K * root
    B[np.diag_indices(len(f))] += 1.0
    lower, info = linalg.lapack.dpotrf(B.T, lower=1, clean=1, overwrite_a=1)
    return None if info else (p, root, lower)
