"""Predictions compared with the targets that new samples came with."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Self

import numpy as np

from mercer.aliases import Estimator, RawSamples, Targets
from mercer.automatic.metrics import METRICS, Outcome, metrics_of
from mercer.automatic.question import class_names
from mercer.domains.base import pick_rows
from mercer.report.formatting import metric_text


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The metrics of predictions, and those of the constant prediction of the training data.

    Attributes
    ----------
    values, baselines : dict of str to float
        The metrics; empty where no target is known.
    known : int
        The number of samples whose target is given.
    all_known : bool
        Whether that are all of them.
    whose : str
        The class that precision and recall are about.
    constant : str
        The most frequent class of the training data.
    """

    values: dict[str, float]
    baselines: dict[str, float]
    known: int = 0
    all_known: bool = True
    whose: str = ""
    constant: str = ""

    @classmethod
    def of(
        cls, model: Estimator, X: RawSamples, y: Targets, predicted: np.ndarray, known: np.ndarray
    ) -> Self:
        """Compare the predictions for samples whose target is known."""
        if not known.any():
            return cls({}, {})
        counts = int(known.sum()), bool(known.all())
        targets = np.asarray(y)[known]
        if model.source_["task"] == "regression":
            return cls(_numbers(targets, predicted[known]), {}, *counts)
        outcome = _outcome(model, X, class_names(targets), predicted[known], known)
        shares = np.array([model.source_.get("shares", {}).get(c, 0.0) for c in outcome.classes])
        constant = str(outcome.classes[np.argmax(shares)]) if shares.any() else ""
        values = _measure(outcome)
        if not constant:  # a model file of an earlier version
            return cls(values, {}, *counts, str(outcome.positive))
        most_frequent = np.full(len(outcome.y), constant)
        always = dataclasses.replace(
            outcome, predicted=most_frequent, probability=np.tile(shares, (len(outcome.y), 1))
        )
        return cls(values, _measure(always), *counts, str(outcome.positive), constant)

    @property
    def score(self) -> float | None:
        """The accuracy, or R²; None where it has no meaning."""
        value = self.values.get("accuracy", self.values.get("r2"))
        return value if value is not None and np.isfinite(value) else None

    def lines(self, target: str) -> list[str]:
        """The metrics as lines of text."""
        if self.score is None:
            return []
        which = f"these {self.known:,} samples"
        if not self.all_known:
            which = f"the {self.known:,} samples whose {target} is given"
        if "r2" in self.values:
            others = ", ".join(self._text(name) for name in ("rmse", "mae"))
            return [f"R² on {which}: {self.score:.4f}, {others}"]
        lines = [f"accuracy on {which}: {100 * self.score:.1f} %"]
        if self.constant:
            always = metric_text("accuracy", self.baselines["accuracy"])
            lines[0] += f"   (baseline, always {self.constant}: {always})"
        defined = [name for name in ("auc", "logloss") if np.isfinite(self.values[name])]
        shown = [self._text(name) for name in (*defined, "precision", "recall")]
        whose = self.whose or "the classes, on average"
        lines.append(f"{', '.join(shown)}   (precision and recall of {whose})")
        return lines

    def _text(self, name: str) -> str:
        return f"{METRICS[name].title} {metric_text(name, self.values[name])}"


def _numbers(y: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """The metrics of numbers; none if the targets are none."""
    if y.dtype.kind not in "iuf":
        return {}
    outcome = Outcome(y.astype(float), predicted)
    return {metric.name: metric.value(outcome) for metric in metrics_of("regression")}


def _measure(outcome: Outcome) -> dict[str, float]:
    """The metrics of classes; labels that are no class count as errors of the accuracy only."""
    among = outcome.take(np.flatnonzero(np.isin(outcome.y, outcome.classes)))
    values = {metric.name: metric.value(among) for metric in metrics_of("classification")}
    return {**values, "accuracy": METRICS["accuracy"].value(outcome)}


def _outcome(
    model: Estimator, X: RawSamples, y: np.ndarray, predicted: np.ndarray, known: np.ndarray
) -> Outcome:
    """The predicted classes as text, with probabilities; the positive class is the rarer one."""
    classes = np.asarray(model.classes_).astype(str)
    with warnings.catch_warnings():
        # The same warnings came with the predictions.
        warnings.simplefilter("ignore")
        probability = model.predict_proba(pick_rows(X, np.flatnonzero(known)))
    shares = model.source_.get("shares", {})
    positive = min(reversed(classes.tolist()), key=lambda name: shares.get(name, 0.0))
    if len(classes) != 2:
        positive = ""
    return Outcome(y, predicted.astype(str), probability, classes, positive)
