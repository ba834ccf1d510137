"""Training data as the learners want them: checked, without the samples of weight 0, and with the kernel fitted."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array

from mercer.aliases import ClassWeight, Estimator, RawSamples, Targets, Weights
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.domains.raw import own_copy
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.common.base import KernelEstimator, check_square, check_weights
from mercer.gram.fill import dense
from mercer.kernels.base import Kernel


@dataclasses.dataclass
class Training:
    """Samples of positive weight, what is to be learned of them, and the kernel; None where X is the Gram matrix."""

    X: RawSamples  # as given, all rows
    kernel: Kernel | None
    rows: np.ndarray  # the samples of positive weight
    weight: np.ndarray  # theirs
    y: np.ndarray  # theirs: numbers, class numbers, or nothing

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        """How many samples were given."""
        return raw_length(self.X)

    def samples(self) -> Any:
        """The raw samples that count; None where X is the Gram matrix."""
        if self.kernel is None:
            return None
        return self.X if self.count == self.width else pick_rows(self.X, self.rows)

    def kept(self) -> Any:
        """The same, the estimator's own: what is done to the caller's array later does not reach it."""
        samples = self.samples()
        return own_copy(samples) if samples is self.X else samples

    def gram(self) -> np.ndarray:
        """A dense Gram matrix of the samples that count, the caller's to write on."""
        if self.kernel is None:
            return np.array(
                self.X if self.count == self.width else self.X[np.ix_(self.rows, self.rows)],
                dtype=np.float64,
            )
        side = self.side()
        return dense(self.kernel, side, side, np.dtype(np.float64))

    def side(self) -> Any:
        """The samples as the kernel reads them; taken from the whole, so that errors give the user's row numbers."""
        assert self.kernel is not None
        side = self.kernel.prepare(Batch(self.X))
        return side if self.count == self.width else side.take(self.rows)


def begin(
    estimator: KernelEstimator, X: RawSamples, y: Targets, sample_weight: Weights, *, target: str
) -> Training:
    """Check samples, targets ("none", "labels", "number", "numbers") and weights; choose the kernel and fit it."""
    if target != "none" and y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None"
        )
    numeric = target in ("number", "numbers")
    if not estimator._takes_vectors() or target == "none":
        X = estimator._check_X(X, reset=True)
        n = raw_length(X)
        if numeric:
            y = check_array(y, ensure_2d=False, dtype=np.float64)
        if target != "none" and len(y) != n:
            raise ShapeError("y", f"{len(y)} values", f"must have one for each of the {n} samples")
    else:
        options = {"y_numeric": True, "multi_output": target == "numbers"} if numeric else {}
        X, y = estimator._check_numbers(X, y=y, **options)
        n = raw_length(X)
    weight = check_weights(sample_weight, n)
    rows = np.flatnonzero(weight > 0)
    choice = estimator._choose(X, None if sample_weight is None else weight)
    if choice.kernel is None:
        check_square(X)
    else:
        choice.kernel.fit(X if len(rows) == n else pick_rows(X, rows))
    if target == "none":
        y = np.zeros(n)
    elif target != "numbers":
        y = column_or_1d(y, warn=True)
    y = np.asarray(y, dtype=np.float64) if numeric else np.asarray(y)
    return Training(X, choice.kernel, rows, weight[rows], y[rows])


def begin_classes(
    estimator: Estimator, X: RawSamples, y: Targets, sample_weight: Weights
) -> Training:
    """`begin` for labels: sets ``classes_``, turns labels into numbers and multiplies class weights into the weights."""
    data = begin(estimator, X, y, sample_weight, target="labels")
    check_classification_targets(data.y)
    estimator.classes_, label = np.unique(data.y, return_inverse=True)
    if len(estimator.classes_) < 2:
        given = "" if data.count == data.width else " with positive weight"
        raise ValueError(
            f"The number of classes has to be greater than one; got {len(estimator.classes_)} class{given}"
        )
    class_weight = getattr(estimator, "class_weight", None)
    if class_weight is not None:
        data.weight = (
            data.weight
            * weigh_classes(class_weight, estimator.classes_, data.y, data.weight)[label]
        )
        keep = data.weight > 0
        data.rows, data.weight, label = data.rows[keep], data.weight[keep], label[keep]
        present, label = np.unique(label, return_inverse=True)
        estimator.classes_ = estimator.classes_[present]
        if len(present) < 2:
            raise ParameterError(
                "class_weight", class_weight, "leaves fewer than two classes with a weight above 0"
            )
    data.y = label
    return data


def weigh_classes(
    class_weight: ClassWeight, classes: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """One weight >= 0 per class; "balanced" counts samples by their weights, so that a weight of 2 is the row twice."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        share = np.array([weight[y == c].sum() for c in classes])
        return weight.sum() / (len(classes) * share)
    values = np.asarray(compute_class_weight(class_weight, classes=classes, y=y), dtype=float)
    if not np.isfinite(values).all() or (values < 0).any():
        raise ParameterError(
            "class_weight", class_weight, "must be finite and >= 0 for every class"
        )
    return values
