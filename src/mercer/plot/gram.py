"""The Gram matrix as a map: who is like whom."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mercer.aliases import Axes, Estimator, RawSamples, Targets
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError, ShapeError
from mercer.kernels.base import Kernel
from mercer.plot._axes import Labels, axes, class_colours, kernel_and_samples, read_labels

_MOST = 1000  # samples beyond which a screen has no pixels left


class GramDisplay:
    """k(x, y) of all pairs of samples, those of a class side by side, so that a good kernel shows blocks.

    Within a class samples are in the order of their likeness to its mean. Of more than ``most`` samples some are drawn, of each class as
    many as its share. Make it with `from_kernel`, `from_estimator` or `from_matrix`; ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    K : the matrix, in the order of drawing
    groups : names of the classes and how many samples each has, in the same order; empty without labels
    order : which samples the rows are

    Attributes
    ----------
    ax_, figure_, image_, colorbar_ : what was drawn

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RBF, GramDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = GramDisplay.from_kernel(RBF(length_scale=1.0), X, y)
    >>> display.K.shape, display.groups[0]
    ((150, 150), ('0', 50))
    """

    def __init__(self, *, K: np.ndarray, groups: list[tuple[str, int]], order: np.ndarray) -> None:
        self.K, self.groups, self.order = K, groups, order

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets = None,
        *,
        most: int = _MOST,
        ax: Axes = None,
        **options: Any,
    ) -> Self:
        """The matrix of ``X`` by the kernel of a fitted estimator; the steps before it in a pipeline are applied."""
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
        **options: Any,
    ) -> Self:
        """The matrix of ``X``, of at most ``most`` samples; a kernel that learns from data must have been fitted."""
        labels = read_labels(y, raw_length(X))
        chosen = _spread(labels, raw_length(X), most)
        return cls._made(np.asarray(kernel(pick_rows(X, chosen))), labels, chosen).plot(
            ax=ax, **options
        )

    @classmethod
    def from_matrix(
        cls, K: Any, y: Targets = None, *, most: int = _MOST, ax: Axes = None, **options: Any
    ) -> Self:
        """A matrix that is there already."""
        K = np.asarray(K, dtype=float)
        if K.ndim != 2 or K.shape[0] != K.shape[1]:
            raise ShapeError("K", f"array of shape {K.shape}", "must be a square matrix")
        labels = read_labels(y, len(K))
        chosen = _spread(labels, len(K), most)
        return cls._made(K[np.ix_(chosen, chosen)], labels, chosen).plot(ax=ax, **options)

    @classmethod
    def _made(cls, K: np.ndarray, labels: Labels | None, chosen: np.ndarray) -> Self:
        if labels is None or labels.names is None:
            order = (
                np.arange(len(K))
                if labels is None
                else np.argsort(labels.codes[chosen], kind="stable")
            )
            return cls(K=K[np.ix_(order, order)], groups=[], order=chosen[order])
        codes = labels.codes[chosen]
        parts = [np.flatnonzero(codes == c) for c in range(len(labels.names))]
        parts = [
            part[np.argsort(-K[np.ix_(part, part)].mean(axis=1), kind="stable")] for part in parts
        ]
        order = np.concatenate(parts)
        groups = [
            (said, len(part)) for said, part in zip(labels.names, parts, strict=True) if len(part)
        ]
        return cls(K=K[np.ix_(order, order)], groups=groups, order=chosen[order])

    def plot(
        self, *, ax: Axes = None, cmap: str = "viridis", colorbar: bool = True, **style: Any
    ) -> Self:
        """Draw; further options are those of Matplotlib's imshow. The scale leaves out the extreme hundredth of the values."""
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        low, high = np.quantile(self.K, [0.01, 0.99])
        limits = {"vmin": low, "vmax": high} if high > low else {}
        self.image_ = ax.imshow(self.K, cmap=cmap, interpolation="nearest", **{**limits, **style})
        self.colorbar_ = (
            ax.figure.colorbar(self.image_, ax=ax, label="k(x, y)", fraction=0.046, pad=0.03)
            if colorbar
            else None
        )
        if not self.groups:
            ax.set(xlabel="sample", ylabel="sample")
            return self
        ends = np.cumsum([count for _, count in self.groups])
        middle = ends - np.array([count for _, count in self.groups]) / 2 - 0.5
        for end in ends[:-1]:
            ax.axhline(end - 0.5, color="white", linewidth=0.8)
            ax.axvline(end - 0.5, color="white", linewidth=0.8)
        told = range(0, len(middle), -(-len(middle) // 20))
        upright = (
            {"rotation": 90, "va": "center"} if len(middle) <= 3 else {}
        )  # long names of few classes stand beside their blocks
        ax.set_yticks(middle[list(told)], [self.groups[at][0] for at in told], **upright)
        ax.set_xticks(
            middle[list(told)],
            [self.groups[at][0] for at in told],
            rotation=45 if len(middle) > 3 else 0,
            ha="right" if len(middle) > 3 else "center",
        )
        colours = class_colours(len(middle))
        for at, label in zip(told, ax.get_yticklabels(), strict=True):
            label.set_color(colours[at])
        return self


def _spread(labels: Labels | None, count: int, most: int) -> np.ndarray:
    """At most ``most`` samples, classes as often as they occur, taken evenly and not by chance."""
    if most < 1:
        raise ParameterError("most", most, "must be at least 1 sample")
    if count <= most:
        return np.arange(count)
    by_class = np.arange(count) if labels is None else np.argsort(labels.codes, kind="stable")
    return np.sort(by_class[np.linspace(0, count - 1, most).round().astype(int)])
