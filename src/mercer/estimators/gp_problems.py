"""The problems of Gaussian process classification: two classes, or all at once, each with its mode and its evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from mercer.domains.base import pick_rows, raw_length
from mercer.errors import explain
from mercer.estimators.averaging import averaged, averaged_softmax
from mercer.estimators.hyper import Learned, Theirs
from mercer.solvers.laplace import Laplace, laplace
from mercer.solvers.laplace_multinomial import MultinomialLaplace, laplace_multinomial

_BLOCK = 1024  # new samples at a time


class Binary:
    """One problem of two classes: the samples, the kernel with its parameters learned, and the mode."""

    def __init__(self, model: Learned | Theirs, X: Any, label: np.ndarray, most: int) -> None:
        self.model, self.X, self.label, self.most = model, X, label.astype(float), most
        self.mode: np.ndarray | None = None
        model.fit(X)

    def at(self, theta: np.ndarray, slope: bool) -> tuple[float, np.ndarray]:
        """The approximate log evidence at θ, and its gradient."""
        self.model.theta = theta
        K = self.model.gram(self.X)
        found = laplace(K, self.label, self.mode, self.most)
        if found is None:
            return -np.inf, np.zeros(len(theta))
        self.mode = found.mode  # the next θ is near: its mode too
        return found.value, self.model.slope(self.X, found.weights(K, self.label)) if slope else np.zeros(0)

    def settle(self) -> None:
        found = laplace(self.model.gram(self.X), self.label, None, self.most)
        if found is None:
            raise not_definite(self.model)
        self.found: Laplace = found

    def latent(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the latent function."""
        mean, variance = np.empty(raw_length(X)), self.model.diag(X)
        for start in range(0, len(mean), _BLOCK):
            rows = np.arange(start, min(len(mean), start + _BLOCK))
            K = self.model.cross(pick_rows(X, rows), self.X)
            mean[rows] = K @ (self.label - self.found.probability)
            V = linalg.solve_triangular(self.found.lower, (K * self.found.root).T, lower=True, check_finite=False)
            variance[rows] -= np.einsum("ij,ij->j", V, V)
        return mean, np.maximum(variance, 0.0)

    def probabilities(self, X: Any) -> np.ndarray:
        return averaged(*self.latent(X))


class Several:
    """All classes at once: softmax, and one kernel for the latent functions of all."""

    def __init__(self, model: Learned | Theirs, X: Any, label: np.ndarray, most: int) -> None:
        self.model, self.X, self.most = model, X, most
        self.label = (label == np.arange(label.max() + 1)[:, None]).astype(float)
        self.mode: np.ndarray | None = None
        model.fit(X)

    def at(self, theta: np.ndarray, slope: bool) -> tuple[float, np.ndarray]:
        """The approximate log evidence at θ, and its gradient."""
        self.model.theta = theta
        K = self.model.gram(self.X)
        found = laplace_multinomial(K, self.label, self.mode, self.most)
        if found is None:
            return -np.inf, np.zeros(len(theta))
        self.mode = found.mode
        return found.value, self.model.slope(self.X, found.weights(K, self.label)) if slope else np.zeros(0)

    def settle(self) -> None:
        found = laplace_multinomial(self.model.gram(self.X), self.label, None, self.most)
        if found is None:
            raise not_definite(self.model)
        self.found: MultinomialLaplace = found

    def probabilities(self, X: Any) -> np.ndarray:
        """A column for each class."""
        made = np.empty((raw_length(X), len(self.label)))
        own = self.model.diag(X)
        for start in range(0, len(made), _BLOCK):
            rows = np.arange(start, min(len(made), start + _BLOCK))
            K = self.model.cross(pick_rows(X, rows), self.X)
            mean = K @ (self.label - self.found.probability).T
            made[rows] = averaged_softmax(mean, self.found.spread(np.ascontiguousarray(K.T), own[rows]))
        return made


def not_definite(model: Learned | Theirs) -> Exception:
    rule = "gives a matrix that is not positive semi-definite"
    return np.linalg.LinAlgError(explain("kernel", model.kernel, rule, "look at kernel.certificate()"))
