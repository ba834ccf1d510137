"""Remarks on a study: whether the model is worth anything, and what its score hides."""

from __future__ import annotations

import numpy as np

from mercer.automatic.assessment import Assessment
from mercer.automatic.metrics import METRICS, Reference, is_unbalanced
from mercer.automatic.question import Question

_SHOWN = 6  # classes in a note


def leak_note(name: str, reached: str, target: str) -> str:
    """The remark on a column that determines the target alone."""
    return (
        f"column {name!r} predicts {target} by itself ({reached}): is it known before {target} is? "
        f"--drop {name} leaves it out"
    )


def imbalance_note(question: Question, metric: str, asked: bool) -> str | None:
    """The remark on classes of which one prevails, where the user did not choose the metric."""
    if asked or question.task == "regression" or not is_unbalanced(question.y):
        return None
    classes, counts = np.unique(question.y, return_counts=True)
    share, most = 100 * counts.max() / len(question.y), str(classes[np.argmax(counts)])
    return (
        f"{share:.1f} % of the samples are {most!r}: the model is judged by "
        f"the {METRICS[metric].title}, because the accuracy is not informative; "
        "--metric chooses another"
    )


def never_predicted_note(
    assessment: Assessment | None, held_out: np.ndarray, balanced: bool
) -> str | None:
    """The remark on classes that were predicted for none of their rows, all of them held out."""
    if assessment is None or assessment.task == "regression":
        return None
    held = assessment.fold >= 0  # there are others where the time was over
    y, predicted = held_out[held], assessment.predicted[:, held]
    classes, counts = np.unique(y, return_counts=True)
    never = [at for at, name in enumerate(classes) if not (predicted[:, y == name] == name).any()]
    if not never:
        return None
    shown = [f"{str(classes[at])!r} ({counts[at]:,})" for at in never[:_SHOWN]]
    if len(never) > _SHOWN:
        shown.append(f"{len(never) - _SHOWN} more")
    text = f"predicted for none of the held-out rows of that class: {', '.join(shown)}"
    return text if balanced else f"{text}; --balanced gives all classes the same total weight"


def constant_text(question: Question) -> str:
    """The constant prediction that models are compared with, in words."""
    if question.task == "regression":
        return "the mean"
    classes, counts = np.unique(question.y, return_counts=True)
    return f"always {classes[np.argmax(counts)]}"


def class_of_interest(question: Question) -> str:
    """The class whose precision and recall are reported."""
    facts = Reference(question.y, question.task).facts
    if len(facts["classes"]) == 2:
        return str(facts["positive"])
    return "the classes, on average"


def baseline_note(assessment: Assessment, question: Question) -> str | None:
    """The remark on a model that is no better than a constant prediction, within its error."""
    constant = constant_text(question)
    if assessment.task == "regression":
        if assessment.is_better("r2"):
            return None
        return f"the model is no better than {constant} within its error: nothing was learned"
    # One of several metrics is better by one standard error often enough by chance.
    others = [assessment.is_better(name, 2.0) for name in ("auc", "logloss")]
    if not (assessment.is_better("accuracy") or any(others)):
        return f"the model is no better than {constant!r} within its error: nothing was learned"
    if assessment.is_better("accuracy") or assessment.metric == "balanced":
        return None
    area, _, _ = assessment.result("auc")
    return (
        f"the accuracy is no better than that of {constant!r} within its error; the probabilities "
        f"do order the samples (AUC {area:.3f}): use them, or --balanced"
    )
