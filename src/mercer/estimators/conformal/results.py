"""Intervals and sets of labels, with the coverage that was asked for and what is proven of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.aliases import Targets
from mercer.errors import ShapeError
from mercer.estimators.conformal.guarantee import Guarantee
from mercer.markup import LabeledLines


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Intervals(LabeledLines):
    """Prediction intervals; ``lower, upper = intervals`` gives their ends.

    Parameters
    ----------
    lower, upper : ndarray of shape (n_samples,)
        The ends; infinite where the calibration rows cannot give a finite one.
    coverage : float
        The share of new targets that was asked for.
    guarantee : str
        What is proven of the coverage, as a sentence.
    bound : float or None
        The coverage that is proven; None where nothing is.
    method : str
        How the intervals were made.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, ConformalRegressor, KernelRidge
    >>> X = np.linspace(0.0, 6.0, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.cos(40.0 * X[:, 0])
    >>> model = ConformalRegressor(KernelRidge(alpha=0.1, kernel=RBF())).fit(X, y)
    >>> intervals = model.predict_interval([[1.0], [5.0]], coverage=0.9)
    >>> lower, upper = intervals
    >>> bool((lower < upper).all()), intervals.bound
    (True, 0.8)
    """

    lower: np.ndarray
    upper: np.ndarray
    coverage: float
    guarantee: str
    bound: float | None
    method: str

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.lower, self.upper))

    def __getitem__(self, end: int) -> np.ndarray:
        return (self.lower, self.upper)[end]

    def __len__(self) -> int:
        return 2  # the two ends, as of a tuple

    @property
    def width(self) -> np.ndarray:
        """The lengths of the intervals."""
        return self.upper - self.lower

    def contain(self, y: Targets) -> np.ndarray:
        """Whether each target lies in its interval."""
        y = np.asarray(y, dtype=float)
        if y.shape != self.lower.shape:
            rule = f"must have one value for each of the {len(self.lower)} intervals"
            raise ShapeError("y", f"array of shape {y.shape}", rule)
        return (self.lower <= y) & (y <= self.upper)

    def covered(self, y: Targets) -> float:
        """The share of targets that lie in their intervals."""
        return float(self.contain(y).mean())

    def lines(self) -> list[tuple[str, str]]:
        n = len(self.lower)
        return [
            ("intervals", f"{n} of median width {np.median(self.width):.4g}"),
            ("method", self.method),
            ("coverage", self.guarantee),
        ]

    def __repr__(self) -> str:
        return f"<{len(self.lower)} intervals, {self.method}: {self.guarantee}>"


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PredictionSets(LabeledLines):
    """Sets of labels, one for each sample; ``np.asarray(sets)`` has a column for each class.

    Parameters
    ----------
    members : ndarray of bool, of shape (n_samples, n_classes)
        Whether a label is in the set of a sample.
    classes : ndarray of shape (n_classes,)
        The labels.
    coverage : float
        The share of new labels that was asked for.
    guarantee : str
        What is proven of the coverage, as a sentence.
    bound : float or None
        The coverage that is proven; None where nothing is.
    method : str
        How the sets were made.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RBF, ConformalClassifier, KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(
    ...     KernelLogisticRegression(10.0, kernel=RBF()), conformity="lac"
    ... )
    >>> sets = model.fit(X[::2], y[::2]).predict_set(X[1::2], coverage=0.9)
    >>> sets.bound, sets[0].tolist()
    (0.9, [0])
    """

    members: np.ndarray
    classes: np.ndarray
    coverage: float
    guarantee: str
    bound: float | None
    method: str

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.members, dtype=dtype)

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, row: int) -> np.ndarray:
        return self.classes[self.members[row]]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self.classes[row] for row in self.members)

    @property
    def sizes(self) -> np.ndarray:
        """The numbers of labels in the sets."""
        return self.members.sum(axis=1)

    def contain(self, y: Targets) -> np.ndarray:
        """Whether each label is in its set; a label that is not one of the classes is in none."""
        y = np.asarray(y)
        if y.shape != (len(self.members),):
            rule = f"must have one label for each of the {len(self.members)} sets"
            raise ShapeError("y", f"array of shape {y.shape}", rule)
        return (self.members & (y[:, None] == self.classes)).any(axis=1)

    def covered(self, y: Targets) -> float:
        """The share of labels that are in their sets."""
        return float(self.contain(y).mean())

    def covered_by_class(self, y: Targets) -> dict[Any, float]:
        """The share of rows whose set contains the label, for each class."""
        y = np.asarray(y)
        contained = self.contain(y)
        labels = zip(np.unique(y).tolist(), np.unique(y))
        return {name: float(contained[y == label].mean()) for name, label in labels}

    def lines(self) -> list[tuple[str, str]]:
        sizes = f"of {self.sizes.mean():.3g} labels on average, {(self.sizes == 1).mean():.1%}"
        return [
            ("sets", f"{len(self.members)} {sizes} with a single one"),
            ("method", self.method),
            ("coverage", self.guarantee),
        ]

    def __repr__(self) -> str:
        return f"<{len(self.members)} sets of labels, {self.method}: {self.guarantee}>"


def intervals(
    ends: tuple[np.ndarray, np.ndarray], coverage: float, guarantee: Guarantee, method: str
) -> Intervals:
    """Intervals with the words of their guarantee."""
    return Intervals(*ends, coverage, guarantee.at(coverage), guarantee.bound(coverage), method)


def prediction_sets(
    members: np.ndarray, classes: np.ndarray, coverage: float, guarantee: Guarantee, method: str
) -> PredictionSets:
    """Sets with the words of their guarantee."""
    words = guarantee.at(coverage)
    return PredictionSets(members, classes, coverage, words, guarantee.bound(coverage), method)
