"""Scores of labels: how much probability has to be gathered before a label belongs to the set."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from mercer.state import State, storable


@storable
@dataclasses.dataclass(frozen=True)
class SetScore:
    """The scores of all labels of a sample, from its probabilities on the last axis.

    - "lac": 1 − p(y), for the smallest sets on average;
    - "aps": the probability of the labels before y, in descending order, and of a share u of y;
    - "raps": the same, and ``penalty`` for each label up to y beyond the first ``allowed`` ones.

    Parameters
    ----------
    kind : str
        "lac", "aps" or "raps".
    penalty : float
        λ of "raps".
    allowed : int
        The number of labels that "raps" does not penalize.
    """

    stored: ClassVar[State] = State(plain=("kind", "penalty", "allowed"))

    kind: str
    penalty: float
    allowed: int

    def __call__(self, probabilities: np.ndarray, u: np.ndarray | float) -> np.ndarray:
        """The scores; ``u`` has the shape of the probabilities without their last axis."""
        if self.kind == "lac":
            return 1.0 - probabilities
        order = np.argsort(-probabilities, axis=-1, kind="stable")
        descending = np.take_along_axis(probabilities, order, axis=-1)
        gathered = np.cumsum(descending, axis=-1) - descending
        scores = gathered + np.asarray(u)[..., None] * descending
        if self.kind == "raps":
            ranks = np.arange(1, probabilities.shape[-1] + 1)
            scores = scores + self.penalty * np.maximum(ranks - self.allowed, 0)
        places = np.argsort(order, axis=-1)
        return np.take_along_axis(scores, places, axis=-1)
