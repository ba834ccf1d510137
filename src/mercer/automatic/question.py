"""The learning problem of a data source: samples, their targets, classification or regression."""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer.aliases import Frame, RawSamples, Targets
from mercer.automatic.checks.chosen import EVERY_COLUMN, Choice, find_column
from mercer.automatic.checks.left_out import LeftOut
from mercer.automatic.checks.targets import refuse_dates, remedy_for_many_classes, target_notes
from mercer.domains.base import pick_rows
from mercer.errors import InputError, nearest
from mercer.readers import Source

_FEW_VALUES = 20  # different whole numbers up to which a target that repeats them is a class
_MANY_VALUES = 100  # the same, where every value is frequent
_SHOWN_CLASSES = 6  # in an error message
_LONGEST_NAME = 1000  # letters of the name of a class
# where the classes of samples are given, for messages
_CLASSES = {
    "sequences": "FASTA headers that repeat, or a file for each class, give them",
    "graphs": "the file NAME_graph_labels.txt of a folder in TUDataset format gives them",
    "series": "the last value of each line gives them, after '@classLabel true' in the header",
    "trees": 'the member "label" of each line gives them, or a folder for each class',
}


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
    left_out : list of LeftOut
        The columns that are not learned from, with reasons.
    names : ndarray or None
        The names of the samples, from the column of the identifiers.
    """

    X: RawSamples
    y: np.ndarray
    target: str
    task: str
    rows: np.ndarray
    notes: list[str]
    left_out: list[LeftOut] = dataclasses.field(default_factory=list)
    names: np.ndarray | None = None

    def without(self, columns: list[LeftOut]) -> Question:
        """The question without some of its columns."""
        if not columns:
            return self
        left_out = {each.column for each in columns}
        X = self.X.drop(columns=[name for name in self.X.columns if str(name) in left_out])
        if len(X.columns) == 0:
            rule = "has no columns to learn from"
            raise InputError("table", "every column constant or empty", rule)
        return dataclasses.replace(self, X=X, left_out=[*self.left_out, *columns])


def ask(
    source: Source, target: str | None, task: str = "auto", choice: Choice = EVERY_COLUMN
) -> Question:
    """Separate the target from the samples, and decide between classification and regression."""
    X, y, name, left_out, names = _separate(source, target, choice)
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
    asked = task
    if task == "auto":
        refuse_dates(values, name)
        task = _guess_task(values)
    if task == "regression":
        targets = _as_numbers(values, name)
    else:
        targets = _as_classes(values, name)
        kept = _repeated_classes(targets, notes)
        if len(kept) < len(targets):
            X, targets, rows = pick_rows(X, kept), targets[kept], rows[kept]
    if asked == "auto":
        notes += target_notes(values, name, task)
    if names is not None:
        names = names[rows]
    return Question(X, targets, name, task, rows, notes, left_out, names)


def ask_alike(source: Source, like: Question) -> Question:
    """The same problem on a test set; samples whose label is no known class are left out."""
    X, y, name = source.samples, source.labels, like.target
    if hasattr(X, "columns"):
        X, y = _columns_alike(X, like)
    elif y is None:
        raise InputError("--test", source.description, "carries no classes")
    if hasattr(X, "resize") and X.shape[1] < like.X.shape[1]:
        X.resize((X.shape[0], like.X.shape[1]))  # columns that are zero in every row
    known = ~_is_missing(y)
    values = np.asarray(y)
    notes, counted, example = [f"test: {note}" for note in source.notes], "", ""
    if like.task == "regression":
        targets = np.full(len(known), np.nan)
        targets[known] = _as_numbers(values[known], name)
    else:
        targets = class_names(values)
        strange = known & ~np.isin(targets, like.y)
        if strange.any():
            example = str(targets[strange][0])
            counted = (
                f"{int(strange.sum())} rows of the test file have a {name} that is not a class"
            )
            near = _nearest_class(example, like.y)
            notes.append(f"{counted} of the data, such as {example!r}, and are left out; {near}")
        known &= ~strange
    rows = np.flatnonzero(known)
    if len(rows) == 0 and counted:
        rule = "is not a class of the data, nor is any other label of the test file"
        raise InputError(name, example, rule, _nearest_class(example, like.y))
    if len(rows) == 0:
        raise InputError("--test", source.description, f"has no {name} that can be compared")
    like.notes.extend(notes)
    return Question(pick_rows(X, rows), targets[rows], name, like.task, rows, notes)


def _nearest_class(label: str, y: np.ndarray) -> str:
    """The classes there are, and the one that a label may be meant for."""
    classes = list(map(str, np.unique(y)))
    remedy = f"the data know {', '.join(classes[:_SHOWN_CLASSES])}"
    near = nearest(label, classes, most=1)
    return f"{remedy}; is {label!r} meant for {near[0]!r}?" if near else remedy


def _columns_alike(frame: Frame, like: Question) -> tuple[Frame, Targets]:
    """The columns of a table that another question has, and its target."""
    for name in (like.target, *like.X.columns):
        if name not in frame.columns:
            raise InputError("--test", "the file", f"has no column {name!r}")
    return frame[list(like.X.columns)], frame[like.target]


def _separate(
    source: Source, target: str | None, choice: Choice
) -> tuple[RawSamples, Targets, str, list[LeftOut], np.ndarray | None]:
    """Samples, targets, the name of the target, columns left out, and the names of samples."""
    if source.kind != "table":
        if source.labels is None:
            remedy = _CLASSES.get(source.kind, "a folder for each class gives them")
            raise InputError(source.kind, source.description, "carry no classes", remedy)
        name = target or "label"
        samples, left_out, names = choice.apply(source.samples, name)
        return samples, source.labels, name, left_out, names
    frame = source.samples
    name = find_column(frame, target)
    if len(frame.columns) == 1:
        rule = "has no column to predict the target from"
        raise InputError("table", f"one column, {name!r}", rule)
    others, left_out, names = choice.apply(frame, name)
    return others, frame[name], name, left_out, names


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
        rule = "holds text, which is not a number"
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
        raise InputError("target", name, rule, remedy_for_many_classes(y))
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
