"""How many labels prediction sets have, and how often sets of each size hold the right one."""

from __future__ import annotations

from typing import Self

import numpy as np

from mercer.aliases import Axes, Estimator, RawSamples, Targets
from mercer.errors import ParameterError
from mercer.estimators.conformal.results import PredictionSets
from mercer.plot._axes import Option, axes
from mercer.plot.conformal.intervals import bound_text


class SetSizeDisplay:
    """The sizes of prediction sets as bars, with the coverage of the sets of each size.

    It is for `ConformalClassifier`, `AutoClassifier`, or any estimator whose ``predict_set`` gives
    `PredictionSets`. Make it with `from_estimator`; ``plot`` draws it again.

    Parameters
    ----------
    sets : PredictionSets
        The sets.
    y : ndarray of shape (n_samples,) or None, default=None
        The labels.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    bars_ : artist
        The numbers of sets of each size.
    counts_ : ndarray of shape (n_classes + 1,)
        These numbers, of sets of no label, of one, and so on.
    texts_ : list of artists
        The coverage of the sets of each size, where labels are known.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, ConformalClassifier, SetSizeDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(SVC()).fit(X[::2], y[::2])
    >>> display = SetSizeDisplay.from_estimator(model, X[1::2], y[1::2])
    >>> int(display.counts_.sum())
    75
    """

    def __init__(self, *, sets: PredictionSets, y: np.ndarray | None = None) -> None:
        self.sets = sets
        self.y = y

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets = None,
        *,
        coverage: float = 0.9,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Predict sets and draw their sizes.

        Parameters
        ----------
        estimator : fitted estimator
            What has ``predict_set``.
        X : array-like or collection of n_samples
            The samples.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels.
        coverage : float, default=0.9
            The coverage that is asked for.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : SetSizeDisplay
            The display, drawn.
        """
        if not hasattr(estimator, "predict_set"):
            rule, remedy = "has no predict_set", "wrap it: ConformalClassifier(...)"
            raise ParameterError("estimator", type(estimator).__name__, rule, remedy)
        labels = None if y is None else np.asarray(y)
        display = cls(sets=estimator.predict_set(X, coverage), y=labels)
        return display.plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, color: str = "C0") -> Self:
        """Draw the numbers of sets of each size.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        color : str, default="C0"
            The color of the bars.

        Returns
        -------
        display : SetSizeDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        sizes = self.sets.sizes
        self.counts_ = np.bincount(sizes, minlength=len(self.sets.classes) + 1)
        places = np.arange(len(self.counts_))
        self.bars_ = ax.bar(places, self.counts_, color=color, alpha=0.6)
        self.texts_ = []
        title = f"asked {self.sets.coverage:.0%}, {bound_text(self.sets.bound)}"
        if self.y is not None:
            right = self.sets.contain(self.y)
            title += f", held {right.mean():.1%}"
            for size in np.unique(sizes[sizes > 0]):
                share = f"{right[sizes == size].mean():.0%} right"
                place = {"ha": "center", "va": "bottom", "fontsize": "small"}
                self.texts_.append(ax.text(size, self.counts_[size], share, **place))
        ax.set_xticks(places)
        ax.margins(y=0.1)
        ax.set_xlabel("labels in the set")
        ax.set_ylabel("samples")
        ax.set_title(title, fontsize="medium")
        return self
