"""Facts of held-out predictions that a report shows in full: classes, confusions, curves."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.automatic.metrics import area_under_curve

if TYPE_CHECKING:
    from mercer.automatic.studies.results import Study

_GAP = 0.2  # between predicted probabilities that are not similar
_MOST_GROUPS, _PER_GROUP = 10, 30  # groups of a calibration curve, and samples of each at least


@dataclasses.dataclass(frozen=True)
class ClassScores:
    """Precision, recall and F1 of one class on held-out samples."""

    name: str
    samples: int
    precision: float
    recall: float
    f1: float


@dataclasses.dataclass(frozen=True)
class Curves:
    """The ROC and the precision–recall curve of one class against all others."""

    name: str
    false_positives: np.ndarray
    true_positives: np.ndarray
    precision: np.ndarray
    area: float
    average_precision: float


@dataclasses.dataclass(frozen=True)
class Calibration:
    """Predicted probabilities beside observed frequencies, for groups of samples."""

    of: str
    predicted: np.ndarray
    observed: np.ndarray
    error: np.ndarray
    gap: float  # the mean difference of the two


def confusion(study: Study) -> tuple[np.ndarray, np.ndarray]:
    """The classes, and how many samples of each (a row) were predicted as each (a column)."""
    classes = np.unique(study.question.y)
    counts = np.zeros((len(classes), len(classes)), dtype=int)
    if study.assessment is not None:
        places = np.searchsorted(classes, study.held_out.y)
        predicted = np.searchsorted(classes, study.assessment.predicted[0])
        np.add.at(counts, (places, predicted), 1)
    return classes, counts


def class_scores(study: Study) -> list[ClassScores]:
    """Precision, recall and F1 of every class; a class that is never predicted has precision 0."""
    classes, counts = confusion(study)
    right = counts.diagonal()
    there, predicted = counts.sum(axis=1), counts.sum(axis=0)
    precision, recall = right / np.maximum(predicted, 1), right / np.maximum(there, 1)
    f1 = 2.0 * right / np.maximum(there + predicted, 1)
    rows = zip(classes, there, precision, recall, f1, strict=True)
    return [
        ClassScores(str(name), int(count), *map(float, values)) for name, count, *values in rows
    ]


def most_confused(study: Study, count: int = 10) -> list[tuple[str, str, int]]:
    """The pairs of a true and a predicted class that were confused most often."""
    classes, counts = confusion(study)
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:count]
    pairs = [np.unravel_index(at, wrong.shape) for at in order]
    return [
        (str(classes[i]), str(classes[j]), int(wrong[i, j])) for i, j in pairs if wrong[i, j] > 0
    ]


def curves(study: Study) -> list[Curves]:
    """The curves of the class of interest of two, or of each of several classes."""
    if study.assessment is None or study.assessment.probability is None:
        return []
    classes, probability = np.unique(study.question.y), study.assessment.probability
    columns = list(range(len(classes)))
    if len(classes) == 2:
        columns = [study.interest]
    y = study.held_out.y
    drawn = [(at, y == classes[at]) for at in columns]
    return [
        _curves(str(classes[at]), positive, probability[:, at])
        for at, positive in drawn
        if 0 < positive.sum() < len(y)
    ]


def _curves(name: str, positive: np.ndarray, score: np.ndarray) -> Curves:
    """The ROC and the precision-recall curve at every threshold, the largest first."""
    order = np.argsort(-score, kind="stable")
    hits = np.cumsum(positive[order])
    ends = np.append(np.flatnonzero(np.diff(score[order])), len(order) - 1)  # of equal scores
    hits, predicted = hits[ends], ends + 1
    recall = hits / positive.sum()
    precision = hits / predicted
    steps = np.diff(recall, prepend=0.0)
    false = (predicted - hits) / (~positive).sum()
    area = area_under_curve(positive, score, np.ones(len(score)))
    return Curves(
        name,
        np.append(0.0, false),
        np.append(0.0, recall),
        precision,
        area,
        float(steps @ precision),
    )


def calibration(study: Study) -> Calibration | None:
    """Held-out samples in groups of similar predicted probability."""
    if study.assessment is None or study.assessment.probability is None:
        return None
    p, y = study.assessment.probability, study.held_out.y
    classes = np.unique(study.question.y)
    predicted, event = p.max(axis=1), classes[np.argmax(p, axis=1)] == y
    of = "the predicted class"
    if len(classes) == 2:
        of = str(classes[study.interest])
        predicted, event = p[:, study.interest], y == classes[study.interest]
    n_groups = min(_MOST_GROUPS, max(3, len(y) // _PER_GROUP))
    groups = _similar(predicted, n_groups)
    sizes = np.array([len(group) for group in groups])
    forecast = np.array([predicted[group].mean() for group in groups])
    observed = np.array([event[group].mean() for group in groups])
    # The standard error of a share, which is not 0 even if the share is 0 or 1.
    variance = np.maximum(observed * (1 - observed), 0.25 / sizes)
    gap = float(np.average(np.abs(forecast - observed), weights=sizes))
    return Calibration(of, forecast, observed, np.sqrt(variance / sizes), gap)


def _similar(predicted: np.ndarray, n_groups: int) -> list[np.ndarray]:
    """Groups of equal size by the order of the predictions, parted where these leave a gap."""
    parts = np.array_split(np.argsort(predicted, kind="stable"), n_groups)
    gaps = [np.flatnonzero(np.diff(predicted[part]) > _GAP) + 1 for part in parts]
    pairs = zip(parts, gaps, strict=True)
    return [group for part, cuts in pairs for group in np.split(part, cuts)]


def details(study: Study) -> dict[str, Any]:
    """The same facts as plain values, for ``mercer fit --json``."""
    if study.assessment is None or not study.is_classification:
        return {}
    classes, counts = confusion(study)
    facts: dict[str, Any] = {
        "classes": [dataclasses.asdict(each) for each in class_scores(study)],
        "confusion": {"classes": [str(name) for name in classes], "counts": counts.tolist()},
        "curves": [
            {"class": each.name, "auc": each.area, "average precision": each.average_precision}
            for each in curves(study)
        ],
    }
    groups = calibration(study)
    if groups is not None:
        facts["calibration"] = {
            "of": groups.of,
            "predicted": groups.predicted.tolist(),
            "observed": groups.observed.tolist(),
            "gap": groups.gap,
        }
    return facts
