"""The problems of Gaussian process classification: two classes, or all classes at once, each by
Laplace's approximation.
"""

from __future__ import annotations

import abc
import copy
import itertools
from types import SimpleNamespace
from typing import ClassVar, Self

import numpy as np
from scipy import linalg

from mercer.aliases import RawSamples
from mercer.domains.base import raw_length
from mercer.errors import ModelFileError, ParameterError, explain
from mercer.estimators.gp.hyperparameters import Hyperparameters
from mercer.estimators.gp.posterior import cross_blocks, sums_over
from mercer.gram.plan import require_room
from mercer.linalg.products import product
from mercer.solvers.gp.averaging import averaged, averaged_softmax
from mercer.solvers.gp.laplace import Laplace
from mercer.solvers.gp.laplace_multinomial import MultinomialLaplace
from mercer.solvers.gp.mode import Approximation, SampleWeight
from mercer.state import State, storable

Contrast = tuple[int | None, int | None]


def choose_contrasts(n_classes: int, multi_class: str) -> list[Contrast]:
    """For each problem the class that is 1, and the one that is 0.

    The latter is None for all other classes, and both are None for all classes at once.
    """
    if n_classes == 2:
        return [(1, None)]
    if multi_class == "multinomial":
        return [(None, None)]
    if multi_class == "one_vs_rest":
        return [(c, None) for c in range(n_classes)]
    return list(itertools.combinations(range(n_classes), 2))


def votes(each: np.ndarray, contrasts: list[Contrast], n_classes: int) -> np.ndarray:
    """Sums of the probabilities that a class has against each of the others."""
    sums = np.zeros((len(each), n_classes))
    for (positive, negative), probability in zip(contrasts, each.T, strict=True):
        sums[:, positive] += probability
        sums[:, negative] += 1 - probability
    return sums


class LaplaceProblem(abc.ABC):
    """Labeled samples, and the kernel whose hyperparameters are learned.

    The evidence can be asked for at any θ; the approximation is that at the θ of the last
    `condition`.
    """

    stored: ClassVar[State] = State(
        finite=("labels", "mode", "weight"),
        plain=("parameters", "X", "max_iter", "approximation"),
        samples=("X",),
        per_sample_last=("labels",),
    )
    kind: ClassVar[type[Approximation]]
    approximation: Approximation

    def __init__(
        self,
        parameters: Hyperparameters,
        X: RawSamples,
        labels: np.ndarray,
        weight: SampleWeight,
        max_iter: int,
    ) -> None:
        self.parameters, self.X, self.max_iter = parameters, X, max_iter
        self.labels, self.weight = labels.astype(float), weight
        self.mode: np.ndarray | None = None  # of the last θ, near which the next one begins

    @abc.abstractmethod
    def probabilities(self, X: RawSamples) -> np.ndarray:
        """Probabilities of the classes at X, averaged over the latent function."""

    def as_estimator(self) -> SimpleNamespace:
        """What was learned, by the names of scikit-learn's estimator of two classes."""
        return SimpleNamespace(
            X_train_=self.X,
            y_train_=self.labels,
            kernel_=self.parameters.kernel,
            log_marginal_likelihood_value_=np.float64(self.approximation.value),
            pi_=self.approximation.probability,
        )

    def with_parameters(self, parameters: Hyperparameters, max_iter: int) -> Self:
        """The same problem for another kernel."""
        other = copy.copy(self)
        other.parameters, other.max_iter, other.mode = parameters, max_iter, None
        parameters.fit(self.X)
        return other

    def evidence(self, theta: np.ndarray, eval_gradient: bool) -> tuple[float, np.ndarray]:
        """The approximate log evidence at θ, and its gradient, which is empty if not wanted."""
        self.parameters.theta = theta
        K = self.parameters.training_gram(self.X)
        approximation = self._at_mode(K, self.mode)
        if approximation is None:
            return -np.inf, np.zeros(len(theta))
        self.mode = approximation.mode
        if not eval_gradient:
            return approximation.value, np.zeros(0)
        weights = approximation.weights(K, self.labels)
        return approximation.value, self.parameters.gradient(self.X, weights)

    def _at_mode(self, K: np.ndarray, start: np.ndarray | None) -> Approximation | None:
        return self.kind.at_mode(K, self.labels, start, self.max_iter, weight=self.weight)

    def condition(self) -> None:
        """Compute the approximation at the present θ."""
        K = self.parameters.training_gram(self.X)
        approximation = self._at_mode(K, None)
        if approximation is None:
            rule = "gives a matrix that is not positive semi-definite"
            remedy = "kernel.refute(X) looks for a reason in the kernel"
            message = explain("kernel", self.parameters.kernel, rule, remedy)
            raise np.linalg.LinAlgError(message)
        self.approximation = approximation

    def _check_loaded(self) -> None:
        if self.approximation.probability.shape != self.labels.shape:
            shape = f"array of shape {self.approximation.probability.shape}"
            rule = f"must have the shape of the labels, {self.labels.shape}"
            raise ModelFileError("probability", shape, rule)


@storable
class BinaryProblem(LaplaceProblem):
    """Laplace's approximation for two classes, 1 and 0."""

    kind: ClassVar[type[Approximation]] = Laplace
    approximation: Laplace

    def latent_mean(self, X: RawSamples) -> np.ndarray:
        """The mean of the latent function, whose sign is the predicted class."""
        gap = self.approximation.slope(self.labels)
        return sums_over(self.parameters, X, self.X, gap)

    def latent(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the latent function."""
        mean, variance = np.empty(raw_length(X)), self.parameters.diag(X)
        gap = self.approximation.slope(self.labels)
        lower, root = self.approximation.lower, self.approximation.root
        for rows, K in cross_blocks(self.parameters, X, self.X):
            mean[rows] = product(K, gap)
            V = linalg.solve_triangular(lower, (K * root).T, lower=True, check_finite=False)
            variance[rows] -= np.einsum("ij,ij->j", V, V)
        return mean, np.maximum(variance, 0.0)

    def as_estimator(self) -> SimpleNamespace:
        part = super().as_estimator()
        part.L_, part.W_sr_ = self.approximation.lower, self.approximation.root
        return part

    def probabilities(self, X: RawSamples) -> np.ndarray:
        return averaged(*self.latent(X))


@storable
class MultinomialProblem(LaplaceProblem):
    """All classes at once: softmax, and one kernel for the latent functions of all.

    Labels are 1 for the class of a sample and 0 for others, a row for each class.
    """

    kind: ClassVar[type[Approximation]] = MultinomialLaplace
    approximation: MultinomialLaplace

    def probabilities(self, X: RawSamples) -> np.ndarray:
        probabilities = np.empty((raw_length(X), len(self.labels)))
        diagonal = self.parameters.diag(X)
        gap = self.approximation.slope(self.labels).T
        for rows, K in cross_blocks(self.parameters, X, self.X):
            columns = np.ascontiguousarray(K.T)
            covariances = self.approximation.covariances(columns, diagonal[rows])
            probabilities[rows] = averaged_softmax(product(K, gap), covariances)
        return probabilities


def check_room(n: int, n_classes: int, multi_class: str) -> None:
    """Raise an error where the matrix, or one for each class, exceeds the memory budget."""
    if multi_class == "multinomial" and n_classes > 2:
        what = "a Gram matrix for each of the classes"
        require_room(n * n_classes, n, np.float64, what)
    else:
        require_room(n, n, np.float64)


def split_thetas(
    theta: np.ndarray, problems: list[LaplaceProblem], eval_gradient: bool
) -> list[np.ndarray]:
    """The hyperparameters of each problem."""
    count, n_problems = len(problems[0].parameters.theta), len(problems)
    if theta.shape == (count,):
        return [theta] * n_problems
    total = n_problems * count
    if theta.shape != (total,):
        rule = f"must have {count} numbers"
        if n_problems > 1:
            rule += f", or {total} for the {n_problems} problems one after the other"
        raise ParameterError("theta", f"array of shape {theta.shape}", rule)
    if eval_gradient:
        rule, remedy = "is for parameters that all problems share", "of one kernel"
        raise ValueError(explain("eval_gradient", True, rule, f"give the {count} {remedy}"))
    return np.split(theta, n_problems)
