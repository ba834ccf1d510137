"""The widths of a kernel, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from numbers import Integral
from typing import NamedTuple, Self

import numpy as np

from mercer.aliases import Axes, RawSamples
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.learning.result import LearnedKernel
from mercer.kernels.base import Kernel
from mercer.kernels.combine.columns import On
from mercer.kernels.combine.maps import Warp
from mercer.plot._axes import Option, axes


class Part(NamedTuple):
    """A term or factor of a kernel: its formula's name, its columns, and the width of each."""

    name: str
    columns: list[object]
    widths: np.ndarray


class WidthsDisplay:
    """The inverse widths of a kernel as bars, column by column: what the kernel looks at.

    A short width is a column in which small differences count, and a long one is a column that the
    kernel ignores; so the bars are the inverses 1/ℓ, multiplied by the deviations of the columns
    where samples are given, which makes columns of different units comparable. Terms and factors
    with widths of their own have bars of their own color. Make it with `from_kernel`; ``plot``
    draws it again, on other axes if asked.

    Parameters
    ----------
    heights : ndarray of shape (n_columns, n_parts)
        The lengths of the bars, columns in the order in which they are drawn; 0 where a part
        does not read a column.
    names : sequence of str
        The names of the columns.
    part_names : sequence of str
        The names of the parts of the kernel that have widths.
    unit : str, default="1 / width"
        What the bars are.
    left_out : int, default=0
        The number of columns that are not drawn.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    bars_ : list of artists
        The bars, a container for each part.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import Laplacian, WidthsDisplay, learn_kernel
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> learned = learn_kernel(Laplacian([0.5] * 10), X, y, prior=1.0)
    >>> display = WidthsDisplay.from_kernel(learned, X)
    >>> list(display.names[:2])
    ['bmi', 's5']
    """

    def __init__(
        self,
        *,
        heights: np.ndarray,
        names: Sequence[str],
        part_names: Sequence[str],
        unit: str = "1 / width",
        left_out: int = 0,
    ) -> None:
        self.heights = heights
        self.names = names
        self.part_names = part_names
        self.unit = unit
        self.left_out = left_out

    @classmethod
    def from_kernel(
        cls,
        kernel: Kernel | LearnedKernel,
        X: RawSamples = None,
        *,
        feature_names: Sequence[object] | None = None,
        most: int = 30,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Draw the widths of a kernel that has one for each column, or terms for single columns.

        Parameters
        ----------
        kernel : Kernel or LearnedKernel
            The kernel, or what `learn_kernel` returned.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Samples; the bars are then the deviations of the columns divided by the widths.
        feature_names : list of str or None, default=None
            The names of the columns; by default those of the frame, or x0, x1, ...
        most : int, default=30
            How many columns are drawn, those with the longest bars.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : WidthsDisplay
            The display, drawn.
        """
        if isinstance(kernel, LearnedKernel):
            kernel = kernel.kernel
        if not isinstance(most, Integral) or most < 1:
            raise ParameterError("most", most, "must be a number of columns, at least 1")
        known = list(getattr(X, "columns", [] if X is None else range(np.shape(X)[1])))
        parts = list(_parts(kernel, [], known))
        if not parts:
            rule = "has no widths of single columns"
            remedy = "give a length scale for each column, as in RBF([1.0, 2.0])"
            raise ParameterError("kernel", kernel, rule, remedy)
        columns = known or _all_columns(parts)
        series = _series(parts)
        widths = [[part.get(column, np.inf) for part in series.values()] for column in columns]
        heights = _deviations(X, columns)[:, None] / np.array(widths)
        names = _names(columns, feature_names)
        order = np.argsort(-heights.max(axis=1), kind="stable")[:most]
        unit = "1 / width" if X is None else "deviation / width"
        display = cls(
            heights=heights[order],
            names=[names[at] for at in order],
            part_names=list(series),
            unit=unit,
            left_out=len(columns) - len(order),
        )
        return display.plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, colors: Sequence[Option] | None = None) -> Self:
        """Draw the bars, the longest on top.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        colors : list of colors of Matplotlib or None, default=None
            The color of each part; by default those of Matplotlib's cycle.

        Returns
        -------
        display : WidthsDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        count, n_parts = self.heights.shape
        at = np.arange(count)
        thickness = 0.8 / n_parts
        shades = colors or [f"C{part % 10}" for part in range(n_parts)]
        self.bars_ = []
        for part, name in enumerate(self.part_names):
            places = at + (part - 0.5 * (n_parts - 1)) * thickness
            look = {"height": 0.95 * thickness, "color": shades[part], "label": name}
            self.bars_.append(ax.barh(places, self.heights[:, part], **look))
        ax.set_yticks(at, self.names)
        ax.set(xlabel=self.unit, ylim=(count - 0.4, -0.6))
        if self.left_out:
            ax.set_ylabel(f"columns, {self.left_out} more are not drawn")
        if n_parts > 1:
            ax.legend(loc="lower right", frameon=False)
        return self


def _parts(kernel: Kernel, columns: list[object], known: list[object]) -> Iterator[Part]:
    """Every part that has a width for each of its columns; no columns are all of them."""
    if isinstance(kernel, Warp):  # the columns of the image are other ones
        return
    if isinstance(kernel, On):
        columns = _columns_of(kernel, columns or known)
    widths = _widths_of(kernel, len(columns))
    if widths is not None:
        yield _part(kernel, widths, columns or known)
    for child in kernel.children():
        yield from _parts(child, columns, known)


def _widths_of(kernel: Kernel, n_columns: int) -> np.ndarray | None:
    """The length scale of each column; None where a kernel has none, or one for several columns."""
    scale = kernel.get_params(deep=False).get("length_scale")
    if scale is None:
        return None
    if np.ndim(scale) != 1 and n_columns != 1:
        return None
    return np.atleast_1d(np.asarray(scale, dtype=float))


def _part(kernel: Kernel, widths: np.ndarray, columns: list[object]) -> Part:
    if columns and len(columns) != len(widths):
        rule = f"must have the {len(widths)} columns of {kernel}"
        raise ShapeError("X", f"{len(columns)} columns", rule)
    return Part(type(kernel).__name__, columns or list(range(len(widths))), widths)


def _columns_of(kernel: On, among: list[object]) -> list[object]:
    """The columns that a kernel reads, by the names of those it is given; else as it names them."""
    positions = kernel.positions(len(among))
    if among and positions is not None:
        return [among[at] for at in positions]
    return kernel.listed()


def _all_columns(parts: list[Part]) -> list[object]:
    """The columns that the parts name; all up to the last where they are numbers."""
    named = list(dict.fromkeys(column for part in parts for column in part.columns))
    numbers = [int(column) for column in named if isinstance(column, Integral)]
    if len(numbers) == len(named):
        return list(range(max(numbers) + 1))
    return named


def _series(parts: list[Part]) -> dict[str, dict[object, float]]:
    """Widths by column of parts that are drawn in one color, by name.

    Terms of the same formula that read different columns share one.
    """
    series: dict[str, dict[object, float]] = {}
    for part in parts:
        number, name = 1, part.name
        while not series.get(name, {}).keys().isdisjoint(part.columns):
            number += 1
            name = f"{part.name} {number}"
        widths = zip(part.columns, part.widths.tolist(), strict=True)
        series.setdefault(name, {}).update(widths)
    return series


def _deviations(X: RawSamples, columns: list[object]) -> np.ndarray:
    """The deviation of every column of numbers; 1 of others, and without samples."""
    if X is None:
        return np.ones(len(columns))
    values = X
    if not hasattr(X, "columns"):
        values = dict(enumerate(np.transpose(X)))
    return np.array([_deviation(np.asarray(values[column])) for column in columns])


def _deviation(values: np.ndarray) -> float:
    try:
        return float(np.nanstd(values.astype(float)))
    except (TypeError, ValueError):  # text
        return 1.0


def _names(columns: list[object], given: Sequence[object] | None) -> list[str]:
    if given is None:
        return [f"x{name}" if isinstance(name, Integral) else str(name) for name in columns]
    if len(given) != len(columns):
        rule = f"must name the {len(columns)} columns of the kernel"
        raise ShapeError("feature_names", f"{len(given)} names", rule)
    return [str(name) for name in given]
