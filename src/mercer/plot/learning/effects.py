"""Main effects of columns as curves and bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from mercer.aliases import Axes, Estimator, RawSamples
from mercer.errors import InputError, ParameterError
from mercer.estimators.learning.effects import MainEffect, main_effects
from mercer.params import integer
from mercer.plot._axes import Option, pyplot

_WIDE = 3  # panels side by side


class EffectsDisplay:
    """Display of the effect of each column: curves of numbers, bars of categories.

    A curve is the mean prediction as one column changes and the others stay, less its mean. All
    panels have the same scale, so that the columns that matter stand out. Make it with
    `from_estimator`; ``plot`` draws it again.

    Parameters
    ----------
    effects : list of MainEffect
        The effects, as `main_effects` returns them.

    Attributes
    ----------
    axes_ : ndarray of Axes of Matplotlib
        A panel for each column.
    figure_ : Figure of Matplotlib
        Where it was drawn.

    See Also
    --------
    main_effects : The same as numbers and text.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import AutoRegressor, EffectsDisplay
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = AutoRegressor(time="fast").fit(X, y)
    >>> display = EffectsDisplay.from_estimator(model, X, most=3, rows=20)
    >>> len(display.axes_)
    3
    """

    def __init__(self, *, effects: Sequence[MainEffect]) -> None:
        self.effects = effects

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        *,
        columns: Sequence[Any] | None = None,
        most: int = 6,
        rows: int = 100,
        axes: Axes = None,
        **options: Option,
    ) -> Self:
        """Compute and draw the main effects of a fitted model.

        Parameters
        ----------
        estimator : estimator
            A fitted regressor or classifier.
        X : data frame or array of shape (n_samples, n_features)
            Rows, the training samples for example.
        columns : sequence or None, default=None
            The columns; by default all of numbers or of few values.
        most : int, default=6
            How many columns are drawn, those with the largest effects.
        rows : int, default=100
            The number of rows over which predictions are averaged.
        axes : list of Axes of Matplotlib or None, default=None
            Where to draw, at least one for each column; by default in a new figure.
        **options
            Options of `plot`.

        Returns
        -------
        display : EffectsDisplay
            The display, drawn.
        """
        integer(1).check("most", most)
        effects = main_effects(estimator, X, columns=columns, points=15, rows=rows)
        if not effects:
            raise InputError("X", "no column", "has numbers or few values that could be changed")
        return cls(effects=effects[:most]).plot(axes=axes, **options)

    def plot(self, *, axes: Axes = None, color: Option = "C0") -> Self:
        """Draw a panel for each column.

        Parameters
        ----------
        axes : list of Axes of Matplotlib or None, default=None
            Where to draw, at least one for each column; by default in a new figure.
        color : color of Matplotlib, default="C0"
            The color of curves and bars.

        Returns
        -------
        display : EffectsDisplay
            The display itself.
        """
        count = len(self.effects)
        if axes is None:
            axes = _panels(count)
        self.axes_ = np.ravel(axes)[:count]
        if len(self.axes_) < count:
            raise ParameterError("axes", f"{len(self.axes_)} axes", f"must be at least {count}")
        self.figure_ = self.axes_[0].figure
        largest = max(float(np.abs(effect.effects).max()) for effect in self.effects) or 1.0
        for ax, effect in zip(self.axes_, self.effects, strict=True):
            ax.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
            if effect.is_number:
                ax.plot(effect.values, effect.effects, color=color)
                ax.locator_params(axis="x", nbins=4)
            else:
                places = np.arange(len(effect.values))
                ax.bar(places, effect.effects, color=color)
                ax.set_xticks(places, [str(v)[:12] for v in effect.values], rotation=30, ha="right")
            ax.set(xlabel=str(effect.column), ylim=(-1.1 * largest, 1.1 * largest))
        of = self.effects[0].of
        self.axes_[0].set_ylabel(f"probability of {of}" if of else "effect")
        return self


def _panels(count: int) -> np.ndarray:
    """Axes of a new figure, some side by side; those that are not needed are hidden."""
    wide = min(count, _WIDE)
    high = -(-count // wide)
    size = (3.2 * wide, 2.6 * high)
    _, grid = pyplot().subplots(high, wide, figsize=size, squeeze=False, layout="constrained")
    for ax in grid.ravel()[count:]:
        ax.set_axis_off()
    return grid
