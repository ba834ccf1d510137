"""Laplace's approximation for several classes at once: softmax likelihood, one latent function per
class, one kernel for all.

W = w(diag π − ΠΠᵀ) couples the classes of a sample of weight w; K is the same in every block. All
that is factored are C + 1 matrices of n × n.

References
----------
Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, section 3.5.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Self

import numpy as np
from scipy import linalg
from scipy.special import logsumexp, softmax

from mercer.linalg.products import product
from mercer.solvers.gp.mode import Approximation, SampleWeight
from mercer.state import State, storable


@storable
@dataclasses.dataclass
class MultinomialLaplace(Approximation):
    """The approximation for labels of C × n, 1 for the class of a sample and 0 for others.

    (W⁻¹ + K)⁻¹ = E − E R (Σ E)⁻¹ Rᵀ E, with E = √D(I + √D K √D)⁻¹√D of every class, where D = wπ,
    and Σ E = LLᵀ. The determinant of I + KW is that of Σ E, over Π w, times those of all I + KD.
    """

    stored: ClassVar[State] = State(finite=("E",))

    E: np.ndarray  # C × n × n

    @classmethod
    def at(cls, K: np.ndarray, a: np.ndarray, f: np.ndarray, weight: SampleWeight) -> Self | None:
        pi = softmax(f, axis=0)
        n = len(K)
        E, half = np.empty((len(f), n, n)), -0.5 * float(np.log(weight).sum())
        for c, p in enumerate(pi):
            root = np.sqrt(weight * p)
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
        if info != 0 or not np.isfinite(lower).all():
            return None
        half += float(np.log(lower.diagonal()).sum())
        return cls(f, a, pi, lower, half, E, sample_weight=weight)

    def newton_step(self, K: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        pi, f = self.probability, self.mode
        b = self.sample_weight * (pi * f - pi * (pi * f).sum(axis=0) + labels - pi)
        a = b - self._shrink(product(b, K))
        return a, product(a, K)

    @staticmethod
    def objective(a: np.ndarray, f: np.ndarray, labels: np.ndarray, weight: SampleWeight) -> float:
        likelihood = (weight * labels * f).sum() - (weight * logsumexp(f, axis=0)).sum()
        return float(likelihood - 0.5 * (a * f).sum())

    @staticmethod
    def scale(objective: float) -> float:
        return 1.0 + abs(objective)

    def _shrink(self, V: np.ndarray) -> np.ndarray:
        """(W⁻¹ + K)⁻¹V for V of C × n."""
        each = np.stack([product(E, v) for E, v in zip(self.E, V, strict=True)])
        shared = linalg.cho_solve((self.lower, True), each.sum(axis=0), check_finite=False)
        return each - np.stack([product(E, shared) for E in self.E])

    def _solve_lower(self, parts: np.ndarray) -> np.ndarray:
        """L⁻¹ times each of the parts."""
        lower = self.lower
        solve = linalg.solve_triangular
        return np.stack([solve(lower, part, lower=True, check_finite=False) for part in parts])

    def covariances(self, K: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
        """Posterior covariances of the classes at each sample, n × C × C.

        The columns of K are k(x) of the samples, and ``diagonal`` holds their k(x, x).
        """
        EK = np.stack([product(E, K) for E in self.E])
        T = self._solve_lower(EK)
        covariances = np.einsum("cri,dri->icd", T, T)
        classes = np.arange(len(self.E))
        covariances[:, classes, classes] += diagonal[:, None] - np.einsum("ji,cji->ic", K, EK)
        return covariances

    def weights(self, K: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """V for which Σ V∘dK is the derivative of the evidence.

        It sums what K changes directly and what it changes through the mode.
        """
        pi, gap = self.probability, self.slope(labels)
        S = self.covariances(K, K.diagonal())
        lean = np.einsum("icc->ci", S) - 2 * np.einsum("icd,di->ci", S, pi)
        pull = -0.5 * pi * (lean - (pi * lean).sum(axis=0))
        pull *= self.sample_weight  # −½ d log|I + KW| / d mode
        through = pull - self._shrink(product(pull, K))
        shared = self._solve_lower(self.E)
        direct = self.E.sum(axis=0) - sum(product(part.T, part) for part in shared)
        V = 0.5 * (product(self.dual.T, self.dual) - direct)
        moved = product(through.T, gap)
        return V + 0.5 * (moved + moved.T)
