"""The map of a clustering: samples in the colours of their clusters, and the regions behind them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Columns, Estimator, RawSamples
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.projection.pca import KernelPCA
from mercer.plot._axes import Labels, axes, class_colours, component_name, last_step, scatter, two
from mercer.plot._plane import matrix, name, over_plane


class ClusterDisplay:
    """Samples by cluster, of `KernelKMeans`, `SpectralClustering` or scikit-learn's, before the regions where these are of a plane.

    Make it with `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    points : two columns, a row for each sample
    clusters : the cluster of each
    axis_names : of the two columns
    grid : (values along the first column, along the second, clusters there), or None

    Attributes
    ----------
    ax_, figure_ : where it was drawn
    points_ : what was drawn, one artist for each cluster, or one for all where they are many
    regions_ : the image behind, or None
    legend_, colorbar_ : the legend of few clusters, the colour bar of many, or None

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
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
        grid: Any = None,
    ) -> None:
        self.points, self.clusters, self.axis_names, self.grid = points, clusters, axis_names, grid

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
        **options: Any,
    ) -> Self:
        """Predict the clusters of ``X`` and draw it on two columns, or on="components", the first two in the feature space of the kernel.

        Where ``X`` has two columns only, the regions behind are predictions on a grid of ``resolution`` squared points, over the range of
        the samples widened by ``margin`` on either side. Estimators without ``predict`` give the clusters of their training samples, so
        ``X`` must be those. Other options go to `plot`.
        """
        check_is_fitted(estimator)
        if on not in ("columns", "components"):
            raise ParameterError("on", on, 'must be "columns" or "components"')
        if resolution < 2:
            raise ParameterError(
                "resolution", resolution, "must be at least 2 points in each direction"
            )
        clusters = _clusters(estimator, X)
        if on == "components":
            points, told = _on_components(estimator, X)
            return cls(points=points, clusters=clusters, axis_names=told).plot(ax=ax, **options)
        names = getattr(X, "columns", None)
        values = matrix(X)
        first, second = two("columns", columns, values.shape[1], "X", "give two of its columns")
        points = values[:, [first, second]]
        grid = None
        if values.shape[1] == 2 and hasattr(estimator, "predict"):
            grid = over_plane(estimator.predict, X, points, (first, second), resolution, margin)
        told = name(names, first), name(names, second)
        return cls(points=points, clusters=clusters, axis_names=told, grid=grid).plot(
            ax=ax, **options
        )

    def plot(
        self, *, ax: Axes = None, legend: bool = True, alpha: float = 0.2, **style: Any
    ) -> Self:
        """Draw; ``alpha`` is of the regions, and further options are those of Matplotlib's scatter."""
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        there = (
            np.array([], dtype=self.clusters.dtype) if self.grid is None else self.grid[2].ravel()
        )
        known = np.unique(np.concatenate([self.clusters, there]))
        ax.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        self.regions_ = None
        if self.grid is not None:
            from matplotlib.colors import to_rgba

            across, along, found = self.grid
            colours = np.array([to_rgba(colour, alpha) for colour in class_colours(len(known))])
            extent = (across[0], across[-1], along[0], along[-1])
            image = colours[np.searchsorted(known, found)]
            self.regions_ = ax.imshow(
                image,
                extent=extent,
                origin="lower",
                aspect="auto",
                interpolation="nearest",
                zorder=0,
            )
        labels = Labels(
            np.searchsorted(known, self.clusters), [f"cluster {value}" for value in known], None
        )
        self.points_, self.legend_, self.colorbar_ = scatter(
            ax, self.points, labels, legend=legend, **{"alpha": 0.9, **style}
        )
        return self


def _clusters(estimator: Estimator, X: RawSamples) -> np.ndarray:
    if hasattr(estimator, "predict"):
        return np.asarray(estimator.predict(X))
    labels = getattr(last_step(estimator), "labels_", None)
    if labels is None:
        raise ParameterError(
            "estimator", estimator, "has neither predict nor labels_", "give a clustering"
        )
    count = X.shape[0] if hasattr(X, "shape") else len(X)
    if len(labels) != count:
        rule = f"must be the {len(labels)} training samples: {type(estimator).__name__} cannot predict others"
        raise ShapeError("X", f"{count} samples", rule)
    return np.asarray(labels)


def _on_components(estimator: Estimator, X: RawSamples) -> tuple[np.ndarray, tuple[str, str]]:
    """Coordinates on the first two principal components, with the estimator's own kernel; the linear one if it has none."""
    model = last_step(estimator)
    if model is not estimator and len(estimator) > 1:
        X = estimator[:-1].transform(X)
    kernel = getattr(model, "kernel_", "linear")
    found = KernelPCA(2, kernel="precomputed" if kernel is None else kernel).fit(X)
    return found.transform(X), (component_name(found, 0), component_name(found, 1))
