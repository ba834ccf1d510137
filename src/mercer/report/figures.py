"""The figures of a report: each an SVG image with a caption that says what it shows."""

from __future__ import annotations

import base64
import dataclasses
import io
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.aliases import Axes, RawSamples
from mercer.automatic.metrics import METRICS, Reference
from mercer.automatic.study import Study
from mercer.automatic.subsets import even_rows
from mercer.domains.base import pick_rows, raw_length
from mercer.estimators.projection.pca import KernelPCA
from mercer.plot._axes import pyplot, read_labels, scatter
from mercer.plot.decision import DecisionDisplay
from mercer.plot.gram import GramDisplay
from mercer.plot.spectrum import SpectrumDisplay
from mercer.report.formatting import shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_SAMPLES = 500  # in the Gram matrix, its spectrum and the map
_STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "svg.fonttype": "path",
    "text.parse_math": False,  # names may hold dollar signs
    "svg.hashsalt": "mercer",  # the same study gives the same bytes
    "figure.dpi": 100,
    "savefig.dpi": 130,
}
Described = tuple[str, str] | None  # a title and a caption, or None where there is nothing to draw


@dataclasses.dataclass(frozen=True)
class Picture:
    """An image with a title and a caption."""

    name: str
    title: str
    caption: str
    uri: str


def pictures(study: Study) -> list[Picture]:
    """All figures for which the study has data."""
    return drawn_by(_DRAWERS, study)


def drawn_by(drawers: Sequence[Callable[[Any, Axes], Described]], subject: Any) -> list[Picture]:
    """The figures that functions draw of a subject, without those that have nothing to draw."""
    plt = pyplot()
    drawn = []
    with plt.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for draw in drawers:
            figure, ax = plt.subplots(figsize=(5.4, 4.1), layout="constrained")
            try:
                described = draw(subject, ax)
                if described is not None:
                    name = draw.__name__.strip("_")
                    drawn.append(Picture(name, *described, _data_uri(figure)))
            finally:
                plt.close(figure)
    return drawn


def _data_uri(figure: Figure) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return "data:image/svg+xml;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _some_samples(study: Study) -> tuple[RawSamples, np.ndarray]:
    """At most as many samples as a figure can show, evenly spaced, without empty columns."""
    rows = even_rows(raw_length(study.question.X), _MOST_SAMPLES)
    X = pick_rows(study.question.X, rows)
    left_out = getattr(study.model, "left_out_", [])
    if left_out:
        X = X.drop(columns=left_out)
    return X, study.question.y[rows]


def _confusion(study: Study, ax: Axes) -> Described:
    y = study.held_out.y
    classes = np.unique(study.question.y)
    n_classes = len(classes)
    if study.assessment is None or not study.is_classification or n_classes > 40:
        return None
    counts = np.zeros((n_classes, n_classes))
    for predicted in study.assessment.predicted:
        cells = np.searchsorted(classes, y), np.searchsorted(classes, predicted)
        np.add.at(counts, cells, 1.0)
    # A test set may lack a class.
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    names = [str(name)[:16] for name in classes]
    tilted = {"rotation": 45, "ha": "right"} if n_classes > 3 else {}
    ax.set_xticks(range(n_classes), names, **tilted)
    ax.set_yticks(range(n_classes), names)
    if n_classes <= 12:
        _write_shares(shares, ax)
    ax.set(xlabel="predicted", ylabel="true")
    return (
        "Confusion matrix",
        "For each true class (a row), the share of its samples that were predicted as each class, "
        "on held-out samples.",
    )


def _write_shares(shares: np.ndarray, ax: Axes) -> None:
    """Write the percentages into the cells of a confusion matrix."""
    number, size = "{:.0f}", 8
    if len(shares) <= 4:
        number, size = "{:.1f} %", 11
    for (row, column), share in np.ndenumerate(shares):
        if share > 0:
            colour = "white" if share > 0.6 else "0.15"
            look = {"ha": "center", "va": "center", "color": colour, "fontsize": size}
            ax.text(column, row, number.format(100 * share), **look)


def _residuals(study: Study, ax: Axes) -> Described:
    if study.assessment is None or study.is_classification:
        return None
    y, predicted = study.held_out.y, study.assessment.predicted[0]
    low = min(y.min(), predicted.min())
    high = max(y.max(), predicted.max())
    ax.plot([low, high], [low, high], color="0.4", linewidth=1, linestyle="--")
    ax.scatter(predicted, y, s=12, alpha=0.5, linewidths=0)
    ax.set(xlabel=f"predicted {study.question.target}", ylabel="true")
    return (
        "Predicted and true values",
        "Predictions for held-out samples against the true values; the root mean squared error is "
        f"{study.root_mean_squared_error:.4g}.",
    )


def _spread(study: Study, ax: Axes) -> Described:
    if study.assessment is None or study.is_classification:
        return None
    residuals = study.held_out.y - study.assessment.predicted[0]
    bins = min(50, max(10, int(np.sqrt(len(residuals)))))
    ax.hist(residuals, bins=bins, color="C0", alpha=0.8)
    ax.axvline(0, color="0.3", linewidth=1)
    ax.set(xlabel="true − predicted", ylabel="samples")
    low, high = np.quantile(residuals, [0.05, 0.95])
    return "Residuals", f"90 % of the residuals lie between {low:.4g} and {high:.4g}."


def _calibration(study: Study, ax: Axes) -> Described:
    if study.assessment is None or study.assessment.probability is None:
        return None
    p, y = study.assessment.probability, study.held_out.y
    classes = np.unique(study.question.y)
    confidence = p.max(axis=1)
    correct = classes[np.argmax(p, axis=1)] == y
    label = "probability of the predicted class"
    if len(classes) == 2:
        confidence, correct = p[:, 1], y == classes[1]
        label = f"probability of {classes[1]}"
    n_groups = min(10, max(3, len(y) // 30))
    groups = np.array_split(np.argsort(confidence, kind="stable"), n_groups)
    sizes = np.array([len(group) for group in groups])
    forecast = np.array([confidence[group].mean() for group in groups])
    observed = np.array([correct[group].mean() for group in groups])
    # The standard error of a share, which is not 0 even if the share is 0 or 1.
    variance = np.maximum(observed * (1 - observed), 0.25 / sizes)
    ax.plot([0, 1], [0, 1], color="0.5", linewidth=1, linestyle="--")
    style = {"fmt": "o-", "color": "C0", "capsize": 2, "markersize": 5}
    ax.errorbar(forecast, observed, yerr=np.sqrt(variance / sizes), **style)
    ax.set(xlabel=label, ylabel="observed frequency", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    gap = float(np.average(np.abs(forecast - observed), weights=sizes))
    return (
        "Calibration",
        "Held-out samples grouped by predicted probability; calibrated probabilities lie on the "
        f"diagonal. The mean gap is {100 * gap:.1f} percentage points.",
    )


def _learning(study: Study, ax: Axes) -> Described:
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
    ax.legend(frameon=False, fontsize="small")
    advice = "more samples would help little"
    if scores[-1] - scores[-2] > errors[-1] + errors[-2]:
        advice = "more samples would likely help"
    return (
        "Learning curve",
        "The score on held-out samples by the number of training samples, with standard errors: "
        f"{advice}.",
    )


def _bars(ax: Axes, names: Sequence[str], values: Sequence[float], **style: object) -> None:
    """Horizontal bars with names, the first on top."""
    places = range(len(names))[::-1]
    ax.barh(places, values, alpha=0.85, **style)
    ax.set_yticks(places, names)


def _contributions(study: Study, ax: Axes) -> Described:
    if not study.contributions:
        return None
    shown = study.contributions[:20]
    drops = [each.drop for each in shown]
    errors = [each.error for each in shown]
    _bars(ax, [each.column[:24] for each in shown], drops, xerr=errors, color="C0", capsize=2)
    if len(shown) > 10:
        ax.tick_params(axis="y", labelsize=8)
    ax.axvline(0, color="0.3", linewidth=0.8)
    moves = "fall" if study.metric.greater else "rise"
    ax.set(xlabel=f"{moves} of {study.score_name} when the column is shuffled")
    caption = (
        f"Permutation importance: the {moves} of the {study.score_name} when the values of a "
        "column are shuffled among held-out samples"
    )
    others = len(study.contributions) - len(shown)
    if others:
        caption += f"; {others} more columns contribute less"
    return "Importance of columns", f"{caption}."


def _terms(study: Study, ax: Axes) -> Described:
    if not study.shares:
        return None
    names = [shorten(name, 30) for name, _ in study.shares]
    _bars(ax, names, [100 * share for _, share in study.shares], color="C2")
    ax.tick_params(axis="y", labelsize=8)
    ax.set(xlabel="share of ‖f‖², %")
    return (
        "Terms of the kernel",
        "The kernel is a sum, and the learned function f has a part in the feature space of each "
        "term: the share of its squared norm that lies there.",
    )


def _gram(study: Study, ax: Axes) -> Described:
    X, y = _some_samples(study)
    GramDisplay.from_kernel(study.model.kernel_, X, y, ax=ax)
    meaning = "by target: bright values near the diagonal mean that samples with similar targets"
    if study.is_classification:
        meaning = "class by class: bright blocks on the diagonal mean that samples of a class"
    return "Gram matrix", f"k(x, y) of all pairs of samples, {meaning} are similar."


def _spectrum(study: Study, ax: Axes) -> Described:
    X, _ = _some_samples(study)
    display = SpectrumDisplay.from_kernel(study.model.kernel_, X, ax=ax)
    return (
        "Spectrum",
        "The eigenvalues of the Gram matrix: the effective dimension of the samples in the feature "
        f"space is about {display.effective_dimension_:.0f}.",
    )


def _components(study: Study, ax: Axes) -> Described:
    X, y = _some_samples(study)
    model = KernelPCA(2, kernel=study.model.kernel_).fit(X)
    points = model.transform(X)
    if points.shape[1] < 2:
        return None
    scatter(ax, points, read_labels(y, len(points)))
    first, second = 100 * model.explained_variance_ratio_[:2]
    ax.set(xlabel=f"1st component ({first:.1f} %)", ylabel=f"2nd component ({second:.1f} %)")
    return (
        "Kernel PCA",
        "The samples on the first two principal components in the feature space of the kernel.",
    )


def _surface(study: Study, ax: Axes) -> Described:
    X = study.question.X
    if not hasattr(X, "columns") or len(X.columns) != 2:
        return None
    numeric = all(dtype.kind in "iuf" for dtype in X.dtypes)
    if not numeric or X.isna().any().any():
        return None
    DecisionDisplay.from_estimator(study.model, X, study.question.y, resolution=120, ax=ax)
    return "Predictions in the plane", "The prediction at every point of the plane of the columns."


_PREDICTIONS = (_confusion, _residuals, _calibration, _spread, _contributions, _terms, _learning)
_SAMPLES = (_surface, _components, _gram, _spectrum)
_DRAWERS: tuple[Callable[[Study, Axes], Described], ...] = (*_PREDICTIONS, *_SAMPLES)
