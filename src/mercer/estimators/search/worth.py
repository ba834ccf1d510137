"""What additive terms of a kernel are worth: shares of the variance, and errors without each."""

from __future__ import annotations

import numpy as np

from mercer.domains.base import pick_rows
from mercer.estimators.gp.regressor import GaussianProcessRegressor
from mercer.estimators.learning.terms import additive_terms, term_posteriors
from mercer.estimators.mkl.report import MOST_ROWS, Row, losses_without
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Scaled
from mercer.solvers.mkl.grams import as_grams

Weight = np.ndarray | float  # of every sample, or 1.0 for all


def variance_shares(process: GaussianProcessRegressor, weight: Weight) -> np.ndarray:
    """The covariance of every term with y over the variance of y: with the noise they sum to 1."""
    y = process.y_train_
    weights = np.broadcast_to(weight, y.shape)
    means, _ = term_posteriors(process, process.X_train_)
    centered = weights * (y - np.average(y, weights=weights))
    return centered @ means / max(float(centered @ y), 1e-300)


def worth_of_terms(
    process: GaussianProcessRegressor, shares: np.ndarray, noise: float, weight: Weight
) -> tuple[tuple[Row, ...], float]:
    """A row for each term with the leave-one-out error without it, and the error with all.

    Of more than `MOST_ROWS` samples, so many at equal distances are looked at.
    """
    n = len(process.y_train_)
    rows = np.linspace(0, n - 1, min(n, MOST_ROWS)).astype(int)
    root = np.sqrt(np.broadcast_to(weight, (n,)))[rows]
    X, y = pick_rows(process.X_train_, rows), root * process.y_train_[rows]
    terms = additive_terms(process.kernel_)
    grams = as_grams([root[:, None] * np.asarray(term(X), dtype=float) * root for term in terms])
    loss, without = losses_without(grams, grams.scale / noise, y[:, None])
    per_sample = len(rows) / float(root @ root)
    table = [
        (*_text_and_weight(term), float(share), per_sample * float(lost))
        for term, share, lost in zip(terms, shares, without, strict=True)
    ]
    return tuple(table), per_sample * loss


def _text_and_weight(term: Kernel) -> tuple[str, float]:
    if isinstance(term, Scaled):
        return repr(term.kernel), term.factor
    return repr(term), 1.0
