"""Laplace's approximation for several classes at once: softmax likelihood, one latent function per class, one kernel for all.

W = diag π − ΠΠᵀ couples the classes of a sample; K is the same in every block. All that is factored are C + 1 matrices of n × n.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy import linalg
from scipy.special import logsumexp, softmax

from mercer.linalg.products import product


@dataclasses.dataclass
class MultinomialLaplace:
    """The mode f = K a, a row for each class, and what (W⁻¹ + K)⁻¹ = E − E R (Σ E)⁻¹ Rᵀ E is made of."""

    mode: np.ndarray  # C × n
    dual: np.ndarray
    probability: np.ndarray
    E: np.ndarray  # C × n × n
    lower: np.ndarray  # of Σ E
    value: float
    iterations: int
    converged: bool

    def shrunk(self, V: np.ndarray) -> np.ndarray:
        """(W⁻¹ + K)⁻¹V for V of C × n."""
        each = np.stack([product(E, v) for E, v in zip(self.E, V, strict=True)])
        shared = linalg.cho_solve((self.lower, True), each.sum(axis=0), check_finite=False)
        return each - np.stack([product(E, shared) for E in self.E])

    def spread(self, K: np.ndarray, own: np.ndarray) -> np.ndarray:
        """Posterior covariances of the classes at each sample: n × C × C, for columns k(x) in K and k(x, x) in ``own``."""
        EK = np.stack([product(E, K) for E in self.E])
        T = np.stack(
            [
                linalg.solve_triangular(self.lower, part, lower=True, check_finite=False)
                for part in EK
            ]
        )
        made = np.einsum("cri,dri->icd", T, T)
        at = np.arange(len(self.E))
        made[:, at, at] += own[:, None] - np.einsum("ji,cji->ic", K, EK)
        return made

    def weights(self, K: np.ndarray, label: np.ndarray) -> np.ndarray:
        """V with Σ V∘dK the derivative of the evidence: what K moves directly, and what it moves through the mode."""
        pi, gap = self.probability, label - self.probability
        S = self.spread(K, K.diagonal())
        lean = np.einsum("icc->ci", S) - 2 * np.einsum("icd,di->ci", S, pi)
        pull = -0.5 * pi * (lean - (pi * lean).sum(axis=0))  # d log|I + KW| / d mode
        through = pull - self.shrunk(product(pull, K))
        shared = np.stack(
            [
                linalg.solve_triangular(self.lower, part, lower=True, check_finite=False)
                for part in self.E
            ]
        )
        direct = self.E.sum(axis=0) - sum(product(part.T, part) for part in shared)
        V = 0.5 * (product(self.dual.T, self.dual) - direct)
        moved = product(through.T, gap)
        return V + 0.5 * (moved + moved.T)


def laplace_multinomial(
    K: np.ndarray,
    label: np.ndarray,
    start: np.ndarray | None = None,
    most: int = 100,
    tol: float = 1e-10,
) -> MultinomialLaplace | None:
    """Newton's method for the mode; ``label`` is 1 for the class of a sample and 0 for others, C × n. None where K is no kernel matrix."""
    f = np.zeros(label.shape) if start is None or start.shape != label.shape else start
    a = np.zeros(label.shape)
    value, steps, converged = -np.inf, 0, False
    factored = _factor(K, f)
    while factored is not None and steps < most and not converged:
        steps += 1
        pi, E, lower, _ = factored
        shell = MultinomialLaplace(f, a, pi, E, lower, value, steps, False)
        b = pi * f - pi * (pi * f).sum(axis=0) + label - pi
        new_a = b - shell.shrunk(product(b, K))
        new_f = product(new_a, K)
        new, share = _fit(new_a, new_f, label), 1.0
        while new < value - 1e-10 * abs(value) and share > 1e-6:  # too long a step
            share /= 2
            new_a, new_f = a + share * (new_a - a), f + share * (new_f - f)
            new = _fit(new_a, new_f, label)
        converged = abs(new - value) <= tol * (1.0 + abs(new))
        a, f, value = new_a, new_f, new
        factored = _factor(K, f)
    if factored is None or not np.isfinite(value):
        return None
    pi, E, lower, half = factored
    determinant = half + float(np.log(lower.diagonal()).sum())
    return MultinomialLaplace(f, a, pi, E, lower, value - determinant, steps, converged)


def _fit(a: np.ndarray, f: np.ndarray, label: np.ndarray) -> float:
    """log p(y | f) − ½ fᵀK⁻¹f."""
    return float((label * f).sum() - logsumexp(f, axis=0).sum() - 0.5 * (a * f).sum())


def _factor(
    K: np.ndarray, f: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float] | None:
    """π, E = √π(I + √π K √π)⁻¹√π of every class, the factor of their sum, and half the logarithms of the determinants."""
    pi = softmax(f, axis=0)
    n = len(K)
    E, half = np.empty((len(f), n, n)), 0.0
    for c, p in enumerate(pi):
        root = np.sqrt(p)
        B = root[:, None] * K * root
        B.reshape(-1)[:: n + 1] += 1.0
        upper, info = linalg.lapack.dpotrf(B.T, lower=0, clean=0, overwrite_a=1)
        if info != 0:
            return None
        half += float(np.log(upper.diagonal()).sum())
        inverse, _ = linalg.lapack.dpotri(upper, lower=0, overwrite_c=1)
        inverse = np.triu(inverse)
        E[c] = root[:, None] * (inverse + np.triu(inverse, 1).T) * root
    lower, info = linalg.lapack.dpotrf(E.sum(axis=0), lower=1, clean=1)
    return None if info != 0 or not np.isfinite(lower).all() else (pi, E, lower, half)
