"""Names beside points, placed so that they do not cover each other."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mercer.aliases import Axes
from mercer.plot._axes import Artist, Colors, Option

Alignment = tuple[str, str]  # of a text at its point, horizontal and vertical

_DIRECTIONS = {"left": 1, "bottom": 1, "center": 0, "right": -1, "top": -1}
_ALIGNMENTS: tuple[Alignment, ...] = (
    *(("left", "center"), ("right", "center"), ("center", "bottom"), ("center", "top")),
    *(("left", "bottom"), ("right", "bottom"), ("left", "top"), ("right", "top")),
)


def write_names(
    ax: Axes,
    points: np.ndarray,
    names: Iterable[object],
    colors: Colors,
    *,
    shafts: bool = False,
    gap: float = 4,
    **style: Option,
) -> list[Artist]:
    """Write names beside their points, each where it covers the least.

    What it may cover are names before it, points, and what lies outside the axes. ``shafts`` are
    lines from the origin to the points, which count too, and names go outwards if they can. The
    limits of the axes must be final: where a name lies depends on the size of the picture.
    """
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2, foreground="white", alpha=0.8)]  # keeps names readable
    style = {"fontsize": "small", "annotation_clip": False, "path_effects": halo, **style}
    style["textcoords"] = "offset points"
    ax.apply_aspect()
    along = np.linspace(0, 1, 40)[1:, None, None] if shafts else np.ones((1, 1, 1))
    obstacles = ax.transData.transform((along * points).reshape(-1, 2))
    boxes: list[Artist] = []
    texts = []
    for point, name, color in zip(points, names, colors, strict=True):
        text = ax.annotate(str(name), point, (0, 0), color=color, **style)
        alignments = _outwards(point) if shafts else _ALIGNMENTS
        costs = [_cost(_place(text, way, gap), boxes, obstacles, ax.bbox) for way in alignments]
        boxes.append(_place(text, alignments[int(np.argmin(costs))], gap))
        texts.append(text)
    return texts


def _outwards(point: np.ndarray) -> list[Alignment]:
    """The alignments in the order in which they lead away from the origin."""
    return sorted(_ALIGNMENTS, key=lambda alignment: -_direction(alignment) @ point)


def _direction(alignment: Alignment) -> np.ndarray:
    """The unit vector from a point to its text: with its left end at the point, to the right."""
    direction = np.array([_DIRECTIONS[part] for part in alignment], dtype=float)
    return direction / np.linalg.norm(direction)


def _place(text: Artist, alignment: Alignment, gap: float) -> Artist:
    """Move the text to that side of its point, and return its box."""
    text.set(position=gap * _direction(alignment), ha=alignment[0], va=alignment[1])
    return text.get_window_extent()


def _cost(box: Artist, others: list[Artist], obstacles: np.ndarray, frame: Artist) -> float:
    """How much a text covers there: areas of other texts and outside the frame, and obstacles."""
    covered = sum(_overlap(box, other) for other in others)
    inside = (obstacles > (box.x0, box.y0)) & (obstacles < (box.x1, box.y1))
    outside = box.width * box.height - _overlap(box, frame)
    return covered + outside + 0.25 * inside.all(axis=1).sum() * box.height**2


def _overlap(a: Artist, b: Artist) -> float:
    """The area that two boxes share."""
    across = min(a.x1, b.x1) - max(a.x0, b.x0)
    along = min(a.y1, b.y1) - max(a.y0, b.y0)
    return max(across, 0.0) * max(along, 0.0)
