"""A linear classifier of few columns: ‖w‖₁ + Σ c max(0, 1 − y⟨w, x⟩)²."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mercer import _compiled
from mercer.execution.cancel import check_stop
from mercer.solvers.margin.linear import (
    BATCH,
    LinearProblem,
    LinearSolution,
    generator_state,
    reason,
)


def solve_l1(problem: LinearProblem, tol: float, max_iter: int, seed: int) -> LinearSolution:
    """Coordinate descent on the weights; ``tol`` is the decrease of the sum of violations."""
    columns = sparse.csc_array(problem.X)
    rest, w = np.ones(columns.shape[0]), np.zeros(columns.shape[1])
    fixed = columns.data, columns.indices, columns.indptr, problem.target, problem.penalty
    first, done, converged = -1.0, 0, False
    while done < max_iter and not converged:
        check_stop()
        most = min(BATCH, max_iter - done)
        rounds, converged, first = _compiled.linear_columns.descend_columns(
            *fixed, first, tol, most, generator_state(seed, done), rest, w
        )
        done += rounds
    value = float(np.abs(w).sum() + problem.penalty @ np.maximum(rest, 0.0) ** 2)
    return LinearSolution(
        w,
        value,
        "coordinate descent on the weights",
        iterations=done,
        converged=converged,
        reason=reason(converged),
    )
