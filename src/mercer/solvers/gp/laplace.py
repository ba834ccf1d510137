"""Laplace's approximation of Gaussian process classification with two classes and the logistic
likelihood: the mode, its evidence, and the weights of its gradient.

References
----------
Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, sections 3.4 and 5.5.1.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Self

import numpy as np
from scipy import linalg
from scipy.special import expit, log_expit

from mercer.linalg.products import product
from mercer.solvers.gp.mode import Approximation, SampleWeight
from mercer.state import State, storable


@storable
@dataclasses.dataclass
class Laplace(Approximation):
    """The approximation for labels 0 and 1, with W = wπ(1 − π) and B = I + √W K √W = LLᵀ."""

    stored: ClassVar[State] = State(finite=("root",))

    root: np.ndarray  # √W

    @classmethod
    def at(cls, K: np.ndarray, a: np.ndarray, f: np.ndarray, weight: SampleWeight) -> Self | None:
        p = expit(f)
        root = np.sqrt(weight * (p * (1 - p)))
        B = K * root
        B *= root[:, None]
        B[np.diag_indices(len(f))] += 1.0
        lower, info = linalg.lapack.dpotrf(B.T, lower=1, clean=1, overwrite_a=1)
        if info != 0:
            return None
        half = float(np.log(lower.diagonal()).sum())
        return cls(f, a, p, lower, half, root, sample_weight=weight)

    def newton_step(self, K: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        root = self.root
        b = root**2 * self.mode + self.slope(labels)
        Kb = root * product(K, b)
        a = b - root * linalg.cho_solve((self.lower, True), Kb, check_finite=False)
        return a, product(K, a)

    @staticmethod
    def objective(a: np.ndarray, f: np.ndarray, labels: np.ndarray, weight: SampleWeight) -> float:
        sign = 2.0 * labels - 1.0
        return -0.5 * float(a @ f) + float((weight * log_expit(sign * f)).sum())

    def weights(self, K: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """V for which Σ V∘dK is the derivative of the evidence for a symmetric dK.

        It sums what K changes directly and what it changes through the mode. V is left triangular,
        its part above the diagonal counted twice. The posterior variances are (1 − diag B⁻¹)/W, and
        log|B| changes with the mode by them times W(1 − 2π): W itself, which may be as good as
        zero, is never divided by.
        """
        root, p = self.root, self.probability
        inverse, _ = linalg.lapack.dpotri(self.lower, lower=1)  # only the lower triangle is set
        pull = -0.5 * (1.0 - inverse.diagonal()) * (1.0 - 2.0 * p)
        through = pull - root * linalg.blas.dsymv(1.0, inverse, root * product(K, pull), lower=1)
        V = np.triu(inverse.T)
        V *= -root[:, None]
        V *= root
        V.reshape(-1)[:: len(V) + 1] *= 0.5
        gradient = self.slope(labels)
        halves = np.array([0.5 * self.dual, through, gradient])
        others = np.array([self.dual, 0.5 * gradient, 0.5 * through])
        return linalg.blas.dgemm(1.0, halves, others, beta=1.0, c=V.T, trans_a=1, overwrite_c=1).T
