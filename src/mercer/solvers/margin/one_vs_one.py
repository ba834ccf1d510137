"""Small dual problems of every two classes, from one Gram matrix, in batches of compiled code."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from mercer import _compiled
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.solvers.margin.dual import Bounds, DualSolution, certified
from mercer.solvers.margin.plain import Patience, solve_pairs_plainly
from mercer.solvers.margin.polish import CHEAP, LOOSE

_BATCH = 16  # problems of one call: enough for its overhead, few enough to share among threads
_STEPS = 100_000  # of one problem; one that needs more is left to the general solver
LEFT = "left to the general solver"


def solve_pairs(
    matrix: np.ndarray,
    places: Sequence[np.ndarray],
    targets: np.ndarray,
    bounds: Bounds,
    tol: float,
    z: np.ndarray | None = None,
) -> list[DualSolution]:
    """Minimize ½βᵀKβ − tᵀβ between bounds with Σβ = 0 for the rows of each of ``places``.

    K is the given matrix or, where rows z are given, that of exp(−‖z − z′‖²), of which only what is
    needed is computed; the matrix is then empty. Targets and bounds lie one problem after the
    other. What has not converged is for the general solver, which may begin where this one ended.
    """
    starts = np.zeros(len(places) + 1, dtype=np.intp)
    np.cumsum(list(map(len, places)), out=starts[1:])
    place = np.concatenate(places)
    data = targets, bounds.lower, bounds.upper
    beta, slack = np.zeros(len(place)), np.empty(len(place))
    polish = CHEAP if tol < LOOSE else 0
    n_problems = len(places)
    steps = np.zeros(n_problems, dtype=np.intp)
    done = np.zeros(n_problems, dtype=bool)
    figures, seconds = np.empty((n_problems, 6)), np.empty(n_problems)

    solve = _compiled.one_vs_one.solve_pairs
    if Patience.spent < Patience.limit and Patience.allows(solve, len(place)):
        solve = solve_pairs_plainly

    def solve_batch(number: int, _: Workspace) -> None:
        check_stop()
        start = time.perf_counter()
        batch = slice(number * _BATCH, (number + 1) * _BATCH)
        part = starts[batch.start : batch.stop + 1]
        results = beta, slack, steps[batch], done[batch], figures[batch]
        solve(matrix, z, place, part, *data, tol, polish, _STEPS, *results)
        seconds[batch] = (time.perf_counter() - start) / (len(part) - 1)

    run(-(-n_problems // _BATCH), solve_batch, "support vectors")
    solutions = []
    for k in range(n_problems):
        own = slice(starts[k], starts[k + 1])
        reason = "converged" if done[k] else LEFT
        arrays = figures[k : k + 1], slack[None, own], beta[None, own]
        solutions.append(certified(*arrays, int(steps[k]), reason, float(seconds[k])))
    return solutions
