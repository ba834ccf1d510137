"""The posterior of a regression along one column: mean, bands, and functions drawn from it."""

from __future__ import annotations

from inspect import signature
from typing import Self

import numpy as np
from scipy.stats import norm
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Columns, Estimator, RandomState, RawSamples, Targets
from mercer.errors import InputTypeError, ParameterError, ShapeError
from mercer.plot._axes import Option, axes


class PosteriorDisplay:
    """Mean and bands of a regression with a standard deviation, along one column.

    The bands are of what the standard deviation is of: of the function without the noise where that
    is the ``alpha`` of a Gaussian process or was found by `KernelSearch`, of new targets otherwise.

    It is for `GaussianProcessRegressor`, `RVR`, or a regressor of scikit-learn whose ``predict``
    has ``return_std``. Make it with `from_estimator`; ``plot`` draws it again, on other axes if
    asked.

    Parameters
    ----------
    grid : ndarray of shape (n,)
        The values along the column.
    mean, std : ndarrays of shape (n,)
        The mean and the standard deviation there.
    samples : ndarray of shape (n, n_functions) or None, default=None
        Functions drawn from the posterior.
    observed : tuple of two ndarrays or None, default=None
        The values along the column and the targets of the data.
    name : str, default="x"
        The name of the column.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    mean_line_ : artist
        The mean.
    bands_, sample_lines_ : lists of artists
        The bands, the widest first, and the functions.
    points_ : artist or None
        The data.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from mercer import RBF, GaussianProcessRegressor, PosteriorDisplay
    >>> x = np.linspace(0, 5, 20)[:, None]
    >>> model = GaussianProcessRegressor(RBF(), alpha=0.01).fit(x, np.sin(x[:, 0]))
    >>> display = PosteriorDisplay.from_estimator(model, x, np.sin(x[:, 0]), n_samples=3)
    >>> len(display.bands_), len(display.sample_lines_)
    (2, 3)
    """

    def __init__(
        self,
        *,
        grid: np.ndarray,
        mean: np.ndarray,
        std: np.ndarray,
        samples: np.ndarray | None = None,
        observed: tuple[np.ndarray, np.ndarray] | None = None,
        name: str = "x",
    ) -> None:
        self.grid = grid
        self.mean = mean
        self.std = std
        self.samples = samples
        self.observed = observed
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets = None,
        *,
        column: int = 0,
        grid: int | Targets = 400,
        margin: float = 0.1,
        n_samples: int = 0,
        random_state: RandomState = 0,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Predict along one column, the others at their medians, and draw.

        Parameters
        ----------
        estimator : fitted regressor
            What predicts, with a standard deviation.
        X : array-like or frame of shape (n_samples, n_features)
            The samples whose range is drawn.
        y : array-like of shape (n_samples,) or None, default=None
            The targets, which are drawn as points.
        column : int, default=0
            The column along which predictions are made.
        grid : int or array-like, default=400
            How many values, spread over the range of the column, or the values themselves.
        margin : float, default=0.1
            How far the values exceed the range on either side, as a share of it.
        n_samples : int, default=0
            How many functions are drawn, where the estimator has ``sample_y``.
        random_state : None, int or RandomState, default=0
            The source of randomness of the functions.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : PosteriorDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        if "return_std" not in signature(estimator.predict).parameters:
            rule, remedy = "has no standard deviation", "draw a GaussianProcessRegressor or an RVR"
            raise ParameterError("estimator", type(estimator).__name__, rule, remedy)
        names: Columns = getattr(X, "columns", None)
        values = _matrix(X, column)
        along = _grid(values[:, column], grid, margin)
        Z: RawSamples = np.tile(np.median(values, axis=0), (len(along), 1))
        Z[:, column] = along
        if hasattr(estimator, "feature_names_in_") and names is not None:
            import pandas

            Z = pandas.DataFrame(Z, columns=list(names))
        mean, std = estimator.predict(Z, return_std=True)
        if np.ndim(mean) != 1:
            rule = "must have one target to be drawn"
            raise ShapeError("estimator", f"{mean.shape[1]} targets", rule, "fit one of them")
        display = cls(grid=along, mean=mean, std=std, name=_name(names, column, values.shape[1]))
        if n_samples:
            display.samples = estimator.sample_y(Z, n_samples, random_state=random_state)
        if y is not None:
            display.observed = _observed(values[:, column], y)
        return display.plot(ax=ax, **options)

    def plot(
        self,
        *,
        ax: Axes = None,
        levels: Targets = (0.68, 0.95),
        color: str = "C0",
        label: str = "mean",
    ) -> Self:
        """Draw the bands, the mean, the functions and the data.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        levels : float or sequence of float, default=(0.68, 0.95)
            The probabilities of the bands.
        color : str, default="C0"
            The color of the bands, the mean and the functions.
        label : str, default="mean"
            The name of the mean in the legend.

        Returns
        -------
        display : PosteriorDisplay
            The display itself.
        """
        levels = np.sort(np.atleast_1d(np.asarray(levels, dtype=float)))[::-1]
        if ((levels <= 0) | (levels >= 1)).any():
            raise ParameterError("levels", levels.tolist(), "must be probabilities between 0 and 1")
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        self.bands_ = []
        look = {"color": color, "alpha": 0.18, "linewidth": 0}
        for level in levels:  # the widest first, so that the others lie on it
            reach = norm.ppf(0.5 + level / 2) * self.std
            low, high = self.mean - reach, self.mean + reach
            band = ax.fill_between(self.grid, low, high, label=f"{level:.0%} band", **look)
            self.bands_.append(band)
        self.sample_lines_ = []
        if self.samples is not None:
            look = {"color": color, "alpha": 0.5, "linewidth": 0.8}
            self.sample_lines_ = ax.plot(self.grid, self.samples, **look)
        (self.mean_line_,) = ax.plot(self.grid, self.mean, color=color, label=label)
        self.points_ = None
        if self.observed is not None:
            look = {"color": "black", "markersize": 4, "label": "data"}
            (self.points_,) = ax.plot(*self.observed, ".", **look)
        ax.set_xlabel(self.name)
        ax.legend(loc="best", frameon=False)
        return self


def _matrix(X: RawSamples, column: int) -> np.ndarray:
    """The samples as a matrix of numbers which has that column."""
    try:
        values = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        rule = "holds more than numbers, along which nothing can be drawn"
        raise InputTypeError("X", X, rule) from None
    if values.ndim != 2:
        rule = "must be a matrix, a row for each sample"
        raise ShapeError("X", f"array of shape {values.shape}", rule, "X.reshape(-1, 1)")
    n_columns = values.shape[1]
    if not -n_columns <= column < n_columns:
        raise ParameterError("column", column, f"is not a column of X, which has {n_columns}")
    return values


def _grid(values: np.ndarray, grid: int | Targets, margin: float) -> np.ndarray:
    """The values at which predictions are made: as given, or so many over the range."""
    if np.ndim(grid) != 0:
        return np.asarray(grid, dtype=float)
    reach = margin * float(np.ptp(values))
    return np.linspace(values.min() - reach, values.max() + reach, grid)


def _observed(values: np.ndarray, y: Targets) -> tuple[np.ndarray, np.ndarray]:
    """The data, where there is a target for each sample."""
    if len(y) != len(values):
        rule = f"must have one for each of the {len(values)} samples"
        raise ShapeError("y", f"{len(y)} values", rule)
    return values, np.asarray(y, dtype=float)


def _name(names: Columns, column: int, n_columns: int) -> str:
    """The name of the column: that of a frame, or its number if there are several."""
    if names is not None:
        return str(names[column])
    return "x" if n_columns == 1 else f"column {column % n_columns}"
