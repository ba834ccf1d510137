"""The eigenvalues of an estimator, the first ones first."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Estimator
from mercer.errors import ParameterError
from mercer.plot._axes import axes, last_step, shares

_NAMES = {  # in this order: of MCA the inertias after correction are shown, of KernelPCA the variances
    "explained_variance_": "variance",
    "inertia_": "inertia",
    "correlations_": "regularised correlation",
    "eigenvalues_": "eigenvalue",
    "explained_variance_ratio_": "share",
}


class ScreeDisplay:
    """Bars of what the components amount to, with their cumulative share: how many are worth keeping?

    They are variances of `KernelPCA`, inertias of `MCA`, correlations of `KernelCCA`, shares of `KernelDiscriminant`, and of
    `SpectralClustering` the eigenvalues of the Laplacian, where the gap after the clusters counts: one fitted with ``n_components`` above
    ``n_clusters`` has it to show. Make it with `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    values : a bar each
    name : what they are
    cumulative : the shares of the whole so far, or None
    cut : the number of clusters, which a line marks, or None

    Attributes
    ----------
    ax_, figure_ : where it was drawn
    bars_ : what was drawn
    share_ax_, share_line_ : the twin axis of the cumulative share and its line, or None
    cut_line_ : the line after the clusters, or None

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RBF, KernelPCA, ScreeDisplay
    >>> X = load_iris().data
    >>> display = ScreeDisplay.from_estimator(KernelPCA(10, kernel=RBF(length_scale=2.0)).fit(X), n=8)
    >>> len(display.bars_), display.cumulative.round(2).tolist()[:3]
    (8, [0.65, 0.84, 0.88])
    """

    def __init__(
        self,
        *,
        values: np.ndarray,
        name: str = "eigenvalue",
        cumulative: Any = None,
        cut: int | None = None,
    ) -> None:
        self.values, self.name, self.cumulative, self.cut = values, name, cumulative, cut

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, n: int = 20, *, ax: Axes = None, **options: Any
    ) -> Self:
        """Draw the first ``n`` of a fitted estimator, or of the last step of a pipeline, or as many as it has."""
        check_is_fitted(estimator)
        if not isinstance(n, Integral) or n < 1:
            raise ParameterError("n", n, "must be a number of bars, at least 1")
        model = last_step(estimator)
        clusters = getattr(
            model, "n_clusters", None
        )  # then the inertia is one number, of another kind
        known = [name for name in _NAMES if np.ndim(getattr(model, name, 0.0)) == 1]
        if not known:
            raise ParameterError(
                "estimator",
                estimator,
                "has no eigenvalues",
                "give KernelPCA, MCA, KernelCCA or the like",
            )
        values = np.asarray(getattr(model, known[0]), dtype=float)[:n]
        share = shares(model)
        cumulative = None if share is None else np.cumsum(share)[:n]
        cut = clusters if clusters is not None and clusters < len(values) else None
        return cls(values=values, name=_NAMES[known[0]], cumulative=cumulative, cut=cut).plot(
            ax=ax, **options
        )

    def plot(self, *, ax: Axes = None, color: str = "C0", share_color: str = "C1") -> Self:
        """Draw the bars, and the cumulative share on an axis of its own."""
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        at = np.arange(1, len(self.values) + 1)
        self.bars_ = ax.bar(at, self.values, color=color, width=0.75)
        ax.set(xlabel="component", ylabel=self.name, xlim=(0.3, len(at) + 0.7))
        ax.xaxis.get_major_locator().set_params(integer=True)
        self.share_ax_ = self.share_line_ = self.cut_line_ = None
        if self.cumulative is not None:
            from matplotlib.ticker import PercentFormatter

            self.share_ax_ = ax.twinx()
            (self.share_line_,) = self.share_ax_.plot(
                at, self.cumulative, ".-", color=share_color, clip_on=False
            )
            self.share_ax_.set(ylim=(0, 1.02))
            self.share_ax_.set_ylabel("cumulative share", color=share_color)
            self.share_ax_.tick_params(axis="y", labelcolor=share_color)
            self.share_ax_.yaxis.set_major_formatter(PercentFormatter(1.0))
        if self.cut is not None:
            self.cut_line_ = ax.axvline(
                self.cut + 0.5,
                color="0.35",
                linestyle="--",
                linewidth=1,
                label=f"{self.cut} clusters",
            )
            ax.legend(loc="best", frameon=False)
        return self
