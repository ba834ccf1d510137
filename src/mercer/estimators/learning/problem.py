"""The parameters of a kernel and the noise as one vector of logarithms, and the way to the best."""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer.domains.base import Batch
from mercer.errors import MercerError, NotDifferentiableError
from mercer.estimators.gp.hyperparameters import KernelParameters
from mercer.estimators.gp.learning import Priors
from mercer.estimators.learning.objectives import Objective, Weight
from mercer.execution.blas import serial_blas
from mercer.gram.fill import dense
from mercer.kernels.derivatives import gradient_between
from mercer.solvers.gp.descent import Descent, bfgs

NOISE = "noise"  # how the noise is called among the parameters


@dataclasses.dataclass
class NormalPrior:
    """A normal density of the logarithms, around where they start; none of the noise."""

    centre: np.ndarray
    deviation: float

    def at(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """The logarithm of the density, up to a constant, and its gradient."""
        gap = (theta[: len(self.centre)] - self.centre) / self.deviation
        gradient = np.zeros(len(theta))
        gradient[: len(gap)] = -gap / self.deviation
        return -0.5 * float(gap @ gap), gradient


@dataclasses.dataclass
class Problem:
    """Samples, targets, and what is learned: θ has the kernel's parameters, then the noise."""

    parameters: KernelParameters
    batch: Batch
    Y: np.ndarray
    weight: Weight
    noise: float
    noise_range: tuple[float, float] | None  # None where the noise is not learned
    objective: Objective
    prior: NormalPrior | Priors | None = None
    history: list[float] = dataclasses.field(default_factory=list)  # without the prior
    best: tuple[float, float] = (np.inf, np.nan)  # the least loss, and the value without the prior

    @property
    def value(self) -> float:
        """The objective, without the prior, where the loss was least."""
        return self.best[1]

    def labels(self) -> list[str]:
        """What every number of θ is called."""
        noise = [] if self.noise_range is None else [NOISE]
        return self.parameters.labels() + noise

    def theta(self) -> np.ndarray:
        """The present logarithms."""
        noise = [] if self.noise_range is None else [np.log(self.noise)]
        return np.concatenate([self.parameters.theta, noise])

    def bounds(self) -> np.ndarray:
        """The least and the largest logarithms, a row for each."""
        noise = [] if self.noise_range is None else [np.log(self.noise_range)]
        return np.vstack([self.parameters.bounds(), *noise])

    def move(self, theta: np.ndarray) -> None:
        """Set the parameters of the kernel, and the noise."""
        if self.noise_range is not None:
            self.noise = float(np.exp(theta[-1]))
            theta = theta[:-1]
        if len(theta):
            self.parameters.theta = theta

    def slope(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """The objective without the prior at θ, and its gradient."""
        self.move(theta)
        kernel = self.parameters.kernel
        samples = kernel.prepare(self.batch)
        K = dense(kernel, samples, samples)
        found = self.objective(K, self.noise, self.Y, self.weight)
        if found is None or not np.isfinite(found.value):
            return -np.inf, np.zeros(len(theta))
        gradient = np.empty(len(theta))
        if self.noise_range is not None:
            gradient[-1] = self.noise * found.in_noise
        if self.parameters.places:
            derivatives = gradient_between(kernel, samples, samples, found.weights)
            gradient[: len(self.parameters.places)] = self.parameters.chain_rule(derivatives)
        return found.value, gradient

    def loss(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """What is minimised: minus the objective, minus the logarithm of the prior."""
        try:
            value, gradient = self.slope(theta)
        except NotDifferentiableError:
            raise
        except MercerError:  # a kernel that is not defined for these samples at all parameters
            if not self.history:
                raise
            return np.inf, np.zeros(len(theta))
        self.history.append(value)
        log_prior = 0.0
        if self.prior is not None:
            log_prior, slope = self.prior.at(theta)
            gradient += slope
        loss = -value - log_prior
        self.best = min(self.best, (loss, value))
        return loss, -gradient


def solve(problem: Problem, max_iter: int) -> Descent:
    """Move the kernel and the noise to the best that the descent finds."""
    with serial_blas():  # steps are short, and their sums do not depend on the number of threads
        descent = bfgs(problem.loss, problem.theta(), problem.bounds(), max_iter)
        problem.move(descent.x)
    return descent
