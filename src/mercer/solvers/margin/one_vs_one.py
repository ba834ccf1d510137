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
) -> list[DualSolution]:
    """Minimise ½βᵀKβ − tᵀβ between bounds with Σβ = 0 for the rows of each of ``places``.

    Targets and bounds lie one problem after the other. What has not converged is for the general
    solver, which may begin where this one ended.
    """
    starts = np.concatenate([[0], np.cumsum([len(part) for part in places])])
    place = np.concatenate(places)
    data = matrix, place, targets, bounds.lower, bounds.upper
    beta, slack = np.zeros(len(place)), np.empty(len(place))
    polish = CHEAP if tol < LOOSE else 0
    batches: list[list[DualSolution]] = [[]] * -(-len(places) // _BATCH)

    def solve_batch(number: int, _: Workspace) -> None:
        check_stop()
        start = time.perf_counter()
        first = number * _BATCH
        part = starts[first : first + _BATCH + 1]
        count = len(part) - 1
        steps = np.zeros(count, dtype=np.intp)
        done = np.zeros(count, dtype=bool)
        figures = np.empty((count, 6))
        results = beta, slack, steps, done, figures
        _compiled.one_vs_one.solve_pairs(*data[:2], part, *data[2:], tol, polish, _STEPS, *results)
        seconds = (time.perf_counter() - start) / count
        batches[number] = [
            certified(
                figures[k : k + 1],
                slack[None, part[k] : part[k + 1]],
                beta[None, part[k] : part[k + 1]],
                int(steps[k]),
                "converged" if done[k] else LEFT,
                seconds,
            )
            for k in range(count)
        ]

    run(len(batches), solve_batch, "support vectors")
    return [solution for batch in batches for solution in batch]
