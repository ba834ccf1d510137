"""The statistic of a test among those of the permuted samples."""

from __future__ import annotations

from typing import Self

import numpy as np

from mercer.aliases import Axes
from mercer.errors import ParameterError
from mercer.plot._axes import Option, axes
from mercer.statistics.result import TestResult


class NullDisplay:
    """The null distribution of a test by permutations, and where the statistic lies in it.

    A histogram of the statistics of all permutations, a line at the value that has to be exceeded
    at 5 %, and one at the statistic of the samples as given. Make it with `from_result`; ``plot``
    draws it again, on other axes if asked.

    Parameters
    ----------
    null : ndarray of shape (n_permutations,)
        The statistics of the permuted samples.
    statistic, critical : float
        The statistic of the samples as given, and the value that it has to exceed at 5 %.
    pvalue : float
        The p-value.
    name : str
        Return the name of the statistic.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    bars_ : list of artists
        The bars of the histogram.
    line_, critical_line_ : artists
        The lines at the statistic and at the critical value; None where that is not finite.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from mercer import NullDisplay, mmd_test
    >>> X = np.random.default_rng(0).standard_normal((30, 2))
    >>> display = NullDisplay.from_result(mmd_test(X, X + 1.0, random_state=0))
    >>> display.ax_.get_ylabel()
    'permutations'
    """

    def __init__(
        self, *, null: np.ndarray, statistic: float, critical: float, pvalue: float, name: str
    ) -> None:
        self.null = null
        self.statistic = statistic
        self.critical = critical
        self.pvalue = pvalue
        self.name = name

    @classmethod
    def from_result(cls, result: TestResult, *, ax: Axes = None, **options: Option) -> Self:
        """Draw the null distribution of a test.

        Parameters
        ----------
        result : TestResult
            The result of a test by permutations.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : NullDisplay
            The display, drawn.
        """
        if getattr(result, "null", None) is None:
            rule = "has no permutations: its null distribution is a formula"
            raise ParameterError("result", type(result).__name__, rule)
        assert result.null is not None
        display = cls(
            null=result.null,
            statistic=result.statistic,
            critical=result.critical_value(),
            pvalue=result.pvalue,
            name=result.statistic_name(),
        )
        return display.plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, bins: int = 40, **bars: Option) -> Self:
        """Draw the histogram and the lines.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        bins : int, default=40
            How many bars.
        **bars
            Options of Matplotlib's histogram.

        Returns
        -------
        display : NullDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        look = {"color": "0.75", **bars}
        self.bars_ = list(ax.hist(self.null, bins=bins, **look)[2])
        self.critical_line_ = None
        if np.isfinite(self.critical):
            words = "exceeded at 5 %"
            self.critical_line_ = ax.axvline(self.critical, color="C0", ls="--", label=words)
        words = f"as given, p = {self.pvalue:.3g}"
        self.line_ = ax.axvline(self.statistic, color="C3", linewidth=2.0, label=words)
        ax.set(xlabel=self.name, ylabel="permutations")
        ax.legend(frameon=False, fontsize="small", loc="upper center")
        return self
