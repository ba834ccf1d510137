"""Rows for training and rows for calibration, also of precomputed Gram matrices."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import KFold, train_test_split

from mercer.aliases import RandomState, RawSamples, Splitter
from mercer.domains.base import pick_rows
from mercer.errors import ParameterError
from mercer.params import is_integer


def columns_of(X: RawSamples, training: np.ndarray, pairwise: bool) -> RawSamples:
    """New samples for a model of some training rows: their columns of a matrix k(X, X_train)."""
    if not pairwise:
        return X
    return np.asarray(X)[:, training]


def training_rows(X: RawSamples, rows: np.ndarray, pairwise: bool) -> RawSamples:
    """Rows to fit on; of a Gram matrix the columns too."""
    return columns_of(pick_rows(X, rows), rows, pairwise)


def split_rows(
    y: np.ndarray, share: float, random_state: RandomState, stratified: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Rows for training and for calibration, drawn at random; stratified: in every class alike.

    Only a guarantee for each class allows strata: otherwise the numbers of calibration rows of the
    classes must be as random as the class of a new sample.
    """
    rows = np.arange(len(y))
    labels = None
    if stratified and np.unique(y, return_counts=True)[1].min() > 1:
        labels = y
    parts = {"test_size": share, "random_state": random_state}
    try:
        training, calibration = train_test_split(rows, stratify=labels, **parts)
    except ValueError:  # fewer rows in a part than classes
        training, calibration = train_test_split(rows, **parts)
    return np.sort(training), np.sort(calibration)


def fold_of_rows(y: np.ndarray, cv: Splitter, random_state: RandomState) -> np.ndarray:
    """The number of the fold in which each row is held out."""
    splitter = _folds(len(y), cv, random_state)
    folds = np.full(len(y), -1)
    times = np.zeros(len(y), dtype=int)
    for number, held_out in enumerate(_held_out(splitter, y)):
        folds[held_out] = number
        times[held_out] += 1
    if (times != 1).any():
        row = int(np.argmax(times != 1))
        rule = f"holds row {row} out {times[row]} times: the folds must divide the rows"
        raise ParameterError("cv", cv, rule, "give a number, or a KFold")
    return folds


def _held_out(splitter: Splitter, y: np.ndarray) -> list[np.ndarray]:
    """The rows that each fold holds out."""
    try:
        return [held_out for _, held_out in splitter.split(np.zeros(len(y)), y)]
    except (TypeError, ValueError) as error:
        rule = f"cannot divide the rows: {error}"
        raise ParameterError("cv", splitter, rule, "give PredefinedSplit(fold_of_row)") from error


def doubt_of_folds(cv: Splitter) -> str:
    """Why nothing is proven of these folds; empty if they do not depend on the rows."""
    if is_integer(cv) or type(cv) is KFold:
        return ""
    return f"the folds of {type(cv).__name__} may depend on the rows"


def _folds(n: int, cv: Splitter, random_state: RandomState) -> Splitter:
    """A splitter that draws the folds, or the one that was given."""
    if hasattr(cv, "split") and not isinstance(cv, str):
        return cv
    if not is_integer(cv) or not 2 <= cv <= n:
        rule = f"must be a number of folds from 2 to the {n} rows, or a splitter"
        raise ParameterError("cv", cv, rule)
    return KFold(cv, shuffle=True, random_state=random_state)
