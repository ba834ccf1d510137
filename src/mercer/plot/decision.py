"""The decision surface of a classifier, an outlier detector or a regression, over a plane."""

from __future__ import annotations

from functools import partial
from typing import Self

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Estimator, RawSamples, Targets
from mercer.errors import ShapeError
from mercer.plot._axes import Artist, Labels, Option, axes, class_scale, read_labels, scatter
from mercer.plot._estimator import last_step
from mercer.plot._plane import Grid, check_resolution, column_names, extent, matrix, over_plane


class DecisionDisplay:
    """Decision surface over a plane: regions, boundary, margins, and the support vectors ringed.

    Two classes, and outliers, are drawn by the decision function: the deeper the color the
    farther from the boundary, the line where it is 0, dashes where it is ±1 (for machines with a
    margin). More classes are regions with their boundaries; a regression is a map of its values.
    Make it with `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        The two columns of the samples.
    grid : tuple of three ndarrays
        The values along the first column, along the second, and the answers of the estimator on
        their grid.
    labels : Labels or None, default=None
        The labels of the samples.
    support : ndarray or None, default=None
        Which samples are support vectors.
    kind : {"margin", "side", "regions", "values"}, default="margin"
        What the answers are: a decision function with margins at ±1, one without, positions of
        classes, or numbers.
    axis_names : tuple of two str, default=("column 0", "column 1")
        The names of the two columns.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    surface_ : image
        The surface behind the samples.
    boundary_ : contour lines, a list of them, or None
        The boundary between two classes, or of each class.
    colorbar_ : artist or None
        The color bar of a regression.
    points_ : list of artists
        The samples.
    legend_, rings_ : artists or None
        The legend of the classes, and the rings around support vectors.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
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
        grid: Grid,
        labels: Labels | None = None,
        support: np.ndarray | None = None,
        kind: str = "margin",
        axis_names: tuple[str, str] = ("column 0", "column 1"),
    ) -> None:
        self.points = points
        self.grid = grid
        self.labels = labels
        self.support = support
        self.kind = kind
        self.axis_names = axis_names

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
        **options: Option,
    ) -> Self:
        """Evaluate a fitted estimator on a grid over the range of samples, and draw.

        Parameters
        ----------
        estimator : fitted classifier, outlier detector or regressor, or a pipeline with one
            What is evaluated.
        X : samples of two columns of numbers
            What to draw; the training samples where support vectors are to be ringed.
        y : array-like of shape (n_samples,) or None, default=None
            The labels of the samples.
        resolution : int, default=200
            The number of points of the grid in each direction.
        margin : float, default=0.08
            How far the grid exceeds the range of the samples on either side, as a share of it.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : DecisionDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        check_resolution(resolution)
        values = matrix(X)
        if values.shape[1] != 2:
            rule = "must have two: a surface is drawn over a plane"
            remedy = "fit the estimator on two columns, or draw ComponentDisplay"
            raise ShapeError("X", f"{values.shape[1]} columns", rule, remedy)
        kind = _kind(estimator)
        answers = partial(_answers, estimator, kind)
        labels = read_labels(y, len(values))
        classes = getattr(estimator, "classes_", None)
        if labels is not None and classes is not None:
            labels = _in_order_of(classes, labels, y)
        display = cls(
            points=values,
            grid=over_plane(answers, X, values, (0, 1), resolution, margin),
            labels=labels,
            support=_support(last_step(estimator), len(values)),
            kind=kind,
            axis_names=column_names(X, (0, 1)),
        )
        return display.plot(ax=ax, **options)

    def plot(
        self,
        *,
        ax: Axes = None,
        rings: bool = True,
        legend: bool = True,
        cmap: str | None = None,
        **style: Option,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        rings : bool, default=True
            Whether to mark support vectors.
        legend : bool, default=True
            Whether to draw a legend of the classes.
        cmap : str or None, default=None
            The color map of the surface; by default that of the classes.
        **style
            Options of Matplotlib's scatter.

        Returns
        -------
        display : DecisionDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        self.boundary_: Artist = None
        self.colorbar_ = self.rings_ = self.legend_ = None
        match self.kind:
            case "values":
                self.surface_ = self._image(cmap=cmap or "viridis", alpha=0.9)
                self.colorbar_ = ax.figure.colorbar(self.surface_, ax=ax)
            case "regions":
                self._draw_regions()
            case _:
                self._draw_decision(cmap)
        if self.labels is not None and self.kind != "values":
            style = {"alpha": 0.9, "zorder": 2, **style}
            drawn = scatter(ax, self.points, self.labels, legend=legend, **style)
            self.points_, self.legend_, _ = drawn
        else:
            circles = {"s": 14, "facecolors": "none", "edgecolors": "0.1", "linewidths": 0.7}
            self.points_ = [ax.scatter(*self.points.T, **{**circles, "zorder": 2, **style})]
        if rings and self.support is not None:
            circles = {"s": 60, "facecolors": "none", "edgecolors": "0.1", "linewidths": 0.9}
            self.rings_ = ax.scatter(*self.points[self.support].T, **circles, zorder=3)
        left, right, bottom, top = extent(self.grid)
        ax.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        ax.set(xlim=(left, right), ylim=(bottom, top))
        return self

    def _image(self, **look: Option) -> Artist:
        look = {"origin": "lower", "aspect": "auto", "zorder": 0, **look}
        return self.ax_.imshow(self.grid[2], extent=extent(self.grid), **look)

    def _draw_regions(self) -> None:
        """The region of each class in its color, with boundaries."""
        across, along, codes = self.grid
        count = int(codes.max()) + 1
        if self.labels is not None and self.labels.names is not None:
            count = max(count, len(self.labels.names))
        self.surface_ = self._image(alpha=0.25, interpolation="nearest", **class_scale(count))
        look = {"colors": "0.25", "linewidths": 1}
        present = np.unique(codes)
        self.boundary_ = [
            self.ax_.contour(across, along, codes == code, [0.5], **look) for code in present[1:]
        ]

    def _draw_decision(self, cmap: str | None) -> None:
        """The decision function in the colors of the two classes, its boundary and margins."""
        from matplotlib.colors import LinearSegmentedColormap

        across, along, decision = self.grid
        colors: object = cmap
        if cmap is None:
            colors = LinearSegmentedColormap.from_list("sides", ["C0", "white", "C1"])
        far = float(np.quantile(np.abs(decision), 0.95)) or 1.0
        look = {"alpha": 0.5, "interpolation": "bilinear"}
        self.surface_ = self._image(cmap=colors, vmin=-far, vmax=far, **look)
        styles = {0.0: "-"}
        if self.kind == "margin":
            styles = {-1.0: "--", 0.0: "-", 1.0: "--"}
        levels = [level for level in styles if decision.min() < level < decision.max()]
        if levels:
            look = {"colors": "0.15", "linestyles": [styles[level] for level in levels]}
            self.boundary_ = self.ax_.contour(
                across, along, decision, levels, linewidths=1.2, **look
            )


def _kind(estimator: Estimator) -> str:
    """What the estimator is asked on the grid, as in `DecisionDisplay`."""
    decides = hasattr(estimator, "decision_function")
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return "side" if decides and not is_regressor(estimator) else "values"
    if len(classes) == 2 and decides:
        return "margin" if hasattr(last_step(estimator), "support_vectors_") else "side"
    has_side = len(classes) == 2 and hasattr(estimator, "predict_proba")
    return "side" if has_side else "regions"


def _answers(estimator: Estimator, kind: str, Z: RawSamples) -> np.ndarray:
    """The decision of two classes, the position of the class of more, or the value."""
    if kind == "values":
        return np.asarray(estimator.predict(Z), dtype=float).reshape(len(Z), -1)[:, 0]
    if kind == "regions":
        return np.searchsorted(estimator.classes_, estimator.predict(Z))
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(Z)).reshape(len(Z))
    return np.asarray(estimator.predict_proba(Z))[:, 1] - 0.5


def _in_order_of(classes: np.ndarray, labels: Labels, y: Targets) -> Labels:
    """Labels in the order of the estimator's classes, which gives points the colors of regions."""
    positions = {str(name): at for at, name in enumerate(classes)}
    codes = [positions.get(str(value), -1) for value in np.asarray(y).ravel()]
    if -1 in codes:
        return labels
    return Labels(np.array(codes), list(positions), labels.title)


def _support(model: Estimator, count: int) -> np.ndarray | None:
    """Positions of the support vectors, if there are any and all are among the samples given."""
    name = "support_" if hasattr(model, "support_vectors_") else "relevance_"
    support = getattr(model, name, None)
    if support is None or np.max(support, initial=-1) >= count:
        return None
    return np.asarray(support)
