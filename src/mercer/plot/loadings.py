"""The correlations of the columns of two views with their canonical variates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Columns, Estimator, RawSamples, Targets
from mercer.errors import ParameterError, ShapeError
from mercer.plot._axes import Colors, Option, axes
from mercer.plot._estimator import component_names, two_positions
from mercer.plot._names import write_names

_VIEWS = ("X", "y")


class LoadingsDisplay:
    """Correlation circle of a `KernelCCA`: an arrow for each column, a color for each view.

    The coordinates of an arrow are the correlations of its column with two variates of its own
    view; so it ends within the unit circle, and near it where a linear function of the two
    variates predicts the column. Columns of either view that point the same way go together. Make
    it with `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    loadings : two ndarrays of shape (n_columns, 2)
        The coordinates of the arrows, for each view.
    names : two lists of str
        The names of the columns, for each view.
    axis_names : tuple of two str, default=("1st component", "2nd component")
        The names of the two components.
    view_names : two str, default=("X", "y")
        The names of the views, for the legend.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    arrows_ : list of artists
        One for each view.
    names_ : list of artists
        The names, first those of the first view.
    circle_ : artist
        The unit circle.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_linnerud
    >>> from mercer import KernelCCA, LoadingsDisplay
    >>> body = load_linnerud(as_frame=True)
    >>> model = KernelCCA(2, kernel="linear").fit(body.data, body.target)
    >>> display = LoadingsDisplay.from_estimator(model, body.data, body.target)
    >>> [text.get_text() for text in display.names_]
    ['Chins', 'Situps', 'Jumps', 'Weight', 'Waist', 'Pulse']
    """

    def __init__(
        self,
        *,
        loadings: Sequence[np.ndarray],
        names: Sequence[Sequence[str]],
        axis_names: tuple[str, str] = ("1st component", "2nd component"),
        view_names: Sequence[str] = _VIEWS,
    ) -> None:
        self.loadings = loadings
        self.names = names
        self.axis_names = axis_names
        self.view_names = view_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets,
        *,
        names: Sequence[Sequence[object]] | None = None,
        components: Columns = (0, 1),
        view_names: Sequence[object] = _VIEWS,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Correlate the columns of two views of the same samples with their variates, and draw.

        Parameters
        ----------
        estimator : fitted KernelCCA
            What has the loadings.
        X : samples
            The first view.
        y : samples
            The second view.
        names : two lists of str or None, default=None
            The names of the columns of each view; by default those of the frames, or x0, x1, ...
            and y0, y1, ...
        components : two int, default=(0, 1)
            Which components are drawn.
        view_names : two str, default=("X", "y")
            The names of the views, for the legend.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : LoadingsDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "loadings"):
            raise ParameterError("estimator", estimator, "has no loadings", "give a KernelCCA")
        count = len(estimator.correlations_)
        remedy = "fit it with more components"
        chosen = two_positions("components", components, count, "the estimator", remedy)
        second_view = np.asarray(y)[:, None] if np.ndim(y) == 1 else y
        loadings = [estimator.loadings(X, 0)[:, chosen]]
        loadings.append(estimator.loadings(second_view, 1)[:, chosen])
        if names is None:
            names = [_column_names(X, "x", len(loadings[0]))]
            names.append(_column_names(y, "y", len(loadings[1])))
        else:
            _check_names(names, loadings)
        if isinstance(view_names, str) or len(view_names) != 2:
            raise ParameterError("view_names", view_names, "must be two names, of X and of y")
        display = cls(
            loadings=loadings,
            names=[[str(name) for name in part] for part in names],
            axis_names=component_names(estimator, chosen),
            view_names=(str(view_names[0]), str(view_names[1])),
        )
        return display.plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, colors: Sequence[Option] = ("C0", "C1")) -> Self:
        """Draw the circle, the arrows and the names.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        colors : two colors of Matplotlib, default=("C0", "C1")
            The colors of the views.

        Returns
        -------
        display : LoadingsDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        from matplotlib.patches import Circle

        ax.axhline(0, color="0.85", linewidth=0.8, zorder=0)
        ax.axvline(0, color="0.85", linewidth=0.8, zorder=0)
        self.circle_ = ax.add_patch(Circle((0, 0), 1, fill=False, color="0.6", linewidth=0.8))
        ax.set(xlim=(-1.5, 1.5), ylim=(-1.2, 1.2), aspect="equal")
        ax.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        # In the units of the axes, so that an arrow ends where its coordinates say.
        look = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.006}
        self.arrows_ = []
        shades: Colors = []
        for part, name, color in zip(self.loadings, self.view_names, colors, strict=True):
            start = np.zeros(len(part))
            self.arrows_.append(ax.quiver(start, start, *part.T, color=color, label=name, **look))
            shades += [color] * len(part)
        ends = np.concatenate(self.loadings)
        names = [name for part in self.names for name in part]
        self.names_ = write_names(ax, ends, names, shades, shafts=True)
        ax.legend(loc="upper left", frameon=False)
        return self


def _column_names(view: RawSamples, letter: str, count: int) -> list[object]:
    """The names that the columns of a view have, or a letter with numbers."""
    if hasattr(view, "columns"):
        return list(view.columns)
    if getattr(view, "name", None) is not None:
        return [view.name]
    if count == 1:
        return [letter]
    return [f"{letter}{at}" for at in range(count)]


def _check_names(names: Sequence[Sequence[object]], loadings: list[np.ndarray]) -> None:
    """Check that names are given for every column of both views."""
    if len(names) != 2 or any(isinstance(part, str) for part in names):
        raise ParameterError("names", names, "must be two lists, of the columns of X and of y")
    for part, view, rows in zip(names, _VIEWS, loadings, strict=True):
        if len(part) != len(rows):
            raise ShapeError("names", list(part), f"must name the {len(rows)} columns of {view}")
