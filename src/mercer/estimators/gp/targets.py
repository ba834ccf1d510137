"""The targets of Gaussian process regression: their mean function, and their units."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from mercer.aliases import Estimator, RawSamples
from mercer.errors import NotFiniteError, ParameterError, ShapeError
from mercer.state import State, storable

MeanFunction = Estimator | Callable[[RawSamples], np.ndarray] | None


def fitted_mean(
    mean: MeanFunction, X: RawSamples, y: np.ndarray, weight: np.ndarray | float
) -> MeanFunction:
    """A copy of the mean function that is fitted to the data, if it is a regressor."""
    if not hasattr(mean, "fit"):
        return mean
    if np.ndim(weight) == 0:
        return clone(mean).fit(X, y)
    if not has_fit_parameter(mean, "sample_weight"):
        rule = "is fitted without sample_weight, and the process with it"
        raise ParameterError("mean", mean, rule, "choose a regressor that takes weights")
    return clone(mean).fit(X, y, sample_weight=weight)


def mean_at(mean: MeanFunction, X: RawSamples, shape: tuple[int, ...]) -> np.ndarray | float:
    """The mean function's values; one column serves all targets."""
    if mean is None:
        return 0.0
    predict = getattr(mean, "predict", mean)
    values = np.asarray(predict(X), dtype=np.float64)
    if not np.isfinite(values).all():
        sample = int(np.argwhere(~np.isfinite(values))[0][0])
        raise NotFiniteError("mean", mean, f"is not finite for sample {sample}")
    if values.shape == shape:
        return values
    if values.size != shape[0]:
        rule = f"must give one for each of the {shape[0]} samples"
        raise ShapeError("mean", f"values of shape {values.shape}", rule)
    return values.reshape((shape[0],) + (1,) * (len(shape) - 1))


@storable
@dataclasses.dataclass
class Units:
    """The units in which targets are learned: (y − shift)/scale, column by column."""

    stored: ClassVar[State] = State(finite=("shift", "scale"))

    shift: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, y: np.ndarray, normalize: bool, weight: np.ndarray | float = 1.0) -> Self:
        """The units of y, or those in which it has mean 0 and, if it varies, deviation 1."""
        if not normalize:
            return cls(np.zeros(y.shape[1:]), np.ones(y.shape[1:]))
        mean, deviation = y.mean(axis=0), y.std(axis=0)
        if np.ndim(weight) > 0:
            mean = np.average(y, axis=0, weights=weight)
            deviation = np.sqrt(np.average((y - mean) ** 2, axis=0, weights=weight))
        rounding = 10 * np.finfo(float).eps * np.abs(mean)
        return cls(np.asarray(mean), np.where(deviation > rounding, deviation, 1.0))

    def normalize(self, y: np.ndarray) -> np.ndarray:
        """Targets in these units."""
        return (y - self.shift) / self.scale

    def restore(self, mean: np.ndarray) -> np.ndarray:
        """Means in the units of y, with an axis for columns only if y has one."""
        return self.scale * mean.reshape(-1, *self.scale.shape) + self.shift

    def restore_variance(self, variance: np.ndarray) -> np.ndarray:
        """Variances, or a covariance matrix, in the units of y; a single column has no axis."""
        scaled = np.multiply.outer(variance, self.scale**2)
        return scaled[..., 0] if self.scale.shape == (1,) else scaled
