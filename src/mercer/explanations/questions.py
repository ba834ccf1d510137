"""Which rows are explained, against which, and the way that fits the function."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.automatic.checks.frames import as_pandas
from mercer.domains.raw import raw_length
from mercer.errors import NotSeparableError, ParameterError
from mercer.explanations.explanation import Explanation
from mercer.explanations.functions import LearnedFunction, Part
from mercer.explanations.rows import Groups, Players, column_names
from mercer.explanations.sampling import sampled_values
from mercer.explanations.values import exact_values
from mercer.gram.plan import require_room
from mercer.kernels.separable.terms import Separation


@dataclasses.dataclass
class Question:
    """A function of rows, the rows to explain, and those to compare them with.

    Attributes
    ----------
    function : callable
        Values of rows, a column for each output.
    quantity : str
        What they are.
    outputs : list of str
        The names of several outputs.
    X : table
        The rows as they were given.
    others : table
        The background, as the function reads it.
    groups : dict or None
        Columns that count as one.
    rows : table
        The rows as the function reads them; by default as they were given.
    """

    function: Callable[[RawSamples], np.ndarray]
    quantity: str
    outputs: list[str]
    X: RawSamples
    others: RawSamples
    groups: Groups = None
    rows: RawSamples = None

    def __post_init__(self) -> None:
        if self.rows is None:
            self.rows = _mixable(self.X)
            self.others = _like(_mixable(self.others), self.rows)
        self.columns = column_names(self.rows)
        self.players = Players(column_names(self.X), self.groups)
        self.owners = self.players.of_column[_places(self.columns, self.players.columns)]

    @classmethod
    def of(
        cls, function: LearnedFunction, X: RawSamples, background: RawSamples, groups: Groups
    ) -> Question:
        """The question about a learned function, of rows as it reads them."""
        rows, others = function.read(X), function.read(background)
        return cls(function, function.quantity, function.outputs, X, others, groups, rows)

    def answer(self, interactions: bool, samples: int, rng: np.random.Generator) -> Explanation:
        """The values by the exact way, or by sampling where there is none."""
        with contextlib.suppress(NotSeparableError):
            return self.exact_answer(interactions)
        if interactions:
            rule = "are known for sums of products over columns only"
            raise ParameterError("interactions", True, rule, "leave them out")
        used, owners = np.unique(self.owners, return_inverse=True)
        drawn = sampled_values(self.function, self.rows, self.others, owners, samples, rng)
        spread = np.zeros((2, len(drawn[0]), len(self.players), drawn[0].shape[2]))
        spread[:, :, used] = drawn  # columns that the model does not read have the value 0
        return self._explanation(spread[0], "sampling", spread[1])

    def _separation(self, part: Part) -> Separation:
        """A part as a sum of products over the players."""
        separation = part.separation(self.columns)
        if not np.isfinite(separation.error):
            rule = "is a product of a mixture and a kernel without a bound"
            raise NotSeparableError("kernel", part.kernel, rule, "explain it by sampling")
        return separation.mapped(lambda factor: factor, self.owners.tolist())

    def exact_answer(self, interactions: bool = False) -> Explanation:
        """The values where every part is a sum of products over columns; an error elsewhere."""
        function = self.function
        if not isinstance(function, LearnedFunction):
            rule = "is not known to be a sum over training samples"
            raise NotSeparableError("function", self.quantity, rule, "explain it by sampling")
        separations = list(map(self._separation, function.parts))
        count, n_outputs = len(self.players), len(function.intercept)
        values = np.zeros((raw_length(self.rows), count, n_outputs))
        pairs = None
        if interactions:
            what, remedy = "the interactions", "explain fewer rows at a time"
            require_room(values.size, count, np.float64, what, remedy)
            pairs = np.zeros((len(values), count, *values.shape[1:]))
        error = np.zeros(n_outputs)
        for part, separation in zip(function.parts, separations, strict=True):
            exact_values(part, separation.terms, self.rows, self.others, values, pairs)
            error += 2.0 * separation.error * np.abs(part.coefficients).sum(axis=0)
        method = "quadrature" if error.any() else "exact"
        return self._explanation(values, method, error, _halved(values, pairs))

    def _explanation(
        self, values: np.ndarray, method: str, error: np.ndarray, pairs: np.ndarray | None = None
    ) -> Explanation:
        """The result; a single output has no axis."""
        base = np.broadcast_to(self.function(self.others).mean(axis=0), values[:, 0].shape).copy()
        outputs: list[str] | None = self.outputs or [f"output {k}" for k in range(base.shape[1])]
        if values.shape[2] == 1:
            values, base, error, outputs = values[..., 0], base[:, 0], error[..., 0], None
            pairs = None if pairs is None else pairs[..., 0]
        names, data = self.players.names, self.players.data(self.X)
        return Explanation(values, base, data, names, outputs, self.quantity, method, error, pairs)


def corrected(
    output: Callable[[RawSamples], np.ndarray],
    function: LearnedFunction,
    X: RawSamples,
    background: RawSamples,
    groups: Groups,
) -> tuple[Explanation, Question]:
    """Exact values of a function close to a model's output, and the question about the rest."""

    def rest(rows: RawSamples) -> np.ndarray:
        return output(rows) - function(function.read(rows))

    exact = Question.of(function, X, background, groups).exact_answer()
    return exact, Question(rest, function.quantity, function.outputs, X, background, groups)


def _halved(values: np.ndarray, pairs: np.ndarray | None) -> np.ndarray | None:
    """Symmetric halves of the interactions, with the rest of the values on the diagonal."""
    if pairs is None:
        return None
    both = (pairs + np.swapaxes(pairs, 1, 2)) / 2.0
    diagonal = np.arange(values.shape[1])
    both[:, diagonal, diagonal] = values - both.sum(axis=2)
    return both


def _places(columns: list[Any], given: list[Any]) -> list[int]:
    """The positions of read columns among the columns that were given."""
    if all(column in given for column in columns):
        return [given.index(column) for column in columns]
    return list(range(len(columns)))


def _mixable(rows: RawSamples) -> RawSamples:
    """A data frame of any kind as one of pandas, whose columns can be put together."""
    return as_pandas(rows) if hasattr(rows, "columns") else rows


def _like(background: RawSamples, X: RawSamples) -> RawSamples:
    """The background as a table of the kind of X, with its columns in the same order."""
    if not hasattr(X, "iloc"):
        return background.to_numpy() if hasattr(background, "to_numpy") else background
    if hasattr(background, "iloc"):
        return background[list(X.columns)]
    return type(X)(background, columns=list(X.columns))
