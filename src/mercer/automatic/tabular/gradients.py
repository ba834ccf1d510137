"""RBF kernels whose metric is learned by average gradients (recursive feature machines)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mercer.automatic.tabular.kernels import PENALTIES, Learned, Rows, gram, spreads, weighted_rbf
from mercer.estimators.learning.pull_back import matrix_power
from mercer.kernels.base import Kernel
from mercer.kernels.combine.linear_map import linear_map
from mercer.kernels.vectors.radial import RBF

_LEAST_WEIGHT = 1e-3  # of a column, or a direction, in a metric, in units of the largest
_ROWS_PER_SCORE = 40  # from which a full metric is learned; with fewer it fits the noise


def by_gradients(rows: Rows, rounds: int) -> Learned:
    """An RBF whose metric is the square root of the average squared gradient, column by column.

    The round with the least leave-one-out error is kept; the first one has no metric.
    """
    metric, best, least = np.ones(rows.Z.shape[1]), None, np.inf
    for index in range(rounds + 1):
        kernel = weighted_rbf(rows.Z, metric)
        K = gram(kernel, rows.Z)
        path = rows.path(K)
        losses = rows.losses(path)
        if losses.min() < least:
            how = f"average gradients, {index} rounds" if index else "no learning"
            least, best = float(losses.min()), Learned(kernel, how, path)
        if index < rounds:
            penalty = float(PENALTIES[int(np.argmin(losses))])
            metric = _gradient_metric(rows, kernel, K, penalty)
    assert best is not None
    return best


def allows_full_metric(rows: Rows) -> bool:
    """Whether there are enough rows for a matrix: with fewer it fits the noise."""
    n, d = rows.Z.shape
    return d > 1 and n > _ROWS_PER_SCORE * d


def by_gradient_products(rows: Rows, start: Learned) -> Learned:
    """An RBF of linear combinations of scores: its metric is the root of the average ∇f ∇fᵀ.

    The gradients are those of ridge regression with an RBF that has a length scale per score.
    """
    assert isinstance(start.kernel, RBF)
    K = gram(start.kernel, rows.Z)
    path = rows.path(K) if start.left_out is None else start.left_out
    penalty = float(PENALTIES[int(np.argmin(rows.losses(path)))])
    metric = matrix_power(gradient_products(rows, start.kernel, K, penalty), 0.5)
    return Learned(metric_rbf(rows.Z, metric), "average gradient products")


def metric_rbf(Z: np.ndarray, metric: np.ndarray) -> Kernel:
    """exp(−½ (x−y)ᵀW(x−y)) for a matrix W, in units of the root mean distance."""
    values, Q = np.linalg.eigh(metric)
    values = np.maximum(values, _LEAST_WEIGHT * (values.max() or 1.0))
    root = np.sqrt(values)[:, None] * Q.T
    mean = float(spreads(Z @ root.T, 2).sum() / 2.0) or 1.0
    digits = 3 - int(np.floor(np.log10(np.abs(root).max() / np.sqrt(mean))))
    return RBF() @ linear_map(np.round(root / np.sqrt(mean), digits))


def gradient_products(rows: Rows, kernel: RBF, K: np.ndarray, penalty: float) -> np.ndarray:
    """The mean of ∇f ∇fᵀ of the ridge solution, summed over targets."""
    d = rows.Z.shape[1]
    total = np.zeros((d, d))
    for gradient in _gradients(rows, kernel, K, penalty):
        total += gradient.T @ gradient
    return total / len(rows.Z)


def _gradient_metric(rows: Rows, kernel: RBF, K: np.ndarray, penalty: float) -> np.ndarray:
    """√ of the mean squared derivative of the ridge solution along each score, tied ones alike."""
    total = np.zeros(rows.Z.shape[1])
    for gradient in _gradients(rows, kernel, K, penalty):
        total += (gradient**2).mean(axis=0)
    shared = np.bincount(rows.tied, total) / np.bincount(rows.tied)
    metric = np.sqrt(shared[rows.tied] / (shared.max() or 1.0))
    return np.maximum(metric, _LEAST_WEIGHT)


def _gradients(rows: Rows, kernel: RBF, K: np.ndarray, penalty: float) -> Iterator[np.ndarray]:
    """The gradient of the ridge solution at every row, target by target."""
    system = K.copy()
    system[np.diag_indices(len(K))] += penalty if rows.weight is None else penalty / rows.weight
    dual = np.linalg.solve(system, rows.Y)
    scale = np.asarray(kernel.length_scale) ** 2
    for column in dual.T:
        pull = K * column
        yield (pull @ rows.Z - rows.Z * pull.sum(axis=1)[:, None]) / scale
