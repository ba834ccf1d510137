"""The Gram matrix as an image: which samples are similar to which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from mercer.aliases import Axes, Estimator, RawSamples, Targets
from mercer.domains.base import pick_rows, raw_length
from mercer.kernels.base import Kernel
from mercer.plot._axes import Labels, Option, axes, class_colors, read_labels
from mercer.plot._estimator import evenly, kernel_and_samples, square_matrix

_MOST = 1000  # samples beyond which a screen has no pixels left
_MOST_TICKS = 18  # names below each other that do not overlap
_LONGEST = 18  # letters of a name, where there are many
_FEW_CLASSES = 3  # whose names have room without being slanted


class GramDisplay:
    """Image of the Gram matrix, samples ordered by class, so that a good kernel shows blocks.

    Within a class samples are in the order of their mean similarity to the class. Of more than
    ``most`` samples some are drawn, of each class as many as its share. Make it with
    `from_kernel`, `from_estimator` or `from_matrix`; ``plot`` draws it again, on other axes if
    asked.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The matrix, in the order of drawing.
    groups : list of (str, int)
        The names of the classes and how many samples each has, in the same order; empty without
        labels.
    order : ndarray of shape (n,)
        Which samples the rows are.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    image_ : image
        The matrix.
    colorbar_ : artist or None
        The scale of its values.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RBF, GramDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = GramDisplay.from_kernel(RBF(length_scale=1.0), X, y)
    >>> display.K.shape, display.groups[0]
    ((150, 150), ('0', 50))
    """

    def __init__(self, *, K: np.ndarray, groups: list[tuple[str, int]], order: np.ndarray) -> None:
        self.K = K
        self.groups = groups
        self.order = order

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets = None,
        *,
        most: int = _MOST,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Draw the Gram matrix of samples by the kernel of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator with a kernel, or a pipeline that ends with one
            Whose kernel is drawn; the steps before it are applied to the samples.
        X : samples
            The samples.
        y : array-like of shape (n_samples,) or None, default=None
            Names of classes, or numbers, by which the samples are ordered.
        most : int, default=1000
            The largest number of samples that are drawn.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : GramDisplay
            The display, drawn.
        """
        kernel, X = kernel_and_samples(estimator, X)
        return cls.from_kernel(kernel, X, y, most=most, ax=ax, **options)

    @classmethod
    def from_kernel(
        cls,
        kernel: Kernel,
        X: RawSamples,
        y: Targets = None,
        *,
        most: int = _MOST,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Draw the Gram matrix of samples.

        Parameters
        ----------
        kernel : Kernel
            The kernel; one that learns from data must have been fitted.
        X : samples
            The samples.
        y : array-like of shape (n_samples,) or None, default=None
            Names of classes, or numbers, by which the samples are ordered.
        most : int, default=1000
            The largest number of samples that are drawn.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : GramDisplay
            The display, drawn.
        """
        labels = read_labels(y, raw_length(X))
        chosen = _spread(labels, raw_length(X), most)
        K = np.asarray(kernel(pick_rows(X, chosen)))
        return cls._ordered(K, labels, chosen).plot(ax=ax, **options)

    @classmethod
    def from_matrix(
        cls, K: object, y: Targets = None, *, most: int = _MOST, ax: Axes = None, **options: Option
    ) -> Self:
        """Draw a Gram matrix that was computed before.

        Parameters
        ----------
        K : array-like of shape (n_samples, n_samples)
            The matrix.
        y : array-like of shape (n_samples,) or None, default=None
            Names of classes, or numbers, by which the samples are ordered.
        most : int, default=1000
            The largest number of samples that are drawn.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : GramDisplay
            The display, drawn.
        """
        matrix = square_matrix(K)
        labels = read_labels(y, len(matrix))
        chosen = _spread(labels, len(matrix), most)
        return cls._ordered(matrix[np.ix_(chosen, chosen)], labels, chosen).plot(ax=ax, **options)

    @classmethod
    def _ordered(cls, K: np.ndarray, labels: Labels | None, chosen: np.ndarray) -> Self:
        """The display of a matrix of the chosen samples, which is put in the order of drawing."""
        order = np.arange(len(K))
        groups: list[tuple[str, int]] = []
        if labels is not None:
            codes = labels.codes[chosen]
            order = np.argsort(codes, kind="stable")
            for at, name in enumerate(labels.names or []):
                in_class = codes[order] == at
                order[in_class] = _by_similarity(K, order[in_class])
                groups.append((name, int(in_class.sum())))
        present = [group for group in groups if group[1]]
        return cls(K=K[np.ix_(order, order)], groups=present, order=chosen[order])

    def plot(
        self, *, ax: Axes = None, cmap: str = "viridis", colorbar: bool = True, **style: Option
    ) -> Self:
        """Draw the display, on a scale that leaves out the extreme hundredths of the values.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        cmap : str, default="viridis"
            The color map.
        colorbar : bool, default=True
            Whether to draw a color bar.
        **style
            Options of Matplotlib's imshow.

        Returns
        -------
        display : GramDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        low, high = np.quantile(self.K, [0.01, 0.99])
        if high > low:
            style = {"vmin": low, "vmax": high, **style}
        self.image_ = ax.imshow(self.K, cmap=cmap, interpolation="nearest", **style)
        self.colorbar_ = None
        if colorbar:
            look = {"label": "k(x, y)", "fraction": 0.046, "pad": 0.03}
            self.colorbar_ = ax.figure.colorbar(self.image_, ax=ax, **look)
        if self.groups:
            self._draw_groups()
        else:
            ax.set(xlabel="sample", ylabel="sample")
        return self

    def _draw_groups(self) -> None:
        """Lines between the classes, and their names beside the blocks."""
        ax = self.ax_
        names, counts = zip(*self.groups, strict=True)
        ends = np.cumsum(counts)
        for end in ends[:-1]:
            ax.axhline(end - 0.5, color="white", linewidth=0.8)
            ax.axvline(end - 0.5, color="white", linewidth=0.8)
        ticks = ends - np.array(counts) / 2 - 0.5
        named = _with_room(ticks, counts)
        colors = [class_colors(len(names))[at] for at in named]
        ticks, texts = ticks[named], [_shortened(names[at]) for at in named]
        if len(names) <= _FEW_CLASSES:
            # Long names of few classes stand upright beside their blocks.
            ax.set_yticks(ticks, texts, rotation=90, va="center")
            ax.set_xticks(ticks, texts, rotation=0, ha="center")
        elif len(named) == len(names):
            ax.set_yticks(ticks, texts)
            ax.set_xticks(ticks, texts, rotation=45, ha="right")
        else:
            # Columns are in the order of rows; the room is better used by the matrix.
            ax.set_yticks(ticks, texts)
            ax.set_xticks([])
        for label, color in zip(ax.get_yticklabels(), colors, strict=True):
            label.set_color(color)


def _with_room(ticks: np.ndarray, counts: Sequence[int]) -> list[int]:
    """The classes whose names do not overlap, the larger classes first."""
    gap = sum(counts) / _MOST_TICKS
    named: list[int] = []
    for at in np.argsort(-np.array(counts), kind="stable").tolist():
        if (abs(ticks[named] - ticks[at]) >= gap).all():
            named.append(at)
    return sorted(named)


def _shortened(name: str) -> str:
    """The name, or its beginning."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _by_similarity(K: np.ndarray, part: np.ndarray) -> np.ndarray:
    """The samples of a class in the order of their mean similarity to the class."""
    return part[np.argsort(-K[np.ix_(part, part)].mean(axis=1), kind="stable")]


def _spread(labels: Labels | None, count: int, most: int) -> np.ndarray:
    """At most ``most`` samples, taken evenly from every class and not by chance."""
    by_class = np.arange(count)
    if labels is not None:
        by_class = np.argsort(labels.codes, kind="stable")
    return np.sort(by_class[evenly(count, most)])
