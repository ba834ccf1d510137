"""Every lecture figure as a starting point of the playground: samples, kernels, learners, text."""

from __future__ import annotations

import dataclasses
from typing import Any

from mercer.studio.lessons.figures import POINTS
from mercer.studio.lessons.figures_of_samples import SAMPLES
from mercer.studio.lessons.points import points
from mercer.studio.lessons.samples import collection


@dataclasses.dataclass(frozen=True)
class Preset:
    """A figure: its samples, its variants, and what to look at.

    Attributes
    ----------
    name, title, text : str
        What it is called, and what it shows.
    chapter : str
        The page of the documentation that explains it.
    space : {"plane", "curve", "samples"}
        What the samples are.
    samples : str
        The name of the set of points, or of the collection.
    task : {"classes", "values", "none"}
        What the targets are.
    variants : tuple
        Title, kernel, learner and options of each model that the figure compares.
    study : int or None
        The number of the study in the gallery.
    show : str
        The view that matters most.
    """

    name: str
    title: str
    text: str
    chapter: str
    space: str
    samples: str
    task: str
    variants: tuple[tuple[str, str, str, dict[str, float]], ...]
    study: int | None = None
    show: str = "surface"


PRESETS = {figure["name"]: Preset(**figure) for figure in (*POINTS, *SAMPLES)}


def listed() -> list[dict[str, Any]]:
    """All presets without their samples."""
    return [dataclasses.asdict(preset) for preset in PRESETS.values()]


def samples(space: str, name: str, seed: int = 0) -> dict[str, Any]:
    """The samples of a preset as the page draws them."""
    if space != "samples":
        return {"points": points(name, seed), "window": _window(space, name)}
    known = collection(name)
    return {"labels": known.codes, "names": known.names, "classes": known.classes}


def _window(space: str, name: str) -> list[float]:
    """The part of the plane that is shown: the points with a margin; as wide as high."""
    table = points(name)
    low, high = table[:, :2].min(axis=0), table[:, :2].max(axis=0)
    margin = 0.18 * (high - low)
    if space == "plane":
        half = float((high - low).max()) * 0.62
        middle = (low + high) / 2
        low, high, margin = middle - half, middle + half, 0.0 * margin
    (left, bottom), (right, top) = low - margin, high + margin
    return [float(left), float(right), float(bottom), float(top)]
