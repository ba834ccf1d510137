"""A whole study of one data source: the model, its error on held-out data and its explanation."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np

from mercer.aliases import Estimator, KernelLike, RawSamples
from mercer.automatic import explanations
from mercer.automatic.assessment import Assessment, assess, assess_left_out, assess_on
from mercer.automatic.checks.chosen import EVERY_COLUMN, Choice
from mercer.automatic.checks.leaks import leaking_columns
from mercer.automatic.checks.left_out import columns_to_leave_out
from mercer.automatic.explanations import Contribution, CurvePoint
from mercer.automatic.metrics import Reference, default_metric, metric_for
from mercer.automatic.question import Question, ask, ask_alike
from mercer.automatic.studies.columns import MOST_ROWS, describe_columns
from mercer.automatic.studies.configured import configured, fit
from mercer.automatic.studies.effort import Effort
from mercer.automatic.studies.examples import reasons, typical_samples
from mercer.automatic.studies.linear import linear_scores
from mercer.automatic.studies.remarks import (
    baseline_note,
    imbalance_note,
    leak_note,
    never_predicted_note,
)
from mercer.automatic.studies.results import Study
from mercer.automatic.studies.stages import Announce, Progress, Stages
from mercer.domains.base import pick_rows
from mercer.estimators.learning.effects import main_effects
from mercer.params import renamed_arguments
from mercer.proposals.registry import is_auto
from mercer.readers import Layout, Source
from mercer.readers.doubts import holds_sequences, nucleic_letters

__all__ = ["Study", "layout_of", "study"]

_MOST_EFFECTS = 8  # columns whose main effects are kept


@renamed_arguments(folds="cv")
def study(
    source: Source,
    target: str | None = None,
    *,
    task: str = "auto",
    kernel: KernelLike = "auto",
    learner: str = "auto",
    metric: str | None = None,
    balanced: bool = False,
    choice: Choice = EVERY_COLUMN,
    effort: Effort | None = None,
    cv: int = 5,
    repeats: int | None = None,
    random_state: int = 0,
    explain_columns: bool = True,
    progress: Progress | None = None,
    announce: Announce | None = None,
) -> Study:
    """Fit a model, assess it by cross-validation or on a test set, and explain it.

    ``progress`` is called with the name of every stage and its number of steps, and with an empty
    name after each step; ``announce`` with "question", "model" and "assessment" and what they are
    (the last one with its metric and the question), as soon as they are known. Columns that are no
    features are left out unless the kernel is given.
    """
    effort = effort or Effort(cv, repeats)
    stages = Stages(progress, announce, effort.seconds)
    asked = ask(source, target, task, choice)
    judge = metric or default_metric(asked.y, asked.task, balanced)
    options: dict[str, Any] = {"metric": judge, "random_state": random_state}
    kept = [name for name in choice.kept(source.samples) if name in asked.X]
    with stages.stage("look"):
        question = _with_leaks(_without_useless(asked, kernel, kept, random_state))
        held_out = asked if effort.test is None else ask_alike(effort.test, question)
    stages.announce("question", question)
    given = {"kernel": kernel, "learner": learner, "keep": kept, "random_state": random_state}
    blank = _configured(question.task, judge, balanced, **given, **effort.choices)
    model = _fitted(blank, question, balanced, effort, stages)
    assessment, held_out = _assessed(
        model, blank, asked, question, held_out, effort, stages, {**options, "balanced": balanced}
    )
    _remark(assessment, question, judge, metric is not None or balanced, stages.notes)
    stages.notes.extend(filter(None, [never_predicted_note(assessment, held_out.y, balanced)]))
    chosen = metric_for(judge, question.task)
    stages.announce("assessment", (chosen, assessment, question))
    explained = assessment if explain_columns else None
    worst = _worst(assessment, question, held_out)
    told = [row for row, _ in worst]
    result = Study(
        question,
        source,
        model,
        chosen,
        assessment,
        held_out,
        Reference(question.y, question.task).baselines(question.y)[judge],
        _contributions(explained, question, held_out, stages, random_state),
        explanations.term_shares(model.model_),
        _curve(model, question, effort, stages, random_state),
        worst,
        describe_columns(source, question),
        stages.seconds,
        stages.notes,
        stages.if_time(
            "a linear model to compare with",
            lambda: linear_scores(question, held_out, assessment, random_state),
            {},
        ),
        stages.if_time("typical samples", lambda: typical_samples(model, question), []),
        stages.if_time(
            "reasons of the worst predictions",
            lambda: reasons(model, question, held_out, told, effort.test is not None),
            {},
        ),
    )
    none: list[list[Any]] = []
    effects = stages.if_time("main effects", lambda: _effects(model, question), none)
    model.source_ = _source_facts(source, question, result, effects)
    return result


def _configured(task: str, metric: str, balanced: bool, **options: Any) -> Estimator:
    """The automatic model of a task, whose own metric need not be named."""
    if metric not in ("accuracy", "r2"):
        options["metric"] = metric
    if balanced:
        options["class_weight"] = "balanced"
    return configured(task, **options)


def _fitted(
    blank: Estimator, question: Question, balanced: bool, effort: Effort, stages: Stages
) -> Estimator:
    """The model of all samples, which is announced."""
    with stages.stage("fit"):
        model = fit(blank, question.X, question.y, balanced)
    stages.step()
    _note_limits(model, len(question.y), effort, stages.notes)
    stages.announce("model", model)
    return model


def _assessed(
    model: Estimator,
    blank: Estimator,
    asked: Question,
    question: Question,
    held_out: Question,
    effort: Effort,
    stages: Stages,
    options: dict[str, Any],
) -> tuple[Assessment | None, Question]:
    """Scores on a test file, by cross-validation, or by the leave-one-out predictions of the fit.

    The second result are the samples that they belong to.
    """
    alone = {name: options[name] for name in ("metric", "random_state")}
    if effort.test is not None:
        with stages.stage("assess"):
            reference = Reference(question.y, question.task)
            return assess_on(model, held_out.X, held_out.y, reference, **alone), held_out
    assessment = None
    if effort.assess:
        assessment = _cross_validate(blank, asked, effort, stages, options)
    if assessment is None:
        return _left_out(model, question, alone)
    if (assessment.fold >= 0).all():
        return assessment, held_out
    known = np.flatnonzero(assessment.fold >= 0)
    return assessment.take(known), _some(asked, known)


def _worst(
    assessment: Assessment | None, question: Question, held_out: Question
) -> list[tuple[int, float]]:
    """The samples predicted worst."""
    if assessment is None:
        return []
    classes = None
    if question.task == "classification":
        classes = np.unique(question.y)
    return explanations.hardest(assessment, held_out.y, classes)


def _contributions(
    assessment: Assessment | None, question: Question, held_out: Question, stages: Stages, seed: int
) -> list[Contribution]:
    """The permutation importance of the columns of the model, where models were held out."""
    if assessment is None or not assessment.models:
        return []
    columns = list(question.X.columns) if hasattr(question.X, "columns") else []
    options: dict[str, Any] = {"columns": columns, "random_state": seed}
    shown = held_out.X, held_out.y

    def compute() -> list[Contribution]:
        return explanations.column_contributions(assessment, *shown, **options)

    with stages.stage("columns"):
        if not columns:
            return compute()
        return stages.if_time("the importance of the columns", compute, [])


def _curve(
    model: Estimator, question: Question, effort: Effort, stages: Stages, seed: int
) -> list[CurvePoint]:
    """The learning curve, where there is time for it."""
    if not effort.draws_curve:
        return []

    def compute() -> list[CurvePoint]:
        return explanations.learning_curve(model, question.X, question.y, random_state=seed)

    with stages.stage("learning curve"):
        return stages.if_time("the learning curve", compute, [])


def _source_facts(
    source: Source, question: Question, result: Study, effects: list[list[Any]]
) -> dict[str, Any]:
    """The facts on data and results that a model file stores."""
    return {
        "kind": source.kind,
        "target": question.target,
        "task": question.task,
        "layout": source.layout and dataclasses.asdict(source.layout),
        "options": source.options,
        "letters": _letters(source),
        "column letters": _letters_of_columns(question.X),
        "id": next((each.column for each in question.left_out if each.kind == "id"), None),
        "shares": _class_shares(question),
        "categories": _categories(question.X, result.columns),
        "effects": effects,
        "summary": result.summary(),
    }


def _effects(model: Estimator, question: Question) -> list[list[Any]]:
    """The main effects of the columns that matter most: name, values, effects, and of what."""
    if not hasattr(question.X, "columns") or not hasattr(model, "importances_"):
        return []
    order = np.argsort(-model.importances_, kind="stable")[:_MOST_EFFECTS]
    columns = [model.columns_[at] for at in order.tolist() if model.importances_[at] > 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit has said it all
        effects = main_effects(model, question.X, columns=columns)
    return [[str(e.column), _plain(e.values), e.effects.tolist(), e.of] for e in effects]


def _plain(values: list[Any]) -> list[Any]:
    """Values that a file stores, with dates as text."""
    return [str(value) if hasattr(value, "year") else value for value in values]


def _with_leaks(question: Question) -> Question:
    """The question with notes on columns that predict the target too well."""
    if not hasattr(question.X, "columns"):
        return question
    leaks = leaking_columns(question.X, question.y, question.task == "classification")
    notes = [leak_note(*leak, question.target) for leak in leaks]
    return dataclasses.replace(question, notes=[*question.notes, *notes])


def _without_useless(
    question: Question, kernel: KernelLike, kept: list[str], seed: int
) -> Question:
    """The question without columns that are no features; a given kernel names its own."""
    if not hasattr(question.X, "columns") or not is_auto(kernel):
        return question
    options: dict[str, Any] = {"keep": kept, "random_state": seed}
    classification = question.task == "classification"
    useless = columns_to_leave_out(question.X, question.y, classification=classification, **options)
    return question.without(useless)


def _left_out(
    model: Estimator, question: Question, options: dict[str, Any]
) -> tuple[Assessment | None, Question]:
    """The scores of the leave-one-out predictions of the fit, and the samples that have them."""
    if not hasattr(model, "loo_predictions_"):
        return None, question
    known = np.isfinite(model.loo_predictions_.reshape(len(question.y), -1)).all(axis=1)
    rows = np.flatnonzero(known)
    some = _some(question, rows)
    reference = Reference(question.y, question.task)
    return assess_left_out(model, rows, some.y, reference, **options), some


def _some(question: Question, rows: np.ndarray) -> Question:
    """The question of some samples only."""
    X = pick_rows(question.X, rows)
    return dataclasses.replace(question, X=X, y=question.y[rows], rows=question.rows[rows])


def _cross_validate(
    blank: Estimator, question: Question, effort: Effort, stages: Stages, options: dict[str, Any]
) -> Assessment | None:
    """Cross-validation, with as many folds and repeats as there is time for."""
    X, y = question.X, question.y
    folds, repeats = effort.rounds(len(y), stages.seconds["fit"], stages.spent)
    if folds < 2:
        stages.notes.append("there was no time for cross-validation: give a longer --time")
        return None
    if folds < effort.folds:
        stages.notes.append(f"there was time for {folds} folds only: give a longer --time")
    begun = stages.spent

    def enough(done: int) -> bool:
        """Whether another fold would probably take longer than there is time."""
        return effort.is_over(stages.spent + (stages.spent - begun) / done)

    with stages.stage("assess", folds * repeats):
        options = {**options, "cv": folds, "repeats": repeats, "enough": enough}
        assessment = assess(blank, X, y, progress=stages.step, **options)
    done = len(assessment.models)
    if done < assessment.folds:
        stages.notes.append(f"there was time for {done} of {folds} folds: give a longer --time")
    elif assessment.repeats < repeats:
        text = f"{assessment.repeats} of {repeats} rounds of cross-validation"
        stages.notes.append(f"there was time for {text}: give a longer --time")
    return assessment


def _remark(
    assessment: Assessment | None, question: Question, judge: str, asked: bool, notes: list[str]
) -> None:
    """Note classes of which one prevails, and a model that is no better than a constant."""
    remarks = [imbalance_note(question, judge, asked)]
    if assessment is not None:
        remarks.append(baseline_note(assessment, question))
    notes.extend(filter(None, remarks))


def _class_shares(question: Question) -> dict[str, float]:
    """The share of each class, from which a baseline follows."""
    if question.task == "regression":
        return {}
    classes, counts = np.unique(question.y, return_counts=True)
    shares = (counts / len(question.y)).tolist()
    return dict(zip(map(str, classes), shares, strict=True))


def _letters(source: Source) -> str:
    """The letters of sequences, by which others may be compared with them."""
    if source.kind != "sequences":
        return ""
    return "".join(sorted(set().union(*source.samples)))


def _letters_of_columns(X: RawSamples) -> dict[str, str]:
    """The letters of columns of DNA, by which those of other tables may be compared."""
    if not hasattr(X, "columns"):
        return {}
    names = [name for name in X if holds_sequences(X[name])]
    return {name: "".join(sorted(nucleic_letters(X[name]))) for name in names}


def _categories(X: RawSamples, columns: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The values of columns of categories, by which those of other tables may be compared."""
    if not columns:
        return {}
    few = {c["name"] for c in columns if c["kind"] == "category" and c["distinct"] <= MOST_ROWS}
    return {name: sorted(set(map(str, X[name].dropna()))) for name in X if name in few}


def _note_limits(model: Estimator, n_samples: int, effort: Effort, notes: list[str]) -> None:
    """Note the columns that are not used, and how many samples the choice rests on."""
    left_out = getattr(model, "left_out_", [])
    if left_out:
        names = ", ".join(map(str, left_out))
        notes.insert(0, f"columns without any value are left out: {names}")
    if model.n_tuned_ < n_samples:
        notes.append(
            f"kernel and penalty were chosen on {model.n_tuned_:,} of the {n_samples:,} samples"
            f"{effort.reason}; the model is fitted on all"
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
