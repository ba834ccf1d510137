"""Models without some of their training rows: in closed form from one fit, or fitted again.

Both kinds answer the same two questions: what the model without a row's group says of the row, and
what the models without each group say of new samples.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np
from scipy.special import expit

from mercer.aliases import Estimator, RawSamples
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ModelFileError
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.held_out.outputs import of_decisions
from mercer.estimators.held_out.rows import columns_of
from mercer.gram.plan import rows_at_a_time
from mercer.state import State, check_count, check_positions, storable

_BLOCK = 256  # new samples for which all models are asked at a time
_SHARE = 0.05  # of the memory budget, for what they say

Ask = Callable[[Estimator, RawSamples], np.ndarray]  # the outputs of a fitted model
Block = tuple[slice, np.ndarray]  # samples, and values (samples, groups) or (…, classes)


@storable
@dataclasses.dataclass
class ClosedForm:
    """All models without one group each, from the fit of all rows; see `solvers.ridge.removal`."""

    stored: ClassVar[State] = State(
        finite=("projector", "offset", "steps"), plain=("expansion", "groups", "link")
    )

    expansion: Expansion
    projector: np.ndarray  # of shape (n, n)
    offset: np.ndarray
    steps: np.ndarray  # of shape (n, n_outputs): what a model without the group misses
    groups: np.ndarray  # of every row, numbered from 0
    link: str  # from values of functions to outputs: "none", "decisions" or "logistic"

    def _check_loaded(self) -> None:
        n = len(self.expansion.positions)
        for name, shape in (("projector", (n, n)), ("offset", (n,)), ("groups", (n,))):
            stored_shape = np.shape(getattr(self, name))
            if stored_shape != shape:
                stored = f"array of shape {stored_shape}"
                raise ModelFileError(name, stored, f"must have shape {shape}")
        check_count("steps", len(self.steps), n)
        check_positions("groups", self.groups, n)

    def linked(self, values: np.ndarray) -> np.ndarray:
        """The outputs of the models, for values of their functions on the last axis."""
        if self.link == "decisions":
            return of_decisions(values)
        if self.link == "logistic":
            return np.concatenate([expit(-values), expit(values)], axis=-1)
        return values[..., 0]

    def blocks(self, X: RawSamples, model: Estimator, ask: Ask) -> Iterator[Block]:
        """Predictions for new samples, some at a time; ``model`` was fitted on all rows."""
        values = self._values(model, X)
        order = np.argsort(self.groups, kind="stable")
        starts = np.flatnonzero(np.diff(self.groups[order], prepend=-1))
        n, n_outputs = self.steps.shape
        for rows in _parts(raw_length(X), n * n_outputs):
            some = pick_rows(X, np.arange(rows.start, rows.stop))
            lever = self.expansion.apply(some, self.projector) + self.offset
            change = lever[:, order, None] * self.steps[order]
            if len(starts) < n:
                change = np.add.reduceat(change, starts, axis=1)
            yield rows, self.linked(values[rows, None, :] - change)

    def _values(self, model: Estimator, X: RawSamples) -> np.ndarray:
        """The functions of the model of all rows."""
        if self.link == "none":
            return np.asarray(model.predict(X), dtype=np.float64).reshape(-1, 1)
        values = np.asarray(model.decision_function(X), dtype=np.float64)
        return values.reshape(len(values), -1)


@storable
@dataclasses.dataclass
class Refits:
    """Models that were fitted without one group each."""

    stored: ClassVar[State] = State(plain=("models", "groups", "pairwise"))

    models: list[Estimator]
    groups: np.ndarray
    pairwise: bool  # whether samples are rows of a Gram matrix

    def _check_loaded(self) -> None:
        check_positions("groups", self.groups, len(self.models))

    def blocks(self, X: RawSamples, model: Estimator, ask: Ask) -> Iterator[Block]:
        """Predictions of the models for new samples, some at a time."""
        for rows in _parts(raw_length(X), len(self.groups)):
            some = pick_rows(X, np.arange(rows.start, rows.stop))
            answers = []
            for group, without in enumerate(self.models):
                kept = np.flatnonzero(self.groups != group)
                answers.append(ask(without, columns_of(some, kept, self.pairwise)))
            yield rows, np.stack(answers, axis=1)


def _parts(count: int, size: int) -> Iterator[slice]:
    """Slices of new samples, for each of which so many values are held."""
    step = rows_at_a_time(size, _SHARE, most=_BLOCK)
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))
