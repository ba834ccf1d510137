"""``mercer fit`` in the background of a page: progress on the way, model and report at the end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mercer.automatic.checks.chosen import Choice
from mercer.automatic.explanations import hardest
from mercer.automatic.learners import title_of
from mercer.automatic.studies.effort import Effort
from mercer.automatic.study import Study, study
from mercer.automatic.subsets import even_rows
from mercer.domains.base import pick_rows
from mercer.kernels.expression import parse
from mercer.kernels.functions import without_marks
from mercer.model_files import save
from mercer.report.formatting import metric_text
from mercer.report.page import write_report
from mercer.studio.data.columns import file_of, read
from mercer.studio.wire import plain

_STAGES = {
    "read": "Reading the file",
    "look": "Looking at the columns",
    "fit": "Choosing kernel and penalty",
    "assess": "Cross-validation",
    "columns": "Importance of columns",
    "learning curve": "Learning curve",
    "report": "Writing the report",
}
_MOST_SHOWN = 1500
_MOST_LISTED = 60  # samples that are listed with their cells
Request = dict[str, Any]
Tell = Callable[[Request], None]


class _Progress:
    """Passes the stages of a study on to the page, with the time that a stage still takes."""

    def __init__(self, tell: Tell) -> None:
        self.tell = tell
        self.start = time.perf_counter()
        self.stage, self.begun, self.done, self.total = "", self.start, 0, 1

    def __call__(self, stage: str, steps: int) -> None:
        now = time.perf_counter()
        if stage:
            self.stage, self.begun, self.done, self.total = stage, now, 0, steps
        else:
            self.done += steps
        left = None
        if 0 < self.done < self.total:
            left = (now - self.begun) / self.done * (self.total - self.done)
        self.tell(
            {
                "stage": _STAGES.get(self.stage, self.stage),
                "done": self.done,
                "total": self.total,
                "left": left,
                "seconds": round(now - self.start, 1),
            }
        )

    def announce(self, name: str, outcome: Any) -> None:
        """Send what a stage of the fit has given, as soon as it is known."""
        if name == "question":
            text = f"{outcome.task} of {outcome.target}: {len(outcome.y):,} samples"
        elif name == "model":
            kernel = without_marks(repr(outcome.kernel_))
            text = f"{title_of(outcome.model_)}: {kernel}"
        else:
            metric, assessment, _ = outcome
            text = "the error was not estimated"
            if assessment is not None:
                score = metric_text(metric.name, assessment.mean, assessment.error)
                text = f"{metric.title} {score} on held-out samples"
        self.tell({"found": text[:400]})


def fit(request: Request, tell: Tell) -> Request:
    """Fit a model, cross-validate it, save it and write its report into the page's folder."""
    path, folder, number = file_of(request), Path(request["folder"]), int(request["number"])
    progress = _Progress(tell)
    progress("read", 1)
    source, _ = read(path)
    kernel = str(request.get("kernel") or "auto")
    used = [str(name) for name in request.get("columns", [])]
    result = study(
        source,
        request.get("target"),
        kernel=kernel if kernel == "auto" else parse(kernel),
        learner=str(request.get("learner") or "auto"),
        choice=Choice(columns=used) if source.kind == "table" else Choice(),
        effort=Effort(quick=bool(request.get("quick", True))),
        progress=progress,
        announce=progress.announce,
    )
    progress("report", 1)
    save(result.model, folder / f"model-{number}.mercer")
    name = str(request.get("file", "data"))
    write_report(result, folder / f"report-{number}.html", command=_command(request, name))
    answer = {"number": number, "summary": result.summary(), **_errors(result)}
    facts: Request = {"task": result.question.task, "target": result.question.target, "path": path}
    facts["columns"] = [str(each) for each in getattr(result.question.X, "columns", [])]
    (folder / f"facts-{number}.json").write_text(json.dumps(plain(facts)), encoding="utf-8")
    return {**answer, "score": _score(result)}


def _command(request: Request, name: str) -> str:
    words = ["mercer fit", name, "--target", str(request.get("target"))]
    return " ".join(words + (["--quick"] if request.get("quick", True) else []))


def _score(result: Study) -> str:
    assessment = result.assessment
    if assessment is None:
        return ""
    return metric_text(result.metric.name, assessment.mean, assessment.error)


def _errors(result: Study) -> Request:
    """The held-out predictions beside the truth, and the samples predicted worst."""
    if result.assessment is None:
        return {}
    y, predicted = result.held_out.y, result.assessment.predicted[0]
    answer: Request = {"hardest": _hardest(result)}
    if not result.is_classification:
        rows = even_rows(len(y), _MOST_SHOWN)
        return {**answer, "pairs": np.column_stack([y, predicted])[rows].astype(float)}
    classes = np.unique(result.question.y)
    counts = np.zeros((len(classes), len(classes)))
    cells = np.searchsorted(classes, y), np.searchsorted(classes, predicted)
    np.add.at(counts, cells, 1.0)
    return {**answer, "classes": [str(each) for each in classes], "confusion": counts}


def _hardest(result: Study) -> list[Request]:
    """The samples predicted worst: the row, its cells, the truth and the prediction."""
    assert result.assessment is not None
    listed = []
    classes = np.unique(result.question.y) if result.is_classification else None
    worst = hardest(result.assessment, result.held_out.y, classes, _MOST_LISTED)
    for row, value in worst:
        sample = pick_rows(result.held_out.X, np.array([row]))
        cells: dict[str, Any] = {"sample": str(sample[0])[:200] if isinstance(sample, list) else ""}
        if hasattr(sample, "columns"):
            cells = {str(name): plain(sample[name].iloc[0]) for name in sample.columns}
        listed.append(
            {
                "row": int(result.held_out.rows[row]),
                "cells": cells,
                "truth": plain(result.held_out.y[row]),
                "predicted": plain(result.assessment.predicted[0][row]),
                "value": value,
            }
        )
    return listed
