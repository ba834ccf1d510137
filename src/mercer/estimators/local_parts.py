"""The models of the parts of a table."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import clone, is_classifier

from mercer.aliases import Estimator, RawSamples, Weights
from mercer.domains.base import raw_length
from mercer.state import State, storable


@storable
class OneLabel:
    """What stands for a classifier in a part of the table where all rows have the same label."""

    stored: ClassVar[State] = State(plain=("classes_",))

    def __init__(self, label: object) -> None:
        self.classes_ = np.array([label])

    def predict(self, X: RawSamples) -> np.ndarray:
        return np.repeat(self.classes_, raw_length(X))

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        return np.ones((raw_length(X), 1))


def fit_part(estimator: Estimator, X: RawSamples, y: np.ndarray, weight: Weights) -> Estimator:
    """A clone of the estimator fitted to one part, or the only label of the part."""
    if is_classifier(estimator) and (y == y[0]).all():
        return OneLabel(y[0])
    options = {} if weight is None else {"sample_weight": weight}
    return clone(estimator).fit(X, y, **options)
