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
    parts = []  # of each class: its samples, their weights, and their signs on either side
    for places in members:
        ones = np.ones(len(places))
        parts.append((rows[places], weight[places], ones, -ones))
    problems = []
    for number, (first, second) in enumerate(itertools.combinations(parts, 2)):
        both = np.concatenate([first[0], second[0]])
        sign = np.concatenate([first[2], second[3]])
        problems.append(TwoClasses(number, both, sign, np.concatenate([first[1], second[1]])))
    return problems
