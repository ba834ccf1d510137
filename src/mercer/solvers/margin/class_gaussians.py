"""Gaussians of the samples of every two classes, of which each class's own block is computed once.

A class meets all others, so that its own block would be computed again and again.
"""

from __future__ import annotations

import numpy as np

from mercer import _compiled
from mercer.execution.cancel import check_stop
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace

_BATCH = 32  # classes of one call


class ClassGaussians:
    """The values exp(−‖z − z′‖²) between samples of every two classes.

    Parameters
    ----------
    z : ndarray of shape (n, d)
        All samples.
    members : list of ndarray
        The samples of each class.
    pairs : ndarray of int of shape (n_problems, 2)
        The two classes of every problem, whose samples are those of the first, then the second.
    """

    def __init__(self, z: np.ndarray, members: list[np.ndarray], pairs: np.ndarray) -> None:
        self.z, self.members, self.pairs = z, members, pairs

    @property
    def entries(self) -> int:
        """How many values within classes are stored."""
        return sum(len(member) ** 2 for member in self.members)

    def matrix(self) -> np.ndarray:
        """All values, without compiled code."""
        differences = self.z[:, None] - self.z
        return np.exp(-np.square(differences).sum(axis=2))

    def blocks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What `class_blocks.row_of_two` reads: panels, values, and every problem's sides."""
        code = _compiled.class_blocks
        sizes = np.array(list(map(len, self.members)))
        widths = _padded(sizes, code.COLUMNS)
        ends, corners = widths.cumsum(), (sizes * widths).cumsum()
        sides = np.column_stack([sizes, ends - widths, widths, corners - sizes * widths])
        n_features = self.z.shape[1]
        panels = np.zeros((_padded(n_features, code.FEATURES), ends[-1]))
        columns = np.arange(sizes.sum()) + (ends - widths - sizes.cumsum() + sizes).repeat(sizes)
        panels[:n_features, columns] = self.z[np.concatenate(self.members)].T
        values = np.empty(corners[-1])

        def fill(number: int, _: Workspace) -> None:
            check_stop()
            end = min((number + 1) * _BATCH, len(sizes))
            code.fill_blocks(panels, sides, number * _BATCH, end, values)

        run(-(-len(sizes) // _BATCH), fill, "support vectors")
        return panels, values, sides[self.pairs]


def _padded(count: np.ndarray, lanes: int) -> np.ndarray:
    """The least multiple of ``lanes`` that is not below the count."""
    return -(-count // lanes) * lanes
