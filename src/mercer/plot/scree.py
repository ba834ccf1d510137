"""The eigenvalues of a fitted estimator in descending order."""

from __future__ import annotations

from numbers import Integral
from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Estimator
from mercer.errors import ParameterError
from mercer.plot._axes import Option, axes
from mercer.plot._estimator import last_step, shares

# In this order: MCA has inertias after correction beside eigenvalues, and KernelPCA variances.
_NAMES = {
    "explained_variance_": "variance",
    "inertia_": "inertia",
    "correlations_": "regularized correlation",
    "eigenvalues_": "eigenvalue",
    "explained_variance_ratio_": "share",
}


class ScreeDisplay:
    """Scree plot: the eigenvalues of the components as bars, with their cumulative share.

    The bars are variances of `KernelPCA`, inertias of `MCA`, correlations of `KernelCCA`, shares
    of `KernelDiscriminant`, and of `SpectralClustering` the eigenvalues of the Laplacian, where
    the gap after the clusters counts: one fitted with ``n_components`` above ``n_clusters`` shows
    it. Make it with `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The heights of the bars.
    name : str, default="eigenvalue"
        What the values are.
    cumulative : ndarray of shape (n,) or None, default=None
        The cumulative shares of the whole.
    cut : int or None, default=None
        The number of clusters, which a line marks.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    bars_ : artists
        The bars.
    share_ax_, share_line_ : Axes and artist, or None
        The twin axis of the cumulative share, and its line.
    cut_line_ : artist or None
        The line after the clusters.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RBF, KernelPCA, ScreeDisplay
    >>> model = KernelPCA(10, kernel=RBF(length_scale=2.0)).fit(load_iris().data)
    >>> display = ScreeDisplay.from_estimator(model, n=8)
    >>> len(display.bars_), display.cumulative.round(2).tolist()[:3]
    (8, [0.65, 0.84, 0.88])
    """

    def __init__(
        self,
        *,
        values: np.ndarray,
        name: str = "eigenvalue",
        cumulative: np.ndarray | None = None,
        cut: int | None = None,
    ) -> None:
        self.values = values
        self.name = name
        self.cumulative = cumulative
        self.cut = cut

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, n: int = 20, *, ax: Axes = None, **options: Option
    ) -> Self:
        """Draw the first eigenvalues of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator with eigenvalues, or a pipeline that ends with one
            What has the eigenvalues.
        n : int, default=20
            How many are drawn, if there are so many.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : ScreeDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        if not isinstance(n, Integral) or n < 1:
            raise ParameterError("n", n, "must be a number of bars, at least 1")
        model = last_step(estimator)
        # One number is the inertia of a clustering, which is of another kind.
        present = [name for name in _NAMES if np.ndim(getattr(model, name, 0.0)) == 1]
        if not present:
            remedy = "give KernelPCA, MCA, KernelCCA or the like"
            raise ParameterError("estimator", estimator, "has no eigenvalues", remedy)
        values = np.asarray(getattr(model, present[0]), dtype=float)[:n]
        display = cls(values=values, name=_NAMES[present[0]])
        share = shares(model)
        if share is not None:
            display.cumulative = np.cumsum(share)[:n]
        n_clusters = getattr(model, "n_clusters", None)
        if n_clusters is not None and n_clusters < len(values):
            display.cut = n_clusters
        return display.plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, color: str = "C0", share_color: str = "C1") -> Self:
        """Draw the bars, and the cumulative share on an axis of its own.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        color : str, default="C0"
            The color of the bars.
        share_color : str, default="C1"
            The color of the cumulative share.

        Returns
        -------
        display : ScreeDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        at = np.arange(1, len(self.values) + 1)
        self.bars_ = ax.bar(at, self.values, color=color, width=0.75)
        ax.set(xlabel="component", ylabel=self.name, xlim=(0.3, len(at) + 0.7))
        ax.xaxis.get_major_locator().set_params(integer=True)
        self.share_ax_ = self.share_line_ = self.cut_line_ = None
        if self.cumulative is not None:
            from matplotlib.ticker import PercentFormatter

            self.share_ax_ = twin = ax.twinx()
            look = {"color": share_color, "clip_on": False}
            (self.share_line_,) = twin.plot(at, self.cumulative, ".-", **look)
            twin.set(ylim=(0, 1.02))
            twin.set_ylabel("cumulative share", color=share_color)
            twin.tick_params(axis="y", labelcolor=share_color)
            twin.yaxis.set_major_formatter(PercentFormatter(1.0))
        if self.cut is not None:
            look = {"color": "0.35", "linestyle": "--", "linewidth": 1}
            self.cut_line_ = ax.axvline(self.cut + 0.5, label=f"{self.cut} clusters", **look)
            ax.legend(loc="best", frameon=False)
        return self
