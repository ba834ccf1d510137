"""The pictures of a report, each an SVG image with a sentence that says what it shows."""

from __future__ import annotations

import base64
import dataclasses
import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.aliases import Axes
from mercer.automatic.study import Study
from mercer.domains.base import pick_rows, raw_length
from mercer.estimators.projection.pca import KernelPCA
from mercer.plot._axes import pyplot, read_labels, scatter
from mercer.plot.decision import DecisionDisplay
from mercer.plot.gram import GramDisplay
from mercer.plot.spectrum import SpectrumDisplay

_SHOWN = 500  # samples of the matrix, the spectrum and the map
_STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "svg.fonttype": "path",
    "text.parse_math": False,  # names may hold dollars
    "svg.hashsalt": "mercer",  # the same study, the same bytes
    "figure.dpi": 100,
    "savefig.dpi": 130,
}


@dataclasses.dataclass(frozen=True)
class Picture:
    """An image, and what is to be seen on it."""

    name: str
    title: str
    says: str
    uri: str


def pictures(study: Study) -> list[Picture]:
    """All that the study has something for."""
    plt = pyplot()
    made = []
    with plt.rc_context(_STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for draw in _DRAWERS:
            figure, ax = plt.subplots(figsize=(5.4, 4.1), layout="constrained")
            try:
                told = draw(study, ax)
                if told is not None:
                    title, says = told
                    made.append(Picture(draw.__name__.strip("_"), title, says, _uri(figure)))
            finally:
                plt.close(figure)
    return made


def _uri(figure: Any) -> str:
    held = io.BytesIO()
    figure.savefig(held, format="svg", metadata={"Date": None, "Creator": None})
    return "data:image/svg+xml;base64," + base64.b64encode(held.getvalue()).decode("ascii")


def _some(study: Study) -> tuple[Any, np.ndarray]:
    """At most so many samples as a picture can show, taken evenly."""
    X, y = study.question.X, study.question.y
    n = raw_length(X)
    rows = (
        np.arange(n)
        if n <= _SHOWN
        else np.unique(np.linspace(0, n - 1, _SHOWN).round().astype(int))
    )
    X = pick_rows(X, rows)
    left_out = getattr(study.model, "left_out_", [])
    return (X.drop(columns=left_out) if left_out else X), y[rows]


def _confusion(study: Study, ax: Axes) -> tuple[str, str] | None:
    if study.question.task != "classification":
        return None
    y, said = study.question.y, study.found.predicted
    classes = np.unique(y)
    if len(classes) > 40:
        return None
    counts = np.zeros((len(classes), len(classes)))
    for row in said:
        np.add.at(counts, (np.searchsorted(classes, y), np.searchsorted(classes, row)), 1.0)
    shares = counts / counts.sum(axis=1, keepdims=True)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    names = [str(c)[:16] for c in classes]
    ax.set_xticks(
        range(len(classes)),
        names,
        rotation=45 if len(classes) > 3 else 0,
        ha="right" if len(classes) > 3 else "center",
    )
    ax.set_yticks(range(len(classes)), names)
    if len(classes) <= 12:
        for i in range(len(classes)):
            for j in range(len(classes)):
                share = 100 * shares[i, j]
                text = (
                    "" if share == 0 else f"{share:.1f} %" if len(classes) <= 4 else f"{share:.0f}"
                )
                ax.text(
                    j,
                    i,
                    text,
                    ha="center",
                    va="center",
                    color="white" if shares[i, j] > 0.6 else "0.15",
                    fontsize=11 if len(classes) <= 4 else 8,
                )
    ax.set(xlabel="said", ylabel="true")
    return (
        "Confusion",
        "Of the samples of each true class (a row), the share that was said to be each class, on samples not seen in training.",
    )


def _residuals(study: Study, ax: Axes) -> tuple[str, str] | None:
    if study.question.task != "regression":
        return None
    y, said = study.question.y, study.found.predicted[0]
    low, high = min(y.min(), said.min()), max(y.max(), said.max())
    ax.plot([low, high], [low, high], color="0.4", linewidth=1, linestyle="--")
    ax.scatter(said, y, s=12, alpha=0.5, linewidths=0)
    root = float(np.sqrt(np.mean((y - said) ** 2)))
    ax.set(xlabel=f"said ({study.question.target})", ylabel="true")
    return (
        "Said and true",
        f"Predictions for samples not seen in training, against the truth; the root mean squared error is {root:.4g}.",
    )


def _spread(study: Study, ax: Axes) -> tuple[str, str] | None:
    if study.question.task != "regression":
        return None
    gap = study.question.y - study.found.predicted[0]
    ax.hist(gap, bins=min(50, max(10, int(np.sqrt(len(gap))))), color="C0", alpha=0.8)
    ax.axvline(0, color="0.3", linewidth=1)
    ax.set(xlabel="true − said", ylabel="samples")
    middle = np.quantile(gap, [0.05, 0.95])
    return "Residuals", f"Nine in ten residuals lie between {middle[0]:.4g} and {middle[1]:.4g}."


def _calibration(study: Study, ax: Axes) -> tuple[str, str] | None:
    p = study.found.probability
    if p is None:
        return None
    y = study.question.y
    classes = np.unique(y)
    if len(classes) == 2:
        sure, right, told = p[:, 1], (y == classes[1]).astype(float), f"probability of {classes[1]}"
    else:
        sure, right, told = (
            p.max(axis=1),
            (classes[np.argmax(p, axis=1)] == y).astype(float),
            "probability of the class said",
        )
    order = np.argsort(sure, kind="stable")
    groups = [g for g in np.array_split(order, min(10, max(3, len(y) // 30))) if len(g)]
    at = np.array([sure[g].mean() for g in groups])
    seen = np.array([right[g].mean() for g in groups])
    error = np.array(
        [
            np.sqrt(max(seen[i] * (1 - seen[i]), 0.25 / len(g)) / len(g))
            for i, g in enumerate(groups)
        ]
    )
    ax.plot([0, 1], [0, 1], color="0.5", linewidth=1, linestyle="--")
    ax.errorbar(at, seen, yerr=error, fmt="o-", color="C0", capsize=2, markersize=5)
    ax.set(xlabel=told, ylabel="how often it was so", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    off = float(np.average(np.abs(at - seen), weights=[len(g) for g in groups]))
    return (
        "Calibration",
        f"Samples not seen in training, grouped by the probability given; on the diagonal it is honest. Mean gap {100 * off:.1f} points.",
    )


def _learning(study: Study, ax: Axes) -> tuple[str, str] | None:
    if len(study.curve) < 2:
        return None
    count = [point.count for point in study.curve]
    scores, errors = (
        np.array([getattr(point, name) for point in study.curve]) for name in ("score", "error")
    )
    ax.errorbar(count, scores, yerr=errors, fmt="o-", capsize=3)
    ax.axhline(study.baseline, color="0.5", linestyle=":", linewidth=1, label="baseline")
    ax.set(
        xscale="log",
        xlabel="training samples",
        ylabel="accuracy" if study.question.task == "classification" else "R²",
    )
    ax.set_xticks(count, [f"{c:,}" for c in count], rotation=30)
    ax.minorticks_off()
    ax.legend(frameon=False, fontsize="small")
    rise = scores[-1] - scores[-2]
    says = (
        "more samples would likely help"
        if rise > errors[-1] + errors[-2]
        else "more samples would help little"
    )
    return (
        "Learning curve",
        f"The score on held-out samples by the number of training samples, with standard errors: {says}.",
    )


def _contributions(study: Study, ax: Axes) -> tuple[str, str] | None:
    if not study.contributions:
        return None
    shown = study.contributions[:20][::-1]
    ax.barh(
        range(len(shown)),
        [one.drop for one in shown],
        xerr=[one.error for one in shown],
        color="C0",
        alpha=0.85,
        capsize=2,
    )
    ax.set_yticks(
        range(len(shown)), [one.column[:24] for one in shown], fontsize=8 if len(shown) > 10 else 10
    )
    ax.axvline(0, color="0.3", linewidth=0.8)
    ax.set(xlabel="fall of the score when the column is shuffled")
    rest = (
        f"; {len(study.contributions) - 20} more contribute less"
        if len(study.contributions) > 20
        else ""
    )
    return (
        "Columns",
        f"How much worse unseen samples are told when a column's values are shuffled among them{rest}.",
    )


def _terms(study: Study, ax: Axes) -> tuple[str, str] | None:
    if not study.shares:
        return None
    shown = study.shares[::-1]
    ax.barh(range(len(shown)), [100 * share for _, share in shown], color="C2", alpha=0.85)
    ax.set_yticks(
        range(len(shown)),
        [name if len(name) < 30 else name[:27] + "..." for name, _ in shown],
        fontsize=8,
    )
    ax.set(xlabel="share of ‖f‖², %")
    return (
        "Terms of the kernel",
        "The kernel is a sum, and the learned function has a part in the space of each term: how much of its squared norm lies there.",
    )


def _gram(study: Study, ax: Axes) -> tuple[str, str] | None:
    X, y = _some(study)
    GramDisplay.from_kernel(study.model.kernel_, X, y, ax=ax)
    if study.question.task == "classification":
        return (
            "Gram matrix",
            "k(x, y) for pairs of samples, class by class: bright blocks on the diagonal mean that a class is alike in itself.",
        )
    return (
        "Gram matrix",
        "k(x, y) for pairs of samples, ordered by the target: bright along the diagonal means that like samples have like values.",
    )


def _spectrum(study: Study, ax: Axes) -> tuple[str, str] | None:
    X, _ = _some(study)
    shown = SpectrumDisplay.from_kernel(study.model.kernel_, X, ax=ax)
    return (
        "Spectrum",
        f"The eigenvalues of that matrix: the samples fill about {shown.effective_dimension_:.0f} directions of the feature space.",
    )


def _components(study: Study, ax: Axes) -> tuple[str, str] | None:
    X, y = _some(study)
    model = KernelPCA(2, kernel=study.model.kernel_).fit(X)
    points = model.transform(X)
    if points.shape[1] < 2:
        return None
    scatter(ax, points, read_labels(y, len(points)))
    first, second = (100 * share for share in model.explained_variance_ratio_[:2])
    ax.set(xlabel=f"1st component ({first:.1f} %)", ylabel=f"2nd component ({second:.1f} %)")
    return (
        "Map",
        "The samples on the first two principal components in the feature space of the kernel.",
    )


def _surface(study: Study, ax: Axes) -> tuple[str, str] | None:
    X = study.question.X
    if (
        not hasattr(X, "columns")
        or len(X.columns) != 2
        or any(dtype.kind not in "iuf" for dtype in X.dtypes)
        or X.isna().any().any()
    ):
        return None
    DecisionDisplay.from_estimator(study.model, X, study.question.y, resolution=120, ax=ax)
    return "Surface", "What the model says everywhere on the plane of the two columns."


_DRAWERS: tuple[Callable[[Study, Any], tuple[str, str] | None], ...] = (
    _confusion,
    _residuals,
    _calibration,
    _spread,
    _contributions,
    _terms,
    _learning,
    _surface,
    _components,
    _gram,
    _spectrum,
)
