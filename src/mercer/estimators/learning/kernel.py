"""Learning of a kernel's continuous parameters from samples and targets."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import Kernel as SklearnBase

from mercer.aliases import KernelLike, RandomState, RawSamples, Targets, Weights
from mercer.definiteness import UNKNOWN
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.errors import ParameterError, explain, warn
from mercer.estimators.common.base import KernelEstimator, certificate_on
from mercer.estimators.common.fitting import memory_remedy
from mercer.estimators.common.validation import check_weights
from mercer.estimators.gp.bounds import DEFAULT, BoundsLike, Names
from mercer.estimators.gp.hyperparameters import check_status
from mercer.estimators.gp.kernel_argument import mercer_kernel
from mercer.estimators.learning.objectives import Weight
from mercer.estimators.learning.parameters import NOT_MOVED, PriorLike, Settings, learn_parameters
from mercer.estimators.learning.result import LearnedKernel
from mercer.estimators.learning.targets import Target, draw_rows, encode, standardize
from mercer.kernels.base import Kernel
from mercer.params import integer


class KernelLearning(KernelEstimator):
    """What checks the samples of `learn_kernel`, by the rules of all estimators."""

    def __init__(self, kernel: KernelLike) -> None:
        self.kernel = kernel


@memory_remedy("learn_kernel", "learn from fewer samples with rows=...")
def learn_kernel(
    kernel: KernelLike,
    X: RawSamples,
    y: Targets,
    *,
    by: str = "evidence",
    noise: float | None = None,
    amplitude: bool | None = None,
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

    The parameters that are positive numbers, such as the length scale of every column or the
    factors of a sum, are moved to the optimum of an objective by its gradient. Each stays within
    the range for which the kernel is proved to be positive semi-definite, so that the certificate
    holds for the result. The result is a kernel for any learner, and a variance of the noise that
    is the penalty ``alpha`` of `KernelRidge`.

    Parameters
    ----------
    kernel : Kernel or str
        The kernel, or an expression. Learning begins at its parameters, and it is copied.
    X : collection of n samples
        Samples of whatever kind the kernel reads.
    y : array-like of shape (n,) or (n, n_targets)
        Numbers, one or several for each sample, or labels of classes. Numbers are standardized.
        Labels are coded as ±1, with a column for each class against the rest if there are more
        than two, and learned like numbers: all columns share one kernel and one noise.
    by : {"evidence", "loo", "alignment"}, default="evidence"
        What is optimized: the log marginal likelihood of a Gaussian process; the mean squared
        leave-one-out error of kernel ridge regression; or the centered alignment of the Gram matrix
        with that of the targets. The alignment says nothing of the noise, which is then learned by
        the leave-one-out error.
    noise : float or None, default=None
        Where the variance of the noise beside the kernel begins; by default at a tenth of the mean
        of k(x, x).
    amplitude : bool or None, default=None
        Whether the covariance of each target is its own multiple of the kernel and the noise, of
        which the evidence takes the best. By default it is where the kernel has no factor of its
        own, as ``RBF()`` and unlike ``1.0 * RBF()``.
    rows : int or None, default=700
        The largest number of samples to learn from, drawn at random and of every class its share.
        None takes all of them. A step costs rows³ operations.
    prior : float or dict, default=None
        The standard deviation of a normal prior of the logarithms of the kernel's parameters around
        where they begin; the noise has none. Or densities by name, as the ``priors`` of
        `GaussianProcessRegressor`.
    bounds : tuple of two float, or dict, default=(1e-5, 1e5)
        The least and the largest value of the kernel's parameters, or such pairs by name, as for
        `GaussianProcessRegressor`. By default those of "noise" are (1e-8, 1000) times the mean of
        k(x, x).
    fixed : str or sequence of str, default=()
        Names of parameters that are not learned, ``length_scale[1]`` for one number of an array,
        "noise" for the noise.
    max_iter : int, default=100
        The largest number of steps.
    target : {"auto", "numbers", "labels"}, default="auto"
        What y is. By default text, truth values, and up to 20 different integers that repeat are
        labels, and everything else is numbers.
    sample_weight : array-like of shape (n,), default=None
        How often each sample counts: a weight of 2 is the row twice, one of 0 leaves it out. With
        ``by="loo"``, leaving out a row of weight 2 leaves out both copies.
    random_state : int, RandomState or None, default=0
        The seed that samples are drawn with.

    Returns
    -------
    LearnedKernel
        The kernel, the noise, the objective, and a table of what was learned.

    See Also
    --------
    alignment : How well two Gram matrices agree.
    GaussianProcessRegressor : Learns parameters by the evidence too, and predicts with them.

    References
    ----------
    Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapter 5.
    Cortes, Mohri and Rostamizadeh, "Algorithms for learning kernels based on centered alignment",
    Journal of Machine Learning Research 13, 2012.

    Examples
    --------
    The second column says nothing of y, and the kernel learns to look past it:

    >>> import numpy as np
    >>> from mercer import RBF, KernelRidge, learn_kernel
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, (80, 2))
    >>> y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=80)
    >>> learned = learn_kernel(RBF([1.0, 1.0]), X, y)
    >>> first, second = learned.kernel.length_scale
    >>> bool(second > 10 * first)
    True
    >>> model = KernelRidge(kernel=learned.kernel, alpha=learned.noise).fit(X, y)
    """
    settings = Settings(by, noise, amplitude, prior, bounds, fixed, max_iter)
    settings.check()
    if rows is not None:
        integer(2).check("rows", rows)
    start = _kernel(kernel)
    X = KernelLearning(start)._check_X(X, reset=True)
    _check_certificate(start, X)
    n = raw_length(X)
    codes = encode(y, target, n)
    weights = check_weights(sample_weight, n)
    counted = np.flatnonzero(weights > 0)
    some = draw_rows(codes, counted, rows, random_state)
    weight: Weight = 1.0
    if sample_weight is not None:
        _check_separable(start)
        weight = weights[some]
    columns = standardize(codes.columns[some], weight)
    chosen = X if len(some) == n else pick_rows(X, some)
    if hasattr(chosen, "toarray") and _has_arrays(start):
        chosen = chosen.toarray()  # derivatives in one parameter per column look at every entry
    learned = learn_parameters(start, Batch(chosen), columns, settings, weight)
    if len(some) < n:
        learned.kernel.fit(X if len(counted) == n else pick_rows(X, counted))
    if NOT_MOVED in learned.notes:
        remedy = "begin with widths near the distances of the samples, such as mercer.width(X)"
        warn(explain("kernel", start, f"is not learned: {NOT_MOVED}", remedy), ConvergenceWarning)
    used = f"{len(some)} samples"
    if len(some) < len(counted):
        used += f", {len(counted) - len(some)} more were left out by rows={rows}"
    return learned.with_notes(used, codes.words)


def _kernel(kernel: KernelLike) -> Kernel:
    """A copy of the kernel, refused where it is one of scikit-learn's."""
    if isinstance(kernel, SklearnBase):
        remedy = "write it with mercer's kernels, or fit GaussianProcessRegressor(kernel)"
        raise ParameterError("kernel", kernel, "is a kernel of scikit-learn", remedy)
    return mercer_kernel(kernel)


def _has_arrays(kernel: Kernel) -> bool:
    """Whether a continuous parameter is an array, such as a length scale per column."""
    return any(np.ndim(value) > 0 for value in kernel.continuous_params().values())


def _check_certificate(kernel: Kernel, X: RawSamples) -> None:
    certificate = certificate_on(clone(kernel), X)
    check_status(kernel, certificate)
    if certificate.status == UNKNOWN:
        kernel.warn_unknown("learn_kernel")


def _check_separable(kernel: Kernel) -> None:
    """Refuse weights beside noise that is part of the kernel, which they would divide."""
    if kernel.has_white_noise:
        rule = "has noise of its own, which sample_weight should divide"
        remedy = "leave White out: the noise is learned beside the kernel"
        raise ParameterError("kernel", kernel, rule, remedy)
