"""Kernel discriminants on centers: directions in their span, scatter of all rows.

With whitened rows φ̃ less their mean, the directions are (S_T + λ)⁻¹ Φ̃ᵀWE v for the indicators E of
the classes: a ridge regression of E with a bias, and an eigenproblem of the size of the classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg

from mercer.estimators.centers.changes import AsIndicators
from mercer.estimators.centers.data import RowData
from mercer.estimators.centers.problem import CenterProblem, Fitted, Task
from mercer.gram.blocks.base import Block
from mercer.gram.centers import Centers
from mercer.gram.fused import CenterMatrix
from mercer.gram.plan import single_tiles
from mercer.linalg.signs import sign_flips
from mercer.solvers.nystrom.components import class_sums
from mercer.solvers.nystrom.losses import Squared

if TYPE_CHECKING:
    from mercer.estimators.projection.discriminant import KernelDiscriminant

EXACT_STEPS = 27.0  # of conjugate gradients on the whole matrix


def fit_discriminant(estimator: KernelDiscriminant, data: RowData, start: float) -> None:
    """Set the directions, the means of the classes, and the report."""
    n_classes = len(estimator.classes_)
    n_components = estimator._checked_components(n_classes)
    problem = CenterProblem(estimator, data, held_out=0)
    labeled = problem.rows
    counts = np.sum(data.engine.map(_class_mass, labeled, n_classes), axis=0)
    estimator.priors_ = estimator._priors(counts / counts.sum())
    heights = 1.0 / np.sqrt(counts)
    problem.change(AsIndicators(heights))
    penalty = np.array([float(estimator.alpha)])
    task = Task(Squared(), penalty, n_classes, intercept=True, scale=float(heights.min()))
    fitted = problem.fit(task)
    centers = Centers(data.kernel, fitted.samples, single_tiles(data.count, len(fitted.block)))
    matrix = CenterMatrix(centers, labeled, data.engine)
    sums, _ = class_sums(matrix, n_classes)
    matrix.progress.close()
    _keep(estimator, data, fitted, sums, counts, n_components)
    estimator.report_ = fitted.report(data, start)


def _keep(
    estimator: KernelDiscriminant,
    data: RowData,
    fitted: Fitted,
    sums: np.ndarray,
    counts: np.ndarray,
    n_components: int,
) -> None:
    weights = fitted.solution.weights
    total = float(counts.sum())
    mean = sums.sum(axis=1) / total  # of k_x over all rows
    apart = sums / counts - mean[:, None]
    between = np.sqrt(counts)[:, None] * (apart.T @ weights)
    V, separation = directions(between, total)
    estimator.dual_coef_ = weights @ V
    estimator.explained_variance_ratio_ = (separation / (separation.sum() or 1.0))[:n_components]
    estimator.means_ = apart.T @ estimator.dual_coef_
    estimator._center = mean @ estimator.dual_coef_
    estimator.kernel_, estimator.X_fit_ = data.kernel, fitted.samples
    estimator.support_ = fitted.positions
    estimator._n_training = max(data.n_given, len(fitted.positions))
    estimator._n_features_out = n_components


def directions(between: np.ndarray, total: float) -> tuple[np.ndarray, np.ndarray]:
    """Combinations of the classes' functions that separate most, and how well each separates.

    vᵀ(S_T + λ)v = share, of which share² lies between the means: the rest, over n, becomes 1.
    """
    shares, V = linalg.eigh((between + between.T) / 2)
    order = np.argsort(shares)[::-1][: len(shares) - 1]
    shares, V = np.clip(shares[order], 0.0, 1.0 - 1e-15), V[:, order]
    useful = shares > 1e-12 * shares[0]
    within = np.where(useful, shares * (1 - shares), 1.0)
    V = V * np.where(useful, np.sqrt(total / within), 0.0)
    return V * sign_flips(V), shares / (1 - shares)


def _class_mass(block: Block, n_classes: int) -> np.ndarray:
    """The weight of each class in a block."""
    return np.bincount(np.asarray(block.y), block.weights(), minlength=n_classes)
