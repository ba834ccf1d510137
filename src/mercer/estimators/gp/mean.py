"""Mean functions of Gaussian processes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.base import clone

from mercer.aliases import Estimator, RawSamples
from mercer.errors import NotFiniteError, ShapeError

MeanFunction = Estimator | Callable[[RawSamples], np.ndarray] | None


def fitted_mean(mean: MeanFunction, X: RawSamples, y: np.ndarray) -> MeanFunction:
    """A copy of the mean function that is fitted to the data, if it is a regressor."""
    return clone(mean).fit(X, y) if hasattr(mean, "fit") else mean


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
