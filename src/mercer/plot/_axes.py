"""Axes, and points in the colors of their labels."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from mercer.aliases import Axes, Targets
from mercer.errors import ABSENT, MissingDependencyError, ShapeError

Artist = Any  # something that Matplotlib has drawn: points, a text, a legend, a color bar
Option = Any  # a keyword argument that is passed on
Colors = list[Any]  # of Matplotlib, by name or by numbers

_MOST_COLORS = 10  # that can be distinguished, those of Matplotlib's cycle
_MOST_TICKS = 30  # names that a color bar has room for


def pyplot() -> ModuleType:
    """Matplotlib's pyplot, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        rule, remedy = "is needed for pictures, and is not installed", "pip install matplotlib"
        raise MissingDependencyError("matplotlib", ABSENT, rule, remedy) from None
    return plt


def axes(ax: Axes) -> Axes:
    """The axes given, or new ones."""
    if ax is not None:
        return ax
    return pyplot().subplots()[1]


class Labels(NamedTuple):
    """Labels of samples: codes with the names of the classes, or numbers, which have no names."""

    codes: np.ndarray
    names: list[str] | None
    title: str | None


def read_labels(y: Targets, count: int) -> Labels | None:
    """Labels for the colors: text, and numbers of few values, are classes; others are numbers."""
    if y is None:
        return None
    title = getattr(y, "name", None)
    if title is not None:
        title = str(title)
    values = _label_vector(y, count)
    classes, codes = np.unique(values, return_inverse=True)
    if values.dtype.kind in "iuf" and len(classes) > _MOST_COLORS:
        return Labels(values.astype(float), None, title)
    style = "g" if values.dtype.kind == "f" else ""
    return Labels(codes, [format(value, style) for value in classes], title)


def _label_vector(y: Targets, count: int) -> np.ndarray:
    """One label for each sample: a number, a truth value, or else a text."""
    values = np.asarray(y)
    if values.shape == (count, 1):
        values = values[:, 0]
    if values.shape != (count,):
        rule = f"must have one label for each of the {count} samples"
        raise ShapeError("y", f"array of shape {values.shape}", rule)
    if values.dtype.kind in "biuf":
        return values
    return np.array([str(value) for value in values])


def class_colors(count: int) -> Colors:
    """A color for each class; of many classes neighbors look alike."""
    if count <= _MOST_COLORS:
        return [f"C{at}" for at in range(count)]
    return list(pyplot().get_cmap("turbo")(np.linspace(0.03, 0.97, count)))


class Scattered(NamedTuple):
    """The artists of colored points."""

    points: list[Artist]
    legend: Artist
    colorbar: Artist


def scatter(
    ax: Axes,
    points: np.ndarray,
    labels: Labels | None,
    *,
    cmap: str = "viridis",
    legend: bool = True,
    **style: Option,
) -> Scattered:
    """Points in the colors of their labels, with a legend, or a color bar of many classes."""
    style = {"s": 18, "alpha": 0.75, "linewidths": 0, **style}
    if labels is None:
        return Scattered([ax.scatter(*points.T, color="C0", **style)], None, None)
    if labels.names is None:
        drawn = ax.scatter(*points.T, c=labels.codes, cmap=cmap, **style)
        return Scattered([drawn], None, _color_bar(ax, drawn, labels) if legend else None)
    if len(labels.names) > _MOST_COLORS:
        drawn = ax.scatter(*points.T, c=labels.codes, **class_scale(len(labels.names)), **style)
        return Scattered([drawn], None, _color_bar(ax, drawn, labels) if legend else None)
    classes = []
    for at, color in enumerate(class_colors(len(labels.names))):
        part = points[labels.codes == at]
        classes.append(ax.scatter(*part.T, color=color, label=labels.names[at], **style))
    if not legend:
        return Scattered(classes, None, None)
    look = {"fontsize": "small", "framealpha": 0.8, "edgecolor": "none", "markerscale": 1.5}
    return Scattered(classes, ax.legend(title=labels.title, loc="best", **look), None)


def class_scale(count: int) -> dict[str, Option]:
    """The color scale of codes of classes: a color for each, with its code in the middle."""
    from matplotlib.colors import ListedColormap

    return {"cmap": ListedColormap(class_colors(count)), "vmin": -0.5, "vmax": count - 0.5}


def _color_bar(ax: Axes, drawn: Artist, labels: Labels) -> Artist:
    """The scale of numbers, or the names of classes, of as many as there is room for."""
    bar = ax.figure.colorbar(drawn, ax=ax, label=labels.title or "")
    bar.solids.set_alpha(1)
    if labels.names is not None:
        step = -(-len(labels.names) // _MOST_TICKS)
        bar.set_ticks(list(range(0, len(labels.names), step)), labels=labels.names[::step])
    return bar
