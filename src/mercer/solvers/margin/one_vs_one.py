"""Small dual problems of every two classes, from one Gram matrix, in batches of compiled code."""

from __future__ import annotations

import dataclasses
import time

import numpy as np

from mercer import _compiled
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.solvers.margin.class_gaussians import ClassGaussians
from mercer.solvers.margin.dual import Bounds, DualSolution, certified
from mercer.solvers.margin.plain import Patience, solve_pairs_plainly
from mercer.solvers.margin.polish import CHEAP, LOOSE

_BATCH = 32  # problems of one call: enough for its overhead, few enough to share among threads
_STEPS = 100_000  # of one problem; one that needs more is left to the general solver
LEFT = "left to the general solver"


@dataclasses.dataclass(frozen=True)
class PairSolutions:
    """The solutions of many problems: β and slack lie one problem after the other.

    Problem p has the variables from ``starts[p]`` to ``starts[p + 1]``, and ``figures[p]``, which
    are those of `smo.certificate`. They are arrays, because an object for each problem would cost
    as much as its solution. ``together`` has the problems that have converged as groups of one.
    """

    starts: np.ndarray
    beta: np.ndarray
    slack: np.ndarray
    figures: np.ndarray
    iterations: np.ndarray
    converged: np.ndarray
    seconds: np.ndarray
    together: DualSolution

    def of(self, number: int) -> DualSolution:
        """The solution of one problem."""
        own = slice(self.starts[number], self.starts[number + 1])
        reason = "converged" if self.converged[number] else LEFT
        arrays = self.figures[number : number + 1], self.slack[None, own], self.beta[None, own]
        return certified(*arrays, int(self.iterations[number]), reason, float(self.seconds[number]))


def solve_pairs(
    matrix: np.ndarray,
    place: np.ndarray,
    starts: np.ndarray,
    targets: np.ndarray,
    bounds: Bounds,
    tol: float,
    classes: ClassGaussians | None = None,
) -> PairSolutions:
    """Minimize ½βᵀKβ − tᵀβ between bounds with Σβ = 0, for the rows of every problem.

    Problem p has the rows place[starts[p]:starts[p + 1]]; targets and bounds lie alike. K is the
    given matrix or, where classes are given, that of their Gaussians, of which only what is needed
    is computed; the matrix is then empty. What has not converged is for the general solver, which
    may begin where this one ended.
    """
    data = targets, bounds.lower, bounds.upper
    beta, slack = np.zeros(len(place)), np.empty(len(place))
    polish = CHEAP if tol < LOOSE else 0
    n_problems = len(starts) - 1
    steps = np.zeros(n_problems, dtype=np.intp)
    done = np.zeros(n_problems, dtype=bool)
    figures, seconds = np.empty((n_problems, 4)), np.empty(n_problems)

    solve = _compiled.one_vs_one.solve_pairs
    n_rows = len(place) if classes is None else max(len(place), len(classes.z))
    plainly = Patience.spent < Patience.limit and Patience.allows(solve, n_rows)
    panels: np.ndarray | None = None
    values: np.ndarray | None = None
    sides = np.empty((n_problems, 0, 0), dtype=np.intp)
    if plainly:
        solve = solve_pairs_plainly
        if classes is not None:
            matrix = classes.matrix()
    elif classes is not None:
        panels, values, sides = classes.blocks()

    def solve_batch(number: int, _: Workspace) -> None:
        check_stop()
        start = time.perf_counter()
        batch = slice(number * _BATCH, (number + 1) * _BATCH)
        part = starts[batch.start : batch.stop + 1]
        origin = matrix, panels, values, sides[batch]
        results = beta, slack, steps[batch], done[batch], figures[batch]
        solve(*origin, place, part, *data, tol, polish, _STEPS, *results)
        seconds[batch] = (time.perf_counter() - start) / (len(part) - 1)

    run(-(-n_problems // _BATCH), solve_batch, "support vectors")
    levels, edges, gaps, objectives = figures[done].T
    together = DualSolution(
        beta[None],
        slack[None],
        levels,
        float(objectives.sum()),
        float(gaps.max(initial=0.0)),
        float(seconds[done].sum()),
        edges,
        iterations=int(steps[done].sum()),
        converged=True,
        reason="converged",
    )
    return PairSolutions(starts, beta, slack, figures, steps, done, seconds, together)
