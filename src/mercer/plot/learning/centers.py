"""How much more centers would help: the score and what they leave out, over their number."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Self

import numpy as np
from sklearn.base import clone

from mercer.aliases import Axes, Estimator, RawSamples, Targets
from mercer.errors import ABSENT, ParameterError
from mercer.plot._axes import Option, axes

_DEFAULT = (125, 250, 500, 1000, 2000)


class CentersDisplay:
    """A learning curve of the number of centers M: the score of other rows, and the trace error.

    The trace error is the mean of k(x, x) − q(x, x) over fresh rows: what the centers do not know
    of the kernel. Where the score has become flat, more centers cost time and bring nothing; where
    it still rises, they are worth their price. Make it with `from_estimator`; ``plot`` draws it
    again, on other axes if asked.

    Parameters
    ----------
    n_centers : ndarray of int
        The numbers of centers.
    scores : ndarray
        The score of each.
    trace_errors : ndarray of shape (n, 2)
        Mean and standard error of k(x, x) − q(x, x), for each.
    metric : str, default="score"
        What the scores are.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib
        Where it was drawn.
    line_ : artist
        The scores.
    trace_ax_ : Axes of Matplotlib
        The axes of the trace error, on the right.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from mercer import RBF, CentersDisplay, KernelRidge
    >>> X = np.random.default_rng(0).standard_normal((600, 2))
    >>> y = np.sin(2 * X[:, 0]) * X[:, 1]
    >>> model = KernelRidge(0.01, kernel=RBF(), random_state=0)
    >>> display = CentersDisplay.from_estimator(
    ...     model, X[:400], y[:400], X_test=X[400:], y_test=y[400:], n_centers=[5, 20, 80]
    ... )
    >>> bool((np.diff(display.scores) > 0).all())
    True
    """

    def __init__(
        self,
        *,
        n_centers: np.ndarray,
        scores: np.ndarray,
        trace_errors: np.ndarray,
        metric: str = "score",
    ) -> None:
        self.n_centers = n_centers
        self.scores = scores
        self.trace_errors = trace_errors
        self.metric = metric

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: RawSamples,
        y: Targets = None,
        *,
        X_test: RawSamples = None,
        y_test: Targets = None,
        n_centers: Sequence[int] = _DEFAULT,
        ax: Axes = None,
        **options: Option,
    ) -> Self:
        """Fit copies of a learner with several numbers of centers, and draw their scores.

        Parameters
        ----------
        estimator : estimator
            A learner with a parameter ``centers``; it is not changed.
        X : array-like, collection or source of rows
            The training samples.
        y : array-like or None, default=None
            The targets; None where a source of rows has them.
        X_test : array-like or collection, default=None
            Samples for the score; by default the rows that fits on many rows hold out.
        y_test : array-like, default=None
            Their targets.
        n_centers : sequence of int, default=(125, 250, 500, 1000, 2000)
            The numbers of centers.
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        **options
            Options of `plot`.

        Returns
        -------
        display : CentersDisplay
            The display, drawn.
        """
        counts = _checked_counts(n_centers)
        scores, errors = [], []
        for count in counts:
            model = clone(estimator).set_params(centers=count).fit(X, y)
            scores.append(_score(model, X_test, y_test))
            errors.append(model.report_.trace_error[:2])
        display = cls(
            n_centers=np.array(counts),
            scores=np.array(scores),
            trace_errors=np.array(errors),
            metric="score" if X_test is not None else "score of rows held out",
        )
        return display.plot(ax=ax, **options)

    def plot(self, *, ax: Axes = None, color: Option = "C0", trace_color: Option = "C1") -> Self:
        """Draw the curve, with a logarithmic axis of centers.

        Parameters
        ----------
        ax : Axes of Matplotlib or None, default=None
            Where to draw; by default on new axes.
        color : color of Matplotlib, default="C0"
            That of the scores.
        trace_color : color of Matplotlib, default="C1"
            That of the trace error.

        Returns
        -------
        display : CentersDisplay
            The display itself.
        """
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        (self.line_,) = ax.plot(self.n_centers, self.scores, "o-", color=color, label=self.metric)
        ax.set_xscale("log")
        ax.set_xticks(self.n_centers, [f"{count:,}" for count in self.n_centers])
        ax.minorticks_off()
        ax.set(xlabel="centers", ylabel=self.metric)
        self.trace_ax_ = ax.twinx()
        mean, deviation = self.trace_errors.T
        look = {"fmt": "s--", "color": trace_color, "capsize": 3}
        self.trace_ax_.errorbar(self.n_centers, mean, yerr=deviation, **look)
        self.trace_ax_.set(ylabel="mean of k(x, x) − q(x, x)", ylim=(0, None))
        return self


def _checked_counts(n_centers: Sequence[int]) -> list[int]:
    counts = sorted(set(n_centers))
    if not counts or not all(isinstance(count, Integral) and count > 0 for count in counts):
        raise ParameterError("n_centers", n_centers, "must be integers >= 1")
    return [int(count) for count in counts]


def _score(model: Estimator, X: RawSamples, y: Targets) -> float:
    """The score of other samples, or that of the rows held out."""
    if X is not None:
        return float(model.score(X, y))
    if "score" not in model.report_.facts:
        rule = "is missing, and the fit has held no rows out"
        raise ParameterError("X_test", ABSENT, rule, "give X_test and y_test, or 20,000 rows")
    return float(model.report_.score)
