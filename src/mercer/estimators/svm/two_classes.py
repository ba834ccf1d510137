"""The dual problems of every two classes, of which a support vector classifier consists."""

from __future__ import annotations

import dataclasses
import itertools

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
    ``sign``, ``weight`` and, once it is solved, ``beta``. ``number`` is that of the problem. With
    many classes, an object for each problem would cost as much as its solution.

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
        pairs = np.array(list(itertools.combinations(range(len(members)), 2)))
        sides = pairs.ravel()
        sizes = np.array(list(map(len, members)))[sides]
        places = np.concatenate(list(map(members.__getitem__, sides.tolist())))
        signs = np.ones(len(sides))
        signs[1::2] = -1.0
        self.count = len(pairs)
        ends = sizes.cumsum()
        self.starts = np.zeros(len(pairs) + 1, dtype=np.intp)
        self.starts[1:] = ends[1::2]
        self.number = np.arange(len(pairs)).repeat(self.starts[1:] - self.starts[:-1])
        self.rows, self.weight = rows[places], weight[places]
        self.sign = signs.repeat(sizes)
        self.pairs, self._sizes = pairs, sizes
        self.beta = np.zeros(len(places))  # coefficients for new samples
        self.intercepts = np.zeros(len(pairs))
        self.iterations = np.zeros(len(pairs), dtype=np.int32)
        self.solutions: list[DualSolution] = []  # one may be that of several problems
        self.plan = ""

    @property
    def beside(self) -> np.ndarray:
        """The number of the other class among all but the sample's own, for every variable."""
        first, second = self.pairs.T
        return np.column_stack([second - 1, first]).ravel().repeat(self._sizes)

    def __getitem__(self, number: int) -> TwoClasses:
        own = slice(self.starts[number], self.starts[number + 1])
        return TwoClasses(number, own, self.rows[own], self.sign[own], self.weight[own])
