"""What a kernel is learned by: functions of its Gram matrix and of the noise, and their slopes.

Each takes the Gram matrix K, which it may overwrite, the variance of the noise beside the kernel,
standardized targets, and the weights of the samples. It gives a value to be maximized and the
weights W with which the slope along any change dK is Σ W∘dK.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mercer.estimators.learning.alignment import aligned
from mercer.solvers.gp.evidence import evidence
from mercer.solvers.gp.weighted_noise import WeightedNoise
from mercer.solvers.ridge.leave_one_out import leave_one_out

Weight = np.ndarray | float  # of every sample, or 1.0 for all


class Slope(NamedTuple):
    """A value to be maximized, the weights of its derivative in K, and its derivative in the noise.

    ``score`` is what reports show, and ``amplitude`` the factor of the covariance of each
    target, where the objective has one.
    """

    value: float
    weights: np.ndarray
    in_noise: float
    score: float
    amplitude: np.ndarray | None = None


Objective = Callable[[np.ndarray, float, np.ndarray, Weight], Slope | None]


def _count(Y: np.ndarray, weight: Weight) -> float:
    """The number of samples, each as often as its weight says."""
    return float(np.broadcast_to(weight, (len(Y),)).sum())


def evidence_slope(K: np.ndarray, noise: float, Y: np.ndarray, weight: Weight) -> Slope | None:
    """The log marginal likelihood of Y ~ N(0, K + noise); None where that is singular."""
    return _evidence_slope(K, noise, Y, weight, profile=False)


def profiled_slope(K: np.ndarray, noise: float, Y: np.ndarray, weight: Weight) -> Slope | None:
    """The log marginal likelihood of y ~ N(0, s²(K + noise)) at the best s² of every target."""
    return _evidence_slope(K, noise, Y, weight, profile=True)


def _evidence_slope(
    K: np.ndarray, noise: float, Y: np.ndarray, weight: Weight, profile: bool
) -> Slope | None:
    spread = WeightedNoise(np.asarray(noise), 0.0, weight)
    result = evidence(K, spread.added, Y)
    if result is None:
        return None
    n_targets = Y.shape[1]
    value = result.value + n_targets * spread.constant
    amplitude = np.ones(n_targets)
    if profile:
        count = _count(Y, weight)
        amplitude = np.einsum("ij,ij->j", Y, result.alpha) / count
        value += 0.5 * count * float((amplitude - np.log(amplitude) - 1.0).sum())
        result.alpha /= np.sqrt(amplitude)
    weights = result.weights()
    in_noise = float(np.sum(spread.slopes(weights.diagonal(), n_targets)))
    return Slope(value, weights, in_noise, value, amplitude)


def loo_slope(K: np.ndarray, noise: float, Y: np.ndarray, weight: Weight) -> Slope | None:
    """−n/2 times the logarithm of the mean squared leave-one-out error of ridge regression.

    This is the log-likelihood of normal errors of unknown variance, up to a constant, so that it
    can be weighed against a prior.
    """
    result = leave_one_out(K, noise / weight, Y)
    if result is None:
        return None
    count = _count(Y, weight) * Y.shape[1]
    loss = result.loss(weight)
    weights = (-0.5 * count / loss) * result.weights(weight)
    in_noise = float((weights.diagonal() / weight).sum())
    score = loss / count
    return Slope(-0.5 * count * float(np.log(score)), weights, in_noise, score)


def alignment_slope(K: np.ndarray, noise: float, Y: np.ndarray, weight: Weight) -> Slope | None:
    """n times the centered alignment with the targets; the noise has no part in it."""
    count = _count(Y, weight)
    value, weights = aligned(K, Y, weight)
    return Slope(count * value, count * weights, 0.0, value)


OBJECTIVES: dict[str, Objective] = {
    "evidence": evidence_slope,
    "loo": loo_slope,
    "alignment": alignment_slope,
}
