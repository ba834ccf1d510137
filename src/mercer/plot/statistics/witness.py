"""Where two samples differ: the witness function of a test."""

from __future__ import annotations

from typing import Self

import numpy as np

from mercer.aliases import Axes
from mercer.domains.raw import dense_numbers
from mercer.errors import ParameterError
from mercer.plot._axes import Artist, Option, axes
from mercer.statistics.two_sample.result import MMDResult

_POINTS = 300  # of a curve


class WitnessDisplay:
    """The witness function of a test of two samples: where the first has more mass, it is positive.

    Of numbers in one column it is a curve, above the samples as short lines; of other samples it
    is a histogram of its values at the rows of each. Make it with `from_result`; ``plot`` draws it
    again, on other axes if asked.

    Parameters
    ----------
    first, second : ndarray
        Its values at the rows of each sample.
    points, curve : ndarray of shape (n_points,), or None
        Where a curve is drawn, and its values there.
    rows : tuple of two ndarrays, or None
        The numbers in the two samples, where there is a curve.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    line_ : artist
        The curve; None where there is none.
    bars_ : list of artists
        The bars of both histograms; empty where there is a curve.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from mercer import WitnessDisplay, mmd_test
    >>> x = np.random.default_rng(0).standard_normal(50)
    >>> display = WitnessDisplay.from_result(mmd_test(x, 2.0 * x, random_state=0))
    >>> display.ax_.get_ylabel()
    'witness function'
    """

    def __init__(
        self,
        *,
        first: np.ndarray,
        second: np.ndarray,
        points: np.ndarray | None = None,
        curve: np.ndarray | None = None,
        rows: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None:
        self.first = first
        self.second = second
        self.points = points
        self.curve = curve
        self.rows = rows

    @classmethod
    def from_result(cls, result: MMDResult, *, ax: Axes = None, **options: Option) -> Self:
        """Draw the witness function of `mmd_test`.

        Parameters
        ----------
        result : MMDResult
            The result of a test of two samples.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : WitnessDisplay
            The display, drawn.
        """
        if not isinstance(result, MMDResult):
            rule = "is no result of mmd_test"
            raise ParameterError("result", type(result).__name__, rule)
        first, second = result.witness_of_samples()
        numbers = _one_column(result)
        if numbers is None:
            return cls(first=first, second=second).plot(ax=ax, **options)
        points = np.linspace(numbers.min(), numbers.max(), _POINTS)
        values = result.witness(points[:, None])
        rows = numbers[: result.n_first], numbers[result.n_first :]
        display = cls(first=first, second=second, points=points, curve=values, rows=rows)
        return display.plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, names: tuple[str, str] = ("first", "second")) -> Self:
        """Draw the curve, or the histograms.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        names : tuple of two str, default=("first", "second")
            The names of the samples.

        Returns
        -------
        display : WitnessDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        self.line_: Artist = None
        self.bars_: list[Artist] = []
        if self.rows is None:
            self._histograms(ax, names)
        else:
            self._curve(ax, names)
        ax.legend(frameon=False, fontsize="small")
        return self

    def _curve(self, ax: Axes, names: tuple[str, str]) -> None:
        assert self.curve is not None and self.rows is not None
        self.line_ = ax.plot(self.points, self.curve, color="0.2")[0]
        ax.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
        low, high = float(self.curve.min()), float(self.curve.max())
        step = 0.06 * (high - low or 1.0)
        for at, (numbers, name) in enumerate(zip(self.rows, names, strict=True)):
            ends = low - (2 * at + 2.0) * step, low - (2 * at + 0.7) * step
            ax.vlines(numbers, *ends, color=f"C{at}", linewidth=0.5, alpha=0.6, label=name)
        ax.set(xlabel="value", ylabel="witness function")

    def _histograms(self, ax: Axes, names: tuple[str, str]) -> None:
        edges = np.histogram_bin_edges(np.concatenate([self.first, self.second]), bins=30)
        for at, (values, name) in enumerate(zip((self.first, self.second), names, strict=True)):
            drawn = ax.hist(
                values, bins=edges, color=f"C{at}", alpha=0.55, density=True, label=name
            )
            self.bars_ += list(drawn[2])
        ax.set(xlabel="witness function at the rows", ylabel="density")


def _one_column(result: MMDResult) -> np.ndarray | None:
    """The numbers of samples that are one column of numbers; None of others."""
    pooled = result.pooled
    is_array = isinstance(pooled, np.ndarray) and pooled.ndim == 2
    if not is_array or pooled.shape[1] != 1 or pooled.dtype.kind not in "fiub":
        return None
    numbers = dense_numbers(pooled)[:, 0]
    return numbers if np.isfinite(numbers).all() else None
