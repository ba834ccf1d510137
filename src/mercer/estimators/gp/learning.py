"""Learning of hyperparameters: minimization from several starts, within bounds."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mercer.aliases import KernelLike, RandomState
from mercer.errors import MercerError, NotDifferentiableError, ParameterError, explain, warn
from mercer.estimators.common.fitting import Callback
from mercer.estimators.gp.hyperparameters import Hyperparameters
from mercer.solvers.gp.descent import bfgs

# of θ, and whether the gradient is wanted: the log evidence, and its gradient
Evidence = Callable[[np.ndarray, bool], tuple[float, np.ndarray]]
Optimizer = Literal["bfgs", "fmin_l_bfgs_b"] | Callable[..., tuple[np.ndarray, float]] | None

_STEP = 1e-5  # of a logarithm, for the gradient of a prior
_NEAR = np.log(10.0)  # a distance of logarithms


class Prior(Protocol):
    """The density of a hyperparameter, such as SciPy's frozen distributions."""

    def logpdf(self, x: float, /) -> float: ...


class Labeled(Protocol):
    """Hyperparameters that have names."""

    def labels(self) -> list[str]: ...


PriorsLike = Mapping[str, Prior] | None  # by name


class Priors:
    """Densities of some hyperparameters, by name.

    They are densities of the value, not of its logarithm, though the logarithm is what moves.
    """

    def __init__(self, parameters: Labeled, given: PriorsLike) -> None:
        self.labels = parameters.labels()
        self.terms: list[tuple[int, Prior]] = []
        for name, density in (given or {}).items():
            positions = self._positions(name)
            if not hasattr(density, "logpdf"):
                remedy = "give a frozen distribution, such as scipy.stats.gamma(2.0)"
                raise ParameterError(f"priors[{name!r}]", density, "has no logpdf", remedy)
            self.terms += [(position, density) for position in positions]

    def _positions(self, name: str) -> list[int]:
        """Where a hyperparameter, or all numbers of an array, are found in θ."""
        names = [(label, label.split("[")[0]) for label in self.labels]
        positions = [position for position, known in enumerate(names) if name in known]
        if not positions:
            remedy = f"choose among {', '.join(self.labels) or 'none: the kernel has none'}"
            raise ParameterError("priors", name, "is not a parameter that is learned", remedy)
        return positions

    def at(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """The sum of their logarithms at θ, and its gradient.

        The gradient is taken by central differences: densities have no common derivative.
        """
        value, gradient = 0.0, np.zeros(len(theta))
        for position, density in self.terms:
            number = theta[position]
            here, above, below = (
                float(density.logpdf(np.exp(number + h))) for h in (0.0, _STEP, -_STEP)
            )
            value += here
            gradient[position] += (above - below) / (2 * _STEP)
        if not np.isfinite(value):
            return -np.inf, np.zeros(len(theta))
        return value, gradient


class Learned(NamedTuple):
    """How often an evidence was evaluated, and whether learning converged; None if unknown."""

    evaluations: int = 0
    converged: bool | None = None

    def and_then(self, later: Learned) -> Learned:
        """Both results together, which have converged if each has."""
        known = [one for one in (self.converged, later.converged) if one is not None]
        return Learned(self.evaluations + later.evaluations, all(known) if known else None)


class Optimum(NamedTuple):
    """Where a minimization ended, the value there, and what kept it from a minimum."""

    theta: np.ndarray
    value: float
    trouble: str = ""


class Objective:
    """What an optimizer minimizes: minus the log evidence, minus the logarithms of the priors.

    It counts its evaluations, remembers where it was lowest, and raises StopIteration after a
    callback has asked to stop.
    """

    def __init__(self, evidence: Evidence, priors: Priors, callback: Callback | None) -> None:
        self.evidence, self.priors, self.callback = evidence, priors, callback
        self.evaluations = 0
        self.best = Optimum(np.zeros(0), np.inf)
        self._stopping = False

    def __call__(self, theta: np.ndarray, eval_gradient: bool = True) -> Any:
        if self._stopping:  # the callback said so after the last one, which still counts
            raise StopIteration
        self.evaluations += 1
        value, gradient = self._evidence(theta, eval_gradient)
        log_prior, prior_gradient = self.priors.at(theta)
        if self.callback is not None:
            self._stopping = bool(self.callback(self.evaluations, value))
        total = -value - log_prior
        if total < self.best.value:
            self.best = Optimum(np.array(theta, dtype=float), float(total))
        if not eval_gradient:
            return total
        return total, -gradient - prior_gradient

    def _evidence(self, theta: np.ndarray, eval_gradient: bool) -> tuple[float, np.ndarray]:
        try:
            return self.evidence(theta, eval_gradient)
        except NotDifferentiableError:
            raise
        except MercerError:  # a kernel that is not defined for these samples at all parameters
            if self.evaluations == 1:
                raise
            return -np.inf, np.zeros(len(theta))


def draw_starts(
    parameters: Hyperparameters, restarts: int, random_state: RandomState
) -> list[np.ndarray]:
    """The present θ, and as many others, drawn by turns within a factor of ten and within bounds.

    Bounds are wide: of ten hyperparameters drawn between them hardly one would be where the
    likelihood says anything.
    """
    start, bounds = parameters.theta, parameters.bounds()
    if restarts == 0:
        return [start]
    if not np.isfinite(bounds).all():
        rule = "requires that all bounds are finite, to draw starts from"
        raise ValueError(explain("n_restarts_optimizer", restarts, rule, "give finite bounds"))
    rng = check_random_state(random_state)
    low, high = bounds.T
    near = np.maximum(start - _NEAR, low), np.minimum(start + _NEAR, high)
    ranges = itertools.cycle([near, (low, high)])
    return [start, *(rng.uniform(*ends) for ends in itertools.islice(ranges, restarts))]


def learn(
    parameters: Hyperparameters,
    objective: Objective,
    optimizer: Optimizer,
    starts: list[np.ndarray],
    given: KernelLike,
) -> Learned:
    """Set θ to the best that the optimizer finds; warn of hyperparameters at their bounds."""
    try:
        best = _best_of(optimizer, objective, starts, parameters.bounds())
    except StopIteration:  # a callback has seen enough
        best = objective.best
    except NotDifferentiableError as error:
        rule = f"cannot be learned: {error}"
        remedy = "fix the parameters that have no derivative with fixed=..., or set optimizer=None"
        raise NotDifferentiableError("kernel", given, rule, remedy) from None
    if not np.isfinite(best.value):
        rule = "gives no finite likelihood at any start"
        remedy = "scale X and y (normalize_y=True), raise alpha, or begin with other parameters"
        remedy += "; if that does not help, kernel.refute(X) looks for a reason in the kernel"
        raise ValueError(explain("kernel", given, rule, remedy))
    parameters.theta = best.theta
    if best.trouble:
        warn(best.trouble, ConvergenceWarning)
    for name in parameters.at_bounds():
        setting = parameters.bounds_setting(name.split("[")[0])
        message = f"the learned {name} is at its bound; widen {setting}, or fix it"
        warn(message, ConvergenceWarning)
    converged = None if callable(optimizer) else not best.trouble
    return Learned(objective.evaluations, converged)


def _best_of(
    optimizer: Optimizer, objective: Objective, starts: list[np.ndarray], bounds: np.ndarray
) -> Optimum:
    optima = [Optimum(starts[0], np.inf)]
    for start in starts:
        theta = np.clip(start, bounds[:, 0], bounds[:, 1])
        # No way leads from where the likelihood is not finite.
        if len(starts) == 1 or np.isfinite(objective(theta, False)):
            optima.append(_minimize(optimizer, objective, theta, bounds))
            if start is starts[0]:
                optima += _second_try(optimizer, objective, theta, bounds, optima[-1])
    return min(optima, key=lambda optimum: optimum.value)


def _second_try(
    optimizer: Optimizer,
    objective: Objective,
    start: np.ndarray,
    bounds: np.ndarray,
    optimum: Optimum,
) -> list[Optimum]:
    """The optimum of L-BFGS-B, if a part of the kernel is as small as its bounds allow.

    A part that has vanished is often a trap, which longer steps may miss.
    """
    vanished = (optimum.theta <= bounds[:, 0] + 1e-6).any()
    if optimizer == "bfgs" and vanished:
        return [_minimize("fmin_l_bfgs_b", objective, start, bounds)]
    return []


def _minimize(
    optimizer: Optimizer, objective: Objective, start: np.ndarray, bounds: np.ndarray
) -> Optimum:
    if callable(optimizer):
        theta, value = optimizer(objective, start, bounds=bounds)
        return Optimum(np.asarray(theta), float(value))
    if optimizer == "bfgs":
        descent = bfgs(objective, start, bounds)
        return _optimum(optimizer, descent.x, descent.value, descent.converged, descent.reason)
    result = optimize.minimize(objective, start, method="L-BFGS-B", jac=True, bounds=bounds)
    return _optimum(optimizer, result.x, result.fun, result.status in (0, 1), result.message)


def _optimum(
    name: str | None, theta: np.ndarray, value: float, converged: bool, reason: str
) -> Optimum:
    trouble = ""
    if not converged and np.isfinite(value):
        trouble = f"{name} failed to converge ({reason}); scale the data, or set bounds"
    return Optimum(theta, float(value), trouble)
