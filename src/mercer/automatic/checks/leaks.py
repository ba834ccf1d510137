"""Columns that determine the target by themselves, perhaps because they are known only after it."""

from __future__ import annotations

import itertools

import numpy as np

from mercer.aliases import Frame
from mercer.automatic.checks.value import ColumnValue
from mercer.automatic.metrics import area_under_curve

_FEWEST = 30  # rows below which a column may determine the target by chance
_WHOLE = 0.9995  # AUC or R² that counts as 1
_DISTINCT = 0.95  # share of different strings from which they may be names of rows
_SHORT = 24  # letters of such a name, on average
_MOST = 0.7  # share of the target's variance that such names should not explain
_MOST_DISTINCT = 0.5  # share of different values above which a category is the name of a row


def leaking_columns(frame: Frame, y: np.ndarray, classification: bool) -> list[tuple[str, str]]:
    """The columns that predict the target alone, each with the metric that shows it.

    A number does so if its order does (AUC 1, or a rank correlation of ±1), another value if
    it comes with one target only, any column if it is missing for one of two classes only, and
    short strings that are nearly all different if their letters do: they may be names of rows.

    Parameters
    ----------
    frame : DataFrame
        The table, without the target.
    y : ndarray of shape (n,)
        The target.
    classification : bool
        Whether the target is a class.

    Returns
    -------
    list of (str, str)
        The names of the columns, and what each of them reaches, such as "AUC 1.0".
    """
    if len(frame) < _FEWEST:
        return []
    if classification:
        y = np.unique(y, return_inverse=True)[1]  # numbers are sooner compared than names
    reached = {str(name): _reached(frame, y, name, classification) for name in frame.columns}
    return [(name, metric) for name, metric in reached.items() if metric is not None]


def _reached(frame: Frame, y: np.ndarray, name: object, classification: bool) -> str | None:
    """What a column reaches by itself, by its order, its values or its letters; None if little."""
    judge = _determines_classes if classification else _determines_numbers
    reached = judge(frame[name], y)
    if reached is None and len(frame.columns) > 1 and _are_names(frame[name]):
        return _explained_by_letters(frame, y, name, classification)
    return reached


def _are_names(column: Frame) -> bool:
    """Whether a column holds short strings that are nearly all different, as names of rows are."""
    present = column.dropna()
    strings = [value for value in present if isinstance(value, str)]
    if len(strings) < max(_FEWEST, len(present)) or len(set(strings)) < _DISTINCT * len(strings):
        return False
    return sum(map(len, strings)) <= _SHORT * len(strings)


def _explained_by_letters(
    frame: Frame, y: np.ndarray, name: object, classification: bool
) -> str | None:
    """Whether the letters of names explain most of the target: classes that number their rows."""
    share = ColumnValue(frame, y, [], classification).share(name)
    return f"R² {share:.2f} by its letters" if share >= _MOST else None


def _determines_classes(column: Frame, y: np.ndarray) -> str | None:
    is_missing = column.isna().to_numpy()
    areas = [_area_of_groups(column, y)]
    if column.dtype.kind in "iuf":
        values = column.to_numpy(dtype=float)
        present = ~is_missing
        areas = [_area(values[present], y[present])] if present.sum() >= _FEWEST else []
    areas.append(_area(is_missing.astype(float), y))
    best = max(areas)
    return f"AUC {best:.3g}" if best >= _WHOLE else None


def _area(values: np.ndarray, y: np.ndarray) -> float:
    """How well the order of numbers parts two classes, in either direction."""
    classes = np.unique(y)
    if len(classes) != 2:
        return _ordered_classes(values, y, classes)
    area = area_under_curve(y == classes[1], values, np.ones(len(y)))
    return max(area, 1.0 - area)


def _ordered_classes(values: np.ndarray, y: np.ndarray, classes: np.ndarray) -> float:
    """1 if the ranges of three classes or more do not meet, else 0."""
    if len(classes) < 2:
        return 0.0
    ranges = sorted((values[y == label].min(), values[y == label].max()) for label in classes)
    apart = all(low > high for (_, high), (low, _) in itertools.pairwise(ranges))
    return float(apart)


def _area_of_groups(column: Frame, y: np.ndarray) -> float:
    """The AUC of the shares of classes in the groups of equal values; 0 for names of rows."""
    codes = _groups(column)
    if codes is None:
        return 0.0
    classes, labels = np.unique(y, return_inverse=True)
    counts = np.zeros((codes.max() + 1, len(classes)))
    np.add.at(counts, (codes, labels), 1.0)
    if len(classes) > 2:
        return float(counts.max(axis=1).sum() / len(y))  # the share of the prevailing class
    share = counts[:, 1] / counts.sum(axis=1)
    return area_under_curve(labels == 1, share[codes], np.ones(len(y)))


def _groups(column: Frame) -> np.ndarray | None:
    """The group of equal values that each row is in, a missing value being one of its own."""
    codes = column.astype(str).where(column.notna(), "").factorize()[0]
    return None if codes.max() + 1 > _MOST_DISTINCT * len(codes) else codes


def _determines_numbers(column: Frame, y: np.ndarray) -> str | None:
    present = column.notna().to_numpy()
    if column.dtype.kind in "iuf":
        values = column.to_numpy(dtype=float)[present]
        share = _squared_correlation(values, y[present])
    else:
        share = _share_between_groups(column, y)
    return f"R² {share:.3g}" if share >= _WHOLE else None


def _squared_correlation(values: np.ndarray, y: np.ndarray) -> float:
    """The squared correlation of the numbers, or of their ranks if that is larger."""
    if len(values) < _FEWEST or np.ptp(values) == 0 or np.ptp(y) == 0:
        return 0.0
    from scipy.stats import rankdata

    pairs = [(values, y), (rankdata(values), rankdata(y))]
    return max(float(np.corrcoef(*pair)[0, 1] ** 2) for pair in pairs)


def _share_between_groups(column: Frame, y: np.ndarray) -> float:
    """The share of the target's variance that lies between the groups of equal values."""
    codes = _groups(column)
    if codes is None or np.ptp(y) == 0:
        return 0.0
    means = np.bincount(codes, y) / np.bincount(codes)
    return 1.0 - float(((y - means[codes]) ** 2).sum() / ((y - y.mean()) ** 2).sum())
