"""How weights are learned by the method that the user names, thinned out, and compared."""

from __future__ import annotations

import contextlib
import dataclasses
import functools

import numpy as np

from mercer.execution.blas import serial_blas
from mercer.solvers.mkl.alignment import alignment
from mercer.solvers.mkl.average import average
from mercer.solvers.mkl.easy import easy
from mercer.solvers.mkl.evidence import evidence
from mercer.solvers.mkl.grams import Grams
from mercer.solvers.mkl.learned import Callback, Weights, at_once, best_penalty
from mercer.solvers.mkl.loo import Folds, log_loo_objective, loo, solve_left_out
from mercer.solvers.mkl.simple import simple

RIDGE_METHODS = ("evidence", "loo", "alignment", "average")
MARGIN_METHODS = ("easy", "simple")
_FEW = 700
_SINGLE = 1e-5  # a relative change of squared errors that single precision may make
_NOISE = 2.0  # standard errors beyond which one loss is worse than another


@dataclasses.dataclass
class Task:
    """What weights are learned for.

    Parameters
    ----------
    method : str
        One of `RIDGE_METHODS` and `MARGIN_METHODS`.
    Y : ndarray of shape (n, targets)
        Targets about their means, multiplied by the roots of the samples' weights.
    weight : ndarray of shape (n,)
        The weights of the samples.
    alpha : float or None
        The penalty; None to learn it.
    folds : list of ndarray or None
        Samples that are left out together.
    callback : callable or None
        Called with the number of steps and the objective.
    labels : ndarray of shape (n,) or None
        Class numbers, for the methods of margins.
    C, lam : float
        The bound of coefficients of `simple`, and the regularization of `easy`.
    """

    method: str
    Y: np.ndarray
    weight: np.ndarray
    alpha: float | None
    folds: Folds
    callback: Callback | None
    labels: np.ndarray | None = None
    C: float = 1.0
    lam: float = 0.1


@dataclasses.dataclass
class Result:
    """Learned weights, with what they do for samples left out."""

    weights: Weights
    alpha: float
    errors: np.ndarray  # of samples left out, as Y is scaled
    notes: tuple[str, ...] = ()

    @property
    def relative(self) -> np.ndarray:
        """The weights in units of the penalty."""
        return self.weights.shares / self.alpha


def learn(task: Task, grams: Grams, sparse: bool) -> Result:
    """Weights by the method of the task; equal ones where it does worse by more than noise."""
    # of so few samples, each of many factorizations ends before a second thread has begun
    with serial_blas() if grams.n <= _FEW else contextlib.nullcontext():
        return _exact(task, grams, _learn(task, grams, sparse), sparse)


def _exact(task: Task, grams: Grams, result: Result, sparse: bool) -> Result:
    """The result, learned again where single precision changes errors of samples left out."""
    exact = grams.exact()
    if exact is grams or task.Y.size == 0:
        return result
    errors = _errors(exact, result.relative, task.Y)
    change = np.inf  # where only one of them has an inverse
    if np.isfinite(errors).all():
        change = abs(float(np.sum(result.errors**2) / np.sum(errors**2)) - 1.0)
    if change < _SINGLE:
        return dataclasses.replace(result, errors=errors)
    again = _learn(task, exact, sparse)
    note = f"in single precision errors of samples left out differ by {change:.1g} of themselves"
    again.notes = (*again.notes, f"{note}: matrices were computed again for every step")
    return again


def _learn(task: Task, grams: Grams, sparse: bool) -> Result:
    if task.Y.size == 0:  # all targets are constant: there is nothing to learn
        return Result(average(grams), task.alpha or 1.0, task.Y)
    weights = _weights(task, grams)
    result = _assessed(task, grams, weights)
    if sparse:
        result = _thinned(task, grams, result)
    if len(grams) == 1 or task.method in ("average", *MARGIN_METHODS):
        return result
    return _not_worse_than_average(task, grams, result)


def _weights(task: Task, grams: Grams, start: np.ndarray | None = None) -> Weights:
    root = np.sqrt(task.weight)
    match task.method:
        case "evidence":
            return evidence(grams, task.Y, task.alpha, start, task.callback)
        case "loo":
            return loo(grams, task.Y, task.alpha, start, task.folds, task.callback)
        case "alignment":
            return alignment(grams, task.Y, root)
        case "average":
            return average(grams)
    assert task.labels is not None
    if task.method == "simple":
        return simple(grams, task.labels, task.C * task.weight, task.callback)
    classes = np.unique(task.labels)
    chosen = classes[1:] if len(classes) == 2 else classes
    signs = np.where(task.labels[:, None] == chosen, 1.0, -1.0)
    return easy(grams, signs, task.lam, task.weight, task.callback)


def _penalty(task: Task, grams: Grams, shares: np.ndarray) -> float:
    """The given penalty, or that of the least error of samples left out; 1/C beside margins."""
    if task.alpha is not None:
        return task.alpha
    if task.method in MARGIN_METHODS:
        return 1.0 / task.C
    merged = grams.merged(shares)
    along = functools.partial(log_loo_objective, merged, task.Y, task.folds)
    return 1.0 / float(best_penalty(along, np.ones(1), None)[0])


def _assessed(task: Task, grams: Grams, weights: Weights) -> Result:
    """The weights with their penalty, and the errors of samples left out one at a time."""
    alpha = weights.alpha
    if alpha is None:
        alpha = _penalty(task, grams, weights.shares)
    return Result(weights, alpha, _errors(grams, weights.shares / alpha, task.Y))


def _errors(grams: Grams, relative: np.ndarray, Y: np.ndarray) -> np.ndarray:
    solved = solve_left_out(grams.combine(relative), Y)
    return np.full(Y.shape, np.inf) if solved is None else solved[1]


def _gap(errors: np.ndarray, than: np.ndarray) -> tuple[float, float]:
    """How much larger the mean square of errors is than that of others, and its standard error.

    Errors are infinite where a matrix has no inverse; the gap of two such is no number.
    """
    worse, better = (not np.isfinite(each).all() for each in (errors, than))
    if worse or better:
        return np.inf * (int(worse) - int(better)), 0.0
    gaps = np.mean(errors**2 - than**2, axis=1)
    return float(gaps.mean()), float(gaps.std() / np.sqrt(len(gaps)))


def _thinned(task: Task, grams: Grams, result: Result) -> Result:
    """Drop terms, the lightest first, whose loss is within a standard error; learn again."""
    relative = result.relative
    for k in np.argsort(relative, kind="stable"):
        fewer = relative.copy()
        fewer[k] = 0.0
        if relative[k] == 0.0 or not fewer.any():
            continue
        gap, error = _gap(_errors(grams, fewer, task.Y), result.errors)
        if gap <= error:
            relative = fewer
    kept = np.flatnonzero(relative)
    if len(kept) == np.count_nonzero(result.relative):
        return result
    some = _weights(task, grams.some(kept), relative[kept])
    again = _assessed(task, grams.some(kept), some)
    shares, path = np.zeros(len(grams)), np.zeros((len(some.path), len(grams)))
    shares[kept], path[:, kept] = some.shares, some.path
    values = np.concatenate([result.weights.values, some.values])
    path = np.vstack([result.weights.path, path])
    again.weights = dataclasses.replace(
        some,
        shares=shares,
        scale=grams.scale,
        path=path,
        values=values,
        start=result.weights.start,
        iterations=result.weights.iterations + some.iterations,
    )
    dropped = np.count_nonzero(result.relative) - np.count_nonzero(shares)
    again.notes = (f"{dropped} terms were dropped whose loss is within a standard error",)
    return again


def _not_worse_than_average(task: Task, grams: Grams, result: Result) -> Result:
    """Equal weights where samples left out are predicted better by them, beyond noise."""
    equal = np.full(len(grams), 1.0 / len(grams))
    relative = result.weights.start
    if relative is None or result.weights.alpha is None:
        relative = equal / _penalty(task, grams, equal)
    errors = _errors(grams, relative, task.Y)
    gap, error = _gap(result.errors, errors)
    if not gap > _NOISE * error:
        return result
    value = result.weights.value
    equal_weights = dataclasses.replace(at_once(grams, equal, value), start=relative)
    note = (
        f"equal weights: those by {task.method} predict samples left out worse by "
        f"{gap:.3g} ± {error:.2g}"
    )
    return Result(equal_weights, 1.0 / float(relative.sum()), errors, (*result.notes, note))
