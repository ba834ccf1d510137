"""Learning of a kernel's continuous parameters from samples and targets."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Kernel as SklearnBase

from mercer.aliases import KernelLike, RandomState, RawSamples, Targets, Weights
from mercer.definiteness import UNKNOWN
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.errors import ParameterError
from mercer.estimators.common.base import KernelEstimator, certificate_on
from mercer.estimators.common.validation import check_weights
from mercer.estimators.gp.bounds import DEFAULT, BoundsLike, Names
from mercer.estimators.gp.hyperparameters import KernelParameters, check_status
from mercer.estimators.gp.kernel_argument import mercer_kernel
from mercer.estimators.gp.learning import Priors, PriorsLike
from mercer.estimators.learning.objectives import OBJECTIVES
from mercer.estimators.learning.problem import NOISE, NormalPrior, Problem, solve
from mercer.estimators.learning.result import LearnedKernel, LearnedParameter
from mercer.estimators.learning.targets import Target, draw_rows, encode, standardise
from mercer.kernels.base import Kernel

PriorLike = float | PriorsLike
_NOISE_RANGE = (1e-6, 1e2)


class KernelLearning(KernelEstimator):
    """What checks the samples of `learn_kernel`, by the rules of all estimators."""

    def __init__(self, kernel: KernelLike) -> None:
        self.kernel = kernel


def learn_kernel(
    kernel: KernelLike,
    X: RawSamples,
    y: Targets,
    *,
    by: str = "evidence",
    noise: float = 0.1,
    rows: int | None = 700,
    prior: PriorLike = None,
    bounds: BoundsLike = DEFAULT,
    fixed: Names = (),
    max_iter: int = 100,
    target: Target = "auto",
    sample_weight: Weights = None,
    random_state: RandomState = 0,
) -> LearnedKernel:
    """Learn the continuous parameters of any kernel from samples and targets.

    Parameters
    ----------
    kernel : Kernel or str
        The kernel, or an expression; its parameters are where learning begins. It is copied.
    X : collection of n samples
        Samples of whatever kind the kernel reads.
    y : array-like of shape (n,) or (n, n_targets)
        Numbers, one or several for each sample, or labels of classes. Numbers are standardised.
        Labels are coded as ±1, a column for each class against the rest.
    by : {"evidence"}, default="evidence"
        What is maximised.
    noise : float, default=0.1
        Where the variance of the noise begins, for targets of variance 1.
    rows : int or None, default=700
        The largest number of samples to learn from, drawn at random and of every class its share.
        None takes all of them.
    prior : float or dict, default=None
        The standard deviation of a normal prior of the logarithms of the kernel's parameters around
        where they begin (the noise has none), or densities by name, as the ``priors`` of
        `GaussianProcessRegressor`.
    bounds, fixed
        As of `GaussianProcessRegressor`; the noise is called "noise".
    max_iter : int, default=100
        The largest number of steps.
    target : {"auto", "numbers", "labels"}, default="auto"
        What y is. By default text, truth values and up to 20 different integers that repeat are
        labels.
    sample_weight : array-like of shape (n,), default=None
        How often each sample counts: a weight of 2 is the row twice.
    random_state : int, RandomState or None, default=0
        The seed that samples are drawn with.

    Returns
    -------
    LearnedKernel
        The kernel, the noise, the objective, and a table of what was learned.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, learn_kernel
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, (80, 2))
    >>> y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=80)
    >>> learned = learn_kernel(RBF([1.0, 1.0]), X, y)
    >>> wide = learned.kernel.length_scale
    >>> bool(wide[1] > 10 * wide[0])
    True
    """
    start = _kernel(kernel)
    X = KernelLearning(start)._check_X(X, reset=True)
    _check_certificate(start, X)
    codes = encode(y, target, raw_length(X))
    weight = _weights(sample_weight, raw_length(X))
    some = draw_rows(codes, rows, random_state)
    some, weight = _counted(some, weight)
    columns = standardise(codes.columns[some], weight)
    chosen = X if len(some) == raw_length(X) else pick_rows(X, some)
    learned = learn_parameters(
        start,
        Batch(chosen),
        columns,
        by=by,
        noise=noise,
        prior=prior,
        bounds=bounds,
        fixed=fixed,
        max_iter=max_iter,
        weight=weight,
        n_left_out=raw_length(X) - len(some),
        notes=(codes.words,),
    )
    if learned.n_left_out:
        learned.kernel.fit(X)
    return learned


def learn_parameters(
    kernel: Kernel,
    batch: Batch,
    Y: np.ndarray,
    *,
    by: str = "evidence",
    noise: float = 0.1,
    prior: PriorLike = None,
    bounds: BoundsLike = DEFAULT,
    fixed: Names = (),
    max_iter: int = 100,
    weight: np.ndarray | float = 1.0,
    n_left_out: int = 0,
    notes: tuple[str, ...] = (),
) -> LearnedKernel:
    """`learn_kernel` for samples that were checked and targets that are standardised columns.

    ``batch`` is ``Batch(Z)`` of an array Z of floats, or of any other samples.
    """
    own_bounds, noise_range = _noise_bounds(bounds, fixed)
    own_fixed = [name for name in _names(fixed) if name != NOISE]
    parameters = KernelParameters(clone(kernel), own_bounds, own_fixed)
    parameters.kernel.fit_batch(batch)
    problem = Problem(parameters, batch, Y, weight, noise, noise_range, OBJECTIVES[by])
    problem.prior = _prior(problem, prior)
    start = problem.theta()
    descent = solve(problem, max_iter)
    kept = [f"{name} is left as it is" for name in parameters.not_learned]
    if not parameters.places:
        kept.append("the kernel has no parameter to be learned")
    parameters.kernel.__dict__.pop("_limits", None)
    return LearnedKernel(
        kernel=parameters.kernel,
        noise=problem.noise,
        value=problem.value,
        by=by,
        history=np.array(problem.history),
        n_rows=len(Y),
        n_left_out=n_left_out,
        parameters=_table(problem, start, descent.x),
        converged=descent.converged,
        notes=(*notes, *kept),
    )


def _kernel(kernel: KernelLike) -> Kernel:
    """A copy of the kernel, refused where it is one of scikit-learn's."""
    if isinstance(kernel, SklearnBase):
        remedy = "write it with mercer's kernels, or fit GaussianProcessRegressor(kernel)"
        raise ParameterError("kernel", kernel, "is a kernel of scikit-learn", remedy)
    return mercer_kernel(kernel)


def _check_certificate(kernel: Kernel, X: RawSamples) -> None:
    certificate = certificate_on(clone(kernel), X)
    check_status(kernel, certificate)
    if certificate.status == UNKNOWN:
        kernel.warn_unknown("learn_kernel")


def _weights(sample_weight: Weights, n: int) -> np.ndarray | float:
    if sample_weight is None:
        return 1.0
    return check_weights(sample_weight, n)


def _counted(rows: np.ndarray, weight: np.ndarray | float) -> tuple[np.ndarray, np.ndarray | float]:
    """The rows of positive weight, and their weights."""
    if isinstance(weight, float):
        return rows, weight
    rows = rows[weight[rows] > 0]
    return rows, weight[rows]


def _names(fixed: Names) -> list[str]:
    return [fixed] if isinstance(fixed, str) else list(fixed)


def _noise_bounds(
    bounds: BoundsLike, fixed: Names
) -> tuple[BoundsLike, tuple[float, float] | None]:
    """The bounds of the kernel, and those of the noise; None where that is fixed."""
    span = _NOISE_RANGE
    if isinstance(bounds, dict):
        span = bounds.get(NOISE, span)
        bounds = {name: given for name, given in bounds.items() if name != NOISE}
    return bounds, None if NOISE in _names(fixed) else span


def _prior(problem: Problem, prior: PriorLike) -> NormalPrior | Priors | None:
    if prior is None:
        return None
    if isinstance(prior, Mapping):
        return Priors(problem, prior)
    if not isinstance(prior, Real) or not prior > 0:
        rule = "must be a standard deviation > 0, a mapping of densities, or None"
        raise ParameterError("prior", prior, rule)
    return NormalPrior(problem.parameters.theta, float(prior))


def _table(problem: Problem, start: np.ndarray, end: np.ndarray) -> tuple[LearnedParameter, ...]:
    close = np.isclose(problem.bounds(), end[:, None], rtol=1e-5, atol=1e-6).any(axis=1)
    columns = zip(problem.labels(), np.exp(start), np.exp(end), close, strict=True)
    return tuple(
        LearnedParameter(name, float(first), float(last), bool(at_bound))
        for name, first, last, at_bound in columns
    )
