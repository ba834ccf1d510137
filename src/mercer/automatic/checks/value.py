"""Whether a column improves predictions of the target beside the other columns."""

from __future__ import annotations

import numpy as np

from mercer.aliases import Frame
from mercer.execution.blas import serial_blas
from mercer.proposals.tables import proposed_kernel, read_columns

_MOST_ROWS = 500  # on which columns are compared: a matter of tenths of a second
_RIDGES = tuple(10.0**power for power in np.arange(-3.0, 2.1, 0.5))


class ColumnValue:
    """Compares leave-one-out errors of ridge regression with a column and without it.

    Both models have the kernel of `table_kernel` for the other columns; the first one adds that of
    the column. Ridge regression is on the numbers of the target, or on indicators of its classes.

    Parameters
    ----------
    frame : DataFrame
        The table; at most 500 rows of it are used.
    y : ndarray
        The target.
    others : list
        The columns that are used in any case; there may be none.
    classification : bool
        Whether the target is a class.
    random_state : int
        The seed of the rows that are drawn.
    """

    def __init__(
        self,
        frame: Frame,
        y: np.ndarray,
        others: list[object],
        classification: bool,
        random_state: int = 0,
    ) -> None:
        rows = np.arange(len(frame))
        if len(frame) > _MOST_ROWS:
            rows = np.random.default_rng(random_state).permutation(len(frame))[:_MOST_ROWS]
        self.frame = frame.iloc[np.sort(rows)]
        self.targets = _targets(np.asarray(y)[np.sort(rows)], classification)
        self.K = self._gram(others)
        with serial_blas():
            self.losses = _leave_one_out(self.K, self.targets)

    def gain(self, name: object) -> tuple[float, float]:
        """The mean fall of the squared error by a column, and its standard error."""
        with serial_blas():
            losses = _leave_one_out(self.K + self._gram([name]), self.targets)
        falls = self.losses - losses
        return float(falls.mean()), float(falls.std(ddof=1) / np.sqrt(len(falls)))

    def share(self, name: object) -> float:
        """The share of the target's variance that a column explains beside the others."""
        fall, _ = self.gain(name)
        return fall / max(float(self.losses.mean()), 1e-300)

    def _gram(self, names: list[object]) -> np.ndarray:
        """The Gram matrix of some columns, 0 where all of them are constant in these rows."""
        # Types are read from the rows at hand, where a column may have no value at all.
        part = self.frame[names]
        part = part.loc[:, part.notna().any()]
        if len(part.columns) == 0 or not any(column.spread for column in read_columns(part)):
            return np.zeros((len(part), len(part)))
        return np.asarray(proposed_kernel(part).fit(part)(part))


def _targets(y: np.ndarray, classification: bool) -> np.ndarray:
    """Centered numbers, or indicators of the classes."""
    columns = y.astype(float)[:, None] if not classification else _indicators(y)
    columns = columns - columns.mean(axis=0)
    return columns / (columns.std() or 1.0)


def _indicators(y: np.ndarray) -> np.ndarray:
    return (y[:, None] == np.unique(y)).astype(float)


def _leave_one_out(K: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The squared leave-one-out error of each sample, at the ridge of the least mean."""
    eigenvalues, vectors = np.linalg.eigh(K)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    rotated = vectors.T @ targets
    best = np.full(len(K), np.inf)
    for ridge in _RIDGES:
        shrunk = 1.0 / (eigenvalues + ridge)
        weights = vectors @ (shrunk[:, None] * rotated)
        losses = ((weights / (vectors**2 @ shrunk)[:, None]) ** 2).sum(axis=1)
        if losses.mean() < best.mean():
            best = losses
    return best
