"""How good the model is: beside a constant prediction, beside a linear model, class by class."""

from __future__ import annotations

from html import escape

import numpy as np

from mercer.automatic.assessment import Assessment
from mercer.automatic.learners import title_of
from mercer.automatic.metrics import METRICS
from mercer.automatic.studies.details import class_scores, most_confused
from mercer.automatic.studies.remarks import class_of_interest, constant_text
from mercer.automatic.study import Study
from mercer.report.elements import fact, section, table
from mercer.report.formatting import metric_text

_MOST_CLASSES = 30  # that are listed
_WIDE = 1.96  # standard errors on each side of an interval of 95 %


def performance(study: Study) -> str:
    """The score with its interval, the baseline, the linear model, and all metrics."""
    y, model = study.question.y, study.model
    count = f"samples, {len(np.unique(y))} classes" if study.is_classification else "samples"
    facts = [
        fact(f"{len(y):,}", count),
        fact(title_of(model.model_), f"{model.penalty_name_} = {model.tuned_.penalty:g}"),
    ]
    scores, method = "", "The error was not estimated."
    if study.assessment is not None:
        facts = [*_compared(study, study.assessment), *facts[:1]]
        scores, method = _scores(study, study.assessment), _method(study.assessment)
        if study.assessment.coverage is not None:
            coverage = escape(str(study.assessment.coverage))
            method += f" Prediction {coverage}; this is measured, not guaranteed."
    content = f'<div class="facts">{"".join(facts)}</div>{scores}<p class="soft">{method}</p>'
    return section("Predictive performance", content, ' id="error"')


def _compared(study: Study, assessment: Assessment) -> list[str]:
    """The score of the model, of a linear model and of a constant prediction."""
    name, title = study.metric.name, study.score_name
    where = f"{title} on held-out samples, ± standard error"
    facts = [fact(metric_text(name, assessment.mean, assessment.error), where)]
    if name in study.linear:
        linear = metric_text(name, *study.linear[name])
        facts.append(fact(linear, f"{title} of a linear model of the same columns"))
    constant = f"{title} of the baseline, {constant_text(study.question)}"
    facts.append(fact(metric_text(name, assessment.baselines[name]), constant))
    return facts


def _scores(study: Study, assessment: Assessment) -> str:
    """All metrics of the held-out predictions beside those of simpler ones."""
    header = ["metric", "model", "95 % interval", "linear model", constant_text(study.question)]
    rows = []
    for name in assessment.measured:
        mean, error, baseline = assessment.result(name)
        linear = "–"
        if name in study.linear:
            linear = metric_text(name, study.linear[name][0])
        values = metric_text(name, mean, error), _interval(name, mean, error), linear
        verdict = "yes" if assessment.is_better(name) else "no"
        rows.append([METRICS[name].title, *values, metric_text(name, baseline), verdict])
    header.append("beats the baseline")
    text = "A model beats the baseline if it is better by more than its standard error."
    if study.is_classification:
        whose = class_of_interest(study.question)
        text += f" Precision, recall and F1 are those of {escape(whose)}."
    return table(header, rows, numbers=(1, 2, 3, 4)) + f'<p class="soft">{text}</p>'


def _interval(name: str, mean: float, error: float) -> str:
    """The normal approximation to the interval of 95 %."""
    if not np.isfinite(error):
        return "–"
    low, high = mean - _WIDE * error, mean + _WIDE * error
    if METRICS[name].task == "classification":
        low = max(low, 0.0)
        if name != "logloss":
            high = min(high, 1.0)
    return f"{metric_text(name, low)} to {metric_text(name, high)}"


def _method(assessment: Assessment) -> str:
    if assessment.folds == 0:
        return (
            f"Estimated on {assessment.predicted.shape[1]:,} samples, each predicted by a model "
            "without it. Kernel and penalty were chosen by these predictions, so that scores are a "
            "little too good; standard errors are by the bootstrap."
        )
    if assessment.folds == 1:
        return (
            f"Estimated on the {assessment.predicted.shape[1]:,} samples of a test file; standard "
            "errors are those of the bootstrap."
        )
    return (
        f"Estimated by {assessment.repeats} × {assessment.folds}-fold cross-validation. Kernel, "
        "length scale and penalty were chosen anew inside each fold, so that the estimate is not "
        "biased by the choice. The standard error allows for the overlap of the training sets."
    )


def classes(study: Study) -> str:
    """Precision, recall and F1 of every class, and which classes were confused."""
    if study.assessment is None or not study.is_classification:
        return ""
    scores = sorted(class_scores(study), key=lambda each: -each.samples)
    rows = []
    for each in scores[:_MOST_CLASSES]:
        shares = [f"{100 * share:.1f} %" for share in (each.precision, each.recall)]
        rows.append([each.name, f"{each.samples:,}", *shares, f"{each.f1:.3f}"])
    header = ["class", "held-out samples", "precision", "recall", "F1"]
    content = table(header, rows, numbers=(1, 2, 3, 4))
    if study.assessment.folds > 1:
        text = "These count all held-out samples together; the metrics above are means"
        content += f'<p class="soft">{text} over the folds.</p>'
    if len(scores) > _MOST_CLASSES:
        others = len(scores) - _MOST_CLASSES
        content += f'<p class="soft">{others} rarer classes are not listed.</p>'
    confused = most_confused(study)
    if len(scores) > 2 and confused:
        pairs = table(["true", "predicted", "samples"], confused, numbers=(2,))
        content += f"<h3>Most frequent confusions</h3>{pairs}"
    return section("Classes", content, ' id="classes" class="long"')


def notes(study: Study) -> str:
    """What was left out, what is doubtful, and how far the results go."""
    remarks = [*study.question.notes, *study.notes]
    for each in study.question.left_out:
        remarks.append(f"column {each.column!r} is left out: {each.reason}")
    if not remarks:
        return ""
    items = "".join(f"<li>{escape(note)}</li>" for note in dict.fromkeys(remarks))
    return section("Notes on the data", f"<ul>{items}</ul>", ' id="notes"')
