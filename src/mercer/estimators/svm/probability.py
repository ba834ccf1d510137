"""Probabilities of a support vector classifier, calibrated on held-out folds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.aliases import Estimator, RandomState, RawSamples
from mercer.domains.base import pick_rows
from mercer.estimators.common.training import Training

NOT_ASKED = "deprecated"  # scikit-learn's default of ``probability``, which means False
_FOLDS = 5
_RANGE = (-6.0, 6.0)  # of the logarithm of the steepness


def asked(machine: Any) -> bool:
    """Whether a machine is to give probabilities."""
    return bool(machine.probability) and machine.probability != NOT_ASKED


class WithProbability:
    """A method that is there if ``probability`` is True; else the error says what to do.

    Like scikit-learn's ``available_if``, whose message would be only that there is no such
    attribute.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self.fn = method  # named as in ``available_if``
        functools.update_wrapper(self, method)  # type: ignore[arg-type]

    def __get__(self, model: Any, owner: type) -> Callable[..., Any]:
        if model is None:
            return self.fn
        if not asked(model):
            name, method = owner.__name__, self.fn.__name__
            raise AttributeError(
                f"{name} has {method} only with probability=True: fit {name}(probability=True), "
                f"or wrap it in CalibratedProbabilities"
            )
        return self.fn.__get__(model, owner)


def softmax(scores: np.ndarray) -> np.ndarray:
    """exp(s_c) / Σ exp(s_c) row by row."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def held_out_margins(
    estimator: Estimator, data: Training, classes: np.ndarray, random_state: RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Margins of samples that the model was not fitted on, and which of the samples these are.

    A class of a single sample cannot be held out: then the margins are those of the training
    samples.
    """
    folds = int(min(_FOLDS, np.bincount(data.y).min()))
    plain = clone(estimator).set_params(probability=False)
    if folds < 2:
        every = np.arange(data.count)
        whole = plain.fit(_part(data, every, every), classes[data.y], data.weight)
        return whole._margins(_part(data, every, every)), every
    weighted = not (data.weight == 1).all()
    margins, places = [], []
    for train, test in _splits(data, folds, random_state):
        weight = data.weight[train] if weighted else None
        model = clone(plain).fit(_part(data, train, train), classes[data.y[train]], weight)
        margins.append(model._margins(_part(data, test, train)))
        places.append(test)
    return np.vstack(margins), np.concatenate(places)


def _splits(
    data: Training, folds: int, random_state: RandomState
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    from sklearn.model_selection import StratifiedKFold  # most machines need no probabilities

    splitter = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    yield from splitter.split(np.zeros(data.count), data.y)


def _part(data: Training, rows: np.ndarray, columns: np.ndarray) -> RawSamples:
    """Some training samples, or their kernel values with others of a precomputed matrix."""
    samples = pick_rows(data.X, data.rows[rows])
    return samples[:, data.rows[columns]] if data.kernel is None else samples


def steepness(margins: np.ndarray, labels: np.ndarray, weight: np.ndarray) -> float:
    """The factor of the margins whose softmax has the least log-loss, samples weighted."""
    from scipy.optimize import minimize_scalar

    rows = np.arange(len(margins))
    weights = None if (weight == 1).all() else weight

    def loss(log_steepness: float) -> float:
        p = softmax(np.exp(log_steepness) * margins)
        return -float(np.average(np.log(np.maximum(p[rows, labels], 1e-300)), weights=weights))

    return float(np.exp(minimize_scalar(loss, bounds=_RANGE, method="bounded").x))
