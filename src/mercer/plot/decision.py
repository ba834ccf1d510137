"""The decision surface of a classifier, an outlier detector or a regression, over a plane."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Estimator, RawSamples, Targets
from mercer.errors import ParameterError, ShapeError
from mercer.plot._axes import (
    Labels,
    Scattered,
    axes,
    class_colours,
    last_step,
    read_labels,
    scatter,
)
from mercer.plot._plane import matrix, name, over_plane


class DecisionDisplay:
    """What an estimator says everywhere on a plane: regions, the boundary, the margins, and the support vectors ringed.

    Two classes, and outliers, are drawn by the decision function: the deeper the colour the farther from the boundary, the line where it
    is 0, dashes where it is ±1 (for machines with a margin). More classes are regions with their boundaries; a regression is a
    map of its values. Make it with `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    points : two columns, a row for each sample
    grid : (values along the first column, along the second, what the estimator says there)
    labels : of the samples, or None
    support : which samples are support vectors, or None
    kind : "margin" (with dashes at ±1), "side", "regions" or "values"
    axis_names : of the two columns

    Attributes
    ----------
    ax_, figure_ : where it was drawn
    surface_ : the image behind
    boundary_ : the contour lines, or None
    points_, legend_, rings_ : the samples, their legend, the rings around support vectors; each may be None

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from sklearn.datasets import make_moons
    >>> from mercer import SVC, DecisionDisplay
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = SVC(C=10.0).fit(X, y)
    >>> display = DecisionDisplay.from_estimator(model, X, y, resolution=40)
    >>> display.kind, len(display.rings_.get_offsets()) == len(model.support_)
    ('margin', True)
    """

    def __init__(
        self,
        *,
        points: np.ndarray,
        grid: tuple[np.ndarray, np.ndarray, np.ndarray],
        labels: Labels | None = None,
        support: np.ndarray | None = None,
        kind: str = "margin",
        axis_names: tuple[str, str] = ("column 0", "column 1"),
    ) -> None:
        self.points, self.grid, self.labels, self.support = points, grid, labels, support
        self.kind, self.axis_names = kind, axis_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets = None,
        *,
        resolution: int = 200,
        margin: float = 0.08,
        ax: Axes = None,
        **options: Any,
    ) -> Self:
        """Ask a fitted estimator on a grid of ``resolution`` squared points over the range of ``X``, widened by ``margin``, and draw.

        ``X`` has two columns of numbers, the training samples where support vectors are to be ringed. Other options go to `plot`.
        """
        check_is_fitted(estimator)
        if resolution < 2:
            raise ParameterError(
                "resolution", resolution, "must be at least 2 points in each direction"
            )
        values = matrix(X)
        if values.shape[1] != 2:
            remedy = "fit the estimator on two columns, or draw ComponentDisplay"
            raise ShapeError(
                "X",
                f"{values.shape[1]} columns",
                "must have two: a surface is drawn over a plane",
                remedy,
            )
        kind, ask = _question(estimator)
        labels = _as_known(read_labels(y, len(values)), y, getattr(estimator, "classes_", None))
        names = getattr(X, "columns", None)
        grid = over_plane(ask, X, values, (0, 1), resolution, margin)
        told = name(names, 0), name(names, 1)
        made = cls(
            points=values,
            grid=grid,
            labels=labels,
            support=_support(estimator, len(values)),
            kind=kind,
            axis_names=told,
        )
        return made.plot(ax=ax, **options)

    def plot(
        self,
        *,
        ax: Axes = None,
        rings: bool = True,
        legend: bool = True,
        cmap: str | None = None,
        **style: Any,
    ) -> Self:
        """Draw; ``rings`` marks support vectors, and further options are those of Matplotlib's scatter."""
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        across, along, found = self.grid
        extent = (across[0], across[-1], along[0], along[-1])
        look = {"extent": extent, "origin": "lower", "aspect": "auto", "zorder": 0}
        self.boundary_ = self.colorbar_ = self.rings_ = None
        if self.kind == "values":
            self.surface_ = ax.imshow(found, cmap=cmap or "viridis", alpha=0.9, **look)
            self.colorbar_ = ax.figure.colorbar(self.surface_, ax=ax)
        elif self.kind == "regions":
            from matplotlib.colors import ListedColormap

            count = (
                int(found.max()) + 1
                if self.labels is None or self.labels.names is None
                else len(self.labels.names)
            )
            colours = ListedColormap(class_colours(max(count, int(found.max()) + 1)))
            self.surface_ = ax.imshow(
                found,
                cmap=colours,
                vmin=-0.5,
                vmax=colours.N - 0.5,
                alpha=0.25,
                interpolation="nearest",
                **look,
            )
            self.boundary_ = [
                ax.contour(across, along, found == c, [0.5], colors="0.25", linewidths=1)
                for c in np.unique(found)[1:]
            ]
        else:
            self._margins(ax, across, along, found, look, cmap)
        drawn = Scattered([], None, None)
        if self.labels is not None and self.kind != "values":
            drawn = scatter(
                ax, self.points, self.labels, legend=legend, **{"alpha": 0.9, "zorder": 2, **style}
            )
        else:
            plain = {
                "s": 14,
                "facecolors": "none",
                "edgecolors": "0.1",
                "linewidths": 0.7,
                "zorder": 2,
            }
            drawn = drawn._replace(points=[ax.scatter(*self.points.T, **{**plain, **style})])
        self.points_, self.legend_ = drawn.points, drawn.legend
        if rings and self.support is not None:
            at = self.points[self.support]
            self.rings_ = ax.scatter(
                *at.T, s=60, facecolors="none", edgecolors="0.1", linewidths=0.9, zorder=3
            )
        ax.set(
            xlabel=self.axis_names[0], ylabel=self.axis_names[1], xlim=extent[:2], ylim=extent[2:]
        )
        return self

    def _margins(
        self,
        ax: Axes,
        across: np.ndarray,
        along: np.ndarray,
        found: np.ndarray,
        look: dict[str, Any],
        cmap: str | None,
    ) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        # from the colour of the first class through white to that of the second: the points' own colours
        colours = (
            LinearSegmentedColormap.from_list("sides", ["C0", "white", "C1"])
            if cmap is None
            else cmap
        )
        far = float(np.quantile(np.abs(found), 0.95)) or 1.0
        self.surface_ = ax.imshow(
            found, cmap=colours, vmin=-far, vmax=far, alpha=0.5, interpolation="bilinear", **look
        )
        levels, styles = (
            ([0.0], ["-"]) if self.kind == "side" else ([-1.0, 0.0, 1.0], ["--", "-", "--"])
        )
        seen = [
            (at, style)
            for at, style in zip(levels, styles, strict=True)
            if found.min() < at < found.max()
        ]
        if seen:
            level, style = zip(*seen, strict=True)
            self.boundary_ = ax.contour(
                across, along, found, level, colors="0.15", linestyles=style, linewidths=1.2
            )


def _question(estimator: Estimator) -> tuple[str, Any]:
    """What is asked on the grid: the decision of two classes, the place of the class of more, or the value."""
    classes = getattr(estimator, "classes_", None)
    if classes is None and (is_regressor(estimator) or not hasattr(estimator, "decision_function")):
        return "values", lambda Z: np.asarray(estimator.predict(Z), dtype=float).reshape(
            len(Z), -1
        )[:, 0]
    if classes is None or len(classes) == 2:
        if hasattr(estimator, "decision_function"):
            margin = classes is not None and hasattr(last_step(estimator), "support_vectors_")
            return "margin" if margin else "side", lambda Z: np.asarray(
                estimator.decision_function(Z)
            ).reshape(len(Z))
        if hasattr(estimator, "predict_proba"):
            return "side", lambda Z: np.asarray(estimator.predict_proba(Z))[:, 1] - 0.5
    return "regions", lambda Z: np.searchsorted(np.asarray(classes), estimator.predict(Z))


def _as_known(labels: Labels | None, y: Targets, classes: Any) -> Labels | None:
    """Labels in the order of the estimator's classes, so that points have the colours of their regions, also where a class is absent."""
    if labels is None or classes is None:
        return labels
    places = {str(name): at for at, name in enumerate(classes)}
    codes = [places.get(str(value), -1) for value in np.asarray(y).ravel()]
    return labels if -1 in codes else Labels(np.array(codes), list(places), labels.title)


def _support(estimator: Estimator, count: int) -> np.ndarray | None:
    """Positions of the support vectors, where the estimator has some and not all, and they are among the samples given."""
    model = last_step(estimator)
    found = (
        getattr(model, "support_", None)
        if hasattr(model, "support_vectors_")
        else getattr(model, "relevance_", None)
    )
    if found is None or (len(found) and np.max(found) >= count):
        return None
    return np.asarray(found)
