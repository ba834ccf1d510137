"""Contributions of every column in all rows, as points colored by the values of the column."""

from __future__ import annotations

from typing import Self

import numpy as np

from mercer.aliases import Axes
from mercer.errors import ParameterError
from mercer.plot._axes import Artist, Option, axes
from mercer.plot.explanations._values import Explained, largest, one_output

_BINS = 80  # across the axis, in which points are stacked
_HALF = 0.38  # of the height of a row


class BeeswarmDisplay:
    """A row of points for each column: a contribution each, in the color of the column's value.

    Columns are ordered by their mean absolute contribution. Values that are no numbers are gray.
    Make it with `from_explanation`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        The contributions.
    data : ndarray of shape (n_rows, n_columns)
        The values of the columns.
    names : list of str
        The columns.
    label : str, default="contribution"
        The name of the axis.
    most : int, default=10
        How many columns are drawn.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    points_ : list of artists
        The points of each column, the most important first.
    colorbar_ : artist
        The scale from small to large values.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from mercer import RBF, BeeswarmDisplay, KernelRidge, explain
    >>> X = np.random.default_rng(0).standard_normal((40, 3))
    >>> model = KernelRidge(0.1, kernel=RBF()).fit(X, X[:, 0])
    >>> display = BeeswarmDisplay.from_explanation(explain(model, X, background=X))
    >>> len(display.points_)
    3
    """

    def __init__(
        self,
        *,
        values: np.ndarray,
        data: np.ndarray,
        names: list[str],
        label: str = "contribution",
        most: int = 10,
    ) -> None:
        self.values = values
        self.data = data
        self.names = names
        self.label = label
        self.most = most

    @classmethod
    def from_explanation(
        cls,
        explanation: Explained,
        *,
        output: int | str | None = None,
        most: int = 10,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Draw all rows of an explanation.

        Parameters
        ----------
        explanation : Explanation
            What `explain` returned, of several rows.
        output : int, str or None, default=None
            The output, where there are several.
        most : int, default=10
            How many columns are drawn.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : BeeswarmDisplay
            The display, drawn.
        """
        one = one_output(explanation, output)
        values = np.asarray(one.values)
        if values.ndim != 2:
            remedy = "draw a waterfall of one row"
            raise ParameterError("explanation", "one row", "has no swarm", remedy)
        label = f"contribution to the {one.quantity}"
        display = cls(
            values=values, data=one.data, names=list(one.feature_names), label=label, most=most
        )
        return display.plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, cmap: str = "coolwarm", **points: Option) -> Self:
        """Draw the points.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        cmap : str, default="coolwarm"
            The colors from small to large values.
        **points
            Options of Matplotlib's points.

        Returns
        -------
        display : BeeswarmDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        order = largest(np.abs(self.values).mean(axis=0), self.most)
        span = float(np.ptp(self.values[:, order])) or 1.0
        style = {"s": 14, "linewidths": 0, "alpha": 0.8, **points}
        ax.axvline(0.0, color="0.6", linewidth=0.8)
        self.points_: list[Artist] = []
        for place, column in enumerate(order):
            x = self.values[:, column]
            y = len(order) - 1 - place + _stacked(x, span)
            shade = _shades(self.data[:, column])
            color = {"color": "0.5"} if shade is None else {"c": shade, "cmap": cmap}
            limits = {} if shade is None else {"vmin": 0.0, "vmax": 1.0}
            self.points_.append(ax.scatter(x, y, **color, **limits, **style))
        ax.set_yticks(np.arange(len(order))[::-1], labels=[self.names[j] for j in order])
        ax.set(xlabel=self.label, ylim=(-0.6, len(order) - 0.4))
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        self.colorbar_ = self._color_bar(cmap)
        return self

    def _color_bar(self, cmap: str) -> Artist:
        from matplotlib.cm import ScalarMappable

        bar = self.figure_.colorbar(ScalarMappable(cmap=cmap), ax=self.ax_, aspect=40, pad=0.02)
        bar.set_ticks([0.0, 1.0], labels=["low", "high"])
        bar.set_label("value of the column", labelpad=-12)
        bar.outline.set_visible(False)
        return bar


def _stacked(x: np.ndarray, span: float) -> np.ndarray:
    """Heights of points, which are stacked on both sides where many have the same place."""
    bins = np.round((x - x.min()) / span * _BINS).astype(int)
    heights = np.zeros(len(x))
    counts = np.bincount(bins)
    step = min(0.08, 2.0 * _HALF / max(1, int(counts.max())))
    for place in np.flatnonzero(counts):
        members = np.flatnonzero(bins == place)
        at = np.arange(len(members))
        heights[members] = np.where(at % 2 == 1, at + 1, -at) / 2.0 * step
    return heights


def _shades(column: np.ndarray) -> np.ndarray | None:
    """Ranks of numbers from 0 to 1, which outliers do not change; None for other values."""
    try:
        numbers = np.asarray(column, dtype=float)
    except (TypeError, ValueError):
        return None
    known = np.sort(numbers[~np.isnan(numbers)])
    if len(known) == 0 or known[0] == known[-1]:
        return np.full(len(numbers), 0.5)
    low = np.searchsorted(known, numbers, side="left")
    high = np.searchsorted(known, numbers, side="right")
    ranks = (low + high - 1) / 2.0 / (len(known) - 1)
    return np.where(np.isnan(numbers), 0.5, np.clip(ranks, 0.0, 1.0))
