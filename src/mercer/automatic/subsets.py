"""Parts of a data set: cross-validation folds, and samples that are evenly spaced."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from mercer.aliases import RawSamples
from mercer.domains.base import pick_rows, raw_length

Fold = tuple[np.ndarray, np.ndarray]


def split_folds(y: np.ndarray, stratified: bool, n_folds: int, seed: int) -> list[Fold]:
    """Shuffled folds, as positions of training and test samples; classes keep their shares.

    Classes with fewer samples than folds are allowed: some folds then hold none of them.
    """
    kind = StratifiedKFold if stratified else KFold
    splitter = kind(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        return list(splitter.split(np.zeros(len(y)), y))


def even_rows(n_samples: int, most: int) -> np.ndarray:
    """Positions of at most ``most`` samples, evenly spaced from the first to the last."""
    count = min(n_samples, most)
    return np.unique(np.linspace(0, n_samples - 1, count).round().astype(int))


def thin_out(X: RawSamples, most: int) -> RawSamples:
    """At most ``most`` samples, evenly spaced; all of them if there are no more."""
    n_samples = raw_length(X)
    if n_samples <= most:
        return X
    return pick_rows(X, even_rows(n_samples, most))
