"""How much effort a study takes: folds, repeats, a test set, a limit of time."""

from __future__ import annotations

import dataclasses

from mercer.automatic.assessment import repeats_for
from mercer.readers import Source

_SHARE = 0.3  # of the time that is given, for the model itself
_QUICK_ROWS = 500  # on which kernel and penalty are chosen in a hurry


@dataclasses.dataclass(frozen=True)
class Effort:
    """How the error is estimated, and how long that may take.

    Attributes
    ----------
    folds, repeats : int
        The folds and repeats of the cross-validation; repeats of None depend on the samples.
    assess : bool
        Whether the error is estimated at all.
    test : Source or None
        Samples to estimate it on, instead of cross-validation.
    quick : bool
        Whether to choose among less, to repeat nothing and to leave out the learning curve.
    seconds : float or None
        The time that the whole study should take.
    """

    folds: int = 5
    repeats: int | None = None
    assess: bool = True
    test: Source | None = None
    quick: bool = False
    seconds: float | None = None

    @property
    def draws_curve(self) -> bool:
        """Whether a learning curve is drawn, which takes as long as some folds."""
        return self.assess and not self.quick

    @property
    def reason(self) -> str:
        """Why little is compared, as the end of a sentence; empty where that was not asked for."""
        if self.seconds is not None:
            least = f", as many as --time {self.seconds:g} is enough for"
            return f"{least} ({100 * _SHARE:.0f} % of it are for the model): a longer one uses more"
        return ", as --quick asks" if self.quick else ""

    def is_over(self, spent: float) -> bool:
        """Whether so many seconds are as much as the study should take."""
        return self.seconds is not None and spent > self.seconds

    @property
    def choices(self) -> dict[str, object]:
        """The parameters of automatic models by which they take less time."""
        if self.seconds is not None:
            return {"time": _SHARE * self.seconds}
        if self.quick:
            return {"time": "fast", "tune_rows": _QUICK_ROWS}
        return {}

    def rounds(self, n_samples: int, fitted: float, spent: float) -> tuple[int, int]:
        """Folds and repeats for which there is time, after a fit that took so many seconds.

        There are fewer than two folds where the time is over.
        """
        repeats = repeats_for(n_samples) if self.repeats is None else self.repeats
        if self.quick and self.repeats is None:
            repeats = 1
        if self.seconds is None:
            return self.folds, repeats
        fits = int((self.seconds - spent) / max(fitted, 1e-3))
        if fits < 2 * self.folds:
            return min(self.folds, max(fits, 0)), 1
        return self.folds, max(1, min(repeats, fits // self.folds))
