"""Small margin problems of every two classes, from one Gram matrix: batches of them, each a single call of compiled code."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer import _compiled
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.solvers.margin.dual import Bounds, DualSolution, certified
from mercer.solvers.margin.polish import CHEAP, LOOSE

_BATCH = (
    16  # problems of one call: enough to forget the call, few enough to share out among threads
)
_STEPS = 100_000  # of one problem; who needs more is left to the general solver
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
    solver, which may begin where it ended.
    """
    starts = np.concatenate([[0], np.cumsum([len(part) for part in places])])
    place = np.concatenate(places)
    beta, slack = np.zeros(len(place)), np.empty(len(place))
    solutions: list[Any] = [None] * len(places)

    def work(number: int, space: Workspace) -> None:
        check_stop()
        begun = time.perf_counter()
        some = np.arange(number * _BATCH, min((number + 1) * _BATCH, len(places)))
        steps = np.zeros(len(some), dtype=np.intp)
        done = np.zeros(len(some), dtype=bool)
        figures = np.empty((len(some), 6))
        part = starts[some[0] : some[-1] + 2]
        polish = CHEAP if tol < LOOSE else 0
        problem_data = matrix, place, part, targets, bounds.lower, bounds.upper
        _compiled.one_vs_one.solve_pairs(
            *problem_data, tol, polish, _STEPS, beta, slack, steps, done, figures
        )
        seconds = (time.perf_counter() - begun) / len(some)
        for at, problem in enumerate(some):
            rows = slice(int(starts[problem]), int(starts[problem + 1]))
            reason = "converged" if done[at] else LEFT
            solutions[problem] = certified(
                figures[at : at + 1],
                slack[None, rows],
                beta[None, rows],
                int(steps[at]),
                reason,
                seconds,
            )

    run(-(-len(places) // _BATCH), work, "support vectors")
    return solutions
