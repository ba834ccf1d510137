"""A linear classifier of few columns: ‖w‖₁ + Σ c max(0, 1 − y⟨w, x⟩)²."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mercer import _compiled
from mercer.solvers.margin.dual import Callback
from mercer.solvers.margin.linear import LinearProblem, LinearSolution, generator_state, in_batches


def solve_l1(
    problem: LinearProblem, tol: float, max_iter: int, seed: int, callback: Callback | None = None
) -> LinearSolution:
    """Coordinate descent on the weights; ``tol`` is the decrease of the sum of violations."""
    columns = sparse.csc_array(problem.X)
    rest, w = np.ones(columns.shape[0]), np.zeros(columns.shape[1])
    fixed = columns.data, columns.indices, columns.indptr, problem.target, problem.penalty
    first = -1.0

    def descend(most: int, done: int) -> tuple[int, bool]:
        nonlocal first
        generator = generator_state(seed, done)
        rounds, converged, first = _compiled.linear_columns.descend_columns(
            *fixed, first, tol, most, generator, rest, w
        )
        return rounds, converged

    def value() -> float:
        return float(np.abs(w).sum() + problem.penalty @ np.maximum(rest, 0.0) ** 2)

    rounds = in_batches(descend, value, columns.nnz, max_iter, callback)
    return LinearSolution(w, value(), "coordinate descent on the weights", **rounds)
