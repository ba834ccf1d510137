"""What is printed and stored of a model that was fitted to files read block by block."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mercer.aliases import Estimator
from mercer.automatic.assessment import Assessment
from mercer.automatic.explanations import Contribution
from mercer.automatic.metrics import METRICS, Reference, default_metric
from mercer.automatic.question import Question
from mercer.cli.findings import status_text
from mercer.kernels.functions import without_marks
from mercer.report.terms import term_lines

Lines = list[tuple[str, str]]


def fit_lines(model: Estimator, columns: list[str], of_kernel: str, of_penalty: str) -> Lines:
    """The kernel with its status, the learner, and what its centers give up.

    The texts say how the length scales of the kernel and the penalty were chosen.
    """
    report = model.report_
    first, *others = term_lines(model.kernel_, columns)
    lines = [("kernel", first), *(("", line) for line in others)]
    if of_kernel:
        lines.append(("", of_kernel))
    lines.append(("proved", status_text(report.status)))
    lines.append(("learner", ", ".join(filter(None, [_learner_text(model), of_penalty]))))
    lines.append(("plan", report.plan))
    if "missed" in report.facts:
        lines.append(("centers", _centers_text(report.facts)))
    if "passes" in report.facts:
        lines.append(("passes", f"{report.passes} over all rows"))
    return lines


def _learner_text(model: Estimator) -> str:
    """The learner and its penalty."""
    name = type(model).__name__
    if not hasattr(model, "alpha_"):
        return f"{name}, C = {model.C:g}"
    way = "rows held out"
    if hasattr(model, "loo_predictions_"):
        way = "leave-one-out errors"
    return f"{name}, alpha = {model.alpha_:g}, chosen by {way} among {len(model.alphas)} values"


def _centers_text(facts: dict[str, Any]) -> str:
    """What the centers miss of the kernel, and what half of them would lose."""
    mean, error, most = facts["missed"]
    text = (
        f"they miss {mean:.3g} % ± {error:.1g} of k(x, x) on average, at most {most:.3g} % of a row"
    )
    if "score_half" in facts:
        half, whole = facts["score_half"], facts["score"]
        return f"{text}; with half of them the score is {half:.4g} in place of {whole:.4g}"
    return f"{text}; a larger --centers misses less"


def source_facts(
    model: Estimator,
    question: Question,
    assessment: Assessment | None,
    contributions: list[Contribution],
    names: list[str],
    notes: list[str],
) -> dict[str, Any]:
    """What a model file stores of its data, by which others are read and compared."""
    left_out = [dataclasses.asdict(each) for each in question.left_out]
    judge = METRICS[default_metric(question.y, question.task)]
    shares: dict[str, float] = {}
    if question.task == "classification":
        classes, counts = np.unique(question.y, return_counts=True)
        shares = dict(zip(map(str, classes), (counts / len(question.y)).tolist(), strict=True))
    summary: dict[str, Any] = {
        "task": question.task,
        "target": question.target,
        "left out": left_out,
        "kernel": without_marks(repr(model.kernel_)),
        "status": str(model.kernel_.certificate().status),
        "learner": type(model).__name__,
        "score": judge.title.replace("²", "2"),
        "metric": judge.name,
        "mean": None,
        "error": None,
        "scores": {},
        "folds": 1,
        "repeats": 1,
        "baseline": Reference(question.y, question.task).baselines(question.y)[judge.name],
        "importance metric": judge.name,
        "contributions": [list(dataclasses.astuple(each)) for each in contributions],
        "notes": notes,
    }
    if assessment is not None:
        judge = METRICS[assessment.metric]
        summary |= {"score": judge.title.replace("²", "2"), "metric": judge.name}
        summary |= {"mean": assessment.mean, "error": assessment.error}
        summary["baseline"] = assessment.baselines[judge.name]
        keys = ("mean", "error", "baseline")
        summary["scores"] = {
            name: dict(zip(keys, assessment.result(name), strict=True))
            for name in assessment.measured
        }
    return {
        "kind": "table",
        "target": question.target,
        "task": question.task,
        "options": {},
        "letters": "",
        "id": next((each.column for each in question.left_out if each.kind == "id"), None),
        "shares": shares,
        "categories": {},
        "effects": [],
        "summary": summary,
    }
