"""k-means by kernel values alone: a centre is a weighted sum of samples, and only its inner products with all samples are kept."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from mercer.gram.matrix import Matrix
from mercer.linalg.solution import Solution

_TIE = 1e-13  # of k(x, x) and ‖centre‖²: distances nearer to each other than this are equal, and the sample stays


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
    """Samples to begin with: each next one drawn by its squared distance to those chosen, the best of a few tries (greedy k-means++)."""
    n = len(diagonal)
    trials = 2 + int(np.log(count))
    chosen = [int(rng.choice(n, p=weight / weight.sum()))]
    nearest = _from_samples(matrix, diagonal, np.array(chosen))[0]
    for _ in range(1, count):
        share = np.cumsum(weight * nearest)
        if share[-1] <= 0:  # all that is left are copies of what was chosen
            free = np.setdiff1d(np.arange(n), chosen)
            chosen.append(int(free[0]))
            continue
        tries = np.minimum(
            np.searchsorted(share, rng.uniform(size=trials) * share[-1], side="right"), n - 1
        )
        distances = np.minimum(_from_samples(matrix, diagonal, tries), nearest)
        best = int(np.argmin(distances @ weight))
        chosen.append(int(tries[best]))
        nearest = distances[best]
    return np.array(chosen)


def _from_samples(matrix: Matrix, diagonal: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Squared distances of all samples from some, a row for each of these."""
    squared = diagonal[index][:, None] + diagonal - 2.0 * matrix.rows(index).dense()
    squared[np.arange(len(index)), index] = 0.0
    return np.maximum(squared, 0.0)


def nearest_of(matrix: Matrix, diagonal: np.ndarray, index: np.ndarray) -> np.ndarray:
    """For every sample the place in ``index`` of the sample nearest to it."""
    squared = _from_samples(matrix, diagonal, index)
    labels = np.argmin(squared, axis=0)
    _fill_empty(
        labels, squared.min(axis=0), len(index)
    )  # copies among them leave all but one without samples
    return labels


def lloyd(
    matrix: Matrix,
    diagonal: np.ndarray,
    weight: np.ndarray,
    labels: np.ndarray,
    count: int,
    *,
    most: int,
    tol: float = 0.0,
    callback: Callable[[int, float], bool] | None = None,
) -> Clusters:
    """From given labels, until none changes, or the inertia falls by less than ``tol`` times itself."""
    n = len(labels)
    labels = labels.copy()
    every = np.arange(n)
    sums = matrix @ _members(labels, weight, count)  # Σ_{j in c} w_j k(x_i, x_j)
    if len(np.unique(labels)) < count:
        _fill_empty(
            labels, _distances(sums, diagonal, weight, labels, count)[2][every, labels], count
        )
        sums = matrix @ _members(labels, weight, count)
    before = np.inf
    for step in range(1, most + 1):
        mass, length, squared = _distances(sums, diagonal, weight, labels, count)
        own = squared[every, labels]
        inertia = float(weight @ own)
        if before - inertia <= tol * abs(inertia) and step > 1 and tol > 0:
            return Clusters(labels, mass, length, inertia, iterations=step)
        before = inertia
        fresh = np.argmin(squared, axis=1)
        slack = _TIE * (
            np.abs(diagonal) + np.abs(length)[labels]
        )  # each sample's own: one far away must not hold the others
        fresh = np.where(own <= squared[every, fresh] + slack, labels, fresh)
        _fill_empty(fresh, squared[every, fresh], count)
        moved = np.flatnonzero(fresh != labels)
        if len(moved) == 0 or (callback is not None and callback(step, inertia)):
            settled = len(moved) == 0
            return Clusters(labels, mass, length, inertia, iterations=step, converged=settled)
        if len(moved) > n // 3:
            sums = matrix @ _members(fresh, weight, count)
        else:  # only what moved changes the sums
            change = np.zeros((len(moved), count))
            change[np.arange(len(moved)), fresh[moved]] = weight[moved]
            change[np.arange(len(moved)), labels[moved]] = -weight[moved]
            sums += matrix.columns(moved) @ change
        labels = fresh
    mass, length, squared = _distances(sums, diagonal, weight, labels, count)
    inertia = float(weight @ squared[every, labels])
    return Clusters(labels, mass, length, inertia, iterations=most, converged=False)


def _members(labels: np.ndarray, weight: np.ndarray, count: int) -> np.ndarray:
    made = np.zeros((len(labels), count))
    made[np.arange(len(labels)), labels] = weight
    return made


def _distances(
    sums: np.ndarray, diagonal: np.ndarray, weight: np.ndarray, labels: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights of the clusters, ‖centre‖², and all squared distances."""
    mass = np.bincount(labels, weight, minlength=count)
    mass[mass == 0] = 1.0  # an empty one, before it is filled: nobody is asked how far it is
    own = sums[np.arange(len(labels)), labels]
    length = np.bincount(labels, weight * own, minlength=count) / mass**2
    squared = sums * (-2.0 / mass)
    squared += diagonal[:, None]
    squared += length
    return mass, length, squared


def _fill_empty(labels: np.ndarray, distance: np.ndarray, count: int) -> None:
    """An empty cluster takes the sample that lies farthest from its own centre, but not another's only one."""
    sizes = np.bincount(labels, minlength=count)
    empty = np.flatnonzero(sizes == 0)
    if len(empty) == 0:
        return
    for sample in np.argsort(-distance, kind="stable"):
        if sizes[labels[sample]] > 1:
            sizes[labels[sample]] -= 1
            labels[sample], empty = empty[0], empty[1:]
            if len(empty) == 0:
                return
