"""The way to the posterior of Gaussian process regression that was asked for, or that fits the
memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from numbers import Integral
from typing import Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mercer.aliases import CentersLike, RandomState, RawSamples, Targets, Weights
from mercer.config import format_bytes
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError, explain, warn
from mercer.estimators.centers.data import checked
from mercer.estimators.centers.problem import at_most_all
from mercer.estimators.gp.hyperparameters import Hyperparameters
from mercer.estimators.gp.learning import Evidence, Learned
from mercer.estimators.gp.posterior import ExactPosterior, Posterior
from mercer.estimators.gp.sparse import IterativePosterior, SparsePosterior
from mercer.estimators.gp.targets import MeanFunction, Units, mean_at
from mercer.gram.blocks.sources import is_source, scan
from mercer.gram.plan import WHOLE, budget_text, plan_matrix, require_room

Prediction = np.ndarray | tuple[np.ndarray, np.ndarray]
METHODS = ("exact", "sparse", "iterative")
_ROUNDS = 2  # times that inducing points are chosen again for the hyperparameters learned
_RISE = 1e-4  # a relative rise of the bound that is not worth another round


def choose_posterior(
    method: str,
    parameters: Hyperparameters,
    X: RawSamples,
    Y: np.ndarray,
    noise: np.ndarray,
    weight: np.ndarray | float,
) -> Posterior:
    """The posterior by the given method; "auto" is exact while the matrix fits the memory."""
    n = len(Y)
    plan = plan_matrix(n, WHOLE, required=method == "exact")
    if method in ("exact", "auto") and plan.stored:
        require_room(n, n, np.float64)
        return ExactPosterior(parameters, X, Y, noise, weight)
    reason = "asked for"
    if method == "auto":
        size = format_bytes(plan.bytes)
        reason = f"the matrix of {size} exceeds the memory budget of {budget_text()}"
    kind = IterativePosterior if method == "iterative" else SparsePosterior
    posterior = kind(parameters, X, Y, np.broadcast_to(noise, (n,)), weight)
    posterior.reason = reason
    return posterior


@dataclasses.dataclass(frozen=True)
class Way:
    """How the posterior is computed: a method, and inducing points: so many, or given ones."""

    method: str
    n_inducing: int
    inducing: RawSamples = None
    drawn: bool = False  # whether ``centers`` is a number of samples

    @classmethod
    def of(cls, method: str, n_inducing: int, centers: CentersLike) -> Self:
        """The inference that ``centers`` selects, with the other two parameters."""
        if isinstance(centers, str):
            exact = centers == "all" and method == "auto"
            return cls("exact" if exact else method, n_inducing)
        way = "sparse" if method == "auto" else method
        if way == "exact":
            rule = "are inducing points, which method='exact' has none of"
            raise ParameterError("centers", centers, rule, "set method='sparse'")
        if isinstance(centers, Integral):
            return cls(way, int(centers), drawn=True)
        if raw_length(centers) == 0:
            raise ParameterError("centers", centers, "is empty")
        return cls(way, raw_length(centers), centers)

    def count(self, n: int) -> int:
        """How many inducing points there are for n samples."""
        return at_most_all(self.n_inducing, n) if self.drawn else self.n_inducing


def loaded(
    X: RawSamples, y: Targets, sample_weight: Weights, vectors: bool
) -> tuple[RawSamples, Targets, Weights, tuple[str, ...]]:
    """Samples in memory: a source of rows is loaded, which a note says."""
    if not is_source(X, y):
        return X, y, sample_weight, ()
    source = scan(X, y, sample_weight=sample_weight)
    block = checked(source, vectors, "numbers").whole()
    size = format_bytes(source.bytes)
    note = f"all {len(source)} rows were loaded into memory, {size}"
    return block.X, block.y, block.weight, (note,)


def checked_noise(alpha: float | np.ndarray, counted: np.ndarray) -> np.ndarray:
    """The variance of the noise, one for all samples or one for each that is counted."""
    n = len(counted)
    if isinstance(alpha, np.ndarray):
        if alpha.shape != (n,):
            rule = "alpha must be a scalar or an array with same number of entries as y."
            raise ValueError(f"{rule} ({alpha.shape} != ({n},))")
        if not ((alpha >= 0) & np.isfinite(alpha)).all():
            raise ValueError(explain("alpha", alpha, "must be variances: finite and >= 0"))
        alpha = alpha[counted]
    return np.asarray(alpha, dtype=float)


def check_separable(parameters: Hyperparameters, X: RawSamples) -> None:
    """Refuse weights where a kernel's own noise, which they divide, is not separable."""
    one = pick_rows(X, np.arange(1))
    if parameters.mercer_kernel is None and parameters.diag(one) != parameters.cross(one, one)[0]:
        rule = "has noise that sample_weight should divide, and mercer cannot separate it"
        remedy = "write it with mercer's kernels, or replace WhiteKernel by alpha"
        raise ValueError(explain("kernel", parameters.kernel, rule, remedy))


def refine_inducing(
    posterior: SparsePosterior, learn: Callable[[Hyperparameters, Evidence], Learned]
) -> Learned:
    """Choose inducing points for the hyperparameters, learn these again, while the bound rises."""
    parameters = posterior.parameters
    learned = Learned()
    few = posterior.given is None and posterior.count < len(posterior.Y)
    if len(parameters.theta) == 0 or not few:
        return learned
    best, _ = posterior.evidence(parameters.theta, False)
    for _ in range(_ROUNDS):
        theta, inducing = parameters.theta, posterior.inducing
        posterior.choose_inducing()
        learned = learned.and_then(learn(parameters, posterior.evidence))
        value, _ = posterior.evidence(parameters.theta, False)
        if value <= best:
            parameters.theta, posterior.inducing = theta, inducing
            break
        rise, best = value - best, value
        if rise < _RISE * abs(best):
            break
    return learned


def warn_of_rounding(posterior: Posterior, learned: Learned, alpha: float | np.ndarray) -> Learned:
    """Warn where a matrix is singular but for rounding errors: nothing converges there."""
    if posterior.jitter and isinstance(posterior, ExactPosterior):
        rule = f"was not enough: {posterior.jitter:.3g} had to be added to the diagonal of K"
        warn(explain("alpha", alpha, rule, "raise alpha, or remove duplicate samples"))
    if not posterior.doubt or learned.converged is None:
        return learned
    rule = f"leaves the log marginal likelihood to rounding errors: {posterior.doubt}"
    remedy = (
        "the learned hyperparameters may not be the best; raise alpha, or add a noise term to the "
        "kernel: + 0.1 * White()"
    )
    warn(explain("alpha", alpha, rule, remedy), ConvergenceWarning)
    return learned._replace(converged=False)


def predict_prior(
    parameters: Hyperparameters,
    mean_function: MeanFunction,
    n_targets: int,
    X: RawSamples,
    return_std: bool,
    return_cov: bool,
) -> Prediction:
    """The prior's mean at X, and its standard deviations or covariance if they are asked for."""
    ones = np.squeeze(np.ones(n_targets))  # a single target has no axis
    mean = np.multiply.outer(np.zeros(raw_length(X)), ones)
    if not hasattr(mean_function, "fit"):  # a regressor knows nothing yet
        mean = mean + mean_at(mean_function, X, mean.shape)
    if return_cov:
        return mean, np.multiply.outer(parameters.gram(X), ones)
    if return_std:
        return mean, np.multiply.outer(np.sqrt(parameters.diag(X)), ones)
    return mean


def drawn(
    mean: np.ndarray, covariance: np.ndarray, n_samples: int, random_state: RandomState
) -> np.ndarray:
    """Draws of functions with this mean and covariance, a column for each."""
    rng = check_random_state(random_state)
    if mean.ndim == 1:
        return rng.multivariate_normal(mean, covariance, n_samples).T
    draws = [
        rng.multivariate_normal(mean[:, t], covariance[..., t], n_samples)
        for t in range(mean.shape[1])
    ]
    return np.stack([draw.T for draw in draws], axis=1)


def left_out(
    posterior: ExactPosterior, y: np.ndarray, units: Units, means: np.ndarray | float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, standard deviations and log-densities of observations, each predicted by the others.

    ``y`` are the targets in the units of the posterior, ``means`` those of the mean function.
    """
    gap, variance = posterior.leave_one_out()
    if y.ndim == 1:
        gap, variance = gap[:, 0], variance[:, 0]
    density = -0.5 * np.log(2 * np.pi * variance) - 0.5 * gap**2 / variance - np.log(units.scale)
    mean = units.restore(y - gap) + means
    return mean, np.sqrt(variance) * units.scale, density
