"""The proven coverage of intervals and sets, in words and as a number.

All of it holds for rows that are exchangeable with the new ones (drawn independently from the same
distribution, say), and on average over training sets and new samples, not for each sample.

References
----------
Barber, Candès, Ramdas and Tibshirani, Predictive inference with the jackknife+, Annals of
Statistics 49, 2021: theorems 1 and 4.
"""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar

from mercer.estimators.held_out.methods import CV, JACKKNIFE, PREFIT, SPLIT
from mercer.state import State, storable


@storable
@dataclasses.dataclass(frozen=True)
class Guarantee:
    """The proof that stands behind intervals or sets, if there is one.

    Parameters
    ----------
    method : str
        "jackknife+", "cv+", "split", or "prefit".
    count : int
        The number of calibration rows.
    doubt : str
        Why nothing is proven; empty where something is.
    condition : str
        A condition besides exchangeability, in words; empty where there is none.
    whose : str
        What is covered: "targets", "labels", or "labels of every class".
    """

    stored: ClassVar[State] = State(plain=("method", "count", "doubt", "condition", "whose"))

    method: str
    count: int
    doubt: str = ""
    condition: str = ""
    whose: str = "targets"

    def bound(self, coverage: float) -> float | None:
        """The share of new samples that is covered at least; None where nothing is proven."""
        if self.doubt:
            return None
        if self.method in (SPLIT, PREFIT):
            return coverage
        bound = 1.0 - 2.0 * (1.0 - coverage)
        if self.method == CV:
            bound -= math.sqrt(2.0 / self.count)
        return max(bound, 0.0)

    @property
    def formula(self) -> str:
        """The bound in terms of 1 − α, the coverage that is asked for."""
        if self.doubt:
            return "none"
        formulas = {JACKKNIFE: "≥ 1 − 2α", CV: "≥ 1 − 2α − √(2/n)"}
        return formulas.get(self.method, "≥ 1 − α")

    def general(self) -> str:
        """The guarantee for any coverage 1 − α."""
        if self.doubt:
            return f"no guarantee: {self.doubt}; about 1 − α of new {self.whose} is usual"
        return f"coverage {self.formula} of new {self.whose}{self._provided()}"

    def at(self, coverage: float) -> str:
        """The guarantee for one coverage, as a sentence."""
        asked = f"Asked: {_percent(coverage)} of new {self.whose}."
        bound = self.bound(coverage)
        if bound is None:
            return f"{asked} No guarantee: {self.doubt}. About {_percent(coverage)} is usual."
        seen = ""
        if self.method in (JACKKNIFE, CV):
            seen = f" About {_percent(coverage)} is usual."
        proven = f"Guaranteed: at least {_percent(bound)} ({self.formula})"
        return f"{asked} {proven}{self._provided()}.{seen}"

    def _provided(self) -> str:
        """The conditions of the guarantee."""
        words = " on average, for rows that are exchangeable with the new ones"
        if self.condition:
            words += f", {self.condition}"
        return words


def _percent(share: float) -> str:
    """A share in percent, with as few digits as it has."""
    return f"{round(100.0 * share, 1):g} %"
