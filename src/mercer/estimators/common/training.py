"""How every fit begins: samples, targets and weights checked, and the kernel chosen and fitted."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
from sklearn.utils import column_or_1d, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array

from mercer.aliases import ClassWeight, Estimator, Prepared, RawSamples, Targets, Weights
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.domains.raw import own_copy
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.common.base import KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.numbers import is_plain_matrix
from mercer.estimators.common.scale import warn_of_small_values
from mercer.estimators.common.validation import (
    check_resolved,
    check_square,
    check_weights,
    note_columns,
    warn_of_equal_samples,
)
from mercer.gram.build import gram_matrix
from mercer.gram.fill import dense
from mercer.gram.matrix import Matrix
from mercer.gram.plan import FLOAT64, WHOLE, Need, Plan, plan_matrix
from mercer.gram.stored import Stored
from mercer.gram.streamed import Streamed
from mercer.kernels.base import Kernel

Target = Literal["none", "labels", "number", "numbers"]  # what is learned of each sample
_SMALL_LABELS = 1000  # labels below this are counted rather than sorted
_WHOLE = 2.0**53  # floats below this may be any whole number
_LONG_LABEL = 1000  # letters of labels that are kept as objects


@dataclasses.dataclass
class Training:
    """Samples of positive weight, their targets, and the kernel; None if X is the Gram matrix."""

    X: RawSamples  # as given, all rows
    kernel: Kernel | None
    rows: np.ndarray  # the samples of positive weight
    weight: np.ndarray  # their weights
    y: np.ndarray  # their targets: numbers, class numbers, or zeros

    @property
    def count(self) -> int:
        """Number of samples of positive weight."""
        return len(self.rows)

    @property
    def n_given(self) -> int:
        """Number of samples that were given."""
        return raw_length(self.X)

    @property
    def all_count(self) -> bool:
        """Whether all samples that were given have a positive weight."""
        return self.count == self.n_given

    def samples(self) -> RawSamples:
        """The raw samples of positive weight; None where X is the Gram matrix."""
        if self.kernel is None:
            return None
        if self.all_count:
            return self.X
        return pick_rows(self.X, self.rows)

    def own_samples(self) -> RawSamples:
        """The same as the estimator's own: later changes to the caller's array do not reach it."""
        samples = self.samples()
        return own_copy(samples) if samples is self.X else samples

    def expansion(self) -> Expansion:
        """Sums over the samples of positive weight, for new samples."""
        return Expansion(self.kernel, self.samples(), self.rows, self.n_given)

    def whole(self) -> Prepared:
        """All samples that were given, as the kernel reads them, or their Gram matrix."""
        if self.kernel is None:
            return np.require(self.X, requirements=["C", "W"])  # as solvers are compiled for it
        return self.kernel.prepare(Batch(self.X))

    def prepared(self) -> Prepared:
        """The samples as the kernel reads them.

        They are taken from all samples, so that errors give the user's row numbers.
        """
        samples = self.whole()
        if self.all_count:
            return samples
        return samples.take(self.rows)

    def _given_matrix(self) -> np.ndarray:
        """A precomputed Gram matrix of the samples of positive weight."""
        if self.all_count:
            return np.asarray(self.X)
        return np.asarray(self.X)[np.ix_(self.rows, self.rows)]

    def gram(self) -> np.ndarray:
        """A dense Gram matrix of the samples of positive weight, the caller's to overwrite."""
        if self.kernel is None:
            return np.array(self._given_matrix(), dtype=np.float64)
        samples = self.prepared()
        return dense(self.kernel, samples, samples, FLOAT64)

    def products(self) -> Matrix:
        """The Gram matrix for products alone: it is not stored unless it was given."""
        if self.kernel is None:
            return Stored(self._given_matrix(), plan_matrix(self.count, WHOLE, given=True))
        samples = self.prepared()
        plan = Plan("streamed", FLOAT64, FLOAT64.itemsize * self.count**2, "is not stored")
        return Streamed(self.kernel, samples, samples, plan)

    def matrix(self, need: Need, required: bool = False) -> Matrix:
        """The Gram matrix in the form that suits what a solver does with it."""
        plan = plan_matrix(self.count, need, given=self.kernel is None, required=required)
        if self.kernel is None:
            return Stored(self.gram(), plan)
        return gram_matrix(self.kernel, self.prepared(), plan)


def begin(
    estimator: KernelEstimator, X: RawSamples, y: Targets, sample_weight: Weights, *, target: Target
) -> Training:
    """Check samples, targets and weights; choose the kernel and fit it."""
    X, y = check_data(estimator, X, y, target)
    n = len(y)
    weight = np.ones(n)
    if sample_weight is not None:
        weight = check_weights(sample_weight, n)
    rows = np.flatnonzero(weight > 0)
    choice = estimator._choose(X, None if sample_weight is None else weight)
    if choice.kernel is None:
        check_square(X)
        estimator._check_matrix(X, rows)
        if len(rows) == n and estimator.samples_must_differ:
            warn_of_equal_samples(X)
    else:
        counted = X if len(rows) == n else pick_rows(X, rows)
        # the first and the last sample settle nearly all cases
        plain = type(counted) is np.ndarray
        settled = plain and bool(np.any(counted[:1] != counted[-1:]))
        if estimator.samples_must_differ and not settled:
            warn_of_equal_samples(counted)
        choice.kernel.fit_batch(Batch(counted))
        check_resolved(choice.kernel, counted, estimator.samples_must_differ)
        rows_are_numbers = getattr(getattr(X, "dtype", None), "kind", "") == "f"
        if target != "none" and not rows_are_numbers:  # nodes may be
            warn_of_small_values(estimator, choice.kernel, X)
    return Training(X, choice.kernel, rows, weight[rows], y[rows])


def check_data(
    estimator: KernelEstimator, X: RawSamples, y: Targets, target: Target, **options: object
) -> tuple[RawSamples, np.ndarray]:
    """Samples and targets as arrays or collections that the kernel can read.

    Options say which ways to store numbers are accepted; that of a plain matrix always is.
    """
    if target != "none" and y is None:
        name = type(estimator).__name__
        raise ValueError(f"This {name} estimator requires y to be passed, but the target y is None")
    if _needs_no_conversion(estimator, X, y, target):
        note_columns(estimator, X)
    elif target == "none":
        X = estimator._check_X(X, reset=True, **options)
    else:
        X, y = _converted(estimator, X, y, target, options)
    if target == "none":
        y = np.zeros(raw_length(X))
    return X, y


def _converted(
    estimator: KernelEstimator,
    X: RawSamples,
    y: Targets,
    target: Target,
    options: dict[str, object],
) -> tuple[RawSamples, np.ndarray]:
    """Samples and targets after scikit-learn's checks, or those of the kernel's domain."""
    numeric = target != "labels"
    if not numeric:
        y = long_labels_as_objects(y)
    if estimator._takes_vectors() and not estimator._takes_as_given(X):
        if numeric:
            options |= {"y_numeric": True, "multi_output": target == "numbers"}
        X, y = estimator._check_numbers(X, y=y, **options)
    else:
        X = estimator._check_X(X, reset=True)
        if numeric:
            y = check_array(y, ensure_2d=False, dtype=np.float64)
        if len(y) != raw_length(X):
            rule = f"must have one for each of the {raw_length(X)} samples"
            raise ShapeError("y", f"{len(y)} values", rule)
    if target != "numbers":
        y = column_or_1d(y, warn=True)
    return X, np.asarray(y, dtype=np.float64 if numeric else None)


def long_labels_as_objects(y: Targets) -> Targets:
    """Labels, where one is long, without an array that has room for it at every place."""
    if not isinstance(y, list | tuple):
        return y
    if any(isinstance(label, str) and len(label) > _LONG_LABEL for label in y):
        return np.array(y, dtype=object)
    return y


def _needs_no_conversion(
    estimator: KernelEstimator, X: RawSamples, y: Targets, target: Target
) -> bool:
    """Whether scikit-learn's checks would change nothing; they cost more than a small fit."""
    if not estimator._takes_vectors() or not is_plain_matrix(X) or len(X) < 2:
        return False
    if target == "none":
        return True
    if type(y) is not np.ndarray or y.shape != (len(X),):
        return False
    if target == "labels":
        return are_plain_labels(y)
    return y.dtype == np.float64 and bool(np.isfinite(y.sum()))


def are_plain_labels(y: np.ndarray) -> bool:
    """Whether labels are clearly classes: whole numbers, in floats too, or text of one length."""
    if y.dtype.kind == "f":
        return bool((np.abs(y) < _WHOLE).all()) and bool((y == np.rint(y)).all())
    return y.dtype.kind in "iubU"


def begin_classes(
    estimator: Estimator, X: RawSamples, y: Targets, sample_weight: Weights
) -> Training:
    """`begin` for labels: sets ``classes_`` and turns labels into numbers.

    Class weights are multiplied into the weights.
    """
    data = begin(estimator, X, y, sample_weight, target="labels")
    encode_classes(estimator, data)
    class_weight = getattr(estimator, "class_weight", None)
    if class_weight is not None:
        _weigh(estimator, data, class_weight)
    return data


def encode_classes(estimator: Estimator, data: Training) -> None:
    """Set ``classes_``, at least two, and replace labels by their numbers."""
    if not are_plain_labels(data.y):
        check_classification_targets(data.y)
    y = data.y
    if y.dtype.kind in "if" and len(y) and y.min() >= 0 and y.max() < _SMALL_LABELS:
        data.y = y.astype(np.intp, copy=False)
        counts = np.bincount(data.y)
        classes = np.flatnonzero(counts)
        estimator.classes_ = classes.astype(y.dtype)
        if len(classes) < len(counts):  # labels are not the numbers of the classes
            data.y = np.searchsorted(classes, data.y)
    else:
        estimator.classes_, data.y = np.unique(y, return_inverse=True)
    n_classes = len(estimator.classes_)
    if n_classes < 2:
        which = "" if data.all_count else " with positive weight"
        raise ValueError(
            f"The number of classes has to be greater than one; got {n_classes} class{which}"
        )


def _weigh(estimator: Estimator, data: Training, class_weight: ClassWeight) -> None:
    """Multiply class weights into the weights; classes of weight 0 are left out."""
    labels = estimator.classes_[data.y]
    factor = weigh_classes(class_weight, estimator.classes_, labels, data.weight)
    data.weight = data.weight * factor[data.y]
    keep = data.weight > 0
    present, data.y = np.unique(data.y[keep], return_inverse=True)
    data.rows, data.weight = data.rows[keep], data.weight[keep]
    estimator.classes_ = estimator.classes_[present]
    if len(present) < 2:
        rule = "leaves fewer than two classes with a weight above 0"
        raise ParameterError("class_weight", class_weight, rule)


def weigh_classes(
    class_weight: ClassWeight, classes: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """One weight >= 0 per class.

    "balanced" counts samples by their weights, so that a weight of 2 is the row twice.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        share = np.array([weight[y == c].sum() for c in classes])
        return weight.sum() / (len(classes) * share)
    values = np.asarray(compute_class_weight(class_weight, classes=classes, y=y), dtype=float)
    if not np.isfinite(values).all() or (values < 0).any():
        rule = "must be finite and >= 0 for every class"
        raise ParameterError("class_weight", class_weight, rule)
    return values
