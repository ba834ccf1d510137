"""Lloyd's algorithm in feature space, where a center is a weighted sum of samples.

Only the inner products of the centers with all samples are kept.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from mercer.gram.matrix import Matrix
from mercer.linalg.solution import Solution

# times k(x, x) + ‖center‖²: distances that differ by less are equal, and the sample stays
_TIE = 1e-13


@dataclasses.dataclass
class Clusters(Solution):
    """A partition of the samples."""

    labels: np.ndarray
    mass: np.ndarray  # the weights of the clusters
    length: np.ndarray  # ‖center‖²
    inertia: float  # the sum of weighted squared distances


def plus_plus(
    matrix: Matrix, diagonal: np.ndarray, weight: np.ndarray, count: int, rng: np.random.RandomState
) -> np.ndarray:
    """Positions of samples to begin with, by greedy k-means++.

    Each next sample is drawn in proportion to its squared distance from those chosen before; of a
    few draws the best one is kept.
    """
    n = len(diagonal)
    trials = 2 + int(np.log(count))
    chosen = [int(rng.choice(n, p=weight / weight.sum()))]
    nearest = _from_samples(matrix, diagonal, np.array(chosen))[0]
    for _ in range(1, count):
        share = np.cumsum(weight * nearest)
        if share[-1] <= 0:
            # all that remain are copies of samples chosen before
            free = np.setdiff1d(np.arange(n), chosen)
            chosen.append(int(free[0]))
            continue
        drawn = np.searchsorted(share, rng.uniform(size=trials) * share[-1], side="right")
        drawn = np.minimum(drawn, n - 1)
        distances = np.minimum(_from_samples(matrix, diagonal, drawn), nearest)
        best = int(np.argmin(distances @ weight))
        chosen.append(int(drawn[best]))
        nearest = distances[best]
    return np.array(chosen)


def _from_samples(matrix: Matrix, diagonal: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Squared distances of all samples from some, a row for each of these."""
    squared = diagonal[index][:, None] + diagonal - 2.0 * matrix.rows(index).dense()
    squared[np.arange(len(index)), index] = 0.0
    return np.maximum(squared, 0.0)


def nearest_of(matrix: Matrix, diagonal: np.ndarray, index: np.ndarray) -> np.ndarray:
    """For every sample, which of the samples ``index`` is nearest to it."""
    squared = _from_samples(matrix, diagonal, index)
    labels = np.argmin(squared, axis=0)
    # of copies among the samples ``index``, all but one have no sample nearest to them
    _fill_empty(labels, squared.min(axis=0), len(index))
    return labels


def lloyd(
    matrix: Matrix,
    diagonal: np.ndarray,
    weight: np.ndarray,
    labels: np.ndarray,
    count: int,
    max_iter: int,
    tol: float,
    callback: Callable[[int, float], bool] | None,
) -> Clusters:
    """Lloyd's algorithm from given labels.

    It ends when no label changes, or when the inertia falls by less than ``tol`` times itself.
    """
    samples = np.arange(len(labels))
    labels = labels.copy()
    sums = matrix @ _members(labels, weight, count)
    if len(np.unique(labels)) < count:
        squared = _distances(sums, diagonal, weight, labels, count)[2]
        _fill_empty(labels, squared[samples, labels], count)
        sums = matrix @ _members(labels, weight, count)
    last = np.inf
    for step in range(1, max_iter + 1):
        mass, length, squared = _distances(sums, diagonal, weight, labels, count)
        own = squared[samples, labels]
        inertia = float(weight @ own)
        small_change = step > 1 and tol > 0 and last - inertia <= tol * abs(inertia)
        if small_change:
            return Clusters(labels, mass, length, inertia, iterations=step)
        last = inertia
        # each sample has its own slack: one that is far away must not hold the others
        slack = _TIE * (np.abs(diagonal) + np.abs(length)[labels])
        new = np.argmin(squared, axis=1)
        new = np.where(own <= squared[samples, new] + slack, labels, new)
        _fill_empty(new, squared[samples, new], count)
        moved = np.flatnonzero(new != labels)
        settled = len(moved) == 0
        stop = not settled and callback is not None and callback(step, inertia)
        if settled or stop:
            return Clusters(labels, mass, length, inertia, iterations=step, converged=settled)
        sums = _updated(sums, matrix, weight, labels, new, moved)
        labels = new
    mass, length, squared = _distances(sums, diagonal, weight, labels, count)
    inertia = float(weight @ squared[samples, labels])
    return Clusters(labels, mass, length, inertia, iterations=max_iter, converged=False)


def _members(labels: np.ndarray, weight: np.ndarray, count: int) -> np.ndarray:
    """The matrix with the weight of each sample in the column of its cluster."""
    members = np.zeros((len(labels), count))
    members[np.arange(len(labels)), labels] = weight
    return members


def _updated(
    sums: np.ndarray,
    matrix: Matrix,
    weight: np.ndarray,
    labels: np.ndarray,
    new: np.ndarray,
    moved: np.ndarray,
) -> np.ndarray:
    """The sums Σ_{j in c} w_j k(x_i, x_j) for new labels, updated where few samples moved."""
    count = sums.shape[1]
    if len(moved) > len(labels) // 3:
        return matrix @ _members(new, weight, count)
    change = _members(new[moved], weight[moved], count)
    change[np.arange(len(moved)), labels[moved]] = -weight[moved]
    sums += matrix.columns(moved) @ change
    return sums


def _distances(
    sums: np.ndarray, diagonal: np.ndarray, weight: np.ndarray, labels: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights of the clusters, ‖center‖², and all squared distances."""
    mass = np.bincount(labels, weight, minlength=count)
    mass[mass == 0] = 1.0  # a cluster that is empty, whose distances are not used
    own = sums[np.arange(len(labels)), labels]
    length = np.bincount(labels, weight * own, minlength=count) / mass**2
    squared = sums * (-2.0 / mass)
    squared += diagonal[:, None]
    squared += length
    return mass, length, squared


def _fill_empty(labels: np.ndarray, distance: np.ndarray, count: int) -> None:
    """Give every empty cluster the sample farthest from its center, but not another's only one."""
    sizes = np.bincount(labels, minlength=count)
    empty = np.flatnonzero(sizes == 0).tolist()
    if not empty:
        return
    for sample in np.argsort(-distance, kind="stable"):
        if sizes[labels[sample]] == 1:
            continue
        sizes[labels[sample]] -= 1
        labels[sample] = empty.pop(0)
        if not empty:
            return
