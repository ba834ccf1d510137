"""The additive terms of a Gaussian process, each with its band, along the column it looks at."""

from __future__ import annotations

import textwrap
from typing import Self

import numpy as np
from scipy.stats import norm
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Columns, Estimator, RawSamples, Targets
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.gp.regressor import GaussianProcessRegressor
from mercer.estimators.learning.terms import additive_terms, term_posteriors
from mercer.estimators.search.sentences import describe_term
from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.plot._axes import Artist, Option, pyplot

_WIDTH = 60  # letters of a line of a title


class DecompositionDisplay:
    """The posterior of every additive term of a Gaussian process, with its band.

    Each term is centered on the training samples: the data determine only the level of their sum.
    It is for `KernelSearch` and for `GaussianProcessRegressor` with a sum of kernels of vectors.
    Make it with `from_estimator`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    grids : list of ndarray of shape (n,)
        The values along the column of every term.
    means, stds : lists of ndarray of shape (n,)
        The mean and the standard deviation of every term there.
    titles : list of str
        What every term is.
    names : list of str
        The name of the column of every term.

    Attributes
    ----------
    axes_, figure_ : array of Axes, and Figure of Matplotlib
        Where it was drawn, axes for each term.
    lines_, bands_ : lists of artists
        The mean and the band of each term.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from mercer import RBF, DecompositionDisplay, GaussianProcessRegressor, Periodic
    >>> x = np.linspace(0, 5, 40)[:, None]
    >>> y = x[:, 0] + np.sin(2 * np.pi * x[:, 0])
    >>> kernel = RBF(length_scale=3.0) + Periodic()
    >>> model = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None).fit(x, y)
    >>> display = DecompositionDisplay.from_estimator(model, x)
    >>> len(display.lines_)
    2
    """

    def __init__(
        self,
        *,
        grids: list[np.ndarray],
        means: list[np.ndarray],
        stds: list[np.ndarray],
        titles: list[str],
        names: list[str],
    ) -> None:
        self.grids = grids
        self.means = means
        self.stds = stds
        self.titles = titles
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples = None,
        *,
        grid: int = 400,
        margin: float = 0.0,
        axes: Axes = None,
        **options: Option,
    ) -> Self:
        """Compute every term along its column, the others at their medians, and draw.

        Parameters
        ----------
        estimator : KernelSearch or GaussianProcessRegressor
            A fitted model with a sum of kernels.
        X : array-like of shape (n_samples, n_features), default=None
            The samples whose range is drawn; the training samples by default.
        grid : int, default=400
            The number of values along a column.
        margin : float, default=0.0
            How far the values exceed the range on either side, as a share of it.
        axes : sequence of Axes of Matplotlib or None, default=None
            Where to draw, axes for each term; by default on a new figure.
        **options
            Options of `plot`.

        Returns
        -------
        display : DecompositionDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        process = getattr(estimator, "process_", estimator)
        if not isinstance(process, GaussianProcessRegressor):
            rule, remedy = "has no posterior of terms", "give a KernelSearch, or a Gaussian process"
            raise ParameterError("estimator", type(estimator).__name__, rule, remedy)
        names = getattr(estimator, "feature_names_in_", None)
        values = np.asarray(process.X_train_ if X is None else X)
        if values.ndim != 2 or values.dtype.kind not in "fiub":
            rule = "must be a matrix of numbers, along whose columns terms are drawn"
            raise ShapeError("X", f"array of shape {values.shape}", rule)
        values = values.astype(float)
        display = cls(grids=[], means=[], stds=[], titles=[], names=[])
        for at, term in enumerate(additive_terms(process.kernel_)):
            column = _column(term, values.shape[1])
            low, high = values[:, column].min(), values[:, column].max()
            reach = margin * (high - low)
            along = np.linspace(low - reach, high + reach, grid)
            Z = np.tile(np.median(values, axis=0), (grid, 1))
            Z[:, column] = along
            means, stds = term_posteriors(process, Z, centered=True)
            display.grids.append(along)
            display.means.append(means[:, at])
            display.stds.append(stds[:, at])
            display.titles.append(describe_term(term, names))
            display.names.append(_name(names, column, values.shape[1]))
        return display.plot(axes, **options)

    def plot(self, axes: Axes = None, *, level: float = 0.95, color: str = "C0") -> Self:
        """Draw the mean and the band of every term, below each other.

        Parameters
        ----------
        axes : sequence of Axes of Matplotlib or None, default=None
            Where to draw, axes for each term; by default on a new figure.
        level : float, default=0.95
            The probability of the bands.
        color : str, default="C0"
            The color of means and bands.

        Returns
        -------
        display : DecompositionDisplay
            The display itself.
        """
        if not 0 < level < 1:
            raise ParameterError("level", level, "must be a probability between 0 and 1")
        count = len(self.means)
        if axes is None:
            size = {"figsize": (7.0, 2.2 * count), "layout": "constrained"}
            axes = pyplot().subplots(count, 1, squeeze=False, **size)[1]
        self.axes_ = np.ravel(np.asarray(axes, dtype=object))
        if len(self.axes_) != count:
            rule = f"must be one for each of the {count} terms"
            raise ShapeError("axes", f"{len(self.axes_)} axes", rule)
        self.figure_ = self.axes_[0].figure
        self.lines_: list[Artist] = []
        self.bands_: list[Artist] = []
        for at, ax in enumerate(self.axes_):
            self._draw(ax, at, float(norm.ppf(0.5 + level / 2)), color)
        return self

    def _draw(self, ax: Axes, at: int, width: float, color: str) -> None:
        grid, mean, reach = self.grids[at], self.means[at], width * self.stds[at]
        look = {"color": color, "alpha": 0.25, "linewidth": 0}
        self.bands_.append(ax.fill_between(grid, mean - reach, mean + reach, **look))
        self.lines_ += ax.plot(grid, mean, color=color, linewidth=1.2)
        title = self.titles[at]
        ax.set_title(textwrap.fill(title[0].upper() + title[1:], _WIDTH), fontsize="medium")
        ax.set_xlabel(self.names[at])
        ax.margins(x=0)


def _column(term: Kernel, n_columns: int) -> int:
    """The first column that a term looks at."""
    parts = [term, *(p for p in term.get_params().values() if isinstance(p, Kernel))]
    for part in parts:
        if isinstance(part, On):
            return (part.positions(n_columns) or [0])[0]
    return 0


def _name(names: Columns | Targets, column: int, n_columns: int) -> str:
    if names is not None:
        return str(names[column])
    return "x" if n_columns == 1 else f"column {column}"
