"""Samples on two components of an estimator that transforms them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Estimator, RawSamples, Targets
from mercer.errors import ParameterError, ShapeError
from mercer.plot._axes import (
    Labels,
    axes,
    component_name,
    last_step,
    read_labels,
    scatter,
    two,
    write_names,
)


class ComponentDisplay:
    """Two columns of ``transform``, as of `KernelPCA`, `KernelICA`, `KernelDiscriminant`, the first view of `KernelCCA`, or `MCA`.

    Make it with `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    points : two columns, a row for each sample
    labels : what colours them, or None
    axis_names : of the two components
    categories, category_names : the points of the categories of an `MCA`, or None

    Attributes
    ----------
    ax_, figure_ : where it was drawn
    points_ : what was drawn, one artist for each class, or one for all
    legend_, colorbar_ : the legend of few classes, the colour bar of many numbers, or None
    category_points_, category_names_ : the points and the names of the categories, or None and []

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RBF, ComponentDisplay, KernelPCA
    >>> X, y = load_iris(return_X_y=True)
    >>> display = ComponentDisplay.from_estimator(KernelPCA(2, kernel=RBF(length_scale=2.0)).fit(X), X, y)
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
        category_names: Any = None,
    ) -> None:
        self.points, self.labels, self.axis_names = points, labels, axis_names
        self.categories, self.category_names = categories, category_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets = None,
        *,
        components: Any = (0, 1),
        categories: bool | int = False,
        ax: Axes = None,
        **options: Any,
    ) -> Self:
        """Transform ``X`` and draw two of the components, coloured by ``y``: names of classes, or numbers.

        ``categories``, of an `MCA`, also draws its categories, with their names: all, or as many as given of those that contribute the
        most. Other options go to `plot`. A pipeline will do, too.
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "transform"):
            raise ParameterError(
                "estimator",
                estimator,
                "has no transform",
                "give one that maps samples, such as KernelPCA",
            )
        Z = np.asarray(estimator.transform(X), dtype=float)
        if Z.ndim != 2:
            raise ShapeError(
                "estimator",
                estimator,
                f"transforms to an array of shape {Z.shape}, not to a matrix",
            )
        first, second = two(
            "components", components, Z.shape[1], "the estimator", "fit it with more components"
        )
        model = last_step(estimator)
        places, names = _categories(model, categories, (first, second))
        labels = read_labels(y, len(Z))
        told = component_name(model, first), component_name(model, second)
        made = cls(
            points=Z[:, [first, second]],
            labels=labels,
            axis_names=told,
            categories=places,
            category_names=names,
        )
        return made.plot(ax=ax, **options)

    def plot(
        self, *, ax: Axes = None, cmap: str = "viridis", legend: bool = True, **style: Any
    ) -> Self:
        """Draw; ``cmap`` colours numbers, and further options are those of Matplotlib's scatter."""
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        ax.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        self.category_points_, self.category_names_ = None, []
        if self.categories is not None:
            for line in (ax.axhline, ax.axvline):
                line(0, color="0.8", linewidth=0.8, zorder=0)
            self.category_points_ = ax.scatter(
                *self.categories.T, marker="^", s=22, color="0.25", zorder=3
            )
        self.points_, self.legend_, self.colorbar_ = scatter(
            ax, self.points, self.labels, cmap=cmap, legend=legend, **style
        )
        if self.categories is not None:
            ax.margins(0.1)
            dark = ["0.15"] * len(self.categories)
            self.category_names_ = write_names(
                ax, self.categories, self.category_names, dark, zorder=4
            )
        return self


def _categories(
    model: Any, wanted: bool | int, chosen: tuple[int, int]
) -> tuple[np.ndarray | None, Any]:
    if wanted is False:
        return None, None
    if not hasattr(model, "column_coordinates_"):
        raise ParameterError(
            "categories",
            wanted,
            f"is for MCA, and {type(model).__name__} has no categories",
            "leave it out",
        )
    count = len(model.column_names_) if wanted is True else wanted
    if not isinstance(count, (int, np.integer)) or count < 1:
        raise ParameterError("categories", wanted, "must be True, False, or how many to name")
    share = model.column_contributions_[:, chosen] @ model.inertia_[list(chosen)]
    most = np.sort(np.argsort(-share, kind="stable")[:count])
    return model.column_coordinates_[most][:, chosen], model.column_names_[most]
