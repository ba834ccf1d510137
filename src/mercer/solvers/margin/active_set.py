"""Newton steps from bound to bound, where steps of two variables would take for ever.

A huge C lets coefficients grow to its size, and steps of two variables make them grow by a few
units each. Newton steps on the free variables end at a bound at once.
"""

from __future__ import annotations

import numpy as np

from mercer.execution.blas import serial_blas
from mercer.execution.cancel import check_stop
from mercer.solvers.margin.polish import step_to_a_bound
from mercer.solvers.margin.state import State

_ROUNDS = 100  # a round sets some variables free and then moves all that are
_SHARE = 10  # of the variables, one in so many may be set free in a round


def descend(state: State) -> bool:
    """Move all free variables together, again and again; whether no gap beyond rounding is left."""
    with serial_blas():  # else bits depend on threads
        for _ in range(_ROUNDS):
            check_stop()
            if not _to_the_end_of_the_face(state):
                return False
            most = 2 + state.n // _SHARE
            steps, finished = state.steps(max(state.problem.tol, state.rounding()), most)
            if finished and steps == 0:
                return True
    return False


def _to_the_end_of_the_face(state: State) -> bool:
    """Newton steps until none of them meets a bound; whether there was one."""
    moved = False
    while True:
        free = np.count_nonzero(state.up == state.low)
        if not step_to_a_bound(state):
            return moved
        moved = True
        state.h[...] = state.slack()
        if np.count_nonzero(state.up == state.low) >= free:
            return True
