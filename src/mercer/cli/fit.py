"""``mercer fit``: fit a model, cross-validate it, save it and write a report."""

from __future__ import annotations

import dataclasses
import shlex
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from mercer.automatic.learners import learner_for
from mercer.automatic.study import Study, study
from mercer.cli.output import align, peak_memory, print_json, progress_bars, with_threads
from mercer.cli.paths import check_writable
from mercer.errors import ParameterError, did_you_mean
from mercer.kernels.expression import parse
from mercer.model_files import save
from mercer.readers import read_source
from mercer.report.formatting import score_text, shorten
from mercer.report.page import write_report

_TASKS = ("auto", "classification", "regression")
_DEFAULTS = {"target": None, "kernel": "auto", "learner": "auto", "task": "auto", "folds": 5}
_DEFAULTS |= {"repeats": None, "random_state": 0, "separator": None, "encoding": "utf-8"}
_DEFAULTS |= {"case": None}
_MOST_CLASSES = 6  # that are listed with their counts
_STATUS = {"strict": "strictly positive definite", "psd": "positive semi-definite"}


@dataclasses.dataclass(frozen=True)
class Destination:
    """The files to be written; no report if it is None."""

    model: Path
    report: Path | None

    @classmethod
    def of(
        cls, data: Path, model: Path | None, report: Path | None, with_report: bool
    ) -> Destination:
        """The files that the user named, else in the current folder with the name of the data."""
        name = data.resolve().name.partition(".")[0] or "model"
        model = model or Path(f"{name}.mercer")
        if not with_report:
            return cls(model, None)
        return cls(model, report or Path(f"{name}.html"))

    def check(self, data: list[Path]) -> None:
        """Check that the files can be written, before any work is done, and never over the data."""
        for file in filter(None, (self.model, self.report)):
            check_writable(file, data)


def run(
    data: list[Path],
    target: str | None,
    choices: dict[str, Any],
    reading: dict[str, Any],
    files: Destination,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run the command; return its exit code."""
    start = time.perf_counter()
    choices = _checked(choices)
    command = _command(data, target, choices, reading)
    files.check(data)
    if reading["missing"] is not None:
        reading = {**reading, "missing": ("", *reading["missing"])}
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always")
        source = read_source(data, **reading)
    source = dataclasses.replace(source, notes=tuple(str(each.message) for each in doubts))
    with with_threads(threads), progress_bars(not (as_json or quiet)) as progress:
        result = study(source, target, progress=progress, **choices)
        progress("model and report", 2)
        save(result.model, files.model)
        progress("", 1)
        if files.report is not None:
            memory = peak_memory()
            write_report(result, files.report, command=command, files=data, memory=memory)
    summary = {
        **result.summary(),
        "model": str(files.model),
        "report": None if files.report is None else str(files.report),
        "total seconds": round(time.perf_counter() - start, 2),
        "peak memory": peak_memory(),
    }
    if as_json:
        print_json(summary)
    elif not quiet:
        print(align(_lines(result, data, summary)))
    return 0


def _checked(choices: dict[str, Any]) -> dict[str, Any]:
    """Find mistakes before the data are read; the kernel's expression becomes a kernel."""
    task, kernel = choices["task"], choices["kernel"]
    if task not in _TASKS:
        rule = "must be auto, classification or regression"
        raise ParameterError("--task", task, rule, did_you_mean(task, _TASKS))
    if kernel != "auto":
        choices = {**choices, "kernel": parse(kernel)}
    if task != "auto":
        learner_for(task, choices["learner"])
    return choices


def _command(
    data: list[Path], target: str | None, choices: dict[str, Any], reading: dict[str, Any]
) -> str:
    """The command that reproduces the result, without options that have their default value."""
    values = {"target": target, **choices, **reading}
    words = ["mercer", "fit", *map(str, data)]
    for name, default in _DEFAULTS.items():
        if values[name] != default:
            option = name.replace("random_state", "seed")
            words += [f"--{option}", str(values[name])]
    return shlex.join(words + _flags(reading))


def _flags(reading: dict[str, Any]) -> list[str]:
    """The options that have no value, or several."""
    flags = []
    for cell in reading["missing"] or ():
        flags += ["--missing", cell]
    if reading["header"] is not None:
        flags.append("--header" if reading["header"] else "--no-header")
    for column in reading["texts"]:
        flags += ["--text", column]
    if reading["strict"]:
        flags.append("--strict")
    return flags


def _lines(result: Study, data: list[Path], summary: dict[str, Any]) -> list[tuple[str, str]]:
    """The results as named lines of text."""
    model, assessment = result.model, result.assessment
    names = ", ".join(file.name for file in data)
    learner = f"{summary['learner']}, {model.penalty_name_} = {model.tuned_.penalty:g}"
    n_trials = len(model.tuned_.trials)
    folds = f"{assessment.repeats} × {assessment.folds}-fold cross-validation"
    lines = [
        ("data", f"{names}: {result.source.description}"),
        ("target", f"{result.question.target}: {_target_text(result)}"),
        ("kernel", shorten(repr(model.kernel_), 330, end=80)),
        ("", _STATUS.get(summary["status"], summary["status"])),
        ("learner", f"{learner}, chosen by {model.way_} among {n_trials} candidates"),
        (result.score_name, _score_text(result)),
        ("", f"{folds}, with model selection inside each fold"),
        *_column_lines(result),
    ]
    lines += [("note", note) for note in summary["notes"]]
    lines.append(("model", summary["model"]))
    if summary["report"]:
        report = Path(summary["report"])
        # Terminals make a link of a full path.
        if sys.stdout.isatty():
            report = report.resolve()
        lines.append(("report", str(report)))
    seconds = f"{summary['total seconds']:.1f} s"
    if summary["peak memory"] is not None:
        seconds += f", {summary['peak memory'] / 1e6:,.0f} MB"
    return [*lines, ("time", seconds)]


def _target_text(result: Study) -> str:
    """The distribution of the target."""
    y = result.question.y
    if not result.is_classification:
        return f"{y.min():.5g} to {y.max():.5g}, standard deviation {y.std():.4g}"
    classes, counts = np.unique(y, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    text = ", ".join(f"{classes[i]} {counts[i]:,}" for i in order[:_MOST_CLASSES])
    if len(classes) > _MOST_CLASSES:
        text += f" and {len(classes) - _MOST_CLASSES} more classes"
    return text


def _score_text(result: Study) -> str:
    """The score, and what it is to be compared with."""
    assessment = result.assessment
    score = score_text(assessment.mean, assessment.error, result.is_classification)
    if not result.is_classification:
        return f"{score}   (root mean squared error {result.root_mean_squared_error:.4g})"
    classes, counts = np.unique(result.question.y, return_counts=True)
    most_frequent = classes[np.argmax(counts)]
    return f"{score}   (baseline, always {most_frequent}: {100 * result.baseline:.1f} %)"


def _column_lines(result: Study) -> list[tuple[str, str]]:
    """The columns with the largest permutation importance, unless it may be chance."""
    best = [each for each in result.contributions[:5] if each.drop > each.error]
    if not best:
        return []
    drops = [f"{each.column} {each.drop:.3g}" for each in best]
    if result.is_classification:
        drops = [f"{each.column} {100 * each.drop:.3g} points" for each in best]
    return [("columns", f"{'  '.join(drops)}   of {result.score_name} lost when shuffled")]
