"""What ``mercer fit`` found, as named lines of text: each part as soon as it is known."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from mercer.aliases import Estimator
from mercer.automatic.assessment import Assessment
from mercer.automatic.explanations import Contribution
from mercer.automatic.learners import title_of
from mercer.automatic.metrics import METRICS, Metric
from mercer.automatic.question import Question
from mercer.automatic.studies.remarks import class_of_interest, constant_text
from mercer.automatic.study import Study
from mercer.cli.output import align
from mercer.report.formatting import metric_text
from mercer.report.terms import term_lines

Lines = list[tuple[str, str]]
_INDENT = 11
_MOST_CLASSES = 6  # that are listed with their counts
_MOST_NAMES = 8  # columns that are listed for one reason
_STATUS = {
    "strict": "the kernel is strictly positive definite",
    "psd": "the kernel is positive semi-definite",
}
_SHOWN = {"classification": ("accuracy", "auc", "logloss"), "regression": ("r2", "rmse", "mae")}


class Printer:
    """Prints lines as they come, but nothing in the first second.

    A mistake that is found at once is thus one line on the error stream, and nothing else.
    """

    def __init__(self, shown: bool) -> None:
        self.shown = shown
        self._waiting: Lines | None = []
        self._lock = threading.Lock()
        self._timer = threading.Timer(1.0, self._release)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        if error is None:
            self._release()

    def __call__(self, lines: Lines) -> None:
        with self._lock:
            if self._waiting is not None:
                self._waiting += lines
            else:
                self._print(lines)

    def _release(self) -> None:
        with self._lock:
            lines, self._waiting = self._waiting, None
            self._print(lines or [])

    def _print(self, lines: Lines) -> None:
        if lines and self.shown:
            print(align(lines, _INDENT), flush=True)


def question_lines(data: list[Path], description: str, question: Question) -> Lines:
    """The data, the target, and the columns that are left out."""
    names = ", ".join(file.name for file in data)
    return [("data", f"{names}: {description}"), *question_text(question)]


def question_text(question: Question) -> Lines:
    """The target, and the columns that are left out."""
    target = ("target", f"{question.target}: {_target_text(question)}")
    return [target, *_left_out_lines(question)]


def _target_text(question: Question) -> str:
    """The distribution of the target."""
    y = question.y
    if question.task == "regression":
        return f"{y.min():.5g} to {y.max():.5g}, standard deviation {y.std():.4g}"
    classes, counts = np.unique(y, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    text = ", ".join(f"{classes[i]} {counts[i]:,}" for i in order[:_MOST_CLASSES])
    if len(classes) > _MOST_CLASSES:
        text += f" and {len(classes) - _MOST_CLASSES} more classes"
    return text


def _left_out_lines(question: Question) -> Lines:
    """Each column that is left out with its reason, those of one reason together."""
    columns: dict[str, list[str]] = {}
    for each in question.left_out:
        columns.setdefault(each.reason, []).append(each.column)
    lines = []
    for reason, names in columns.items():
        more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        lines.append(("left out", f"{', '.join(names[:_MOST_NAMES])}{more}: {reason}"))
    if {each.kind for each in question.left_out} - {"id", "asked"}:
        lines.append(("", "--keep COLUMN uses a column all the same"))
    return lines


def model_lines(model: Estimator) -> Lines:
    """The kernel with its status, and the learner."""
    status = status_text(str(model.kernel_.certificate().status))
    learner = f"{title_of(model.model_)}, {model.penalty_name_} = {model.tuned_.penalty:g}"
    n_trials = len(model.tuned_.trials)
    first, *others = term_lines(model.kernel_)
    return [
        ("kernel", first),
        *(("", line) for line in others),
        ("proved", status),
        ("learner", f"{learner}, chosen by {model.way_} among {n_trials} candidates"),
    ]


def status_text(status: str) -> str:
    """What is proved of a kernel, in words."""
    return _STATUS.get(status, status)


def score_lines(metric: Metric, assessment: Assessment | None, question: Question) -> Lines:
    """The scores, the baseline that they are to be compared with, and how they were estimated."""
    if assessment is None:
        return [(_name(metric), "was not estimated")]
    first, *others = dict.fromkeys([metric.name, *_SHOWN[assessment.task]])
    constant = constant_text(question)
    lines = [(_name(metric), _score(first, assessment, f"baseline, {constant}:"))]
    lines += [(_name(METRICS[name]), _score(name, assessment, "baseline")) for name in others]
    if assessment.task == "classification":
        lines.append(("precision", _precision_text(assessment, question)))
    return [*lines, ("", way_text(assessment))]


def _name(metric: Metric) -> str:
    return metric.title if len(metric.title) < _INDENT - 1 else metric.name


def _score(name: str, assessment: Assessment, compared: str) -> str:
    mean, error, baseline = assessment.result(name)
    return f"{metric_text(name, mean, error)}   ({compared} {metric_text(name, baseline)})"


def _precision_text(assessment: Assessment, question: Question) -> str:
    """Precision and recall of the rarer one of two classes, or the means of all classes."""
    precision, recall = (
        metric_text(name, *assessment.result(name)[:2]) for name in ("precision", "recall")
    )
    return f"{precision}, recall {recall}   (of {class_of_interest(question)})"


def way_text(assessment: Assessment) -> str:
    """How scores were estimated."""
    if assessment.folds == 0:
        rows = f"{assessment.predicted.shape[1]:,} samples, each predicted by a model without it"
        return f"{rows}; somewhat optimistic: kernel and penalty were chosen by these"
    if assessment.folds == 1:
        return f"on the {assessment.predicted.shape[1]:,} samples of the test file"
    rounds = f"{assessment.repeats} × {assessment.folds}-fold cross-validation"
    return f"{rounds}, with model selection inside each fold"


def last_lines(result: Study, summary: dict[str, Any], replaced: bool = False) -> Lines:
    """The columns that matter, notes, files, time and memory."""
    lines = _linear_lines(result)
    lines += column_lines(result.importance, result.contributions)
    lines += [("note", note) for note in summary["notes"]]
    lines.append(("model", summary["model"] + (", replaced" if replaced else "")))
    if summary["report"]:
        report = Path(summary["report"])
        # Terminals make a link of a full path.
        if sys.stdout.isatty():
            report = report.resolve()
        lines.append(("report", str(report)))
    return [*lines, time_line(summary)]


def time_line(summary: dict[str, Any]) -> tuple[str, str]:
    """The duration, and the peak memory where the system tells it."""
    seconds = f"{summary['total seconds']:.1f} s"
    if summary["peak memory"] is not None:
        seconds += f", {summary['peak memory'] / 1e6:,.0f} MB"
    return "time", seconds


def _linear_lines(result: Study) -> Lines:
    """What a linear model of the same columns scores on the same held-out samples."""
    name = result.metric.name
    if name not in result.linear:
        return []
    scored = metric_text(name, *result.linear[name])
    return [("linear", f"a linear model of the same columns has {result.metric.title} {scored}")]


def column_lines(metric: Metric, contributions: list[Contribution]) -> Lines:
    """The columns with the largest permutation importance, unless it may be chance."""
    best = [each for each in contributions[:5] if each.drop > each.error]
    if not best:
        return []
    scale, unit = (100.0, " points") if metric.percent else (1.0, "")
    drops = [f"{each.column} by {scale * each.drop:.3g}{unit}" for each in best]
    change = "falls" if metric.greater else "rises"
    way = f"{metric.title} {change} when the values of a column are shuffled"
    return [("columns", f"{way}: {', '.join(drops)}")]
