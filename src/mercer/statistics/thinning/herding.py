"""Kernel herding: points chosen one after the other, each the best beside those before it."""

from __future__ import annotations

import numpy as np

from mercer.aliases import KernelLike, RawSamples
from mercer.execution.cancel import check_stop
from mercer.statistics.thinning.result import ThinnedSample
from mercer.statistics.thinning.target import Target


def herding(X: RawSamples, m: int, kernel: KernelLike = "auto") -> ThinnedSample:
    """Choose m points that stand for a sample, one after the other.

    Each point is the sample with which the mean of the points comes nearest to the mean of all
    samples in feature space. The first points of many are those of few, so that the order can be
    used too.

    Parameters
    ----------
    X : collection of n samples
        The sample, of any kind.
    m : int
        How many points.
    kernel : Kernel, str, callable, or "auto", default="auto"
        The kernel.

    Returns
    -------
    ThinnedSample
        The points in the order in which they were chosen, and their MMD to the whole sample.

    References
    ----------
    Chen, Welling and Smola, "Super-samples from kernel herding", UAI 2010.

    Examples
    --------
    >>> from mercer import RBF, herding
    >>> herding([[0.0], [0.1], [0.2], [5.0]], 2, RBF()).indices.tolist()
    [1, 3]
    """
    target = Target(X, m, kernel)
    points = np.empty(m, dtype=np.int64)
    sums = np.zeros(target.n)
    taken = np.zeros(target.n, dtype=bool)
    for count in range(m):
        check_stop()
        gain = np.where(taken, np.inf, target.gain(sums, count))
        points[count] = best = int(np.argmin(gain))
        taken[best] = True
        sums += target.values(points[count : count + 1])[0]
    return target.thinned(points, "herding")
