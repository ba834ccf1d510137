"""Kernel mean matching: weights with which one sample looks like another in feature space."""

from __future__ import annotations

import math

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.aliases import RawSamples
from mercer.definiteness import UNKNOWN
from mercer.domains.base import Batch, raw_length
from mercer.errors import DefinitenessError, EmptyInputError, ParameterError, warn
from mercer.gram.plan import FLOAT64, require_room
from mercer.kernels.base import Kernel
from mercer.kernels.expression import parse
from mercer.params import is_real, positive
from mercer.solvers.mean_matching import match_means


def kernel_mean_matching(
    kernel: Kernel | str,
    X: RawSamples,
    Y: RawSamples,
    *,
    bound: float = 1000.0,
    slack: float | None = None,
) -> np.ndarray:
    """Weights of samples X with which their mean in feature space is that of other samples Y.

    They estimate the ratio of the density of Y to that of X, without a density: for training
    samples X and samples Y of where a model will be used, they correct a covariate shift as
    ``sample_weight``, or in `ConformalRegressor`. With n samples X and m samples Y they minimize

        ‖ (1/n) Σ β_i φ(x_i) − (1/m) Σ φ(y_j) ‖²,

    which is, up to a constant and a factor, the quadratic program

        minimize ½ βᵀKβ − κᵀβ,  K_ij = k(x_i, x_j),  κ_i = (n/m) Σ_j k(x_i, y_j),
        subject to 0 ≤ β_i ≤ bound and |Σ β_i − n| ≤ n · slack.

    It is solved by a primal-dual interior point method to a relative duality gap of 1e-9, each step
    of which factors an n × n matrix.

    Parameters
    ----------
    kernel : Kernel or str
        A kernel, or an expression; a characteristic one (such as `RBF`) matches whole
        distributions, `Linear` only means. A kernel that learns from data is fitted on X.
    X : array-like or collection of n_samples
        The samples that are weighted.
    Y : array-like or collection
        The samples that they are to look like.
    bound : float, default=1000.0
        The largest weight. A smaller one keeps more samples in play at the price of a bias.
    slack : float, default=None
        How far the mean weight may be from 1; None is (√n − 1)/√n, as in [1]_.

    Returns
    -------
    ndarray of shape (n_samples,)
        The weights. Where X and Y come from the same distribution they are near 1 on average, not
        each for itself; (Σβ)²/Σβ² says how many samples are effectively left.

    References
    ----------
    .. [1] J. Huang, A. J. Smola, A. Gretton, K. M. Borgwardt and B. Schölkopf, "Correcting sample
           selection bias by unlabeled data", Advances in Neural Information Processing Systems 19
           (2007) 601-608.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, kernel_mean_matching
    >>> X = np.linspace(-2.0, 2.0, 41)[:, None]
    >>> weights = kernel_mean_matching(RBF(), X, X[25:35], bound=10.0)
    >>> (
    ...     float(np.average(X[:, 0], weights=weights).round(2)),
    ...     float(X[25:35].mean().round(2)),
    ... )
    (0.95, 0.95)
    """
    kernel = _checked_kernel(kernel)
    for name, samples in (("X", X), ("Y", Y)):
        if raw_length(samples) == 0:
            raise EmptyInputError(name, "no samples", "is empty", "give at least one sample")
    n = raw_length(X)
    positive.check("bound", bound)
    slack = _checked_slack(slack, n, bound)
    require_room(2 * n, n, FLOAT64, "the matrices of kernel mean matching", "give fewer rows X")
    kernel.fit_batch(Batch(X))
    _check_convex(kernel)
    K = np.asarray(kernel(X), dtype=np.float64)
    kappa = (n / raw_length(Y)) * np.asarray(kernel.gram(X, Y) @ np.ones(raw_length(Y)))
    solution = match_means(K, kappa, float(bound), n * (1.0 - slack), n * (1.0 + slack))
    if not solution.converged:
        reached = f"relative duality gap {solution.residual:.1e}"
        warn(f"kernel mean matching did not converge: {reached}", ConvergenceWarning)
    return solution.weights


def _checked_kernel(kernel: Kernel | str) -> Kernel:
    """A copy of the kernel, to be fitted."""
    if isinstance(kernel, str):
        return parse(kernel)
    if not isinstance(kernel, Kernel):
        raise ParameterError("kernel", kernel, "is not a kernel", "give one, such as RBF()")
    return kernel.copy()


def _check_convex(kernel: Kernel) -> None:
    """Refuse a fitted kernel that is known not to be psd; warn of one that may not be."""
    certificate = kernel.certificate()
    if certificate.psd:
        return
    if certificate.status == UNKNOWN:
        kernel.warn_unknown("kernel_mean_matching")
        return
    rule = f"is {certificate.status}, and mean matching needs a psd kernel"
    raise DefinitenessError("kernel", kernel, rule, "change it, or center a cpd one: k.center()")


def _checked_slack(slack: float | None, n: int, bound: float) -> float:
    """How far the mean weight may be from 1."""
    if slack is None:
        slack = max(1.0 - 1.0 / math.sqrt(n), 0.01)
    if not is_real(slack) or slack <= 0:
        raise ParameterError("slack", slack, "must be positive", "give a number > 0, or None")
    if bound <= 1.0 - slack:
        rule = f"is too low for a mean weight of at least {1.0 - slack:.3g}"
        raise ParameterError("bound", bound, rule, "raise it, or slack")
    return float(slack)
