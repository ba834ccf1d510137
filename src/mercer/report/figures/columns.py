"""Figures of what was learned from: columns, terms of the kernel, numbers of samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.aliases import Axes
from mercer.automatic.metrics import METRICS, Reference
from mercer.automatic.study import Study
from mercer.report.formatting import Described, shorten

_MOST_BARS = 20
_PER_BAR = 0.25  # inches


def _bars(ax: Axes, names: Sequence[str], values: Sequence[float], **style: object) -> None:
    """Horizontal bars with names, the first on top; the figure grows with their number."""
    places = range(len(names))[::-1]
    ax.barh(places, values, alpha=0.85, **style)
    ax.set_yticks(places, names)
    ax.figure.set_figheight(max(ax.figure.get_figheight(), 1.0 + _PER_BAR * len(names)))


def contributions(study: Study, ax: Axes) -> Described:
    """The importance of each column, with standard errors."""
    if not study.contributions:
        return None
    shown = study.contributions[:_MOST_BARS]
    drops = [each.drop for each in shown]
    errors = [each.error for each in shown]
    names = [shorten(each.column, 18) for each in shown]
    _bars(ax, names, drops, xerr=errors, color="C0", capsize=2)
    ax.axvline(0, color="0.3", linewidth=0.8)
    metric = study.importance
    moves = "fall" if metric.greater else "rise"
    ax.set(xlabel=f"{moves} of {metric.title} when shuffled")
    caption = (
        f"Permutation importance: the {moves} of the {metric.title} when the values of a "
        "column are shuffled among held-out samples, with standard errors"
    )
    others = len(study.contributions) - len(shown)
    if others:
        caption += f"; {others} more columns contribute less"
    return "Importance of columns", f"{caption}."


def terms(study: Study, ax: Axes) -> Described:
    """The share of each term of the kernel in the learned function."""
    if not study.shares:
        return None
    names = [shorten(name, 22) for name, _ in study.shares]
    _bars(ax, names, [100 * share for _, share in study.shares], color="C2")
    ax.set(xlabel="share of ‖f‖², %")
    return (
        "Terms of the kernel",
        "The kernel is a sum, and the learned function f has a part in the feature space of each "
        "term: the share of its squared norm that lies there.",
    )


def learning(study: Study, ax: Axes) -> Described:
    """The score by the number of training samples."""
    if len(study.curve) < 2:
        return None
    counts = [point.count for point in study.curve]
    scores = np.array([point.score for point in study.curve])
    errors = np.array([point.error for point in study.curve])
    ax.errorbar(counts, scores, yerr=errors, fmt="o-", capsize=3)
    name = "accuracy" if study.is_classification else "r2"
    y = study.question.y
    baseline = Reference(y, study.question.task).baselines(y)[name]
    ax.axhline(baseline, color="0.5", linestyle=":", linewidth=1, label="baseline")
    ax.set(xscale="log", xlabel="training samples", ylabel=METRICS[name].title)
    ax.set_xticks(counts, [f"{count:,}" for count in counts], rotation=30)
    ax.minorticks_off()
    ax.legend(frameon=False)
    advice = "more samples would help little"
    if scores[-1] - scores[-2] > errors[-1] + errors[-2]:
        advice = "more samples would likely help"
    return (
        "Learning curve",
        "The score on held-out samples by the number of training samples, with standard errors: "
        f"{advice}.",
    )


DRAWERS = (contributions, terms, learning)
