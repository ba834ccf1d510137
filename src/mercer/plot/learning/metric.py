"""A learned metric as a heat map: which columns count, or which of them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from mercer.aliases import Axes
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.learning.metric_result import LearnedMetric
from mercer.params import integer
from mercer.plot._axes import Option, axes

_MOST = 30  # columns whose names have room


class MetricDisplay:
    """Heat map of a metric that `learn_metric` has learned.

    Weights of columns are drawn round by round, with the column that counts most at the top and the
    round that was chosen in a frame. Of a matrix the entries are drawn: an entry beside the
    diagonal that differs from 0 says that two columns count together. Make it with `from_metric`;
    ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    values : ndarray of shape (n_columns, n_rounds) or (n_columns, n_columns)
        The weights of every round, or the matrix, in the order of drawing.
    names : list of str
        The names of the columns, in the same order.
    round : int or None, default=None
        The round that was chosen; None of a matrix.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    image_ : image
        The weights.
    colorbar_ : artist
        The scale of the weights.
    frame_ : artist or None
        The frame of the chosen round.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from mercer import RBF, MetricDisplay, learn_metric
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> learned = learn_metric(RBF(2.0), X, np.sin(2 * X[:, 1]))
    >>> display = MetricDisplay.from_metric(learned, names=["a", "b", "c"])
    >>> display.names[0], display.values.shape
    ('b', (3, 3))
    """

    def __init__(self, *, values: np.ndarray, names: list[str], round: int | None = None) -> None:
        self.values = values
        self.names = names
        self.round = round

    @classmethod
    def from_metric(
        cls,
        learned: LearnedMetric,
        *,
        names: Sequence[str] | None = None,
        most: int = _MOST,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Draw a learned metric.

        Parameters
        ----------
        learned : LearnedMetric
            What `learn_metric` returns.
        names : sequence of str or None, default=None
            The names of the columns; by default those of the data frame, or their positions.
        most : int, default=30
            The largest number of columns that are drawn, those of largest weight.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : MetricDisplay
            The display, drawn.
        """
        if not isinstance(learned, LearnedMetric):
            raise ParameterError("learned", learned, "is not what learn_metric returns")
        integer(1).check("most", most)
        weights = learned.metric if learned.metric.ndim == 1 else learned.metric.diagonal()
        order = np.argsort(-weights, kind="stable")[:most]
        known = _column_names(learned, names, len(weights))
        shown = [known[column] for column in order]
        if learned.metric.ndim == 2:
            matrix = learned.metric[np.ix_(order, order)]
            return cls(values=matrix, names=shown).plot(ax=ax, **options)
        rounds = np.column_stack([step.metric for step in learned.history])
        return cls(values=rounds[order], names=shown, round=learned.round).plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, cmap: str | None = None, **style: Option) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        cmap : str or None, default=None
            The color map; by default one for weights, or one for numbers of both signs.
        **style
            Options of Matplotlib's imshow.

        Returns
        -------
        display : MetricDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        largest = float(np.abs(self.values).max())
        label = "weight, on average 1"
        limits = {"vmin": 0.0, "vmax": largest, "cmap": cmap or "viridis"}
        if self.round is None:
            label = "entry of W, on average 1 on the diagonal"
            limits = {"vmin": -largest, "vmax": largest, "cmap": cmap or "RdBu_r"}
        self.image_ = ax.imshow(
            self.values, interpolation="nearest", **{"aspect": "auto", **limits, **style}
        )
        self.colorbar_ = ax.figure.colorbar(self.image_, ax=ax, label=label)
        ax.set_yticks(np.arange(len(self.names)), self.names)
        self.frame_ = None
        if self.round is None:
            ax.set_xticks(np.arange(len(self.names)), self.names, rotation=45, ha="right")
        else:
            self._draw_rounds(self.round)
        return self

    def _draw_rounds(self, chosen: int) -> None:
        """The numbers of the rounds, and a frame around the chosen one."""
        from matplotlib.patches import Rectangle

        n_columns, n_rounds = self.values.shape
        self.ax_.set_xticks(np.arange(n_rounds))
        self.ax_.set_xlabel("round")
        corner = (chosen - 0.5, -0.5)
        look: dict[str, Option] = {
            "fill": False,
            "edgecolor": "C3",
            "linewidth": 2.5,
            "clip_on": False,
        }
        self.frame_ = self.ax_.add_patch(Rectangle(corner, 1.0, n_columns, **look))


def _column_names(learned: LearnedMetric, names: Sequence[str] | None, n_columns: int) -> list[str]:
    """The names given, or those of the data frame, or positions."""
    given = learned.names if names is None else names
    known = list(map(str, range(n_columns) if given is None else given))
    if len(known) != n_columns:
        rule = f"must have one for each of the {n_columns} columns"
        raise ShapeError("names", f"{len(known)} names", rule)
    return known
