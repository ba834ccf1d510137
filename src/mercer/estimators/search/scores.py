"""Scores of a learned expression, as sums whose differences have a standard error."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np

from mercer.solvers.gp.evidence import Evidence
from mercer.solvers.gp.left_out import given_all_others, given_other_blocks, given_those_before
from mercer.solvers.gp.weighted_noise import WeightedNoise

Blocks = list[np.ndarray]  # positions of the samples of every block
ScoreName = Literal["loo", "evidence", "bic"]


@dataclasses.dataclass(frozen=True)
class Score:
    """Log densities of samples or blocks, whose sum less a penalty is the score."""

    parts: np.ndarray
    penalty: float = 0.0

    @property
    def total(self) -> float:
        """The score: larger is better."""
        return float(self.parts.sum()) - self.penalty

    def gain_over(self, other: Score) -> tuple[float, float]:
        """The difference of two scores, and its standard error: the parts are paired."""
        differences = self.parts - other.parts
        error = float(np.std(differences, ddof=1)) * np.sqrt(len(differences))
        return self.total - other.total, float(error)


@dataclasses.dataclass(frozen=True)
class Scorer:
    """How expressions are compared.

    Densities of samples that are left out are computed with parameters learned from all of them,
    which makes their sum too large by about 1 for each parameter (Akaike); BIC takes off ½ log n
    instead. A period costs the logarithm of the number of frequencies that it was found among: the
    highest of many peaks of noise looks like a period.
    """

    name: ScoreName

    def __call__(
        self,
        result: Evidence,
        Y: np.ndarray,
        n_parameters: int,
        price: float,
        blocks: Blocks | None,
        noise: WeightedNoise,
    ) -> Score:
        constants = np.broadcast_to(noise.constants, (len(Y),))
        if self.name == "loo":
            return Score(_left_out(result, blocks, constants), n_parameters + price)
        if self.name == "bic":
            count = float(np.broadcast_to(noise.weight, (len(Y),)).sum())
            price += 0.5 * n_parameters * float(np.log(count))
        return Score(given_those_before(result.upper, Y) + constants, price)


def _left_out(result: Evidence, blocks: Blocks | None, constants: np.ndarray) -> np.ndarray:
    if blocks is None:
        return given_all_others(result.upper, result.alpha) + constants
    densities = given_other_blocks(result.upper, result.alpha, blocks)
    return densities + np.array([constants[block].sum() for block in blocks])
