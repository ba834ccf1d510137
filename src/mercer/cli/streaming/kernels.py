"""The kernel of a table of numbers: a length scale for each column, learned from some rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Literal

import numpy as np

from mercer.aliases import Estimator, Frame
from mercer.errors import InputError, MercerError
from mercer.estimators.learning.metric import learn_metric
from mercer.gram.blocks.base import Block
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.radial import RBF

_SHOWN = 12  # names of columns in an error message
_LEARNED = 5000  # rows that length scales are learned from, those drawn by learn_metric among them
_DRAWN = 2000
_CHECKED = 4000  # rows that two kernels are fitted on, and as many that they are compared by
CENTERS = 500
_FEWEST = 500  # rows from which length scales are learned
_MOST_COLUMNS = 500

Make = Callable[[Kernel, int], Estimator]  # a learner with a kernel and a number of centers


def kernel_of(sample: Block, make: Make, classification: bool, seed: int) -> tuple[Kernel, str]:
    """A Gaussian, and how its length scales came about, in words.

    Length scales that are learned are taken where a model with them predicts other rows better.
    """
    X, y = _numbers(sample)
    plain = _standard(X)
    words = "length scales are the standard deviations of the columns"
    if len(X) < _FEWEST or not 1 < X.shape[1] <= _MOST_COLUMNS:
        return plain, words
    order = np.random.default_rng(seed).permutation(len(X))
    first, rest = np.split(order, [min(_LEARNED, len(X) // 3)])
    fitted, checked = rest[:_CHECKED], rest[_CHECKED : 2 * _CHECKED]
    if len(rest) < 2 * _CHECKED:
        fitted, checked = np.array_split(rest, 2)
    target: Literal["numbers", "labels"] = "labels" if classification else "numbers"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learned = learn_metric(
                plain, X[first], y[first], rows=_DRAWN, target=target, random_state=seed
            ).kernel
            before, after = (
                make(kernel, CENTERS).fit(X[fitted], y[fitted]).score(X[checked], y[checked])
                for kernel in (plain, learned)
            )
    except (MercerError, ValueError, np.linalg.LinAlgError):
        return plain, words  # the fit on all rows says what is wrong
    name = "accuracy" if classification else "R²"
    compared = f"{name} {after:.3f} in place of {before:.3f} on {len(checked):,} other rows"
    if not after > before:
        return plain, f"{words}; learned ones are no better ({compared})"
    count = min(len(first), _DRAWN)
    return learned, f"length scales were learned from {count:,} rows: {compared}"


def _numbers(sample: Block) -> tuple[np.ndarray, np.ndarray]:
    """The rows of numbers without missing ones, and their targets."""
    words = [str(name) for name, column in sample.X.items() if not is_numeric(column)]
    if words:
        rule = f"has columns that are not numbers: {', '.join(words[:_SHOWN])}"
        remedy = "leave them out with --drop, or give --kernel for tables"
        raise InputError("data", sample.place or "table", rule, remedy)
    X = np.asarray(sample.X, dtype=np.float64)
    finite = np.isfinite(X).all(axis=1)  # the fit names the rows of the others
    return X[finite], np.asarray(sample.y)[finite]


def _standard(X: np.ndarray) -> Kernel:
    """A Gaussian of columns that count by their standard deviations."""
    spread = X.std(axis=0) if len(X) else np.ones(X.shape[1])
    spread[spread == 0] = 1.0
    return RBF(length_scale=np.sqrt(X.shape[1] / 2.0) * spread)


def is_numeric(column: Frame) -> bool:
    """Whether a column of a table holds numbers, or truth values."""
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return column.dtype.kind in "biuf"
