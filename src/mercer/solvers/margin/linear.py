"""Linear machines without a Gram matrix: ½‖w‖² + Σ c loss, the weights w held explicitly.

Squared losses are solved by Newton's method on w, which ends after a few steps because they are
quadratic where the same samples count; the others by coordinate descent on the dual problem, and so
are squared losses of sparse rows that have more columns than there are samples.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TypedDict

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg

from mercer import _compiled
from mercer.aliases import Features
from mercer.execution.cancel import check_stop
from mercer.linalg.solution import Solution
from mercer.solvers.margin.dual import PRECISION, Callback

MOST_DIRECT = 1500  # columns up to which Newton's equations are solved by a factorization
_DIRECT_SPARSE = 100  # the same for sparse rows, with which products cost less
_BLOCK = 2**20  # entries of rows that are weighted at a time
_SMALLEST_STEP = 1e-10
_ATTAINABLE = 1e-14  # decrease of the gradient: a smaller one is beyond double precision
_BATCH = 10, 100  # the least and most rounds of coordinate descent between looks for Ctrl-C
_LOOK = 1e9  # entries of rows after which it is time to look


STOPPED = "stopped by a callback"


class Ended(TypedDict):
    """How rounds of descent ended: these fields of a solution."""

    iterations: int
    converged: bool
    reason: str


@dataclasses.dataclass
class LinearSolution(Solution):
    """Weights, the objective that they have, and how they were found."""

    w: np.ndarray
    objective: float
    method: str = "coordinate descent on the dual problem"


@dataclasses.dataclass
class LinearProblem:
    """Samples with targets: ±1 for a classifier (``eps`` is None), or numbers with a tube ε."""

    X: Features  # rows, dense or CSR
    target: np.ndarray
    penalty: np.ndarray  # C times the weight of each sample
    eps: float | None

    def errors(self, values: np.ndarray) -> np.ndarray:
        """How far each value is on the wrong side, signed: what the losses are functions of."""
        if self.eps is None:
            return -self.target * np.maximum(1.0 - self.target * values, 0.0)
        difference = values - self.target
        return np.sign(difference) * np.maximum(np.abs(difference) - self.eps, 0.0)

    def objective(self, w: np.ndarray, power: int) -> float:
        """½‖w‖² + Σ c |error|^power."""
        losses = np.abs(self.errors(self.X @ w)) ** power
        return float(0.5 * w @ w + self.penalty @ losses)


def solve_squared(
    problem: LinearProblem,
    tol: float,
    share: float,
    max_iter: int,
    seed: int,
    callback: Callback | None = None,
) -> LinearSolution:
    """Squared losses, by the method that suits the rows; Newton's tolerance is tol times share."""
    n, d = problem.X.shape
    if sparse.issparse(problem.X) and d > n:
        solution = solve_by_descent(problem, 2, tol, max_iter, seed, callback)
        if solution.converged or solution.reason == STOPPED:
            return solution
    return _by_newton(problem, tol * share, max_iter, callback)


def _by_newton(
    problem: LinearProblem, tol: float, max_iter: int, callback: Callback | None
) -> LinearSolution:
    """Newton's method for squared losses; ``tol`` is the decrease of the gradient."""
    X, penalty = problem.X, problem.penalty
    w, values = np.zeros(X.shape[1]), np.zeros(X.shape[0])
    value, first, done, converged = problem.objective(w, 2), None, 0, False
    stopped = exhausted = False
    while done < max_iter and not stopped:
        check_stop()
        errors = problem.errors(values)
        gradient = w + 2.0 * (X.T @ (penalty * errors))
        size = float(np.linalg.norm(gradient))
        first = size if first is None else first
        if size <= tol * first:
            converged = True
            break
        done += 1
        step = _newton_step(X, penalty, errors != 0.0, -gradient)
        w, values, after = _shortened(problem, w, values, step, value)
        if after >= value:  # rounding error is all that is left
            converged, exhausted = tol >= _ATTAINABLE, True
            break
        value = after
        stopped = callback is not None and callback(done, value)
    return LinearSolution(
        w,
        value,
        "Newton's method on the weights",
        iterations=done,
        converged=converged,
        reason=PRECISION if exhausted and not converged else reason(converged, stopped),
    )


def _newton_step(
    X: Features, penalty: np.ndarray, counts: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Solve (I + 2 XᵀCX) step = right on the samples that count."""
    d = X.shape[1]
    if d <= (_DIRECT_SPARSE if sparse.issparse(X) else MOST_DIRECT):
        return _solution(_system(X, 2.0 * penalty * counts), right)
    rows, factor = X[counts], 2.0 * penalty[counts]
    operator = LinearOperator(
        (d, d), lambda v: v + rows.T @ (factor * (rows @ v)), dtype=np.float64
    )
    return cg(operator, right, rtol=1e-3)[0]


def _solution(system: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve a positive definite system, whose columns may be of very different scales."""
    root = np.sqrt(system.diagonal())
    scaled, right = system / root / root[:, None], right / root
    try:
        return linalg.cho_solve(linalg.cho_factor(scaled), right) / root
    except linalg.LinAlgError:  # columns that are the same but for rounding errors
        return linalg.lstsq(scaled, right)[0] / root


def _system(X: Features, factor: np.ndarray) -> np.ndarray:
    """I + Xᵀ diag(factor) X."""
    system = np.eye(X.shape[1])
    if sparse.issparse(X):  # a product of sparse matrices takes many times longer
        _compiled.linear.add_products(X.data, X.indices, X.indptr, factor, system)
        return system
    step = max(1, _BLOCK // X.shape[1])
    for start in range(0, X.shape[0], step):
        root = np.sqrt(factor[start : start + step])
        used = root > 0.0
        rows = X[start : start + step][used] * root[used][:, None]
        system += rows.T @ rows
    return system


def _shortened(
    problem: LinearProblem, w: np.ndarray, values: np.ndarray, step: np.ndarray, value: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """The longest part of a step, by halving, that decreases the objective."""
    change, share = problem.X @ step, 1.0
    while share > _SMALLEST_STEP:
        moved, now = w + share * step, values + share * change
        losses = problem.errors(now) ** 2
        after = float(0.5 * moved @ moved + problem.penalty @ losses)
        if after < value:
            return moved, now, after
        share *= 0.5
    return w, values, value


def solve_by_descent(
    problem: LinearProblem,
    power: int,
    tol: float,
    max_iter: int,
    seed: int,
    callback: Callback | None = None,
) -> LinearSolution:
    """Coordinate descent on the dual; ``tol`` is the largest change of a slope in a round.

    A squared loss adds ½ Σ β²/(2c) to the dual objective, where a loss of power 1 has |β| ≤ c.
    """
    used = problem.penalty > 0.0
    X, target, limit = problem.X, problem.target, problem.penalty
    if not used.all():
        X, target, limit = X[used], target[used], limit[used]
    ridge = np.zeros(len(limit))
    if power == 2:
        ridge, limit = 0.5 / limit, np.full(len(limit), np.inf)
    lower, upper, eps = -limit, limit, problem.eps
    if eps is None:
        lower, upper, eps = np.where(target < 0, -limit, 0.0), np.where(target > 0, limit, 0.0), 0.0
    rows = (X.data[None], X.indices, X.indptr) if sparse.issparse(X) else (X, None, None)
    square = np.maximum(squares(X) + ridge, 1e-300)
    beta, w = np.zeros(X.shape[0]), np.zeros(X.shape[1])
    fixed = square, ridge, target, eps, lower, upper, tol

    def descend(most: int, done: int) -> tuple[int, bool]:
        generator = generator_state(seed, done)
        return _compiled.linear.descend(*rows, *fixed, most, generator, beta, w)

    def value() -> float:
        return problem.objective(w, power)

    rounds = in_batches(descend, value, rows[0].size, max_iter, callback)
    return LinearSolution(w, value(), **rounds)


def in_batches(
    descend: Callable[[int, int], tuple[int, bool]],
    value: Callable[[], float],
    entries: int,
    max_iter: int,
    callback: Callback | None,
) -> Ended:
    """Rounds of coordinate descent over so many entries, with looks at the user in between.

    ``descend`` makes at most so many rounds after those that are done, and returns how many it
    made and whether that was enough. ``value`` is the objective by then.
    """
    batch = int(np.clip(_LOOK // max(entries, 1), *_BATCH))
    done, converged, stopped = 0, False, False
    while done < max_iter and not converged and not stopped:
        check_stop()
        rounds, converged = descend(min(batch, max_iter - done), done)
        done += rounds
        stopped = callback is not None and callback(done, value())
    return {"iterations": done, "converged": converged, "reason": reason(converged, stopped)}


def squares(X: Features) -> np.ndarray:
    """‖x‖² of every row."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def generator_state(seed: int, done: int) -> np.uint64:
    """Where a random order begins after some rounds."""
    return np.uint64(2654435761 * (seed + 1) + done + 1)


def reason(converged: bool, stopped: bool) -> str:
    if converged:
        return "converged"
    return STOPPED if stopped else "increase the number of iterations"
