"""What a kernel is learned by: functions of its Gram matrix and of the noise, and their slopes.

Each takes the Gram matrix K, which it may overwrite, the variance of the noise relative to the
kernel, the targets, and the weights of the samples. It gives a value to be maximised and the
weights W with which the slope along any change dK is Σ W∘dK.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mercer.solvers.gp.evidence import evidence
from mercer.solvers.gp.weighted_noise import WeightedNoise

Weight = np.ndarray | float  # of every sample, or 1.0 for all


class Slope(NamedTuple):
    """A value, the weights of its derivative in K, and its derivative in the noise."""

    value: float
    weights: np.ndarray
    in_noise: float


Objective = Callable[[np.ndarray, float, np.ndarray, Weight], Slope | None]


def evidence_slope(K: np.ndarray, noise: float, Y: np.ndarray, weight: Weight) -> Slope | None:
    """The log marginal likelihood of Y ~ N(0, K + noise); None where that is singular."""
    spread = WeightedNoise(np.asarray(noise), 0.0, weight)
    result = evidence(K, spread.added, Y)
    if result is None:
        return None
    n_targets = Y.shape[1]
    value = result.value + n_targets * spread.constant
    weights = result.weights()
    in_noise = spread.slopes(weights.diagonal(), n_targets).sum()
    return Slope(value, weights, float(in_noise))


OBJECTIVES: dict[str, Objective] = {"evidence": evidence_slope}
