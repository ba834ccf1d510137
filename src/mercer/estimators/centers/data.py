"""How a fit on centers begins: a source of rows, its kernel, its targets, and what they sum to."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from mercer.aliases import RandomState, RawSamples, Targets, Weights
from mercer.config import format_bytes
from mercer.domains.base import raw_length
from mercer.errors import DomainError, InputError, ParameterError, ShapeError
from mercer.estimators.centers.changes import (
    AsClasses,
    AsNumbers,
    AsTargets,
    Checked,
    Readable,
    Unlabeled,
    check_length,
    checked_weight,
)
from mercer.estimators.common.base import KernelEstimator, certificate_on
from mercer.estimators.common.kernel_choice import is_precomputed
from mercer.estimators.common.training import Target, Training, begin, begin_classes, weigh_classes
from mercer.estimators.common.validation import check_weights
from mercer.execution.cluster import current_engine
from mercer.execution.engine import Engine
from mercer.gram.blocks.arrays import ArrayRows
from mercer.gram.blocks.base import Block, Change, Rows
from mercer.gram.blocks.lazy import DaskRows
from mercer.gram.blocks.sources import is_source, scan
from mercer.gram.plan import PANELS, fits, kept_rows, plan_centers
from mercer.kernels.base import Kernel

_SAMPLE = 20_000  # rows that the kernel is chosen and fitted on, where not all are in memory
_FEW = 1000  # samples that are always fitted exactly


@dataclasses.dataclass
class RowData:
    """A source of rows with a kernel, ready for passes: targets are columns or class numbers."""

    kernel: Kernel
    rows: Rows
    count: int
    engine: Engine
    n_targets: int = 1
    one_target: bool = True  # whether the target was given as a vector
    total_weight: float = 0.0
    mean: np.ndarray | None = None  # of the targets, by their weights
    spread: float = 1.0  # the standard deviation of the targets
    notes: tuple[str, ...] = ()
    class_factors: np.ndarray | None = None  # the weights of classes
    kept: np.ndarray | None = None  # positions among the samples given; None where all are kept
    n_given: int = 0  # how many samples were given

    def positions(self, places: np.ndarray) -> np.ndarray:
        """Where rows stand among the samples that were given."""
        return places if self.kept is None else self.kept[places]


@dataclasses.dataclass
class Opened:
    """What a learner was given: rows to pass over, or else samples for an exact fit."""

    X: RawSamples
    y: Targets
    weight: Weights
    data: RowData | None = None
    notes: tuple[str, ...] = ()

    def annotate(self, estimator: KernelEstimator) -> None:
        """Say in the report of an exact fit what was loaded for it."""
        report = vars(estimator)["report_"]
        estimator.report_ = dataclasses.replace(report, notes=(*report.notes, *self.notes))


def open_rows(
    estimator: KernelEstimator,
    X: RawSamples,
    y: Targets,
    sample_weight: Weights,
    *,
    target: Target,
    steps: float,
) -> Opened:
    """Decide whether a learner works on centers, and if so prepare the rows for it.

    ``steps`` is how many products with the whole matrix the exact solver is expected to need.
    """
    centers = vars(estimator)["centers"]
    if type(X) is np.ndarray and len(X) <= _FEW and isinstance(centers, str):
        return Opened(X, y, sample_weight)  # exact under any plan: small fits pay for no more
    if is_source(X, y):
        return _opened_source(estimator, X, y, sample_weight, target, steps)
    precomputed = is_precomputed(estimator._given_kernel())
    if precomputed and not isinstance(centers, str):
        remedy = "give the kernel and the samples"
        rule = "need rows, and not a precomputed matrix"
        raise ParameterError("centers", centers, rule, remedy)
    if precomputed or _is_exact(centers, X, steps):
        return Opened(X, y, sample_weight)
    if _is_narrow(X) and estimator._takes_vectors():
        data = _surveyed(estimator, scan(X, y, sample_weight=sample_weight), target)
    else:
        data = _begun(estimator, X, y, sample_weight, target)
    return Opened(X, y, sample_weight, data)


def _is_narrow(X: RawSamples) -> bool:
    """Whether X has many rows in single precision: a copy in double precision would be larger."""
    many = type(X) is np.ndarray and X.ndim == 2 and len(X) > _SAMPLE
    return many and X.dtype == np.float32


def _is_exact(centers: object, X: RawSamples, steps: float) -> bool:
    """Whether all samples are fitted exactly: as the user says, or since they are few."""
    if not isinstance(centers, str):
        return False
    if centers == "all":
        return True
    count = _length(X)
    return count is None or plan_centers(count, steps) is None


def _length(X: RawSamples) -> int | None:
    try:
        return raw_length(X)
    except (TypeError, ValueError):  # refused later, with its name
        return None


def _begun(
    estimator: KernelEstimator, X: RawSamples, y: Targets, sample_weight: Weights, target: Target
) -> RowData:
    """Rows in memory: checked as for an exact fit."""
    if target == "labels":
        training = begin_classes(estimator, X, y, sample_weight)
    else:
        training = begin(estimator, X, y, sample_weight, target=target)
    kernel = _checked_kernel(estimator, training.kernel, training.X)
    values = _target_values(training.y, target)
    weight: Weights = training.weight  # a million equal ones would be kept for every pass
    if sample_weight is None and np.all(weight == 1.0):
        weight = None
    rows = ArrayRows(training.samples(), values, weight)
    _check_readable(estimator, kernel, rows, training)
    data = RowData(kernel, rows, training.count, current_engine(), one_target=training.y.ndim == 1)
    data.total_weight, data.n_given = float(training.weight.sum()), training.n_given
    if not training.all_count:
        data.kept = training.rows
    if target == "labels":
        given = check_weights(sample_weight, training.n_given)[training.rows]
        first = np.unique(training.y, return_index=True)[1]
        data.class_factors = training.weight[first] / given[first]
    elif values is not None:
        _note_moments(data, [_moments(Block(None, values, training.weight))])
    return data


def _check_readable(
    estimator: KernelEstimator, kernel: Kernel, rows: Rows, training: Training
) -> None:
    """Refuse samples that the kernel cannot read, by their places among all that were given.

    A pass knows the place in its block only, and a sample of the rows not even that.
    """
    if estimator._takes_vectors():
        return
    try:
        for _ in rows.map(Readable(kernel)):
            pass
    except (InputError, DomainError):
        training.whole()
        raise


def _target_values(y: np.ndarray, target: Target) -> np.ndarray | None:
    """Targets as passes read them: none, numbers of classes, or columns of numbers."""
    if target == "none":
        return None
    if target == "labels":
        return y
    return y.reshape(len(y), -1)


def _checked_kernel(estimator: KernelEstimator, kernel: Kernel | None, X: RawSamples) -> Kernel:
    """A kernel that is positive semi-definite, which centers need."""
    assert kernel is not None
    kernel = estimator._kernel_on_centers(kernel)
    if estimator.needs == "cpd" and certificate_on(kernel, X).status == "cpd":
        rule = "is only conditionally positive definite, where centers need a psd kernel"
        raise ParameterError("kernel", kernel, rule, "center it: k.center(), or centers='all'")
    return kernel


# -- sources that are read block by block ----------------------------------------------------------


def _opened_source(
    estimator: KernelEstimator,
    X: RawSamples,
    y: Targets,
    sample_weight: Weights,
    target: Target,
    steps: float,
) -> Opened:
    source = scan(X, y, sample_weight=sample_weight)
    source.keep(kept_rows())
    count = len(source)
    size = format_bytes(source.bytes)
    centers = vars(estimator)["centers"]
    if _is_exact(centers, source, steps) and (
        centers == "all" or fits(1, source.bytes // 8, PANELS)
    ):
        block = checked(source, estimator._takes_vectors(), target).whole()
        note = f"all {count:,} rows were loaded into memory, {size}"
        return Opened(block.X, block.y, block.weight, notes=(note,))
    data = _surveyed(estimator, source, target)
    data.notes = (f"{count:,} rows, {size}, read block by block",)
    return Opened(X, y, sample_weight, data)


def _surveyed(estimator: KernelEstimator, source: Rows, target: Target) -> RowData:
    """The kernel from a sample of the rows; sums of targets and weights from all of them."""
    sample = _sampled(estimator, source, target)
    engine = current_engine(lazy=isinstance(source, DaskRows))
    kernel = _kernel_of_sample(estimator, sample, target)
    change = _target_change(estimator, source, engine, target)
    rows = source.map(*_number_changes(estimator), change)
    data = RowData(kernel, rows, len(source), engine, n_given=len(source))
    data.class_factors = getattr(change, "factors", None)
    data.one_target = sample.y is None or np.ndim(sample.y) == 1
    reading = rows
    if not estimator._takes_vectors():
        reading = rows.map(Readable(kernel))
    _note_moments(data, engine.map(_moments, reading))
    if target == "number" and data.n_targets != 1:
        raise ShapeError("y", f"{data.n_targets} columns", "must be one column")
    return data


def _sampled(estimator: KernelEstimator, source: Rows, target: Target) -> Block:
    """Some rows of a source, drawn uniformly and checked."""
    count = len(source)
    rng = generator(vars(estimator).get("random_state"))
    index = np.sort(rng.choice(count, min(count, _SAMPLE), replace=False))
    sample = checked(source, estimator._takes_vectors(), target).take(index)
    if target != "none":
        check_length(sample)
    return sample


def _kernel_of_sample(estimator: KernelEstimator, sample: Block, target: Target) -> Kernel:
    """The kernel, chosen and fitted on a sample of the rows."""
    kind, y = target, sample.y
    if target in ("none", "labels"):  # classes come from all rows
        kind, y = "none", None
    training = begin(estimator, sample.X, y, sample.weight, target=kind)
    return _checked_kernel(estimator, training.kernel, training.X)


def _number_changes(estimator: KernelEstimator) -> tuple[Change, ...]:
    """What makes numbers of the samples, where the kernel reads vectors."""
    if not estimator._takes_vectors():
        return ()
    names = vars(estimator).get("feature_names_in_")
    known = None if names is None else tuple(names)
    return (AsNumbers(int(estimator.n_features_in_), known),)


def _target_change(
    estimator: KernelEstimator, source: Rows, engine: Engine, target: Target
) -> Change:
    """What is done with the targets of every block."""
    if target == "labels":
        return _classes(estimator, source, engine)
    if target == "none":
        return Unlabeled()
    return AsTargets()


def checked(source: Rows, vectors: bool, target: Target) -> Rows:
    """The source, whose rows are refused where numbers are not finite or widths differ.

    What is refused later, in a sample, could not be named by its place.
    """
    shape: tuple[int, ...] = getattr(next(iter(source)).X, "shape", ())
    checks: list[Change] = []
    if vectors and len(shape) == 2:
        checks.append(Checked(AsNumbers(int(shape[1]))))
    if target.startswith("number"):
        checks.append(Checked(AsTargets()))
    return source.map(*checks)


def _classes(estimator: KernelEstimator, source: Rows, engine: Engine) -> AsClasses:
    """The labels of all rows, wherever they first appear, and their weights."""
    totals = _class_totals(source, engine)
    classes = np.array(sorted(label for label, weight in totals.items() if weight > 0))
    check_classification_targets(classes)
    if len(classes) < 2:
        raise ValueError(
            f"The number of classes has to be greater than one; got {len(classes)} class"
        )
    estimator.classes_ = classes
    return AsClasses(classes, _class_factors(estimator, classes, totals))


def _class_factors(
    estimator: KernelEstimator, classes: np.ndarray, totals: dict[Any, float]
) -> np.ndarray:
    """The weights of the classes, by the parameter of the learner and the weights of their rows."""
    class_weight = vars(estimator).get("class_weight")
    if class_weight is None:
        return np.ones(len(classes))
    shares = np.array([totals[label] for label in classes.tolist()])
    return weigh_classes(class_weight, classes, classes, shares)


def _class_totals(source: Rows, engine: Engine) -> dict[Any, float]:
    """The sum of the weights of each label."""
    totals: dict[Any, float] = {}
    for labels, weights in engine.map(_labels, source):
        for label, weight in zip(labels.tolist(), weights.tolist(), strict=True):
            totals[label] = totals.get(label, 0.0) + weight
    return totals


def _labels(block: Block) -> tuple[np.ndarray, np.ndarray]:
    """The labels of a block, and the sum of the weights of each."""
    check_length(block)
    labels, places = np.unique(np.asarray(block.y), return_inverse=True)
    return labels, np.bincount(places, checked_weight(block), minlength=len(labels)).astype(float)


def _moments(block: Block) -> tuple[float, np.ndarray, np.ndarray]:
    """Σ w, Σ w y and Σ w y² of a block; without targets or with labels, the first only."""
    weight = block.weights()
    y = block.y
    if y is None or y.ndim == 1:
        return float(weight.sum()), np.zeros(1), np.zeros(1)
    return float(weight.sum()), weight @ y, weight @ (y * y)


def _note_moments(data: RowData, moments: list[tuple[float, np.ndarray, np.ndarray]]) -> None:
    total = sum(each[0] for each in moments)
    if not total > 0:
        raise ParameterError("sample_weight", total, "must be positive for some rows")
    first = np.sum([each[1] for each in moments], axis=0) / total
    second = np.sum([each[2] for each in moments], axis=0) / total
    data.total_weight, data.n_targets = total, len(first)
    data.mean = first
    data.spread = float(np.sqrt(np.maximum(second - first * first, 0.0).max())) or 1.0


def generator(random_state: RandomState) -> np.random.Generator:
    """A generator whose draws do not need an array of all rows."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
