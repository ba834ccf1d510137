"""The shares of several kernels, step by step of the learning."""

from __future__ import annotations

from numbers import Integral
from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Axes, Estimator
from mercer.errors import ParameterError
from mercer.plot._axes import Option, axes
from mercer.plot._estimator import last_step

_MOST_NAMES = 10  # colors that can be distinguished
_LONGEST = 32  # characters of a kernel in the legend


class WeightsDisplay:
    """Shares of several kernels over the steps in which they were learned.

    A line per kernel, of which the heaviest at the end have names. Make it with `from_estimator`;
    ``plot`` draws it again, on other axes if asked.

    Parameters
    ----------
    path : ndarray of shape (n_steps, n_kernels)
        The shares after every step.
    names : list of str
        The kernels.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    lines_ : list of artists
        The line of each kernel.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from mercer import RBF, MultipleKernelRegressor, WeightsDisplay
    >>> X = np.random.default_rng(0).uniform(-2, 2, (60, 2))
    >>> model = MultipleKernelRegressor([RBF().on([0]), RBF().on([1])]).fit(
    ...     X, np.sin(X[:, 0])
    ... )
    >>> display = WeightsDisplay.from_estimator(model)
    >>> len(display.lines_), display.names
    (2, ['RBF().on([0])', 'RBF().on([1])'])
    """

    def __init__(self, *, path: np.ndarray, names: list[str]) -> None:
        self.path = path
        self.names = names

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, target: int = 0, *, ax: Axes = None, **options: Option
    ) -> Self:
        """Draw the shares of a fitted estimator.

        Parameters
        ----------
        estimator : fitted MultipleKernelRegressor or MultipleKernelClassifier, or a pipeline
            What has learned shares.
        target : int, default=0
            The number of the target, where each has its own weights.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : WeightsDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        model = last_step(estimator)
        if not hasattr(model, "shares_"):
            remedy = "give MultipleKernelRegressor or MultipleKernelClassifier"
            raise ParameterError("estimator", estimator, "has learned no shares", remedy)
        path, report = model.path_, model.report_
        if isinstance(path, list):
            if not isinstance(target, Integral) or not 0 <= target < len(path):
                raise ParameterError("target", target, f"must be a number below {len(path)}")
            path, report = path[target], report[target]
        names = [text for text, *_ in report.terms]
        return cls(path=np.asarray(path), names=names).plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, **line: Option) -> Self:
        """Draw the lines.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **line
            Options of Matplotlib's lines.

        Returns
        -------
        display : WeightsDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        steps = np.arange(len(self.path))
        # one step is no line: methods without steps get points
        look = {"marker": "o" if len(steps) == 1 else None, "linewidth": 1.5, **line}
        by_share = np.argsort(-self.path[-1], kind="stable")
        rank = np.empty(len(by_share), dtype=int)
        rank[by_share] = np.arange(len(by_share))
        self.lines_ = [
            ax.plot(steps, self.path[:, k], **self._look_of(k, int(rank[k])), **look)[0]
            for k in range(self.path.shape[1])
        ]
        ax.set(xlabel="step", ylabel="share of the kernel", ylim=(-0.02, 1.02))
        ax.xaxis.get_major_locator().set_params(integer=True)
        named = [self.lines_[k] for k in by_share[:_MOST_NAMES] if self.path[-1, k] > 0]
        ax.legend(handles=named, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        return self

    def _look_of(self, k: int, rank: int) -> dict[str, Option]:
        """A color and a name for the heaviest kernels, gray for the others."""
        if rank >= _MOST_NAMES or self.path[-1, k] == 0:
            return {"color": "0.8", "zorder": 1}
        text = self.names[k]
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST - 1]}…"
        return {"color": f"C{rank}", "label": f"{text}  {self.path[-1, k]:.0%}"}
