"""The coverage of intervals and sets, measured on rows that a model was not fitted on."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.automatic.tabular.uncertainty import ASKED
from mercer.errors import ParameterError


@dataclasses.dataclass(frozen=True)
class Coverage:
    """How many held-out targets lie in their intervals or sets, and how large these are.

    Parameters
    ----------
    asked : float
        The coverage that was asked for.
    inside : ndarray of bool
        Whether each held-out target is in its interval or set.
    sizes : ndarray
        The widths of the intervals, or the numbers of labels in the sets.
    what : str
        "intervals" or "sets".
    """

    asked: float
    inside: np.ndarray
    sizes: np.ndarray
    what: str

    @property
    def share(self) -> float:
        """The coverage that was measured."""
        return float(self.inside.mean())

    @property
    def error(self) -> float:
        """The standard error of the coverage, for independent rows."""
        return math.sqrt(self.share * (1.0 - self.share) / len(self.inside))

    def __str__(self) -> str:
        size = f"median width {np.median(self.sizes):.4g}"
        if self.what == "sets":
            size = f"sets of {self.sizes.mean():.3g} labels on average, empty ones included"
        share = f"hold {100 * self.share:.1f} % ± {100 * self.error:.1f}"
        covered = f"{len(self.inside)} held-out targets"
        return f"{self.what} asked to hold {100 * self.asked:.0f} % {share} of {covered} ({size})"


def measure_coverage(model: Estimator, X: RawSamples, y: np.ndarray) -> Coverage | None:
    """The coverage on rows held out; None where a model has neither intervals nor sets for them."""
    try:
        if hasattr(model, "predict_interval"):
            intervals = model.predict_interval(X, ASKED)
            return Coverage(ASKED, intervals.contain(y), intervals.width, "intervals")
        if hasattr(model, "predict_set"):
            sets = model.predict_set(X, ASKED)
            return Coverage(ASKED, sets.contain(y), sets.sizes, "sets")
    except ParameterError:  # of a learner that leaves no rows out, or of too few rows
        return None
    return None


def of_all_folds(parts: list[Coverage | None]) -> Coverage | None:
    """The coverage in all folds together; None where one of them has none."""
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    inside = np.concatenate([part.inside for part in known])
    sizes = np.concatenate([part.sizes for part in known])
    return dataclasses.replace(known[0], inside=inside, sizes=sizes)
