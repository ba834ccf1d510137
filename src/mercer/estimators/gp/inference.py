"""The way to the posterior of Gaussian process regression that was asked for, or that fits the
memory.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.aliases import RawSamples
from mercer.config import format_bytes
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import explain, warn
from mercer.estimators.gp.hyperparameters import Hyperparameters
from mercer.estimators.gp.learning import Evidence, Learned
from mercer.estimators.gp.posterior import ExactPosterior, Posterior
from mercer.estimators.gp.sparse import IterativePosterior, SparsePosterior
from mercer.estimators.gp.targets import MeanFunction, mean_at
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
    """Refuse weights where a kernel's own noise, which they divide, cannot be told apart."""
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
    if len(parameters.theta) == 0 or posterior.count == len(posterior.Y):
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
