"""``mercer fit``: fit a model, cross-validate it, save it and write a report."""

from __future__ import annotations

import contextlib
import dataclasses
import shlex
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mercer.automatic.checks.chosen import Choice
from mercer.automatic.learners import learner_for
from mercer.automatic.metrics import METRICS
from mercer.automatic.studies.effort import Effort
from mercer.automatic.study import study
from mercer.cli.findings import Printer, last_lines, model_lines, question_lines, score_lines
from mercer.cli.loading import missing_words
from mercer.cli.numeric import check_columns
from mercer.cli.output import check_writable, note, peak_memory, print_json, with_threads
from mercer.cli.progress import progress_bars
from mercer.cli.streaming.files import SOME_ROWS, refuse_unused, streams
from mercer.cli.streaming.fit import run as stream
from mercer.errors import InputError, MercerError, ParameterError, did_you_mean
from mercer.kernels.expression import parse
from mercer.model_files import save
from mercer.readers import Source, read_source
from mercer.report.page import write_report

__all__ = ["Choice", "Destination", "Effort", "run"]

_LATE = 0.5  # seconds that round to nothing
_TASKS = ("auto", "classification", "regression")
_DEFAULTS = {"target": None, "kernel": "auto", "learner": "auto", "task": "auto", "folds": 5}
_DEFAULTS |= {"repeats": None, "random_state": 0, "separator": None, "encoding": "utf-8"}
_DEFAULTS |= {"case": None, "metric": None, "id": None, "time": None, "test": None}


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
        name = _stem(data.resolve().name)
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
    test: Path | None,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run the command; return its exit code."""
    start = time.perf_counter()
    choices = _checked(choices)
    engine = choices.pop("engine", None)
    if streams(data, target, choices, reading, test):
        refuse_unused(choices, reading, test)
        files.check(data)
        return stream(data, target, choices, files.model, threads, as_json, quiet, engine)
    centers = choices.pop("centers", None)
    for option, value in (("--engine", engine), ("--centers", centers)):
        if value is not None:
            rule = f"is for several files, or one table of more than {SOME_ROWS:,} rows"
            raise ParameterError(option, value, rule, "leave it out")
    command = _command(data, target, choices, reading, test)
    files.check([*data, *filter(None, [test])])
    reading = {**reading, "missing": missing_words(reading["missing"])}
    shown = not (as_json or quiet)
    with with_threads(threads), progress_bars(shown) as progress, Printer(shown) as tell:
        progress("read", 1)
        source = _read(data, reading)
        if test is not None:
            tested = _read([test], reading, like=source)
            choices["effort"] = dataclasses.replace(choices["effort"], test=tested)

        def announce(name: str, outcome: Any) -> None:
            if name == "question":
                if choices["kernel"] != "auto":
                    check_columns(choices["kernel"], outcome.X)
                tell(question_lines(data, source.description, outcome))
            elif name == "model":
                tell(model_lines(outcome))
            else:
                tell(score_lines(*outcome))

        with _noted(source):
            result = study(source, target, progress=progress, announce=announce, **choices)
        progress("model and report", 2)
        result.notes.extend(_late_note(choices["effort"], time.perf_counter() - start))
        replaced = files.model.exists()
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
        tell(last_lines(result, summary, replaced))
    if as_json:
        print_json(summary)
    return 0


def _late_note(effort: Effort, seconds: float) -> list[str]:
    """A note where the command takes longer than it should, and by how much."""
    if effort.seconds is None or seconds < effort.seconds + _LATE:
        return []
    over = seconds - effort.seconds
    least = "the quickest choice, a fit of all samples and their predictions are not cut short"
    late = f"{over:.0f} s longer than --time {effort.seconds:g}"
    return [f"it took {seconds:.0f} s, {late}: {least}"]


def _stem(name: str) -> str:
    """The name of a file without what it ends with, and without the ending of gzip."""
    shorter = name[: -len(".gz")] if name.lower().endswith(".gz") else name
    return shorter.rpartition(".")[0].strip(".") or shorter.strip(".") or "model"


def _read(files: list[Path], reading: dict[str, Any], like: Source | None = None) -> Source:
    """Read files; what is in doubt becomes notes."""
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always")
        source = read_source(files, like=like, **reading)
    if like is not None and source.kind != like.kind:
        rule = f"holds {source.kind}, where the data are {like.kind}"
        raise InputError("--test", str(files[0]), rule)
    return dataclasses.replace(source, notes=tuple(str(each.message) for each in doubts))


@contextlib.contextmanager
def _noted(source: Source) -> Iterator[None]:
    """Print what was in doubt before an error, of which it may be the cause."""
    try:
        yield
    except MercerError:
        for text in source.notes:
            note(text)
        raise


def _checked(choices: dict[str, Any]) -> dict[str, Any]:
    """Find mistakes before the data are read; the kernel's expression becomes a kernel."""
    task, kernel, metric = choices["task"], choices["kernel"], choices["metric"]
    if task not in _TASKS:
        rule = "must be auto, classification or regression"
        raise ParameterError("--task", task, rule, did_you_mean(task, _TASKS))
    if metric is not None and metric not in METRICS:
        remedy = did_you_mean(metric, METRICS, f"one of {', '.join(METRICS)}")
        raise ParameterError("--metric", metric, "is unknown", remedy)
    choices = dict(choices)
    if kernel != "auto":
        choices["kernel"] = parse(kernel)
    if task == "auto" and metric is not None:
        choices["task"] = METRICS[metric].task
    if choices["task"] != "auto":
        learner_for(choices["task"], choices["learner"])
    return choices


def _command(
    data: list[Path],
    target: str | None,
    choices: dict[str, Any],
    reading: dict[str, Any],
    test: Path | None,
) -> str:
    """The command that reproduces the result, without options that have their default value."""
    effort: Effort = choices["effort"]
    values = {"target": target, **choices, **dataclasses.asdict(effort), **reading}
    values |= {"id": choices["choice"].id, "time": effort.seconds, "test": test}
    words = ["mercer", "fit", *map(str, data)]
    for name, default in _DEFAULTS.items():
        if values[name] != default:
            option = name.replace("random_state", "seed")
            words += [f"--{option}", str(values[name])]
    return shlex.join(words + _flags(choices, reading))


def _flags(choices: dict[str, Any], reading: dict[str, Any]) -> list[str]:
    """The options that have no value, or several."""
    effort, choice = choices["effort"], choices["choice"]
    given = {
        "--balanced": choices["balanced"],
        "--quick": effort.quick,
        "--no-assess": not effort.assess,
        "--strict": reading["strict"],
        "--header": reading["header"] is True,
        "--no-header": reading["header"] is False,
    }
    several = {
        "--missing": reading["missing"] or (),
        "--text": reading["texts"],
        "--drop": choice.drop,
        "--keep": choice.keep,
        "--columns": choice.columns,
    }
    flags = [name for name, is_given in given.items() if is_given]
    for name, values in several.items():
        for value in values:
            flags += [name, value]
    return flags
