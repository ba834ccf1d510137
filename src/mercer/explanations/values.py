"""Exact Shapley values of sums of products over columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mercer import _compiled
from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.domains.raw import pick_rows, raw_length
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.explanations.functions import Part
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64
from mercer.kernels.base import Kernel
from mercer.kernels.separable.terms import ColumnTerm

_ROOM = 2**22  # numbers that factors of rows and of the background take at a time
_ROWS = 256  # that are explained at a time


def gauss_legendre(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on [0, 1], exact for polynomials of this degree."""
    nodes, weights = np.polynomial.legendre.leggauss(degree // 2 + 1)
    return (nodes + 1.0) / 2.0, weights / 2.0


class Block:
    """Some training samples, with rows and background rows to be compared with them."""

    def __init__(self, part: Part, centers: np.ndarray, rows: RawSamples) -> None:
        self.training = Batch(pick_rows(part.samples, centers))
        self.rows = Batch(rows, like=self.training.fork(), new=True)

    def factors(self, kernels: Sequence[Kernel], width: int) -> np.ndarray:
        """The values of kernels as an array of rows, kernels and ``width`` training samples."""
        out = np.zeros((len(self.rows), len(kernels), width))
        for at, kernel in enumerate(kernels):
            training = kernel.prepare(self.training)
            values = dense(kernel, kernel.prepare(self.rows), training, FLOAT64)
            out[:, at, : values.shape[1]] = values
        return out


class TermValues:
    """The values of the columns in one term of a part, added up over its training samples.

    Parameters
    ----------
    part : Part
        The sum that the term belongs to.
    term : ColumnTerm
        The product over columns.
    background : collection
        Encoded background rows.
    """

    def __init__(self, part: Part, term: ColumnTerm, background: RawSamples) -> None:
        self.part, self.background = part, background
        self.players = list(term.factors)
        self.kernels = list(term.factors.values())
        self.coefficients = term.weight * part.coefficients / raw_length(background)

    def add_to(self, values: np.ndarray, pairs: np.ndarray | None, rows: RawSamples) -> None:
        """Add the values of these rows, and where asked for their interactions."""
        for centers in self._blocks(min(_ROWS, raw_length(rows))):
            width = -(-len(centers) // _compiled.shapley.LANES) * _compiled.shapley.LANES
            C = Block(self.part, centers, self.background).factors(self.kernels, width)
            own = np.zeros((width, self.coefficients.shape[1]))
            own[: len(centers)] = self.coefficients[centers]
            for start in range(0, raw_length(rows), _ROWS):
                some = np.arange(start, min(start + _ROWS, raw_length(rows)))
                A = Block(self.part, centers, pick_rows(rows, some)).factors(self.kernels, width)
                self._add_products(A, C, own, values[start:], pairs, start)

    def _blocks(self, n_rows: int) -> Iterator[np.ndarray]:
        """Training samples, as many at a time as there is room for."""
        n_factors = (n_rows + raw_length(self.background)) * len(self.players)
        lanes = _compiled.shapley.LANES
        size = max(lanes, _ROOM // n_factors // lanes * lanes)
        count = len(self.coefficients)
        for start in range(0, count, size):
            yield np.arange(start, min(start + size, count))

    def _add_products(
        self,
        A: np.ndarray,
        C: np.ndarray,
        coefficients: np.ndarray,
        values: np.ndarray,
        pairs: np.ndarray | None,
        start: int,
    ) -> None:
        """Go over the rows, each of which has values of its own, by all threads."""
        count, shape = len(self.players), (len(self.players), coefficients.shape[1])
        nodes = gauss_legendre(count - 1)
        fewer = gauss_legendre(max(count - 2, 0))

        def explain_row(row: int, work: Workspace) -> None:
            own = np.zeros(shape)
            _compiled.shapley.product_values(A[row], C, coefficients, *nodes, own)
            values[row, self.players] += own
            if pairs is None or count < 2:
                return
            both = np.zeros((count, *shape))
            _compiled.shapley.product_interactions(A[row], C, coefficients, *fewer, both)
            pairs[start + row][np.ix_(self.players, self.players)] += both

        run(len(A), explain_row, label="explain")


def exact_values(
    part: Part,
    terms: Sequence[ColumnTerm],
    rows: RawSamples,
    background: RawSamples,
    values: np.ndarray,
    pairs: np.ndarray | None = None,
) -> None:
    """Add the Shapley values of one part to ``values``, (rows, columns, outputs).

    The interaction indices of two columns i < j are added to ``pairs``, (rows, columns, columns,
    outputs), where they are asked for.
    """
    encoded, others = part.encode(rows), part.encode(background)
    for term in terms:
        if len(term.factors):
            TermValues(part, term, others).add_to(values, pairs, encoded)
