"""The parameters of a kernel and the noise as one vector of logarithms, and the way to the best."""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer.domains.base import Batch
from mercer.errors import MercerError, NotDifferentiableError
from mercer.estimators.gp.hyperparameters import KernelParameters
from mercer.estimators.gp.learning import Priors
from mercer.estimators.learning.objectives import Objective, Slope, Weight, evidence_slope
from mercer.execution.blas import serial_blas
from mercer.gram.fill import dense
from mercer.kernels.numerics.derivatives import gradient_between
from mercer.solvers.gp.descent import Descent, bfgs

NOISE = "noise"  # how the noise is called among the parameters
_FLAT = 1e-8  # a slope along a logarithm that says nothing


@dataclasses.dataclass
class NormalPrior:
    """A normal density of the logarithms, around where they start; none of the noise."""

    center: np.ndarray
    deviation: float

    def at(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """The logarithm of the density, up to a constant, and its gradient."""
        gap = (theta[: len(self.center)] - self.center) / self.deviation
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
    noise_range: tuple[float, float]
    objective: Objective = evidence_slope
    prior: NormalPrior | Priors | None = None
    kernel_moves: bool = True
    noise_moves: bool = True
    history: list[float] = dataclasses.field(default_factory=list)  # without the prior
    moves_at_start: bool = True  # whether the kernel's parameters change the objective there
    least: float = np.inf  # the least loss
    score: float = np.nan  # what reports show of the place with the least loss
    amplitude: np.ndarray | None = None  # there, of every target

    @property
    def n_moving(self) -> int:
        """How many of the kernel's parameters are learned."""
        return len(self.parameters.places) if self.kernel_moves else 0

    def labels(self) -> list[str]:
        """What every number of θ is called."""
        return self.parameters.labels()[: self.n_moving] + [NOISE] * self.noise_moves

    def theta(self) -> np.ndarray:
        """The present logarithms."""
        moving = self.parameters.theta[: self.n_moving]
        return np.concatenate([moving, np.log([self.noise] * self.noise_moves)])

    def bounds(self) -> np.ndarray:
        """The least and the largest logarithms, a row for each."""
        moving = self.parameters.bounds()[: self.n_moving]
        return np.vstack([moving, np.log([self.noise_range] * self.noise_moves).reshape(-1, 2)])

    def move(self, theta: np.ndarray) -> None:
        """Set the parameters of the kernel, and the noise."""
        if self.n_moving:
            self.parameters.theta = theta[: self.n_moving]
        if self.noise_moves:
            self.noise = float(np.exp(theta[-1]))

    def slope(self, theta: np.ndarray) -> tuple[Slope | None, np.ndarray]:
        """The objective without the prior at θ, and its gradient; None where it is not finite."""
        self.move(theta)
        kernel = self.parameters.kernel
        samples = kernel.prepare(self.batch)
        K = dense(kernel, samples, samples)
        slope = self.objective(K, self.noise, self.Y, self.weight)
        if slope is None or not np.isfinite(slope.value):
            return None, np.zeros(len(theta))
        gradient = np.empty(len(theta))
        if self.noise_moves:
            gradient[-1] = self.noise * slope.in_noise
        if self.n_moving:
            derivatives = gradient_between(kernel, samples, samples, slope.weights)
            gradient[: self.n_moving] = self.parameters.chain_rule(derivatives)
        return slope, gradient

    def loss(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """What is minimized: minus the objective, minus the logarithm of the prior."""
        try:
            slope, gradient = self.slope(theta)
        except NotDifferentiableError:
            raise
        except MercerError:  # a kernel that is not defined for these samples at all parameters
            if not self.history:
                raise
            slope, gradient = None, np.zeros(len(theta))
        if slope is None:
            self.history.append(np.nan)
            return np.inf, gradient
        if not self.history and self.n_moving:
            self.moves_at_start = bool((np.abs(gradient[: self.n_moving]) > _FLAT).any())
        self.history.append(slope.score)
        loss = -slope.value
        if self.prior is not None:
            log_prior, prior_slope = self.prior.at(theta)
            loss, gradient = loss - log_prior, gradient + prior_slope
        if loss < self.least:
            self.least, self.score, self.amplitude = loss, slope.score, slope.amplitude
        return loss, -gradient


def solve(problem: Problem, max_iter: int) -> Descent:
    """Move the kernel and the noise to the best that the descent finds."""
    with serial_blas():  # steps are short, and their sums do not depend on the number of threads
        descent = bfgs(problem.loss, problem.theta(), problem.bounds(), max_iter)
    problem.move(descent.x)
    return descent
