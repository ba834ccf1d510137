"""The dual problems of every two classes, of which a support vector classifier consists."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np

from mercer.solvers.margin.dual import DualSolution


@dataclasses.dataclass
class TwoClasses:
    """The dual problem of two classes: its samples, and its solution once there is one."""

    number: int
    rows: np.ndarray  # the samples of the first class, then those of the second
    sign: np.ndarray  # +1 for the first class, -1 for the second
    weight: np.ndarray
    solution: DualSolution | None = None
    beta: np.ndarray | None = None  # coefficients for new samples
    intercept: float = 0.0
    plan: str = ""


def every_two_classes(
    rows: np.ndarray, members: list[np.ndarray], weight: np.ndarray
) -> list[TwoClasses]:
    """The problems in the order of `itertools.combinations`.

    ``members`` are the positions of each class in ``rows`` and ``weight``.
    """
    problems = []
    for number, (first, second) in enumerate(itertools.combinations(members, 2)):
        both = np.concatenate([first, second])
        sign = np.repeat([1.0, -1.0], [len(first), len(second)])
        problems.append(TwoClasses(number, rows[both], sign, weight[both]))
    return problems
