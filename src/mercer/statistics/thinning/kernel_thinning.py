"""Kernel thinning: a sample is halved again and again, and the best part refined by swaps."""

from __future__ import annotations

import numpy as np

from mercer.aliases import KernelLike, RandomState, RawSamples
from mercer.execution.cancel import check_stop
from mercer.statistics.permutations import generator
from mercer.statistics.thinning.result import ThinnedSample
from mercer.statistics.thinning.target import Target

_BLOCK = 128  # pairs whose rows of the Gram matrix are computed at a time
_FAILURE = 0.5  # the chance that the walk of a halving leaves its bounds


def kernel_thinning(
    X: RawSamples, m: int, kernel: KernelLike = "auto", *, random_state: RandomState = None
) -> ThinnedSample:
    """Choose m points that stand for a sample, by halving it and swapping points.

    The sample is cut into pairs, of which one goes to each half, so that the halves balance; halves
    are halved again until they have m points. Then each point of the best of these parts is
    replaced by the sample with which the mean of the points comes nearest to that of all samples.

    Parameters
    ----------
    X : collection of n samples
        The sample, of any kind.
    m : int
        How many points.
    kernel : Kernel, str, callable, or "auto", default="auto"
        The kernel.
    random_state : int, Generator or None, default=None
        Where pairs and choices are drawn from.

    Returns
    -------
    ThinnedSample
        The points, in the order of the sample, and their MMD to the whole sample.

    References
    ----------
    Dwivedi and Mackey, "Kernel thinning", COLT 2021; "Generalized kernel thinning", ICLR 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, kernel_thinning
    >>> X = np.random.default_rng(0).standard_normal((256, 2))
    >>> few = kernel_thinning(X, 16, RBF(), random_state=0)
    >>> few.mmd < few.random_mmd / 3
    True
    """
    target = Target(X, m, kernel)
    rng = generator(random_state)
    halvings = int(np.log2(target.n // m))
    parts = [rng.permutation(target.n)[: m * 2**halvings]]
    for _ in range(halvings):
        parts = [half for part in parts for half in _halves(target, part, rng)]
    best = min(parts, key=target.squared_mmd)
    return target.thinned(np.sort(_swapped(target, best)), "kernel thinning")


def _halves(
    target: Target, points: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Two halves whose means in feature space are near each other.

    Of each pair (x, x′), x goes to the half that lacks what x has and x′ has not, with a
    probability that keeps the difference of the halves a walk with small steps.
    """
    pairs = points.reshape(-1, 2)
    signs = np.empty(len(points))  # +1 in the second half, −1 in the first
    draws = rng.random(len(pairs))
    likely = 2.0 * np.log(2.0 * len(pairs) / _FAILURE)
    variance = 0.0
    for start in range(0, len(pairs), _BLOCK):
        check_stop()
        block = pairs[start : start + _BLOCK]
        seen = points[: 2 * (start + len(block))]
        K = target.values(block.ravel(), seen)
        rises = K[0::2] - K[1::2]  # k(x, ·) − k(x′, ·)
        for i, rise in enumerate(rises):
            at = 2 * (start + i)
            step = max(float(rise[at] - rise[at + 1]), 0.0)  # ‖φ(x) − φ(x′)‖²
            bound = max(np.sqrt(likely * variance * step), step)
            excess = float(rise[:at] @ signs[:at])
            variance = _next_variance(variance, step, bound)
            swap = draws[start + i] < 0.5 * (1.0 - excess / bound) if bound > 0 else False
            signs[at : at + 2] = (1.0, -1.0) if swap else (-1.0, 1.0)
    return points[signs < 0], points[signs > 0]


def _next_variance(variance: float, step: float, bound: float) -> float:
    """The variance of the walk after one more step."""
    if bound <= 0:
        return variance
    return variance + step * max(0.0, 1.0 + (step - 2.0 * bound) * variance / bound**2)


def _swapped(target: Target, points: np.ndarray) -> np.ndarray:
    """Each point replaced by the sample with which MMD is smallest, no sample twice."""
    points = points.copy()
    taken = np.zeros(target.n, dtype=bool)
    taken[points] = True
    sums = np.zeros(target.n)
    for start in range(0, len(points), _BLOCK):
        sums += target.values(points[start : start + _BLOCK]).sum(axis=0)
    for i, old in enumerate(points):
        check_stop()
        sums -= target.values(points[i : i + 1])[0]
        taken[old] = False
        gain = np.where(taken, np.inf, target.gain(sums, len(points) - 1))
        points[i] = new = int(np.argmin(gain))
        taken[new] = True
        sums += target.values(points[i : i + 1])[0]
    return points
