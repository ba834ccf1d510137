"""Learning a kernel's parameters: descent from several starts, within bounds, by any optimiser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mercer.aliases import RandomState
from mercer.errors import NotDifferentiableError, ParameterError, explain, warn
from mercer.estimators.gp.hyperparameters import Learned, Theirs
from mercer.solvers.gp.descent import bfgs

Objective = Callable[..., Any]  # (theta, eval_gradient=True) → −evidence, and −gradient

_STEP = 1e-5  # of a logarithm, for the slope of a prior
_NEAR = np.log(10.0)  # a logarithm, too


def learn(
    model: Learned | Theirs,
    minus: Objective,
    optimizer: Any,
    restarts: int,
    random_state: RandomState,
    given: Any,
) -> None:
    """Set the model's θ to the best that the optimiser finds; parameters that end at their bounds are named in a warning."""
    start, bounds = model.theta, model.bounds
    if optimizer is None or len(start) == 0:
        return
    starts = [start]
    if restarts > 0:
        if not np.isfinite(bounds).all():
            rule = "needs bounded parameters to draw starts from"
            raise ValueError(explain("n_restarts_optimizer", restarts, rule, "give finite bounds"))
        starts += _drawn(start, bounds, restarts, check_random_state(random_state))
    seen = Watched(minus, start)
    best = Found(start, np.inf)
    try:
        for number, theta in enumerate(starts):
            theta = np.clip(theta, bounds[:, 0], bounds[:, 1])
            if len(starts) > 1 and not np.isfinite(seen(theta, False)):
                continue  # no way leads from where the likelihood is not finite
            found = _descend(optimizer, seen, theta, bounds)
            best = min(best, found, key=lambda f: f.value)
            if optimizer == "bfgs" and number == 0 and (found.theta <= bounds[:, 0] + 1e-6).any():
                # a part that has vanished is often a trap, which long steps may miss
                best = min(
                    best, _descend("fmin_l_bfgs_b", seen, theta, bounds), key=lambda f: f.value
                )
    except StopIteration:  # a callback has seen enough
        best = seen.best
    except NotDifferentiableError as error:
        remedy = "fix the parameters that have no derivative with fixed=..., or say optimizer=None"
        raise NotDifferentiableError(
            "kernel", given, f"cannot be learned: {error}", remedy
        ) from None
    if not np.isfinite(best.value):
        rule = "gives no finite likelihood at any start"
        remedy = "scale X and y (normalize_y=True), raise alpha, or begin with other parameters"
        raise ValueError(explain("kernel", given, rule, remedy))
    model.theta = best.theta
    if best.trouble:
        warn(best.trouble, ConvergenceWarning)
    for name in at_bounds(model):
        plain = name.split("[")[0]
        where = (
            f"bounds={{{plain!r}: (low, high)}}"
            if isinstance(model, Learned)
            else f"{plain.split('__')[-1]}_bounds of the kernel"
        )
        message = f"the learned {name} is at its bound; widen {where}, or fix it"
        warn(message, ConvergenceWarning)


def _drawn(start: np.ndarray, bounds: np.ndarray, count: int, rng: Any) -> list[np.ndarray]:
    """Starts by turns around the given one, within a factor of ten, and anywhere within the bounds.

    Bounds are wide: of ten parameters drawn between them hardly one would be where the likelihood says anything.
    """
    near = np.column_stack(
        [np.maximum(start - _NEAR, bounds[:, 0]), np.minimum(start + _NEAR, bounds[:, 1])]
    )
    return [rng.uniform(*(near if i % 2 == 0 else bounds).T) for i in range(count)]


class Priors:
    """Densities of some parameters, by name: anything with ``logpdf``, as SciPy's frozen distributions have.

    They are densities of the value, not of its logarithm, though the logarithm is what moves.
    """

    def __init__(self, model: Learned | Theirs, given: dict[str, Any] | None) -> None:
        labels = model.labels()
        self.terms: list[tuple[int, Any]] = []
        for name, density in (given or {}).items():
            found = [
                at
                for at, label in enumerate(labels)
                if label == name or label.split("[")[0] == name
            ]
            if not found:
                remedy = f"choose among {', '.join(labels) or 'none: the kernel has none'}"
                raise ParameterError("priors", name, "is not a parameter that is learned", remedy)
            if not hasattr(density, "logpdf"):
                remedy = "give a frozen distribution, such as scipy.stats.gamma(2.0)"
                raise ParameterError(f"priors[{name!r}]", density, "has no logpdf", remedy)
            self.terms += [(at, density) for at in found]

    def at(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """The sum of their logarithms at θ, and its gradient by central differences: densities have no common derivative."""
        value, slope = 0.0, np.zeros(len(theta))
        for at, density in self.terms:
            logs = [float(density.logpdf(np.exp(theta[at] + h))) for h in (0.0, _STEP, -_STEP)]
            value += logs[0]
            slope[at] += (logs[1] - logs[2]) / (2 * _STEP)
        return (value, slope) if np.isfinite(value) else (-np.inf, np.zeros(len(theta)))


class Found(NamedTuple):
    """Where a descent ended, the value there, and what kept it from a minimum."""

    theta: np.ndarray
    value: float
    trouble: str = ""


class Watched:
    """An objective that remembers where it was lowest."""

    def __init__(self, minus: Objective, start: np.ndarray) -> None:
        self.minus, self.best = minus, Found(start, np.inf)

    def __call__(self, theta: np.ndarray, eval_gradient: bool = True) -> Any:
        found = self.minus(theta, eval_gradient)
        value = float(found[0] if eval_gradient else found)
        if value < self.best.value:
            self.best = Found(np.array(theta, dtype=float), value)
        return found


def _descend(optimizer: Any, minus: Objective, theta: np.ndarray, bounds: np.ndarray) -> Found:
    if callable(optimizer):
        found, value = optimizer(minus, theta, bounds=bounds)
        return Found(np.asarray(found), float(value))
    if optimizer == "bfgs":
        descent = bfgs(minus, theta, bounds)
        found, value, converged, message = (
            descent.x,
            descent.value,
            descent.converged,
            descent.message,
        )
    else:
        result = optimize.minimize(minus, theta, method="L-BFGS-B", jac=True, bounds=bounds)
        found, value, converged, message = (
            result.x,
            result.fun,
            result.status in (0, 1),
            result.message,
        )
    trouble = (
        ""
        if converged or not np.isfinite(value)
        else f"{optimizer} failed to converge ({message}); scale the data, or set bounds"
    )
    return Found(found, float(value), trouble)


def at_bounds(model: Learned | Theirs) -> list[str]:
    """The names of the parameters that lie at their bounds, and could be let further."""
    theta, bounds = model.theta, model.bounds
    if len(theta) == 0:
        return []
    close = np.isclose(bounds, theta[:, None], rtol=1e-6, atol=1e-6)
    if isinstance(model, Learned):
        close[:, 1] &= ~np.array(model.ends)
    close = close.any(axis=1)
    return [name for name, hit in zip(model.labels(), close, strict=True) if hit]
