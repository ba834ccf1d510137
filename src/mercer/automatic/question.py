"""The learning problem of a data source: samples, their targets, classification or regression."""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from mercer.aliases import Frame, RawSamples, Targets
from mercer.domains.base import pick_rows
from mercer.errors import InputError, did_you_mean
from mercer.readers import Source

_FEW_VALUES = 20  # different whole numbers up to which a target that repeats them is a class
_MANY_VALUES = 100  # the same, where every value is frequent
_LONGEST_NAME = 1000  # letters of the name of a class
_POSITION = re.compile(r"-?[0-9]{1,9}")
_SHOWN = 12  # names of columns in an error message


@dataclasses.dataclass(frozen=True)
class Question:
    """A supervised learning problem.

    Attributes
    ----------
    X, y : samples and their targets
        Classes are strings, other targets are floats.
    target : str
        The name of the target.
    task : str
        "classification" or "regression".
    rows : ndarray
        The positions of the samples in the source, some of which may have been left out.
    notes : list of str
        What the user should know, such as what was left out.
    """

    X: RawSamples
    y: np.ndarray
    target: str
    task: str
    rows: np.ndarray
    notes: list[str]


def ask(source: Source, target: str | None, task: str = "auto") -> Question:
    """Separate the target from the samples, and decide between classification and regression."""
    X, y, name = _separate(source, target)
    notes = list(source.notes)
    missing = _is_missing(y)
    rows = np.flatnonzero(~missing)
    if len(rows) == 0:
        raise InputError("target", name, "has no value at all")
    if missing.any():
        notes.append(f"{int(missing.sum())} rows have no {name} and are left out")
        X, y = pick_rows(X, rows), pick_rows(y, rows)
    if len(rows) < 10:
        rule = "are too few to learn from and to test on"
        raise InputError("data", f"{len(rows)} samples", rule, "give at least 10")
    values = np.asarray(y)
    if task == "auto":
        task = _guess_task(values)
    if task == "regression":
        return Question(X, _as_numbers(values, name), name, task, rows, notes)
    labels = _as_classes(values, name)
    kept = _repeated_classes(labels, notes)
    if len(kept) < len(labels):
        X, labels, rows = pick_rows(X, kept), labels[kept], rows[kept]
    return Question(X, labels, name, task, rows, notes)


def _separate(source: Source, target: str | None) -> tuple[RawSamples, Targets, str]:
    """Samples, targets and the name of the target."""
    if source.kind != "table":
        if source.labels is None:
            remedy = "FASTA headers that repeat, a file for each class, or a folder for each class"
            raise InputError(source.kind, source.description, "carry no classes", remedy)
        return source.samples, source.labels, target or "label"
    frame = source.samples
    name = find_column(frame, target)
    others = frame.drop(columns=[name])
    if len(others.columns) == 0:
        rule = "has no column to predict the target from"
        raise InputError("table", f"one column, {name!r}", rule)
    return others, frame[name], name


def find_column(frame: Frame, target: str | None) -> str:
    """The column with that name or position; negative positions count from the end."""
    names = list(frame.columns)
    if target is None:
        raise InputError("target", None, "is not named", f"--target, one of: {_listed(names)}")
    if target in names:
        return target
    if _POSITION.fullmatch(target) and -len(names) <= int(target) < len(names):
        return names[int(target)]
    remedy = did_you_mean(target, names, f"there are: {_listed(names)}")
    raise InputError("target", target, "is not a column", remedy)


def _listed(names: list[str]) -> str:
    more = ["..."] if len(names) > _SHOWN else []
    return ", ".join(names[:_SHOWN] + more)


def _is_missing(y: Targets) -> np.ndarray:
    if hasattr(y, "isna"):
        return np.asarray(y.isna())
    values = np.asarray(y)
    if values.dtype.kind == "f":
        return np.isnan(values)
    return np.zeros(len(values), dtype=bool)


def _guess_task(y: np.ndarray) -> str:
    """Regression for numbers, unless they look like labels of classes."""
    if y.dtype.kind in "iuf" and not _are_labels(y):
        return "regression"
    return "classification"


def _are_labels(y: np.ndarray) -> bool:
    """Whether numbers are whole, and so few that each occurs often."""
    values, counts = np.unique(y, return_counts=True)
    if not (values == np.round(values)).all():
        return False
    few = len(values) <= _FEW_VALUES and np.median(counts) >= 5
    return bool(few or (len(values) <= _MANY_VALUES and counts.min() >= 20))


def _check_finite(values: np.ndarray, name: str) -> None:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError("target", name, "holds infinities")


def _as_numbers(y: np.ndarray, name: str) -> np.ndarray:
    try:
        values = y.astype(float)
    except (TypeError, ValueError):
        rule = "holds text, which is no number"
        raise InputError("target", name, rule, "--task classification") from None
    _check_finite(values, name)
    if np.ptp(values) == 0:
        rule = f"is {values[0]:g} in every row: there is nothing to learn"
        raise InputError("target", name, rule)
    return values


def class_names(y: np.ndarray) -> np.ndarray:
    """Targets as the names of classes: text, whole numbers without a decimal point."""
    if y.dtype.kind == "O":
        # An array of strings has room for the longest one in every place.
        longest = max(map(str, y), key=len, default="")
        if len(longest) > _LONGEST_NAME:
            rule = f"has {len(longest):,} letters: a class is a name of at most {_LONGEST_NAME:,}"
            raise InputError("target", longest, rule, "is it a text, and another column the class?")
    if y.dtype.kind == "f" and bool((y == np.round(y)).all() and (np.abs(y) < 2**53).all()):
        return y.astype(int).astype(str)
    return y.astype(str)


def _as_classes(y: np.ndarray, name: str) -> np.ndarray:
    _check_finite(y, name)
    labels = class_names(y)
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2:
        rule = f"is {str(classes[0])!r} in every row: there is one class only"
        raise InputError("target", name, rule)
    if counts.max() == 1 or len(classes) > max(100, len(labels) // 5):
        rule = f"has {len(classes):,} classes in {len(labels):,} rows: too few of each to learn"
        raise InputError("target", name, rule, "is it a name? or a number: --task regression")
    return labels


def _repeated_classes(labels: np.ndarray, notes: list[str]) -> np.ndarray:
    """Positions of the samples whose class has others; one sample cannot be learned and tested."""
    classes, counts = np.unique(labels, return_counts=True)
    rare = classes[counts < 2]
    if len(rare) == 0:
        return np.arange(len(labels))
    examples = ", ".join(map(str, rare[:5]))
    notes.append(f"{len(rare)} classes have one sample each and are left out: {examples}")
    if len(classes) - len(rare) < 2:
        rule = "is left when classes of a single sample are left out"
        raise InputError("target", "one class", rule)
    return np.flatnonzero(~np.isin(labels, rare))
