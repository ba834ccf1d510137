"""What the columns of two views have to do with their canonical variates."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Estimator, RawSamples, Targets
from mercer.errors import ParameterError, ShapeError
from mercer.plot._axes import axes, component_name, two, write_names

_VIEWS = ("X", "y")


class LoadingsDisplay:
    """The correlation circle of a `KernelCCA`: an arrow for each column, a colour for each view.

    An arrow's coordinates are the correlations of its column with two variates of its own view; so it ends within the unit circle, near it
    where the two variates tell the column, as far as straight lines can. Columns of either view that point the same way go together.
    Make it with `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    loadings : for each view a matrix of two columns, a row for each column of the view
    names : for each view the names of its columns
    axis_names : of the two components
    view_names : for the legend

    Attributes
    ----------
    ax_, figure_ : where it was drawn
    arrows_ : one artist for each view
    names_ : the texts, first those of the first view
    circle_ : the unit circle

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
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
        loadings: Any,
        names: Any,
        axis_names: tuple[str, str] = ("1st component", "2nd component"),
        view_names: Any = _VIEWS,
    ) -> None:
        self.loadings, self.names, self.axis_names, self.view_names = (
            loadings,
            names,
            axis_names,
            view_names,
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets,
        *,
        names: Any = None,
        components: Any = (0, 1),
        view_names: Any = _VIEWS,
        ax: Axes = None,
        **options: Any,
    ) -> Self:
        """Correlate the columns of ``X`` and ``y``, two views of the same samples, with their variates, and draw.

        ``names`` are two lists, of the columns of each view; by default those of the frames, or x0, x1, ... and y0, y1, ...
        ``view_names`` are for the legend. Other options go to `plot`.
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "loadings"):
            raise ParameterError("estimator", estimator, "has no loadings", "give a KernelCCA")
        width = len(estimator.correlations_)
        first, second = two(
            "components", components, width, "the estimator", "fit it with more components"
        )
        views = [X, np.asarray(y)[:, None] if np.ndim(y) == 1 else y]
        made = [estimator.loadings(view, at)[:, [first, second]] for at, view in enumerate(views)]
        told = component_name(estimator, first), component_name(estimator, second)
        named = _names(names, (X, y), [len(part) for part in made])
        return cls(
            loadings=made, names=named, axis_names=told, view_names=_two_names(view_names)
        ).plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, colors: Any = ("C0", "C1")) -> Self:
        """Draw the circle, the arrows and the names."""
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        from matplotlib.patches import Circle

        for line in (ax.axhline, ax.axvline):
            line(0, color="0.85", linewidth=0.8, zorder=0)
        self.circle_ = ax.add_patch(Circle((0, 0), 1, fill=False, color="0.6", linewidth=0.8))
        ax.set(
            xlim=(-1.5, 1.5),
            ylim=(-1.2, 1.2),
            aspect="equal",
            xlabel=self.axis_names[0],
            ylabel=self.axis_names[1],
        )
        still = {
            "angles": "xy",
            "scale_units": "xy",
            "scale": 1,
        }  # so that an arrow ends where its numbers say
        self.arrows_ = []
        for part, name, color in zip(self.loadings, self.view_names, colors, strict=True):
            start = np.zeros(len(part))
            self.arrows_.append(
                ax.quiver(start, start, *part.T, color=color, width=0.006, label=name, **still)
            )
        ends = np.concatenate(self.loadings)
        shades = [
            color
            for part, color in zip(self.loadings, colors, strict=True)
            for _ in range(len(part))
        ]
        self.names_ = write_names(
            ax, ends, [name for part in self.names for name in part], shades, shafts=True
        )
        ax.legend(loc="upper left", frameon=False)
        return self


def _names(given: Any, views: Any, widths: list[int]) -> list[list[str]]:
    if given is None:
        found = []
        for view, letter, width in zip(views, "xy", widths, strict=True):
            if hasattr(view, "columns"):
                known = list(view.columns)
            elif getattr(view, "name", None) is not None:
                known = [view.name]
            else:
                known = [letter] if width == 1 else [f"{letter}{at}" for at in range(width)]
            found.append([str(name) for name in known])
        return found
    if len(given) != 2 or any(isinstance(part, str) for part in given):
        raise ParameterError("names", given, "must be two lists, of the columns of X and of y")
    for part, letter, width in zip(given, _VIEWS, widths, strict=True):
        if len(part) != width:
            raise ShapeError("names", list(part), f"must name the {width} columns of {letter}")
    return [[str(name) for name in part] for part in given]


def _two_names(given: Any) -> tuple[str, str]:
    if isinstance(given, str) or len(given) != 2:
        raise ParameterError("view_names", given, "must be two names, of X and of y")
    return str(given[0]), str(given[1])
