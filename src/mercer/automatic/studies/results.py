"""The results of a study."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mercer.aliases import Estimator
from mercer.automatic.assessment import Assessment
from mercer.automatic.explanations import Contribution, CurvePoint, importance_metric
from mercer.automatic.learners import title_of
from mercer.automatic.metrics import METRICS, Metric, Reference
from mercer.automatic.question import Question
from mercer.automatic.studies.details import details
from mercer.automatic.studies.examples import Typical
from mercer.domains.base import raw_length
from mercer.kernels.functions import without_marks
from mercer.readers import Source


@dataclasses.dataclass(frozen=True)
class Study:
    """A fitted model and all results that the report shows.

    Attributes
    ----------
    question, source : Question, Source
        The learning problem, and the data it came from.
    model : AutoClassifier or AutoRegressor
        The model, fitted on all samples.
    metric : Metric
        The metric that it was chosen by, or is judged by.
    assessment : Assessment or None
        Its error on held-out samples, if it was estimated.
    held_out : Question
        The samples of the assessment: those of the question, or of a test file.
    baseline : float
        The score of a constant prediction: the most frequent class, or the mean.
    contributions : list of Contribution
        The permutation importance of the columns.
    shares : list of (str, float)
        The shares of the terms of a sum of kernels.
    curve : list of CurvePoint
        The learning curve.
    hardest : list of (int, float)
        The samples predicted worst.
    columns : list of dict
        The type of each column and a summary of its values.
    seconds : dict of str to float
        The duration of each stage.
    notes : list of str
        Warnings and remarks for the user.
    linear : dict of str to (float, float)
        The metrics of a linear model on the same held-out samples, with standard errors.
    typical : list of Typical
        The samples that are most like the others of their class.
    reasons : dict of int to str
        What the most similar samples say of those predicted worst.
    """

    question: Question
    source: Source
    model: Estimator
    metric: Metric
    assessment: Assessment | None
    held_out: Question
    baseline: float
    contributions: list[Contribution]
    shares: list[tuple[str, float]]
    curve: list[CurvePoint]
    hardest: list[tuple[int, float]]
    columns: list[dict[str, Any]]
    seconds: dict[str, float]
    notes: list[str]
    linear: dict[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    typical: list[Typical] = dataclasses.field(default_factory=list)
    reasons: dict[int, str] = dataclasses.field(default_factory=dict)

    @property
    def interest(self) -> int:
        """The position of the class that precision and recall are about, of two classes."""
        facts = Reference(self.question.y, self.question.task).facts
        return int(np.searchsorted(facts["classes"], facts["positive"]))

    @property
    def is_classification(self) -> bool:
        """Whether the target is a class."""
        return self.question.task == "classification"

    @property
    def importance(self) -> Metric:
        """The metric by which columns are compared."""
        if self.assessment is None:
            return self.metric
        return METRICS[importance_metric(self.assessment) or self.metric.name]

    @property
    def score_name(self) -> str:
        """The name of the score."""
        return self.metric.title

    @property
    def root_mean_squared_error(self) -> float:
        """The root mean squared error of a regression on held-out samples."""
        if self.assessment is None:
            return float("nan")
        residuals = self.held_out.y - self.assessment.predicted[0]
        return float(np.sqrt(np.mean(residuals**2)))

    def summary(self) -> dict[str, Any]:
        """The main results as plain values, under the keys of ``mercer fit --json``."""
        model = self.model
        return {
            "task": self.question.task,
            "target": self.question.target,
            "samples": raw_length(self.question.X),
            "read": self.source.description,
            "left out": [dataclasses.asdict(each) for each in self.question.left_out],
            "kernel": without_marks(repr(model.kernel_)),
            "status": str(model.kernel_.certificate().status),
            "learner": title_of(model.model_),
            "chosen by": model.way_,
            model.penalty_name_: model.tuned_.penalty,
            "score": self.score_name.replace("²", "2"),
            "metric": self.metric.name,
            **self._scores(),
            "baseline": self.baseline,
            "importance metric": self.importance.name,
            "contributions": [list(dataclasses.astuple(each)) for each in self.contributions],
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            "notes": [*self.question.notes, *self.notes],
            **details(self),
            "hardest": self._hardest(),
            "typical": [self._named(each.row, "question") for each in self.typical],
        }

    def _hardest(self) -> list[dict[str, Any]]:
        """The samples predicted worst, by their rows in the data, counted from 1."""
        return [
            {**self._named(row, "held_out"), "value": value, "reason": self.reasons.get(row, "")}
            for row, value in self.hardest
        ]

    def _named(self, row: int, where: str) -> dict[str, Any]:
        samples: Question = getattr(self, where)
        return {"row": int(samples.rows[row]) + 1, "target": _plain(samples.y[row])}

    def _scores(self) -> dict[str, Any]:
        """The results of the assessment; none where there is none."""
        assessment = self.assessment
        if assessment is None:
            return {"mean": None, "error": None, "scores": {}, "folds": 0, "repeats": 0}
        names = ("mean", "error", "baseline", "linear")
        scores = {
            name: (*assessment.result(name), self.linear.get(name, (None,))[0])
            for name in assessment.measured
        }
        return {
            "mean": assessment.mean,
            "error": assessment.error,
            "scores": {name: dict(zip(names, each, strict=True)) for name, each in scores.items()},
            "folds": assessment.folds,
            "repeats": assessment.repeats,
        }


def _plain(value: object) -> float | str:
    """A target as JSON has it."""
    return float(value) if isinstance(value, (float, np.floating)) else str(value)
