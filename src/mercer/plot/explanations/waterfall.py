"""The way from the mean prediction to that of one row, column by column."""

from __future__ import annotations

from typing import Self

import numpy as np

from mercer.aliases import Axes
from mercer.plot._axes import Option, axes
from mercer.plot.explanations._values import (
    DOWN,
    UP,
    Explained,
    largest_and_rest,
    one_output,
    one_row,
    with_value,
)


class WaterfallDisplay:
    """Contributions of the columns of one row, from the mean over the background to f(x).

    Every bar begins where the one below it ends. Make it with `from_explanation`; ``plot`` draws it
    again, on other axes if asked.

    Parameters
    ----------
    values : ndarray of shape (n_columns,)
        The contributions.
    base : float
        The mean over the background.
    names : list of str
        The columns, with their values in this row.
    quantity : str, default="prediction"
        What is explained, the name of the axis.
    most : int, default=10
        How many columns have a bar of their own; the others share one.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    bars_ : list of artists
        The bars, from the largest contribution to the smallest.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from mercer import RBF, KernelRidge, WaterfallDisplay, explain
    >>> X = np.random.default_rng(0).standard_normal((40, 3))
    >>> model = KernelRidge(0.1, kernel=RBF()).fit(X, X[:, 0])
    >>> display = WaterfallDisplay.from_explanation(explain(model, X[:1], background=X))
    >>> len(display.bars_)
    3
    """

    def __init__(
        self,
        *,
        values: np.ndarray,
        base: float,
        names: list[str],
        quantity: str = "prediction",
        most: int = 10,
    ) -> None:
        self.values = values
        self.base = base
        self.names = names
        self.quantity = quantity
        self.most = most

    @classmethod
    def from_explanation(
        cls,
        explanation: Explained,
        row: int = 0,
        *,
        output: int | str | None = None,
        most: int = 10,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Draw one row of an explanation.

        Parameters
        ----------
        explanation : Explanation
            What `explain` returned.
        row : int, default=0
            The row.
        output : int, str or None, default=None
            The output, where there are several.
        most : int, default=10
            How many columns have a bar of their own.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : WaterfallDisplay
            The display, drawn.
        """
        one = one_row(one_output(explanation, output), row)
        pairs = zip(one.feature_names, one.data, strict=True)
        names = [with_value(name, value) for name, value in pairs]
        display = cls(
            values=np.asarray(one.values),
            base=float(one.base_values),
            names=names,
            quantity=one.quantity,
            most=most,
        )
        return display.plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, **bar: Option) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **bar
            Options of Matplotlib's bars.

        Returns
        -------
        display : WaterfallDisplay
            The display itself.
        """
        values, names = largest_and_rest(self.values, self.names, self.most)
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        total = self.base + float(self.values.sum())
        # the largest is at the top, and its bar ends at f(x)
        ends = total - np.concatenate([[0.0], np.cumsum(values)[:-1]])
        places = np.arange(len(values))[::-1]
        colors = [UP if value > 0 else DOWN for value in values]
        drawn = ax.barh(places, values, left=ends - values, color=colors, height=0.7, **bar)
        self.bars_ = list(drawn)
        for place, value, end in zip(places, values, ends, strict=True):
            ax.plot([end, end], [place, place + 0.5], color="0.6", linewidth=0.8)
            side = "left" if value > 0 else "right"
            gap = 4 if value > 0 else -4
            ax.annotate(
                f"{value:+.3g}", (end, place), (gap, 0), textcoords="offset points",
                va="center", ha=side, fontsize="small",
            )  # fmt: skip
        ax.axvline(self.base, color="0.6", linewidth=0.8, linestyle=":")
        ax.set_yticks(places, labels=names)
        ax.use_sticky_edges = False  # room for the numbers beside the bars
        ax.margins(x=0.18)
        ax.set(xlabel=self.quantity, title=f"{self.base:.3g} on average, {total:.3g} here")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        return self
