"""What the displays share: axes, colours by label, names that do not cover each other."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Estimator, Frame, RawSamples, Targets
from mercer.errors import MissingDependencyError, ParameterError, ShapeError
from mercer.kernels.base import Kernel

_CLASSES = 10  # colours that are told apart, those of Matplotlib's cycle; beyond, a colour bar
_TICKS = 30  # names that a colour bar has room for
_WAYS = {
    "left": 1,
    "bottom": 1,
    "center": 0,
    "right": -1,
    "top": -1,
}  # where a text goes that is aligned so
_SIDES = (
    *(("left", "center"), ("right", "center"), ("center", "bottom"), ("center", "top")),
    *(("left", "bottom"), ("right", "bottom"), ("left", "top"), ("right", "top")),
)


def pyplot() -> Any:
    """Matplotlib, or an error that says how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingDependencyError(
            "matplotlib", "not installed", "is needed for pictures", 'pip install "mercer[plot]"'
        ) from None
    return plt


def axes(ax: Axes) -> Any:
    """The axes given, or new ones."""
    return pyplot().subplots()[1] if ax is None else ax


def last_step(estimator: Estimator) -> Any:
    """What a pipeline ends with; any other estimator as it is."""
    return estimator[-1] if hasattr(estimator, "steps") else estimator


def kernel_and_samples(estimator: Estimator, X: RawSamples) -> tuple[Any, Any]:
    """The kernel of a fitted estimator and what it is given: the steps before it in a pipeline are applied."""
    check_is_fitted(estimator)
    model = last_step(estimator)
    if model is not estimator and len(estimator) > 1:
        X = estimator[:-1].transform(X)
    kernel = getattr(model, "kernel_", None)
    if not isinstance(kernel, Kernel):
        raise ParameterError(
            "estimator", estimator, "has no kernel of its own", "use from_matrix(K)"
        )
    return kernel, X


def two(name: str, chosen: Any, width: int, whose: str, remedy: str) -> tuple[int, int]:
    """Two different positions among ``width``, or an error that names the argument."""
    wanted = list(chosen) if isinstance(chosen, (list, tuple, np.ndarray)) else []
    if len(wanted) != 2 or not all(isinstance(at, Integral) for at in wanted):
        raise ParameterError(name, chosen, "must be two positions", f"{name}=(0, 1)")
    if not all(-width <= at < width for at in wanted):
        raise ParameterError(name, chosen, f"is not among the {width} of {whose}", remedy)
    first, second = (int(at) % width for at in wanted)
    if first == second:
        raise ParameterError(name, chosen, "must be two different positions", f"{name}=(0, 1)")
    return first, second


def ordinal(at: int) -> str:
    """1st for position 0: said so, nobody takes a position for a count."""
    count = at + 1
    ending = (
        "th" if count % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    )
    return f"{count}{ending}"


def shares(estimator: Estimator) -> np.ndarray | None:
    """What each component explains of the whole, where the estimator knows."""
    for name in ("explained_variance_ratio_", "explained_inertia_ratio_"):
        if hasattr(estimator, name):
            return np.asarray(getattr(estimator, name), dtype=float)
    return None


def component_name(estimator: Estimator, at: int) -> str:
    """The component with its share, or with its correlation."""
    known = shares(estimator)
    if known is not None and at < len(known):
        return f"{ordinal(at)} component ({100 * known[at]:.1f} %)"
    if hasattr(estimator, "correlations_"):
        return f"{ordinal(at)} component (correlation {estimator.correlations_[at]:.2f})"
    return f"{ordinal(at)} component"


class Labels(NamedTuple):
    """What colours samples: a code for each and the names of the codes, or numbers, which have no names."""

    codes: np.ndarray
    names: list[str] | None
    title: str | None


def read_labels(y: Targets, count: int) -> Labels | None:
    """Text, and numbers of few values, are classes; other numbers are themselves."""
    if y is None:
        return None
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (count,):
        raise ShapeError(
            "y",
            f"array of shape {values.shape}",
            f"must have one label for each of the {count} samples",
        )
    title = getattr(y, "name", None)
    title = None if title is None else str(title)
    if values.dtype.kind not in "biuf":
        values = np.array([str(value) for value in values])
    found, codes = np.unique(values, return_inverse=True)
    if values.dtype.kind in "iuf" and len(found) > _CLASSES:
        return Labels(values.astype(float), None, title)
    return Labels(
        codes, [f"{value:g}" if values.dtype.kind == "f" else str(value) for value in found], title
    )


def class_colours(count: int) -> list[Any]:
    """A colour for each class; of many classes neighbours look alike."""
    plt = pyplot()
    if count <= _CLASSES:
        return [f"C{at}" for at in range(count)]
    return list(plt.get_cmap("turbo")(np.linspace(0.03, 0.97, count)))


class Scattered(NamedTuple):
    """The artists of coloured points."""

    points: list[Any]
    legend: Any
    colorbar: Any


def scatter(
    ax: Axes,
    points: np.ndarray,
    labels: Labels | None,
    *,
    cmap: str = "viridis",
    legend: bool = True,
    **style: Any,
) -> Scattered:
    """Points in the colours of their labels, with a legend of the classes, or a colour bar where there are too many."""
    style = {"s": 18, "alpha": 0.75, "linewidths": 0, **style}
    if labels is None:
        return Scattered([ax.scatter(*points.T, color="C0", **style)], None, None)
    if labels.names is not None and len(labels.names) <= _CLASSES:
        made = [
            ax.scatter(*points[labels.codes == at].T, color=colour, label=name, **style)
            for at, (name, colour) in enumerate(
                zip(labels.names, class_colours(len(labels.names)), strict=True)
            )
        ]
        look = {"fontsize": "small", "framealpha": 0.8, "edgecolor": "none", "markerscale": 1.5}
        return Scattered(
            made, ax.legend(title=labels.title, loc="best", **look) if legend else None, None
        )
    if labels.names is None:
        drawn = ax.scatter(*points.T, c=labels.codes, cmap=cmap, **style)
    else:
        from matplotlib.colors import ListedColormap

        count = len(labels.names)
        drawn = ax.scatter(
            *points.T,
            c=labels.codes,
            cmap=ListedColormap(class_colours(count)),
            vmin=-0.5,
            vmax=count - 0.5,
            **style,
        )
    if not legend:
        return Scattered([drawn], None, None)
    bar = ax.figure.colorbar(drawn, ax=ax, label=labels.title or "")
    bar.solids.set_alpha(1)
    if labels.names is not None:
        told = range(0, len(labels.names), -(-len(labels.names) // _TICKS))
        bar.set_ticks(list(told), labels=[labels.names[at] for at in told])
    return Scattered([drawn], None, bar)


def write_names(
    ax: Axes,
    points: np.ndarray,
    names: Any,
    colours: Any,
    *,
    shafts: bool = False,
    gap: float = 4,
    **style: Any,
) -> list[Any]:
    """Names beside their points, each on the side where it covers the least: names before it, points, and what is not the axes.

    ``shafts`` are lines from the origin to the points, which count too, and names go outwards if they can. The limits of the axes must
    stand: what covers what is a matter of the picture.
    """
    from matplotlib.patheffects import withStroke

    halo = [
        withStroke(linewidth=2, foreground="white", alpha=0.8)
    ]  # so that a name is read before points, too
    style = {"fontsize": "small", "annotation_clip": False, "path_effects": halo, **style}
    ax.apply_aspect()
    along = np.linspace(0, 1, 40)[1:, None, None] if shafts else np.ones((1, 1, 1))
    in_the_way = ax.transData.transform((along * points).reshape(-1, 2))
    taken: list[Any] = []
    texts = []
    for (x, y), name, colour in zip(points, names, colours, strict=True):
        text = ax.annotate(
            str(name), (x, y), (0, 0), textcoords="offset points", color=colour, **style
        )
        sides = sorted(_SIDES, key=lambda side: -_towards(side) @ (x, y)) if shafts else _SIDES
        costs = [_cost(_placed(text, side, gap), taken, in_the_way, ax.bbox) for side in sides]
        taken.append(_placed(text, sides[int(np.argmin(costs))], gap))
        texts.append(text)
    return texts


def _towards(side: tuple[str, str]) -> np.ndarray:
    """The unit vector to that side; a text whose left end is at the point lies to the right of it."""
    way = np.array([_WAYS[part] for part in side], dtype=float)
    return way / np.linalg.norm(way)


def _placed(text: Any, side: tuple[str, str], gap: float) -> Any:
    """The box of the text on that side of its point."""
    text.set(position=gap * _towards(side), ha=side[0], va=side[1])
    return text.get_window_extent()


def _cost(box: Any, taken: list[Any], in_the_way: np.ndarray, frame: Frame) -> float:
    covered = sum(_overlap(box, other) for other in taken)
    hit = ((in_the_way > (box.x0, box.y0)) & (in_the_way < (box.x1, box.y1))).all(axis=1).sum()
    outside = box.width * box.height - _overlap(box, frame)
    return covered + outside + 0.25 * hit * box.height**2


def _overlap(a: Any, b: Any) -> float:
    wide, high = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
    return wide * high if wide > 0 and high > 0 else 0.0
