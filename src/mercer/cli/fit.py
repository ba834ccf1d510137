"""``mercer fit``."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from mercer.automatic.learners import learner_for
from mercer.automatic.study import Study, study
from mercer.cli.output import lines, peak_memory, print_json, progress, with_threads
from mercer.errors import InputError, ParameterError
from mercer.kernels.expression import parse
from mercer.model_files import save
from mercer.readers import read_source
from mercer.report.page import score_text, write_report


def run(
    data: list[Path],
    target: str | None,
    choices: dict[str, Any],
    reading: dict[str, Any],
    model: Path | None,
    report: Path | None,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> int:
    start = time.perf_counter()
    _check(choices)
    stem = data[0].resolve().name.partition(".")[0] or "model"
    model = model or Path(f"{stem}.mercer")
    if report is not None and str(report) == ".":
        report = Path(f"{stem}.html")
    _check_places(data, model, report)
    source = read_source(data, **reading)
    with with_threads(threads), progress(not (as_json or quiet)) as told:
        made = study(source, target, told=told, **choices)
        told("model and report", 2)
        save(made.model, model)
        told("", 1)
        if report is not None:
            write_report(
                made,
                report,
                command=_command(data, target, choices, reading),
                files=data,
                memory=peak_memory(),
            )
    summary = {
        **made.summary(),
        "model": str(model),
        "report": None if report is None else str(report),
        "total seconds": round(time.perf_counter() - start, 2),
        "peak memory": peak_memory(),
    }
    if as_json:
        print_json(summary)
    elif not quiet:
        print(_text(made, data, summary))
    return 0


def _check(choices: dict[str, Any]) -> None:
    """What can be told to be wrong before the data are read."""
    if choices["task"] not in ("auto", "classification", "regression"):
        raise ParameterError(
            "--task", choices["task"], "must be auto, classification or regression"
        )
    if choices["kernel"] != "auto":
        choices["kernel"] = parse(choices["kernel"])
    if choices["task"] != "auto":
        learner_for(choices["task"], choices["learner"])


def _check_places(data: list[Path], model: Path, report: Path | None) -> None:
    """Where files can be written, before any work is done; never over the data."""
    for file in (model, report):
        if file is None:
            continue
        if not file.resolve().parent.is_dir():
            raise InputError("path", str(file), "is in a folder that is not there")
        if file.is_dir():
            raise InputError("path", str(file), "is a folder", "give the name of a file")
        if file.resolve() in [one.resolve() for one in data]:
            raise InputError(
                "path",
                str(file),
                "is among the data, which would be lost",
                "--model or --report names another",
            )


def _command(
    data: list[Path], target: str | None, choices: dict[str, Any], reading: dict[str, Any]
) -> str:
    parts = ["mercer", "fit", *(shlex.quote(str(file)) for file in data)]
    if target is not None:
        parts += ["--target", shlex.quote(target)]
    plain = {
        "kernel": "auto",
        "learner": "auto",
        "task": "auto",
        "folds": 5,
        "repeats": None,
        "random_state": 0,
    }
    for name, usual in plain.items():
        value = choices[name]
        if value is not usual and value != usual:
            parts += [f"--{'seed' if name == 'random_state' else name}", shlex.quote(str(value))]
    for cell in (reading.get("missing") or ())[
        1:
    ]:  # the first is the empty cell, which is always a hole
        parts += ["--missing", shlex.quote(cell)]
    if reading.get("separator"):
        parts += ["--separator", shlex.quote(reading["separator"])]
    if reading.get("header") is not None:
        parts.append("--header" if reading["header"] else "--no-header")
    if reading.get("encoding", "utf-8") != "utf-8":
        parts += ["--encoding", shlex.quote(reading["encoding"])]
    return " ".join(parts)


def _text(made: Study, data: list[Path], summary: dict[str, Any]) -> str:
    y, model = made.question.y, made.model
    classes = made.question.task == "classification"
    if classes:
        found, counts = np.unique(y, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        kinds = ", ".join(f"{found[i]} {counts[i]:,}" for i in order[:6]) + (
            f" and {len(found) - 6} more classes" if len(found) > 6 else ""
        )
        told = f"{score_text(made)}   (always {found[order[0]]}: {100 * made.baseline:.1f} %)"
    else:
        kinds = f"{y.min():.5g} to {y.max():.5g}, deviation {y.std():.4g}"
        root = float(np.sqrt(np.mean((y - made.found.predicted[0]) ** 2)))
        told = f"{score_text(made)}   (root mean squared error {root:.4g})"
    kernel = repr(model.kernel_)
    pairs = [
        ("data", f"{', '.join(file.name for file in data)}: {made.source.description}"),
        ("target", f"{made.question.target}: {kinds}"),
        ("kernel", kernel if len(kernel) <= 330 else f"{kernel[:240]} ... {kernel[-80:]}"),
        (
            "",
            {"strict": "strictly positive definite", "psd": "positive semi-definite"}.get(
                summary["status"], str(summary["status"])
            ),
        ),
        (
            "learner",
            f"{summary['learner']}, {model.penalty_name_} = {model.tuned_.penalty:g}, by {model.way_} over {len(model.tuned_.table)}",
        ),
        ("accuracy" if classes else "R²", told),
        (
            "",
            f"{made.found.repeats} × {made.found.folds}-fold cross-validation, all choices made inside each fold",
        ),
    ]
    if made.contributions:
        unit = (100, " points") if classes else (1, "")
        best = [one for one in made.contributions[:5] if one.drop > one.error]
        if best:
            pairs.append(
                (
                    "columns",
                    "  ".join(f"{one.column} {unit[0] * one.drop:.3g}{unit[1]}" for one in best)
                    + "   lost when shuffled",
                )
            )
    pairs += [("note", note) for note in summary["notes"]]
    pairs.append(("model", str(summary["model"])))
    if summary["report"]:
        pairs.append(
            (
                "report",
                str(Path(summary["report"]).resolve())
                if sys.stdout.isatty()
                else summary["report"],
            )
        )
    memory = "" if summary["peak memory"] is None else f", {summary['peak memory'] / 1e6:,.0f} MB"
    pairs.append(("time", f"{summary['total seconds']:.1f} s{memory}"))
    return lines(pairs)
