"""The posterior of a regression along one column: mean, bands, and functions drawn from it."""

from __future__ import annotations

from inspect import signature
from typing import Any, Self

import numpy as np
from scipy.stats import norm
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Estimator, RandomState, RawSamples, Targets
from mercer.errors import InputTypeError, ParameterError, ShapeError
from mercer.plot._axes import pyplot


class PosteriorDisplay:
    """Mean and bands of a regressor that knows its deviation, as `GaussianProcessRegressor` and `RVR` do.

    Make it with `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    grid : the values along the column
    mean, std : the mean and the standard deviation there
    samples : functions drawn from the posterior, a column each, or None
    observed : (values along the column, targets) of the data, or None
    name : of the column

    Attributes
    ----------
    ax_, figure_ : where it was drawn
    mean_line_, bands_, sample_lines_, points_ : what was drawn

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
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
        samples: Any = None,
        observed: Any = None,
        name: str = "x",
    ) -> None:
        self.grid, self.mean, self.std = grid, mean, std
        self.samples, self.observed, self.name = samples, observed, name

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets = None,
        *,
        column: int = 0,
        grid: Any = 400,
        margin: float = 0.1,
        n_samples: int = 0,
        random_state: RandomState = 0,
        ax: Axes = None,
        **options: Any,
    ) -> Self:
        """Predict along one column of ``X``, the others at their medians, and draw.

        ``grid`` is a number of values, spread over the range of the column widened by ``margin`` on either side, or the values
        themselves. ``n_samples`` functions are drawn where the estimator has ``sample_y``. Other options go to `plot`.
        """
        check_is_fitted(estimator)
        if "return_std" not in signature(estimator.predict).parameters:
            rule = "does not tell a standard deviation"
            raise ParameterError(
                "estimator",
                type(estimator).__name__,
                rule,
                "draw a GaussianProcessRegressor or an RVR",
            )
        names = getattr(X, "columns", None)
        try:
            X = np.asarray(X, dtype=float)
        except (TypeError, ValueError):
            raise InputTypeError(
                "X", X, "holds more than numbers, along which nothing can be drawn"
            ) from None
        if X.ndim != 2:
            raise ShapeError(
                "X",
                f"array of shape {X.shape}",
                "must be a matrix, a row for each sample",
                "X.reshape(-1, 1)",
            )
        if not -X.shape[1] <= column < X.shape[1]:
            raise ParameterError("column", column, f"is not a column of X, which has {X.shape[1]}")
        values = X[:, column]
        wide = margin * float(np.ptp(values))
        along = (
            np.linspace(values.min() - wide, values.max() + wide, grid)
            if np.ndim(grid) == 0
            else np.asarray(grid, dtype=float)
        )
        Z = np.tile(np.median(X, axis=0), (len(along), 1))
        Z[:, column] = along
        if hasattr(estimator, "feature_names_in_") and names is not None:
            import pandas

            Z = pandas.DataFrame(Z, columns=list(names))
        mean, std = estimator.predict(Z, return_std=True)
        if np.ndim(mean) != 1:
            raise ShapeError(
                "estimator",
                f"{mean.shape[1]} targets",
                "must have one target to be drawn",
                "fit one of them",
            )
        samples = estimator.sample_y(Z, n_samples, random_state=random_state) if n_samples else None
        if y is not None and len(y) != len(values):
            raise ShapeError(
                "y", f"{len(y)} values", f"must have one for each of the {len(values)} samples"
            )
        observed = None if y is None else (values, np.asarray(y, dtype=float))
        made = cls(
            grid=along,
            mean=mean,
            std=std,
            samples=samples,
            observed=observed,
            name=_name(names, column, X.shape[1]),
        )
        return made.plot(ax=ax, **options)

    def plot(
        self, *, ax: Axes = None, levels: Any = (0.68, 0.95), color: str = "C0", label: str = "mean"
    ) -> Self:
        """Draw: bands of these probabilities, the mean, the draws and the data."""
        levels = np.sort(np.atleast_1d(np.asarray(levels, dtype=float)))[::-1]
        if ((levels <= 0) | (levels >= 1)).any():
            raise ParameterError("levels", levels.tolist(), "must be probabilities between 0 and 1")
        plt = pyplot()
        if ax is None:
            _, ax = plt.subplots()
        self.ax_, self.figure_ = ax, ax.figure
        self.bands_ = []
        for level in levels:  # the widest first, so that the others lie on it
            reach = norm.ppf(0.5 + level / 2) * self.std
            band = ax.fill_between(
                self.grid,
                self.mean - reach,
                self.mean + reach,
                color=color,
                alpha=0.18,
                linewidth=0,
                label=f"{level:.0%} band",
            )
            self.bands_.append(band)
        self.sample_lines_ = (
            []
            if self.samples is None
            else ax.plot(self.grid, self.samples, color=color, alpha=0.5, linewidth=0.8)
        )
        (self.mean_line_,) = ax.plot(self.grid, self.mean, color=color, label=label)
        self.points_ = None
        if self.observed is not None:
            (self.points_,) = ax.plot(
                *self.observed, ".", color="black", markersize=4, label="data"
            )
        ax.set_xlabel(self.name)
        ax.legend(loc="best", frameon=False)
        return self


def _name(names: Any, column: int, width: int) -> str:
    if names is not None:
        return str(names[column])
    return "x" if width == 1 else f"column {column % width}"
