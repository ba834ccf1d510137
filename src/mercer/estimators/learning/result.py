"""A learned kernel, with what was learned beside it and how."""

from __future__ import annotations

import dataclasses
import html

import numpy as np

from mercer.kernels.base import Kernel
from mercer.state import storable


@storable
@dataclasses.dataclass(frozen=True)
class LearnedParameter:
    """One number of a kernel: where it began, and what was learned."""

    name: str
    start: float
    value: float
    at_bound: bool


@storable
@dataclasses.dataclass(frozen=True, repr=False)
class LearnedKernel:
    """A kernel whose continuous parameters were learned, as `learn_kernel` returns it.

    Attributes
    ----------
    kernel : Kernel
        The same algebra with the parameters learned, fitted on all samples.
    noise : float
        The variance of the noise beside the kernel: the penalty ``alpha`` of `KernelRidge`.
    value : float
        The objective at the end: the log evidence of the standardized targets, their mean squared
        leave-one-out error, or the alignment.
    by : str
        What the kernel was learned by.
    history : ndarray
        The objective at every evaluation, in order.
    amplitude : ndarray of shape (n_targets,) or None
        The variance of each standardized target per unit of the kernel and of the noise, if the
        kernel was learned by the evidence; ones where the kernel has a factor of its own.
    n_rows : int
        The number of samples that it was learned from.
    parameters : tuple of LearnedParameter
        Every number that was learned, the noise last: name, start, value, and whether the value
        lies at a bound.
    converged : bool
        Whether the optimum was reached before ``max_iter`` steps.
    notes : tuple of str
        What the targets are, which samples were left out, which parameters were not learned.
    """

    kernel: Kernel
    noise: float
    value: float
    by: str
    history: np.ndarray
    amplitude: np.ndarray | None
    n_rows: int
    parameters: tuple[LearnedParameter, ...]
    converged: bool
    notes: tuple[str, ...] = ()

    def lines(self) -> list[tuple[str, ...]]:
        """The table of parameters: name, start, learned value, remark."""
        rows: list[tuple[str, ...]] = [("parameter", "start", "learned", "")]
        for parameter in self.parameters:
            remark = "at its bound" if parameter.at_bound else ""
            numbers = f"{parameter.start:.4g}", f"{parameter.value:.4g}"
            rows.append((parameter.name, *numbers, remark))
        return rows

    def remarks(self) -> list[str]:
        """Facts that are not in the table, as sentences."""
        steps = f"{len(self.history)} evaluations"
        state = "converged" if self.converged else "stopped before the optimum"
        return [f"{self.by} {self.value:.6g} after {steps}, {state}", *self.notes]

    def with_notes(self, *notes: str) -> LearnedKernel:
        """A copy with further notes before its own."""
        return dataclasses.replace(self, notes=(*notes, *self.notes))

    def __repr__(self) -> str:
        rows = self.lines()
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        table = [
            f"{name:<{widths[0]}}  {start:>{widths[1]}}  {value:>{widths[2]}}  {remark}".rstrip()
            for name, start, value, remark in rows
        ]
        if not self.parameters:
            table = []
        return "\n".join([repr(self.kernel), *table, *self.remarks()])

    def _repr_html_(self) -> str:
        cells = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in self.lines()]
        table = "".join(f"<tr>{row}</tr>" for row in cells)
        remarks = "<br>".join(map(html.escape, self.remarks()))
        return f"<p>{html.escape(repr(self.kernel))}</p><table>{table}</table><p>{remarks}</p>"
