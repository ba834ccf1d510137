"""Newton's method for the mode of a latent Gaussian process given labels, the heart of Laplace's
approximation.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Self

import numpy as np

from mercer.linalg.solution import Solution
from mercer.state import State

SampleWeight = np.ndarray | float  # one for each sample, or 1.0 for all

_SLACK = 1e-10  # a relative decrease of the objective that may be rounding error
_SHORTEST = 1e-6  # share of a Newton step below which it is not halved again


@dataclasses.dataclass
class Approximation(Solution):
    """The normal distribution that has the slope and curvature of the posterior at f = K a.

    The mode maximizes Σ w log p(y | f) − ½ fᵀK⁻¹f, with a weight w of every sample. The residual is
    the last change of that objective.
    """

    stored: ClassVar[State] = State(
        finite=(
            *("mode", "dual", "probability", "lower", "half_log_determinant", "value"),
            "sample_weight",
        ),
        plain=("iterations", "residual", "converged", "reason"),
    )

    mode: np.ndarray  # f
    dual: np.ndarray  # a
    probability: np.ndarray
    lower: np.ndarray  # a Cholesky factor
    half_log_determinant: float  # ½ log|I + KW|
    value: float = dataclasses.field(default=-np.inf, kw_only=True)  # the log evidence at the mode
    sample_weight: SampleWeight = dataclasses.field(default=1.0, kw_only=True)  # w

    @classmethod
    def at(cls, K: np.ndarray, a: np.ndarray, f: np.ndarray, weight: SampleWeight) -> Self | None:
        """The approximation at f; None where K is not positive semi-definite."""
        raise NotImplementedError(cls.__name__)

    def newton_step(self, K: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients a, and f = K a, after one full step from here."""
        raise NotImplementedError(type(self).__name__)

    def slope(self, labels: np.ndarray) -> np.ndarray:
        """The derivative of the log-likelihood in f, which at the mode is a."""
        return self.sample_weight * (labels - self.probability)

    @staticmethod
    def objective(a: np.ndarray, f: np.ndarray, labels: np.ndarray, weight: SampleWeight) -> float:
        """Σ w log p(y | f) − ½ fᵀK⁻¹f."""
        raise NotImplementedError

    @staticmethod
    def scale(objective: float) -> float:
        """The size of the objective, to which its changes are compared."""
        return max(1.0, abs(objective))

    def weights(self, K: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """V for which Σ V∘dK is the derivative of the evidence at the mode."""
        raise NotImplementedError(type(self).__name__)

    def _shortened_step(
        self, K: np.ndarray, labels: np.ndarray, value: float
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """A Newton step, halved until the objective is not below its value here."""
        a, f = self.newton_step(K, labels)
        new = self.objective(a, f, labels, self.sample_weight)
        share = 1.0
        while new < value - _SLACK * abs(value) and share > _SHORTEST:
            share /= 2
            a, f = self.dual + share * (a - self.dual), self.mode + share * (f - self.mode)
            new = self.objective(a, f, labels, self.sample_weight)
        return a, f, new

    @classmethod
    def at_mode(
        cls,
        K: np.ndarray,
        labels: np.ndarray,
        start: np.ndarray | None = None,
        max_iter: int = 100,
        tol: float = 1e-10,
        weight: SampleWeight = 1.0,
    ) -> Self | None:
        """Newton's method with halved steps; None where K is not positive semi-definite."""
        a = np.zeros(labels.shape)
        f = np.zeros(labels.shape)
        if start is not None and start.shape == labels.shape:
            f = start
        value, change = -np.inf, np.inf
        iterations, converged = 0, False
        here = cls.at(K, a, f, weight)
        while here is not None and iterations < max_iter and not converged:
            iterations += 1
            a, f, new = here._shortened_step(K, labels, value)
            change = abs(new - value)
            converged = change <= tol * cls.scale(new)
            value = new
            here = cls.at(K, a, f, weight)
        if here is None or not np.isfinite(value):
            return None
        here.value = value - here.half_log_determinant
        here.iterations, here.residual, here.converged = iterations, change, converged
        if not converged:
            here.reason = "no convergence"
        return here
