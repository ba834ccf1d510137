"""A whole study of one data source: the model, its cross-validated error and its explanation."""

from __future__ import annotations

import contextlib
import dataclasses
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mercer.aliases import Estimator, Frame, KernelLike, RawSamples
from mercer.automatic import explanations
from mercer.automatic.assessment import Assessment, assess, repeats_for
from mercer.automatic.explanations import Contribution, CurvePoint
from mercer.automatic.models import AutoClassifier, AutoRegressor
from mercer.automatic.question import Question, ask
from mercer.automatic.subsets import thin_out
from mercer.automatic.tables import read_columns
from mercer.domains.base import raw_length
from mercer.readers import Layout, Source

_MOST_ROWS = 5000  # rows from which the types of columns are read
Progress = Callable[[str, int], None]  # a new stage and its number of steps, or "" and steps done


@dataclasses.dataclass(frozen=True)
class Study:
    """A fitted model and all results that the report shows.

    Attributes
    ----------
    question, source : Question, Source
        The learning problem, and the data it came from.
    model : AutoClassifier or AutoRegressor
        The model, fitted on all samples.
    assessment : Assessment
        Its cross-validated error.
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
    """

    question: Question
    source: Source
    model: Estimator
    assessment: Assessment
    baseline: float
    contributions: list[Contribution]
    shares: list[tuple[str, float]]
    curve: list[CurvePoint]
    hardest: list[tuple[int, float]]
    columns: list[dict[str, Any]]
    seconds: dict[str, float]
    notes: list[str]

    @property
    def is_classification(self) -> bool:
        """Whether the target is a class."""
        return self.question.task == "classification"

    @property
    def score_name(self) -> str:
        """The name of the score."""
        return "accuracy" if self.is_classification else "R²"

    @property
    def root_mean_squared_error(self) -> float:
        """The cross-validated root mean squared error of a regression."""
        residuals = self.question.y - self.assessment.predicted[0]
        return float(np.sqrt(np.mean(residuals**2)))

    def summary(self) -> dict[str, Any]:
        """The main results as plain values, under the keys of ``mercer fit --json``."""
        model = self.model
        return {
            "task": self.question.task,
            "target": self.question.target,
            "samples": raw_length(self.question.X),
            "read": self.source.description,
            "kernel": repr(model.kernel_),
            "status": str(model.kernel_.certificate().status),
            "learner": type(model.model_).__name__,
            "chosen by": model.way_,
            model.penalty_name_: model.tuned_.penalty,
            "score": self.score_name.replace("²", "2"),
            "mean": self.assessment.mean,
            "error": self.assessment.error,
            "baseline": self.baseline,
            "folds": self.assessment.folds,
            "repeats": self.assessment.repeats,
            "contributions": [list(dataclasses.astuple(each)) for each in self.contributions],
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            "notes": [*self.question.notes, *self.notes],
        }


def study(
    source: Source,
    target: str | None = None,
    *,
    task: str = "auto",
    kernel: KernelLike = "auto",
    learner: str = "auto",
    folds: int = 5,
    repeats: int | None = None,
    random_state: int = 0,
    explain_columns: bool = True,
    progress: Progress | None = None,
) -> Study:
    """Fit a model, assess it by cross-validation and explain it.

    ``progress`` is called with the name of every stage and its number of steps, and with an empty
    name after each step.
    """
    question = ask(source, target, task)
    X, y = question.X, question.y
    stages = _Stages(progress)
    if repeats is None:
        repeats = repeats_for(len(y))
    kind = AutoClassifier if question.task == "classification" else AutoRegressor
    blank = kind(kernel=kernel, learner=learner, random_state=random_state)
    with stages.stage("fit"):
        model = blank.fit(X, y)
    stages.step()
    options: dict[str, Any] = {"random_state": random_state}
    with stages.stage("assess", folds * repeats):
        assessment = assess(blank, X, y, folds=folds, repeats=repeats, told=stages.step, **options)
    _note_limits(model, len(y), stages.notes)
    contributions: list[Contribution] = []
    with stages.stage("columns"):
        if explain_columns:
            contributions = explanations.column_contributions(assessment, X, y, **options)
    shares = explanations.term_shares(model.model_)
    with stages.stage("learning curve"):
        curve = explanations.learning_curve(model, X, y, **options)
    result = Study(
        question,
        source,
        model,
        assessment,
        _baseline(y, question.task),
        contributions,
        shares,
        curve,
        explanations.hardest(assessment, y),
        _describe(X),
        stages.seconds,
        stages.notes,
    )
    model.source_ = {
        "kind": source.kind,
        "target": question.target,
        "task": question.task,
        "layout": source.layout and dataclasses.asdict(source.layout),
        "options": source.options,
        "letters": _letters(source),
        "categories": _categories(X, result.columns),
        "summary": result.summary(),
    }
    return result


def _letters(source: Source) -> str:
    """The letters of sequences, by which others may be compared with them."""
    if source.kind != "sequences":
        return ""
    return "".join(sorted(set().union(*source.samples)))


def _categories(X: RawSamples, columns: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The values of columns of categories, by which those of other tables may be compared."""
    if not columns:
        return {}
    few = {c["name"] for c in columns if c["kind"] == "category" and c["distinct"] <= _MOST_ROWS}
    return {name: sorted(set(map(str, X[name].dropna()))) for name in X if name in few}


class _Stages:
    """Announces the stages of a study, measures their time and collects their warnings."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress or (lambda stage, steps: None)
        self.seconds: dict[str, float] = {}
        self.notes: list[str] = []

    @contextlib.contextmanager
    def stage(self, name: str, n_steps: int = 1) -> Iterator[None]:
        """A stage of so many steps; its warnings become notes."""
        self.progress(name, n_steps)
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for warning in caught:
            text = str(warning.message)
            if text not in self.notes:
                self.notes.append(text)
        self.seconds[name] = time.perf_counter() - start

    def step(self) -> None:
        """One step of the current stage is done."""
        self.progress("", 1)


def _note_limits(model: Estimator, n_samples: int, notes: list[str]) -> None:
    """Note the columns that are not used, and how many samples the choice rests on."""
    left_out = getattr(model, "left_out_", [])
    if left_out:
        names = ", ".join(map(str, left_out))
        notes.insert(0, f"columns without any value are left out: {names}")
    if model.n_tuned_ < n_samples:
        notes.append(
            f"kernel and penalty were chosen on {model.n_tuned_:,} of the {n_samples:,} samples; "
            "the model is fitted on all"
        )


def layout_of(model: Estimator) -> Layout | None:
    """The format of the table that the model was fitted on; None if it was no table."""
    kept = getattr(model, "source_", {}).get("layout")
    if kept is None:
        return None
    # Model files hold lists where the layout has tuples.
    for name, value in kept.items():
        if isinstance(value, list):
            kept = {**kept, name: tuple(value)}
    return Layout(**kept)


def _baseline(y: np.ndarray, task: str) -> float:
    """The score of the constant prediction: the most frequent class, or the mean."""
    if task == "regression":
        return 0.0
    return float(np.unique(y, return_counts=True)[1].max() / len(y))


def _describe(X: RawSamples) -> list[dict[str, Any]]:
    """The type of each column, and a summary of its values."""
    if not hasattr(X, "columns"):
        return []
    some = thin_out(X, _MOST_ROWS)
    some = some.loc[:, some.notna().any()]
    kinds = {column.name: column.kind for column in read_columns(some)}
    return [_describe_column(name, X[name], kinds.get(name, "empty")) for name in X.columns]


def _describe_column(name: object, values: Frame, kind: str) -> dict[str, Any]:
    present = values.dropna()
    if kind == "number" and len(present):
        summary = f"{present.min():g} to {present.max():g}"
    else:
        summary = ", ".join(str(value)[:24] for value in present.value_counts().index[:4])
    return {
        "name": str(name),
        "kind": kind,
        "missing": int(values.isna().sum()),
        "distinct": int(present.nunique()),
        "values": summary,
    }
