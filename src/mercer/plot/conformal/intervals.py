"""Prediction intervals of samples of any kind, and the targets that they hold or miss."""

from __future__ import annotations

from typing import Self

import numpy as np

from mercer.aliases import Axes, Estimator, RawSamples, Targets
from mercer.domains.base import raw_length
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.conformal.results import Intervals
from mercer.plot._axes import Option, axes


class IntervalDisplay:
    """Prediction intervals as bars, with the targets that they hold and those that they miss.

    It is for `ConformalRegressor`, `AutoRegressor`, or any estimator whose ``predict_interval``
    gives `Intervals`. Make it with `from_estimator`; ``plot`` draws it again.

    Parameters
    ----------
    intervals : Intervals
        The intervals.
    along : ndarray of shape (n_samples,)
        A number for each sample, the horizontal axis.
    predicted : ndarray of shape (n_samples,)
        The predictions.
    y : ndarray of shape (n_samples,) or None, default=None
        The targets.
    name : str, default="prediction"
        The name of the horizontal axis.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    bars_ : artist
        The intervals; infinite ones end at the border of the picture.
    held_, missed_ : artists or None
        The targets inside and outside of their intervals.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from mercer import RBF, ConformalRegressor, IntervalDisplay, KernelRidge
    >>> X = np.linspace(0.0, 6.0, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.cos(40.0 * X[:, 0])
    >>> model = ConformalRegressor(KernelRidge(alpha=0.1, kernel=RBF())).fit(X, y)
    >>> IntervalDisplay.from_estimator(model, X, y, along=0).name
    'x'
    """

    def __init__(
        self,
        *,
        intervals: Intervals,
        along: np.ndarray,
        predicted: np.ndarray,
        y: np.ndarray | None = None,
        name: str = "prediction",
    ) -> None:
        self.intervals = intervals
        self.along = along
        self.predicted = predicted
        self.y = y
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets = None,
        *,
        coverage: float = 0.9,
        along: int | str | Targets | None = None,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Predict intervals and draw them.

        Parameters
        ----------
        estimator : fitted estimator
            What has ``predict_interval``.
        X : array-like or collection of n_samples
            The samples.
        y : array-like of shape (n_samples,) or None, default=None
            Their targets, which are drawn as points.
        coverage : float, default=0.9
            The coverage that is asked for.
        along : int, str, array-like of shape (n_samples,) or None, default=None
            The horizontal axis: a column of X by position or by name, or a number for each sample.
            None takes the predictions, which samples of any kind have.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : IntervalDisplay
            The display, drawn.
        """
        if not hasattr(estimator, "predict_interval"):
            rule, remedy = "has no predict_interval", "wrap it: ConformalRegressor(...)"
            raise ParameterError("estimator", type(estimator).__name__, rule, remedy)
        intervals = estimator.predict_interval(X, coverage)
        predicted = np.asarray(estimator.predict(X), dtype=float)
        values, name = _axis(along, X, predicted)
        targets = None
        if y is not None:
            targets = np.asarray(y, dtype=float)
            intervals.contain(targets)  # there must be one for each sample
        display = cls(intervals=intervals, along=values, predicted=predicted, y=targets, name=name)
        return display.plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, color: str = "C0") -> Self:
        """Draw the intervals and the targets.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        color : str, default="C0"
            The color of the intervals.

        Returns
        -------
        display : IntervalDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        lower, upper = self._finite_ends()
        look = {"color": color, "alpha": 0.35, "linewidth": 2.0}
        title = f"{self.intervals.coverage:.0%} intervals"
        self.bars_ = ax.vlines(self.along, lower, upper, label=title, **look)
        order = np.argsort(self.along, kind="stable")
        mark = {"color": color, "markersize": 3, "linestyle": "", "label": "prediction"}
        ax.plot(self.along[order], self.predicted[order], ".", **mark)
        self.held_ = self.missed_ = None
        if self.y is not None:
            inside = self.intervals.contain(self.y)
            share = f"target, {inside.mean():.1%} held"
            look = {"linestyle": "", "markersize": 4}
            (self.held_,) = ax.plot(
                self.along[inside], self.y[inside], ".", color="black", label=share, **look
            )
            (self.missed_,) = ax.plot(
                self.along[~inside], self.y[~inside], "x", color="C3", label="missed", **look
            )
        ax.set_xlabel(self.name)
        ax.set_ylabel("target")
        ax.set_title(bound_text(self.intervals.bound), fontsize="medium")
        ax.legend(loc="best", frameon=False)
        return self

    def _finite_ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends; infinite ones a little beyond everything else."""
        shown = np.concatenate([*self.intervals, self.predicted])
        if self.y is not None:
            shown = np.concatenate([shown, self.y])
        shown = shown[np.isfinite(shown)]
        reach = 0.1 * (np.ptp(shown) or 1.0)
        lower, upper = self.intervals
        return np.maximum(lower, shown.min() - reach), np.minimum(upper, shown.max() + reach)


def bound_text(bound: float | None) -> str:
    """What is proven, for a title."""
    if bound is None:
        return "no guarantee"
    return f"guaranteed coverage: {bound:.0%}"


def _axis(
    along: int | str | Targets | None, X: RawSamples, predicted: np.ndarray
) -> tuple[np.ndarray, str]:
    """A number for each sample, and what it is called."""
    if along is None:
        return predicted, "prediction"
    if isinstance(along, str):
        return np.asarray(X[along], dtype=float), along
    if isinstance(along, int):
        names = getattr(X, "columns", None)
        column = X[names[along]] if names is not None else np.asarray(X)[:, along]
        n_columns = np.shape(X)[1]
        name = "x" if n_columns == 1 else f"column {along}"
        return np.asarray(column, dtype=float), name if names is None else str(names[along])
    values = np.asarray(along, dtype=float)
    if values.shape != (raw_length(X),):
        rule = f"must have one number for each of the {raw_length(X)} samples"
        raise ShapeError("along", f"array of shape {values.shape}", rule)
    return values, "along"
