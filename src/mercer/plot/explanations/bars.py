"""How much every column contributes, on average over rows."""

from __future__ import annotations

from typing import Self

import numpy as np

from mercer.aliases import Axes
from mercer.plot._axes import Option, axes
from mercer.plot.explanations._values import DOWN, UP, Explained, largest_and_rest, one_output


class ContributionsDisplay:
    """Bars of the mean absolute contribution of every column, or of those to one row.

    Make it with `from_explanation`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    values : ndarray of shape (n_columns,)
        The lengths of the bars.
    names : list of str
        The columns.
    label : str, default="mean |contribution|"
        The name of the axis.
    most : int, default=10
        How many columns have a bar of their own; the others share one.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    bars_ : list of artists
        The bars, from the longest to the shortest.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from mercer import RBF, ContributionsDisplay, KernelRidge, explain
    >>> X = np.random.default_rng(0).standard_normal((40, 3))
    >>> model = KernelRidge(0.1, kernel=RBF()).fit(X, X[:, 0])
    >>> display = ContributionsDisplay.from_explanation(explain(model, X, background=X))
    >>> display.names[int(np.argmax(display.values))]
    'x0'
    """

    def __init__(
        self,
        *,
        values: np.ndarray,
        names: list[str],
        label: str = "mean |contribution|",
        most: int = 10,
    ) -> None:
        self.values = values
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
        """Draw the columns of an explanation.

        Parameters
        ----------
        explanation : Explanation
            What `explain` returned.
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
        display : ContributionsDisplay
            The display, drawn.
        """
        one = one_output(explanation, output)
        values, names = np.asarray(one.values), list(one.feature_names)
        label = f"contribution to the {one.quantity}"
        if values.ndim == 2:
            values, label = np.abs(values).mean(axis=0), f"mean |{label}|"
        return cls(values=values, names=names, label=label, most=most).plot(ax=ax, **options)

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
        display : ContributionsDisplay
            The display itself.
        """
        values, names = largest_and_rest(self.values, self.names, self.most)
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        places = np.arange(len(values))[::-1]
        colors = [UP if value >= 0 else DOWN for value in values]
        self.bars_ = list(ax.barh(places, values, color=colors, height=0.7, **bar))
        ax.bar_label(ax.containers[-1], fmt="%.3g", padding=3, fontsize="small")
        ax.set_yticks(places, labels=names)
        ax.use_sticky_edges = False  # room for the numbers beside the bars
        ax.margins(x=0.12)
        if (values >= 0).all():
            ax.set_xlim(left=0.0)
        ax.set_xlabel(self.label)
        ax.spines[["top", "right"]].set_visible(False)
        return self
