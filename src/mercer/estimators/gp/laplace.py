"""The problems of Gaussian process classification: two classes, or all at once, each with its mode and its evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from mercer.aliases import RawSamples
from mercer.domains.base import raw_length
from mercer.errors import explain
from mercer.estimators.common.averaging import averaged, averaged_softmax
from mercer.estimators.gp.exact import blocks
from mercer.estimators.gp.hyperparameters import Learned, Theirs
from mercer.linalg.products import product
from mercer.solvers.gp.laplace import laplace
from mercer.solvers.gp.laplace_multinomial import laplace_multinomial


class _Problem:
    """Samples, the kernel whose parameters are learned, and the mode."""

    solve: Callable[..., Any]  # Laplace's approximation for these labels

    def __init__(
        self, model: Learned | Theirs, X: RawSamples, label: np.ndarray, most: int
    ) -> None:
        self.model, self.X, self.most = model, X, most
        self.label = self.encode(label)
        self.mode: np.ndarray | None = None
        model.fit(X)

    def encode(self, label: np.ndarray) -> np.ndarray:
        raise NotImplementedError(type(self).__name__)

    def at(self, theta: np.ndarray, slope: bool) -> tuple[float, np.ndarray]:
        """The approximate log evidence at θ, and its gradient."""
        self.model.theta = theta
        K = self.model.gram(self.X)
        found = self.solve(K, self.label, self.mode, self.most)
        if found is None:
            return -np.inf, np.zeros(len(theta))
        self.mode = found.mode  # the next θ is near: its mode too
        return found.value, self.model.slope(
            self.X, found.weights(K, self.label)
        ) if slope else np.zeros(0)

    def settle(self) -> None:
        self.found = self.solve(self.model.gram(self.X), self.label, None, self.most)
        if self.found is None:
            rule = "gives a matrix that is not positive semi-definite"
            raise np.linalg.LinAlgError(
                explain("kernel", self.model.kernel, rule, "look at kernel.certificate()")
            )


class Binary(_Problem):
    """Two classes, 1 and 0."""

    solve = staticmethod(laplace)

    def encode(self, label: np.ndarray) -> np.ndarray:
        return label.astype(float)

    def latent(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the latent function."""
        mean, variance = np.empty(raw_length(X)), self.model.diag(X)
        for rows, K in blocks(self.model, X, self.X):
            mean[rows] = product(K, self.label - self.found.probability)
            V = linalg.solve_triangular(
                self.found.lower, (K * self.found.root).T, lower=True, check_finite=False
            )
            variance[rows] -= np.einsum("ij,ij->j", V, V)
        return mean, np.maximum(variance, 0.0)

    def probabilities(self, X: RawSamples) -> np.ndarray:
        return averaged(*self.latent(X))


class Several(_Problem):
    """All classes at once: softmax, and one kernel for the latent functions of all."""

    solve = staticmethod(laplace_multinomial)

    def encode(self, label: np.ndarray) -> np.ndarray:
        return (label == np.arange(label.max() + 1)[:, None]).astype(float)

    def probabilities(self, X: RawSamples) -> np.ndarray:
        """A column for each class."""
        made = np.empty((raw_length(X), len(self.label)))
        own = self.model.diag(X)
        for rows, K in blocks(self.model, X, self.X):
            mean = product(K, (self.label - self.found.probability).T)
            made[rows] = averaged_softmax(
                mean, self.found.spread(np.ascontiguousarray(K.T), own[rows])
            )
        return made
