"""Samples on two components of an estimator that transforms them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Columns, Estimator, RawSamples, Targets
from mercer.errors import ParameterError, ShapeError
from mercer.plot._axes import Artist, Labels, Option, axes, read_labels, scatter
from mercer.plot._estimator import component_names, last_step, two_positions
from mercer.plot._names import write_names


class ComponentDisplay:
    """Scatter plot of two columns of ``transform``, such as principal components.

    It is for `KernelPCA`, `KernelICA`, `KernelDiscriminant`, the first view of `KernelCCA`, or
    `MCA`. Make it with `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        The samples on the two components.
    labels : Labels or None, default=None
        What colors the samples.
    axis_names : tuple of two str, default=("1st component", "2nd component")
        The names of the two components.
    categories : ndarray of shape (n_categories, 2) or None, default=None
        The points of the categories of an `MCA`.
    category_names : sequence of str or None, default=None
        The names of the categories.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    points_ : list of artists
        One for each class, or one for all samples.
    legend_, colorbar_ : artists or None
        The legend of few classes, the color bar of many numbers.
    category_points_ : artist or None
        The points of the categories.
    category_names_ : list of artists
        The names of the categories.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RBF, ComponentDisplay, KernelPCA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelPCA(2, kernel=RBF(length_scale=2.0)).fit(X)
    >>> display = ComponentDisplay.from_estimator(model, X, y)
    >>> len(display.points_), display.ax_.get_xlabel()
    (3, '1st component (64.6 %)')
    """

    def __init__(
        self,
        *,
        points: np.ndarray,
        labels: Labels | None = None,
        axis_names: tuple[str, str] = ("1st component", "2nd component"),
        categories: np.ndarray | None = None,
        category_names: Sequence[str] | None = None,
    ) -> None:
        self.points = points
        self.labels = labels
        self.axis_names = axis_names
        self.categories = categories
        self.category_names = category_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets = None,
        *,
        components: Columns = (0, 1),
        categories: bool | int = False,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Transform samples and draw two of the components.

        Parameters
        ----------
        estimator : fitted transformer, or a pipeline that ends with one
            What transforms the samples.
        X : samples
            What to draw.
        y : array-like of shape (n_samples,) or None, default=None
            Names of classes, or numbers, for the colors.
        components : two int, default=(0, 1)
            Which components are drawn.
        categories : bool or int, default=False
            Whether to draw the categories of an `MCA` with their names: all, or as many as given
            of those that contribute the most.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : ComponentDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "transform"):
            remedy = "give one that maps samples, such as KernelPCA"
            raise ParameterError("estimator", estimator, "has no transform", remedy)
        Z = np.asarray(estimator.transform(X), dtype=float)
        if Z.ndim != 2:
            rule = f"transforms to an array of shape {Z.shape}, not to a matrix"
            raise ShapeError("estimator", estimator, rule)
        remedy = "fit it with more components"
        chosen = two_positions("components", components, Z.shape[1], "the estimator", remedy)
        model = last_step(estimator)
        display = cls(
            points=Z[:, chosen],
            labels=read_labels(y, len(Z)),
            axis_names=component_names(model, chosen),
        )
        if categories is not False:
            shown = _largest_categories(model, categories, chosen)
            display.categories = model.column_coordinates_[shown][:, chosen]
            display.category_names = model.column_names_[shown]
        return display.plot(ax=ax, **options)

    def plot(
        self, *, ax: Axes = None, cmap: str = "viridis", legend: bool = True, **style: Option
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        cmap : str, default="viridis"
            The color map of numbers.
        legend : bool, default=True
            Whether to draw a legend, or a color bar of numbers.
        **style
            Options of Matplotlib's scatter.

        Returns
        -------
        display : ComponentDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        ax.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        self.category_points_ = None
        self.category_names_: list[Artist] = []
        if self.categories is not None:
            ax.axhline(0, color="0.8", linewidth=0.8, zorder=0)
            ax.axvline(0, color="0.8", linewidth=0.8, zorder=0)
            look = {"marker": "^", "s": 22, "color": "0.25", "zorder": 3}
            self.category_points_ = ax.scatter(*self.categories.T, **look)
        drawn = scatter(ax, self.points, self.labels, cmap=cmap, legend=legend, **style)
        self.points_, self.legend_, self.colorbar_ = drawn
        if self.categories is not None and self.category_names is not None:
            ax.margins(0.1)
            dark = ["0.15"] * len(self.categories)
            names = self.category_names
            self.category_names_ = write_names(ax, self.categories, names, dark, zorder=4)
        return self


def _largest_categories(
    model: Estimator, wanted: bool | int, components: tuple[int, int]
) -> np.ndarray:
    """Positions of the categories that contribute the most to two components."""
    if not hasattr(model, "column_coordinates_"):
        rule = f"is for MCA, and {type(model).__name__} has no categories"
        raise ParameterError("categories", wanted, rule, "leave it out")
    count = len(model.column_names_) if wanted is True else wanted
    if not isinstance(count, (int, np.integer)) or count < 1:
        raise ParameterError("categories", wanted, "must be True, False, or how many to name")
    share = model.column_contributions_[:, components] @ model.inertia_[list(components)]
    return np.sort(np.argsort(-share, kind="stable")[:count])
