"""Learning from samples and targets that were checked before."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from numbers import Real

import numpy as np
from sklearn.base import clone

from mercer.domains.base import Batch
from mercer.errors import NotDifferentiableError, ParameterError, explain
from mercer.estimators.gp.bounds import DEFAULT, BoundsLike, Names, is_range
from mercer.estimators.gp.hyperparameters import KernelParameters
from mercer.estimators.gp.learning import Priors, PriorsLike
from mercer.estimators.learning.objectives import (
    OBJECTIVES,
    Objective,
    Weight,
    loo_slope,
    profiled_slope,
)
from mercer.estimators.learning.problem import NOISE, NormalPrior, Problem, solve
from mercer.estimators.learning.result import LearnedKernel, LearnedParameter
from mercer.kernels.base import Kernel
from mercer.kernels.combine.products import Product
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.params import integer, positive

NOT_MOVED = "the objective does not change with the kernel's parameters where they begin"
PriorLike = float | PriorsLike
Range = tuple[float, float]
_NOISE_START = 0.1  # in units of the mean of k(x, x)
_NOISE_RANGE = (1e-8, 1e3)  # in the same units


@dataclasses.dataclass(frozen=True)
class Settings:
    """How a kernel is learned, as the arguments of `learn_kernel`."""

    by: str = "evidence"
    noise: float | None = None
    amplitude: bool | None = None
    prior: PriorLike = None
    bounds: BoundsLike = DEFAULT
    fixed: Names = ()
    max_iter: int = 100

    def check(self) -> None:
        """Refuse what can be refused without the kernel."""
        if self.by not in OBJECTIVES:
            raise ParameterError("by", self.by, f"must be one of {', '.join(OBJECTIVES)}")
        if self.noise is not None:
            positive.check("noise", self.noise)
        integer(1).check("max_iter", self.max_iter)
        if self.amplitude not in (True, False, None):
            raise ParameterError("amplitude", self.amplitude, "must be True, False or None")
        if not isinstance(self.prior, Mapping) and self.prior is not None:
            is_number = isinstance(self.prior, Real) and not isinstance(self.prior, bool)
            if not is_number or not 0 < self.prior < np.inf:
                rule = "must be a standard deviation > 0, a dictionary of densities, or None"
                raise ParameterError("prior", self.prior, rule)
        if not is_range(self.noise_range(1.0)):
            rule = "must be two positive numbers, the smaller first"
            raise ParameterError(f"bounds[{NOISE!r}]", self.noise_range(1.0), rule)

    def noise_range(self, unit: float) -> Range:
        """The least and the largest variance of the noise; by default in units of the kernel."""
        if isinstance(self.bounds, dict) and NOISE in self.bounds:
            return self.bounds[NOISE]
        low, high = _NOISE_RANGE
        return low * unit, high * unit

    @property
    def kernel_bounds(self) -> BoundsLike:
        """The bounds of the kernel's own parameters."""
        if isinstance(self.bounds, dict):
            return {name: given for name, given in self.bounds.items() if name != NOISE}
        return self.bounds

    @property
    def fixed_names(self) -> list[str]:
        """The names of what is not learned."""
        return [self.fixed] if isinstance(self.fixed, str) else list(self.fixed)

    def objective(self, kernel: Kernel) -> Objective:
        """What is maximized for this kernel."""
        profile = not has_factor(kernel) if self.amplitude is None else self.amplitude
        if self.by == "evidence" and profile:
            return profiled_slope
        return OBJECTIVES[self.by]


def has_factor(kernel: Kernel) -> bool:
    """Whether a parameter of the kernel multiplies all its values."""
    match kernel:
        case Scaled():
            return True
        case Product():
            return any(map(has_factor, kernel.children()))
        case Sum():
            return all(map(has_factor, kernel.children()))
    return False


def learn_parameters(
    kernel: Kernel, batch: Batch, Y: np.ndarray, settings: Settings, weight: Weight = 1.0
) -> LearnedKernel:
    """`learn_kernel` without its checks, for standardized columns of targets.

    ``batch`` is ``Batch(Z)`` of an array of floats, or of any other samples.
    """
    names = settings.fixed_names
    own_names = [name for name in names if name != NOISE]
    parameters = KernelParameters(clone(kernel), settings.kernel_bounds, own_names)
    parameters.kernel.fit_batch(batch)
    unit = _unit(parameters.kernel, batch)
    noise = _NOISE_START * unit if settings.noise is None else float(settings.noise)
    problem = Problem(parameters, batch, Y, weight, noise, settings.noise_range(unit))
    problem.objective = settings.objective(kernel)
    problem.noise_moves = NOISE not in names and settings.by != "alignment"
    problem.prior = _prior(problem, settings.prior)
    table, converged = _descend(problem, settings)
    score, history = problem.score, np.array(problem.history)
    if settings.by == "alignment" and NOISE not in names:
        table += _learn_noise(problem, settings)
    _settle(parameters)
    return LearnedKernel(
        kernel=parameters.kernel,
        noise=problem.noise,
        value=score,
        by=settings.by,
        history=history,
        amplitude=problem.amplitude,
        n_rows=len(Y),
        parameters=table,
        converged=converged,
        notes=_kept(problem),
    )


def _unit(kernel: Kernel, batch: Batch) -> float:
    """The mean of k(x, x), or 1 where that is no unit of a variance."""
    with np.errstate(all="ignore"):
        mean = float(np.mean(kernel.diagonal(kernel.prepare(batch))))
    return mean if 0 < mean < np.inf else 1.0


def _prior(problem: Problem, prior: PriorLike) -> NormalPrior | Priors | None:
    if prior is None:
        return None
    if isinstance(prior, Mapping):
        return Priors(problem, prior)
    return NormalPrior(problem.parameters.theta, float(prior))


def _descend(problem: Problem, settings: Settings) -> tuple[tuple[LearnedParameter, ...], bool]:
    """Move what is learned to its best; a table of it, and whether the optimum was reached."""
    start, kernel = problem.theta(), problem.parameters.kernel
    try:
        descent = solve(problem, settings.max_iter)
    except NotDifferentiableError as error:
        remedy = "fix the parameters that have no derivative with fixed=..."
        rule = f"cannot be learned: {error}"
        raise NotDifferentiableError("kernel", kernel, rule, remedy) from None
    if not np.isfinite(descent.value):
        rule = f"gives no finite value of the {settings.by} where it begins"
        remedy = "raise noise, or begin with other parameters"
        raise ValueError(explain("kernel", kernel, rule, remedy))
    near = np.isclose(problem.bounds(), descent.x[:, None], rtol=1e-5, atol=1e-6).any(axis=1)
    columns = zip(problem.labels(), np.exp(start), np.exp(descent.x), near, strict=True)
    table = tuple(
        LearnedParameter(name, float(first), float(last), bool(at_bound))
        for name, first, last, at_bound in columns
    )
    return table, descent.converged


def _learn_noise(problem: Problem, settings: Settings) -> tuple[LearnedParameter, ...]:
    """Learn the noise beside a kernel that is known, by the leave-one-out error."""
    problem.objective, problem.prior = loo_slope, None
    problem.kernel_moves, problem.noise_moves, problem.least = False, True, np.inf
    return _descend(problem, settings)[0]


def _settle(parameters: KernelParameters) -> None:
    """Bring numbers that lie beyond a bound by rounding errors back to it; forget the bounds."""
    kernel = parameters.kernel
    given = kernel.continuous_params()
    values = {name: np.array(number, dtype=float) for name, number in given.items()}
    for (name, position), ends in zip(parameters.places.values(), parameters.ranges, strict=True):
        at = () if position is None else position
        values[name][at] = np.clip(values[name][at], *ends)
    learned = dict.fromkeys(name for name, _ in parameters.places.values())
    for name in learned:
        number = values[name]
        kernel.set_params(**{name: number if number.ndim else float(number)})
    kernel.__dict__.pop("_limits", None)


def _kept(problem: Problem) -> tuple[str, ...]:
    """Notes on hyperparameters that were not learned although they were not fixed."""
    parameters = problem.parameters
    kept = tuple(f"{name} is left as it is" for name in parameters.not_learned)
    if not parameters.kernel.continuous_params():
        kept += ("the kernel has no continuous parameter",)
    if not problem.moves_at_start:
        kept += (NOT_MOVED,)
    return kept
