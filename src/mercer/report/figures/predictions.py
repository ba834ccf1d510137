"""Figures of held-out predictions: classes and their probabilities, or numbers and residuals."""

from __future__ import annotations

import numpy as np

from mercer.aliases import Axes
from mercer.automatic.studies import details
from mercer.automatic.study import Study
from mercer.report.formatting import Described, shorten

_MOST_CLASSES = 40  # of a confusion matrix
_NAMED = 16  # classes whose names fit below a confusion matrix
_WRITTEN = 8  # classes whose counts fit into its cells
_MOST_CURVES = 8
_PER_CLASS = 0.19  # inches of a row with a name


def confusion(study: Study, ax: Axes) -> Described:
    """How many samples of each class were predicted as each class."""
    if study.assessment is None or not study.is_classification:
        return None
    classes, counts = details.confusion(study)
    n_classes = len(classes)
    if n_classes > _MOST_CLASSES:
        return None
    # A test set may lack a class.
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    names = [shorten(str(name), 14) for name in classes]
    tilted = {"rotation": 45, "ha": "right"} if n_classes > 3 else {}
    below = names if n_classes <= _NAMED else []
    ax.set_xticks(range(len(below)), below, **tilted)
    ax.set_yticks(range(n_classes), names)
    ax.figure.set_figheight(max(ax.figure.get_figheight(), 1.4 + _PER_CLASS * n_classes))
    if n_classes <= _WRITTEN:
        _write_counts(counts, shares, ax)
    ax.set(xlabel="predicted", ylabel="true")
    text = "For each true class (a row), how many of its held-out samples were predicted as each "
    text += "class; the color shows the share."
    if not below:
        text += " Columns are in the order of the rows."
    return "Confusion matrix", text


def _write_counts(counts: np.ndarray, shares: np.ndarray, ax: Axes) -> None:
    """Write counts, and percentages where there is room, into the cells."""
    for (row, column), share in np.ndenumerate(shares):
        text = f"{counts[row, column]:,}"
        if len(shares) <= 4:
            text += f"\n{100 * share:.1f} %"
        color = "white" if share > 0.6 else "0.15"
        ax.text(column, row, text, ha="center", va="center", color=color)


def roc(study: Study, ax: Axes) -> Described:
    """The ROC curve of the class of interest, or of the most frequent classes."""
    drawn = _curves(study)
    if not drawn:
        return None
    ax.plot([0, 1], [0, 1], color="0.5", linewidth=1, linestyle="--")
    for each in drawn:
        label = f"{shorten(each.name, 14)}, AUC {each.area:.3f}"
        ax.plot(each.false_positives, each.true_positives, drawstyle="steps-post", label=label)
    ax.set(xlabel="false positive rate", ylabel="true positive rate")
    ax.legend(frameon=False, loc="lower right", handlelength=1.2)
    return "ROC curve", (
        f"The share of {_whose(study)} that is found, against the share of other samples that is "
        "taken for it, as the threshold on the predicted probability falls."
    )


def precision_recall(study: Study, ax: Axes) -> Described:
    """The precision–recall curve of the same classes."""
    drawn = _curves(study)
    if not drawn:
        return None
    for each in drawn:
        label = f"{shorten(each.name, 14)}, {each.average_precision:.3f}"
        recall = each.true_positives[1:]
        ax.plot(recall, each.precision, drawstyle="steps-pre", label=label)
    ax.set(xlabel="recall", ylabel="precision", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.legend(framealpha=0.85, loc="lower left", title="average precision", handlelength=1.2)
    return "Precision and recall", (
        f"Of the samples predicted as {_whose(study)}, the share that is; against the share of "
        "those that are found."
    )


def _curves(study: Study) -> list[details.Curves]:
    """The curves of the most frequent classes."""
    counts = dict(zip(*np.unique(study.question.y.astype(str), return_counts=True), strict=True))
    drawn = details.curves(study) if study.is_classification else []
    return sorted(drawn, key=lambda each: -counts[each.name])[:_MOST_CURVES]


def _whose(study: Study) -> str:
    classes = np.unique(study.question.y)
    if len(classes) == 2:
        return str(classes[study.interest])
    return "a class"


def calibration(study: Study, ax: Axes) -> Described:
    """Predicted probabilities beside observed frequencies."""
    if not study.is_classification:
        return None
    groups = details.calibration(study)
    if groups is None:
        return None
    ax.plot([0, 1], [0, 1], color="0.5", linewidth=1, linestyle="--")
    style = {"fmt": "o-", "color": "C0", "capsize": 2, "markersize": 5}
    ax.errorbar(groups.predicted, groups.observed, yerr=groups.error, **style)
    label = f"predicted probability of {shorten(groups.of, 20)}"
    ax.set(xlabel=label, ylabel="observed frequency", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return (
        "Calibration",
        "Held-out samples in groups of similar predicted probability; calibrated probabilities lie "
        f"on the diagonal. The mean difference is {100 * groups.gap:.1f} percentage points.",
    )


def residuals(study: Study, ax: Axes) -> Described:
    """True against predicted values."""
    if study.assessment is None or study.is_classification:
        return None
    y, predicted = study.held_out.y, study.assessment.predicted[0]
    low = min(y.min(), predicted.min())
    high = max(y.max(), predicted.max())
    ax.plot([low, high], [low, high], color="0.4", linewidth=1, linestyle="--")
    ax.scatter(predicted, y, s=12, alpha=0.5, linewidths=0)
    ax.set(xlabel=f"predicted {shorten(study.question.target, 24)}", ylabel="true")
    return (
        "Predicted and true values",
        "Predictions for held-out samples against the true values; the root mean squared error is "
        f"{study.root_mean_squared_error:.4g}.",
    )


def trend(study: Study, ax: Axes) -> Described:
    """Residuals against predicted values, which show what the model misses."""
    if study.assessment is None or study.is_classification:
        return None
    y, predicted = study.held_out.y, study.assessment.predicted[0]
    errors = y - predicted
    ax.axhline(0, color="0.4", linewidth=1, linestyle="--")
    ax.scatter(predicted, errors, s=12, alpha=0.5, linewidths=0)
    groups = np.array_split(np.argsort(predicted, kind="stable"), min(10, max(3, len(y) // 20)))
    means = [float(errors[group].mean()) for group in groups]
    ax.plot([float(predicted[group].mean()) for group in groups], means, "o-", color="C1")
    ax.set(xlabel=f"predicted {shorten(study.question.target, 24)}", ylabel="true − predicted")
    return (
        "Residuals by prediction",
        "Residuals of held-out samples; the line joins their means in groups of similar "
        "predictions, and lies at 0 where the model misses nothing on average.",
    )


def spread(study: Study, ax: Axes) -> Described:
    """A histogram of the residuals."""
    if study.assessment is None or study.is_classification:
        return None
    errors = study.held_out.y - study.assessment.predicted[0]
    bins = min(50, max(10, int(np.sqrt(len(errors)))))
    ax.hist(errors, bins=bins, color="C0", alpha=0.8)
    ax.axvline(0, color="0.3", linewidth=1)
    ax.set(xlabel="true − predicted", ylabel="samples")
    low, high = np.quantile(errors, [0.05, 0.95])
    return "Residuals", f"90 % of the residuals lie between {low:.4g} and {high:.4g}."


DRAWERS = (confusion, roc, precision_recall, calibration, residuals, trend, spread)
