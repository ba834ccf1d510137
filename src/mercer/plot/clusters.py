"""The map of a clustering: samples in the colors of their clusters, and regions behind them."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Columns, Estimator, RawSamples
from mercer.domains.base import raw_length
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.projection.pca import KernelPCA
from mercer.plot._axes import Labels, Option, axes, class_colors, scatter
from mercer.plot._estimator import before_last_step, component_names, last_step, two_positions
from mercer.plot._plane import Grid, check_resolution, column_names, extent, matrix, over_plane


class ClusterDisplay:
    """Scatter plot of a clustering, with the regions of the clusters where these are of a plane.

    It is for `KernelKMeans`, `SpectralClustering`, or a clustering of scikit-learn. Make it with
    `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        The coordinates of the samples.
    clusters : ndarray of shape (n_samples,)
        The cluster of each sample.
    axis_names : tuple of two str, default=("column 0", "column 1")
        The names of the two coordinates.
    grid : tuple of three ndarrays or None, default=None
        The values along the first coordinate, along the second, and the clusters on their grid.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    points_ : list of artists
        One for each cluster, or one for all where there are many clusters.
    regions_ : image or None
        The regions behind the samples.
    legend_, colorbar_ : artists or None
        The legend of few clusters, the color bar of many.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import make_moons
    >>> from mercer import ClusterDisplay, SpectralClustering
    >>> X, _ = make_moons(200, noise=0.05, random_state=0)
    >>> model = SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(X)
    >>> display = ClusterDisplay.from_estimator(model, X, resolution=50)
    >>> len(display.points_), display.regions_.get_array().shape[:2]
    (2, (50, 50))
    """

    def __init__(
        self,
        *,
        points: np.ndarray,
        clusters: np.ndarray,
        axis_names: tuple[str, str] = ("column 0", "column 1"),
        grid: Grid | None = None,
    ) -> None:
        self.points = points
        self.clusters = clusters
        self.axis_names = axis_names
        self.grid = grid

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        *,
        on: str = "columns",
        columns: Columns = (0, 1),
        resolution: int = 200,
        margin: float = 0.05,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Predict the clusters of samples and draw them.

        Where ``X`` has two columns only, the regions behind are predictions on a grid over the
        range of the samples. Estimators without ``predict`` give the clusters of their training
        samples, so ``X`` must be those.

        Parameters
        ----------
        estimator : fitted clustering, or a pipeline that ends with one
            The clustering to draw.
        X : samples
            What to draw.
        on : {"columns", "components"}, default="columns"
            The plane: two columns, or the first two principal components in the feature space of
            the kernel.
        columns : two int, default=(0, 1)
            Which columns are drawn.
        resolution : int, default=200
            The number of points of the grid in each direction.
        margin : float, default=0.05
            How far the grid exceeds the range of the samples on either side, as a share of it.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : ClusterDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        if on not in ("columns", "components"):
            raise ParameterError("on", on, 'must be "columns" or "components"')
        check_resolution(resolution)
        clusters = _clusters(estimator, X)
        if on == "components":
            points, names = _on_components(estimator, X)
            return cls(points=points, clusters=clusters, axis_names=names).plot(ax=ax, **options)
        values = matrix(X)
        n_columns = values.shape[1]
        chosen = two_positions("columns", columns, n_columns, "X", "give two of its columns")
        points = values[:, chosen]
        grid = None
        if n_columns == 2 and hasattr(estimator, "predict"):
            grid = over_plane(estimator.predict, X, points, chosen, resolution, margin)
        names = column_names(X, chosen)
        display = cls(points=points, clusters=clusters, axis_names=names, grid=grid)
        return display.plot(ax=ax, **options)

    def plot(
        self, *, ax: Axes = None, legend: bool = True, alpha: float = 0.2, **style: Option
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        legend : bool, default=True
            Whether to draw a legend, or a color bar of many clusters.
        alpha : float, default=0.2
            The opacity of the regions.
        **style
            Options of Matplotlib's scatter.

        Returns
        -------
        display : ClusterDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        known = np.unique(self.clusters)
        if self.grid is not None:
            known = np.union1d(known, self.grid[2])
        ax.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        self.regions_ = None
        if self.grid is not None:
            from matplotlib.colors import to_rgba

            colors = np.array([to_rgba(color, alpha) for color in class_colors(len(known))])
            image = colors[np.searchsorted(known, self.grid[2])]
            look = {"origin": "lower", "aspect": "auto", "interpolation": "nearest", "zorder": 0}
            self.regions_ = ax.imshow(image, extent=extent(self.grid), **look)
        codes = np.searchsorted(known, self.clusters)
        labels = Labels(codes, [f"cluster {value}" for value in known], None)
        style = {"alpha": 0.9, **style}
        drawn = scatter(ax, self.points, labels, legend=legend, **style)
        self.points_, self.legend_, self.colorbar_ = drawn
        return self


def _clusters(estimator: Estimator, X: RawSamples) -> np.ndarray:
    """Predicted clusters, or those of the training samples."""
    if hasattr(estimator, "predict"):
        return np.asarray(estimator.predict(X))
    labels = getattr(last_step(estimator), "labels_", None)
    if labels is None:
        rule = "has neither predict nor labels_"
        raise ParameterError("estimator", estimator, rule, "give a clustering")
    if len(labels) != raw_length(X):
        rule = f"must be the {len(labels)} training samples: "
        rule += f"{type(estimator).__name__} cannot predict others"
        raise ShapeError("X", f"{raw_length(X)} samples", rule)
    return np.asarray(labels)


def _on_components(estimator: Estimator, X: RawSamples) -> tuple[np.ndarray, tuple[str, str]]:
    """Coordinates on two principal components, by the estimator's kernel or else the linear one."""
    X = before_last_step(estimator, X)
    kernel = getattr(last_step(estimator), "kernel_", "linear")
    if kernel is None:
        kernel = "precomputed"
    pca = KernelPCA(2, kernel=kernel).fit(X)
    return pca.transform(X), component_names(pca, (0, 1))
