"""The dual problems of every two classes, of which a support vector classifier consists."""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer.solvers.margin.dual import DualSolution


@dataclasses.dataclass(frozen=True)
class TwoClasses:
    """The dual problem of two classes."""

    number: int
    variables: slice  # among those of all problems
    rows: np.ndarray  # the samples of the first class, then those of the second
    sign: np.ndarray  # +1 for the first class, -1 for the second
    weight: np.ndarray


class EveryTwoClasses:
    """The problems in the order of `itertools.combinations`, one after the other in flat arrays.

    Problem p has the variables from ``starts[p]`` to ``starts[p + 1]`` of ``rows`` (its samples),
    ``sign``, ``weight`` and, once it is solved, ``beta``. ``number`` is that of the problem, and
    ``beside`` that of the other class among all but the sample's own. With many classes, an object
    for each problem would cost as much as its solution.

    Parameters
    ----------
    rows : ndarray of int
        The samples.
    members : list of ndarray
        The positions of each class in ``rows`` and ``weight``.
    weight : ndarray
        The weights of the samples.
    """

    def __init__(self, rows: np.ndarray, members: list[np.ndarray], weight: np.ndarray) -> None:
        first, second = np.triu_indices(len(members), 1)
        sides = np.column_stack([first, second]).ravel()
        sizes = np.array(list(map(len, members)))[sides]
        places = np.concatenate(list(map(members.__getitem__, sides.tolist())))
        self.count = len(first)
        self.number = np.repeat(np.arange(len(first)), sizes[::2] + sizes[1::2])
        self.beside = np.repeat(np.column_stack([second - 1, first]).ravel(), sizes)
        self.starts = np.zeros(len(first) + 1, dtype=np.intp)
        np.cumsum(sizes[::2] + sizes[1::2], out=self.starts[1:])
        self.rows, self.weight = rows[places], weight[places]
        self.sign = np.repeat(np.tile([1.0, -1.0], len(first)), sizes)
        self.beta = np.zeros(len(places))  # coefficients for new samples
        self.intercepts = np.zeros(len(first))
        self.iterations = np.zeros(len(first), dtype=np.int32)
        self.solutions: list[DualSolution] = []  # one may be that of several problems
        self.plan = ""

    def __getitem__(self, number: int) -> TwoClasses:
        own = slice(self.starts[number], self.starts[number + 1])
        return TwoClasses(number, own, self.rows[own], self.sign[own], self.weight[own])
