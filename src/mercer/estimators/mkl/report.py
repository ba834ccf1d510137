"""The report of a fit of several kernels, with a table of the terms."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from mercer.estimators.common.report import FitReport
from mercer.solvers.mkl.grams import Grams
from mercer.solvers.mkl.loo import solve_left_out
from mercer.state import State, storable

MOST_ROWS = 1000  # samples on which the loss without a term is computed
_WIDTH = 48  # characters of a term in a printed table

Row = tuple[str, float, float, float]  # term, weight, share, loss without it


@storable
@dataclasses.dataclass(frozen=True)
class TermsReport(FitReport):
    """A report of a fit with a row for each kernel.

    Parameters
    ----------
    terms : tuple of (str, float, float, float)
        Of each kernel: its text, its weight, its share in the mean of k(x, x) or, of a search, in
        the variance of the targets, and the leave-one-out loss of the model without it, other
        weights and the penalty as they are.
    loss : float
        The leave-one-out loss with all of them, on the same samples.
    """

    stored: ClassVar[State] = State(finite=("loss",), plain=("terms",))

    terms: tuple[Row, ...] = ()
    loss: float = 0.0

    def to_dict(self) -> dict[str, object]:
        """Everything by name, as plain values."""
        return {**super().to_dict(), "terms": self.terms, "loss": self.loss}

    def lines(self) -> list[tuple[str, str]]:
        """The report as labeled lines of text."""
        *lines, last = super().lines()
        width = min(_WIDTH, max([len("term"), *(len(text) for text, *_ in self.terms)]))
        heading = f"{'term':<{width}} {'weight':>9} {'share':>6} {'loss without':>12}"
        lines.append(("terms", heading))
        for text, weight, share, loss in self.terms:
            if len(text) > width:
                text = f"{text[: width - 1]}…"
            lines.append(("", f"{text:<{width}} {weight:>9.4g} {share:>6.1%} {loss:>12.4g}"))
        lines.append(("", f"{'all of them':<{width}} {'':>9} {'':>6} {self.loss:>12.4g}"))
        return [*lines, last]


def losses_without(grams: Grams, weights: np.ndarray, Y: np.ndarray) -> tuple[float, np.ndarray]:
    """The leave-one-out loss with all matrices, and without each of them.

    Parameters
    ----------
    grams : Grams
        The matrices.
    weights : ndarray of shape (m,)
        Their weights, in units of the penalty.
    Y : ndarray of shape (n, targets)
        The targets.

    Of more than `MOST_ROWS` samples, so many at equal distances are looked at.
    """
    rows = np.arange(grams.n)
    if grams.n > MOST_ROWS:
        rows = np.linspace(0, grams.n - 1, MOST_ROWS).astype(int)
    part = np.ix_(rows, rows)
    whole = grams.combine(weights, whole=True)[part]
    loss = _loss(whole, Y[rows])
    without = np.full(len(grams), loss)
    for k in np.flatnonzero(weights):
        own = np.zeros(len(grams))
        own[k] = weights[k]
        without[k] = _loss(whole - grams.combine(own, whole=True)[part], Y[rows])
    return loss, without


def _loss(K: np.ndarray, Y: np.ndarray) -> float:
    solved = solve_left_out(K.copy(), Y)
    return float("nan") if solved is None else float(np.mean(solved[1] ** 2))
