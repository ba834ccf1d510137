"""Functions from the log-probabilities that a classifier suggests to calibrated probabilities."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax
from sklearn.isotonic import IsotonicRegression

from mercer.state import State, storable

_RANGE = (np.exp(-8.0), np.exp(8.0))  # of the steepness
_FLOOR = 1e-300  # of probabilities, whose logarithms are taken


@storable
@dataclasses.dataclass(frozen=True)
class SoftmaxLink:
    """softmax(A z + b) with one steepness A and a bias for each class."""

    stored: ClassVar[State] = State(finite=("steepness", "biases"))

    steepness: float
    biases: np.ndarray

    def __call__(self, z: np.ndarray) -> np.ndarray:
        return softmax(self.steepness * z + self.biases, axis=1)


@storable
@dataclasses.dataclass(frozen=True)
class IsotonicLink:
    """A rising step function of the log-odds of each class against all others, normalized."""

    stored: ClassVar[State] = State(finite=("places", "heights"))

    places: list[np.ndarray]  # log-odds, for each class
    heights: list[np.ndarray]  # probabilities at these

    def __call__(self, z: np.ndarray) -> np.ndarray:
        columns = zip(log_odds(z).T, self.places, self.heights)
        raised = np.column_stack([np.interp(x, at, heights) for x, at, heights in columns])
        total = raised.sum(axis=1, keepdims=True)
        even = np.full_like(raised, 1.0 / raised.shape[1])
        return np.divide(raised, total, out=even, where=total > 0)


Link = SoftmaxLink | IsotonicLink


def log_odds(z: np.ndarray) -> np.ndarray:
    """log p_c − log Σ_{others} p, for each class c."""
    columns = [np.delete(z, c, axis=1) for c in range(z.shape[1])]
    return np.column_stack([z[:, c] - logsumexp(rest, axis=1) for c, rest in enumerate(columns)])


def logarithms(probabilities: np.ndarray) -> np.ndarray:
    """Logarithms of probabilities, finite also where these are 0."""
    return np.log(np.maximum(probabilities, _FLOOR))


def log_loss(probabilities: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> float:
    """The weighted mean of −log p of the right class."""
    own = probabilities[np.arange(len(codes)), codes]
    return float(np.average(-logarithms(own), weights=weight))


def _softmax_link(
    z: np.ndarray, codes: np.ndarray, weight: np.ndarray, biased: bool
) -> SoftmaxLink:
    """The steepness, and the biases if there are any, of least log-loss.

    The right label counts for a little less than 1, as in Platt's method, so that classes that can
    be separated do not make the steepness infinite.
    """
    n_classes = z.shape[1]
    missed = 1.0 / (np.bincount(codes, weight, n_classes) + 2.0)
    target = np.repeat(missed[codes, None] / (n_classes - 1), n_classes, axis=1)
    target[np.arange(len(codes)), codes] = 1.0 - missed[codes]
    share = weight[:, None] / weight.sum()

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        steepness, biases = np.exp(parameters[0]), parameters[1:]
        values = steepness * z + (biases if biased else 0.0)
        logs = values - logsumexp(values, axis=1, keepdims=True)
        slope = share * (np.exp(logs) - target)
        gradient = np.concatenate([[steepness * np.sum(slope * z)], slope.sum(axis=0)])
        return -float(np.sum(share * target * logs)), gradient[: len(parameters)]

    start = np.zeros(1 + (n_classes if biased else 0))
    bounds = [tuple(np.log(_RANGE)), *[(None, None)] * (len(start) - 1)]
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    biases = best[1:] - best[1:].mean() if biased else np.zeros(n_classes)
    return SoftmaxLink(float(np.exp(best[0])), biases)


def _sigmoid(z: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> Link:
    return _softmax_link(z, codes, weight, biased=True)


def _temperature(z: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> Link:
    return _softmax_link(z, codes, weight, biased=False)


def _isotonic(z: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> Link:
    places, heights = [], []
    for number, odds in enumerate(log_odds(z).T):
        steps = IsotonicRegression(y_min=0.0, y_max=1.0)
        steps.fit(odds, (codes == number).astype(float), sample_weight=weight)
        places.append(steps.X_thresholds_)
        heights.append(steps.y_thresholds_)
    return IsotonicLink(places, heights)


LINKS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], Link]] = {
    "sigmoid": _sigmoid,
    "isotonic": _isotonic,
    "temperature": _temperature,
}
