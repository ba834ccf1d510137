"""What a metric is learned from: some rows as numbers, and targets as columns of mean 0."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from mercer.aliases import RandomState, RawSamples, Targets, Weights
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.domains.vectors.domain import VECTORS
from mercer.errors import ABSENT, InputError, ParameterError, ShapeError
from mercer.estimators.common.validation import check_squares, check_weights
from mercer.estimators.learning.targets import TARGETS, are_labels, as_numbers
from mercer.params import choice

_TARGETS = choice(*TARGETS)


@dataclasses.dataclass
class MetricData:
    """Rows of positive weight; targets of weighted mean 0, a column each."""

    X: np.ndarray
    Y: np.ndarray
    weight: np.ndarray
    names: list[Any] | None  # of the columns of a data frame

    @property
    def variance(self) -> float:
        """The mean variance of the targets."""
        return float(self.weight @ (self.Y**2).mean(axis=1) / self.weight.sum())

    def positions(self, group: Sequence[int | str]) -> list[int]:
        """The positions of columns that are given by position or by name."""
        places = []
        for column in group:
            if self.names is not None and column in self.names:
                places.append(self.names.index(column))
            elif isinstance(column, (int, np.integer)) and 0 <= column < self.X.shape[1]:
                places.append(int(column))
            else:
                rule = f"is not one of the {self.X.shape[1]} columns"
                raise ParameterError("tied", column, rule, "give positions from 0, or names")
        return places


def draw_rows(
    X: RawSamples,
    y: Targets,
    target: str,
    sample_weight: Weights,
    count: int,
    random_state: RandomState,
) -> MetricData:
    """At most ``count`` rows of positive weight, drawn at random, in their order."""
    _TARGETS.check("target", target)
    if y is None:
        raise InputError("y", ABSENT, "is missing", "a metric is learned from targets")
    check_consistent_length(X, y)
    weight = check_weights(sample_weight, raw_length(X))
    chosen = np.flatnonzero(weight > 0)
    if len(chosen) > count:
        random = check_random_state(random_state)
        chosen = np.sort(random.choice(chosen, count, replace=False))
    batch = Batch(pick_rows(X, chosen))
    samples: Any = batch.encode(VECTORS)
    dense = samples.x.toarray() if samples.sparse else samples.x
    targets = as_numbers(np.asarray(y))
    columns = _as_columns(targets, are_labels(targets, target))[chosen]
    return MetricData(dense, _centered(columns, weight[chosen]), weight[chosen], batch.names)


def _as_columns(y: np.ndarray, labels: bool) -> np.ndarray:
    """A column of zeros and ones per class, one for two classes; numbers in units of their std."""
    if labels:
        if y.ndim > 1:
            raise ShapeError("y", f"array of shape {y.shape}", "must be one label per sample")
        classes, codes = np.unique(y, return_inverse=True)
        columns = (codes[:, None] == np.arange(len(classes))).astype(float)
        return columns[:, 1:] if len(classes) == 2 else columns
    numbers = y.astype(float).reshape(len(y), -1)
    if not np.isfinite(numbers).all():
        raise InputError("y", "NaN or infinity", "must be finite", "leave these samples out")
    check_squares(numbers)
    spread = numbers.std(axis=0)
    return numbers / np.where(spread > 0, spread, 1.0)


def _centered(columns: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return columns - weight @ columns / weight.sum()
