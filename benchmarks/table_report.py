"""The report of ``tables.py``: what the cache holds, as tables with ranks, gains and costs."""

from __future__ import annotations

import platform
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from table_data import REGRESSION
from table_models import TITLES

Results = dict[str, dict[str, dict[str, float]]]  # of tables, of models: means over the splits
REFERENCE = "catboost"
WORSE, LONG = 1.05, 2.0  # RMSE ratio of a table that is lost; seconds below which CPU is noise
MEASURES = ("rmse", "auc", "log_loss", "calibration", "coverage", "accuracy", "fit", "predict")


def averages(results: list[dict[str, Any]], size: str, wanted: list[str]) -> Results:
    """Means of every measure over the splits that all models of a table have in common.

    A model that failed on a split has none.
    """
    collected: dict[str, dict[str, dict[int, Any]]] = defaultdict(lambda: defaultdict(dict))
    for each in results:
        if each["size"] == size and each["model"] in wanted:
            collected[each["table"]][each["model"]][each["split"]] = each
    kept: Results = defaultdict(dict)
    for table, models in collected.items():
        common = set.intersection(*(set(splits) for splits in models.values()))
        for model, splits in models.items():
            chosen = [splits[number] for number in sorted(common)]
            if chosen and not any("error" in each for each in chosen):
                kept[table][model] = _means(chosen)
    return kept


def _means(splits: list[dict[str, Any]]) -> dict[str, float]:
    found = {
        key: float(np.mean([each[key] for each in splits])) for key in MEASURES if key in splits[0]
    }
    return {**found, "cpu": found["fit"] + found["predict"]}


def of_task(results: Results, measure: str) -> Results:
    """The tables that have a measure."""
    return {
        table: models
        for table, models in results.items()
        if any(measure in means for means in models.values())
    }


def with_error(values: list[float], digits: int = 3) -> str:
    """Mean ± standard error over the tables."""
    if not values:
        return "–"
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{np.mean(values):.{digits}f} ± {error:.{digits}f}"


def ranks(results: Results, models: list[str]) -> dict[str, list[float]]:
    """Ranks by RMSE on the tables where every model has one; ties share their ranks."""
    found: dict[str, list[float]] = defaultdict(list)
    for measured in of_task(results, "rmse").values():
        if not all(model in measured for model in models):
            continue
        errors = np.array([measured[model]["rmse"] for model in models])
        for model, error in zip(models, errors):
            found[model].append(float((errors < error).sum() + ((errors == error).sum() + 1) / 2))
    return found


def against(
    results: Results, model: str, measure: str, gain: Callable[[float, float], float]
) -> list[float]:
    """``gain(reference's, model's)`` on every table that has both."""
    return [
        gain(measured[REFERENCE][measure], measured[model][measure])
        for measured in of_task(results, measure).values()
        if model in measured and REFERENCE in measured
    ]


def means(results: Results, model: str, measure: str) -> list[float]:
    return [
        measured[model][measure]
        for measured in results.values()
        if model in measured and measure in measured[model]
    ]


def cpu_ratios(results: Results, model: str) -> tuple[float, float]:
    """The geometric mean over CatBoost's, and the largest where CatBoost takes a while."""
    pairs = [
        (measured[model]["cpu"], measured[REFERENCE]["cpu"])
        for measured in results.values()
        if model in measured and REFERENCE in measured
    ]
    if not pairs:
        return np.nan, np.nan
    ratio = np.array([ours / theirs for ours, theirs in pairs])
    slow = [ours / theirs for ours, theirs in pairs if theirs > LONG]
    return float(np.exp(np.log(ratio).mean())), max(slow, default=np.nan)


def ratio(value: float) -> str:
    """Two digits, if there are any times to compare."""
    return f"{value:.2f}" if np.isfinite(value) else "–"


# -- text -----------------------------------------------------------------------------------------


def table_of(header: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|---" + "|---:" * (len(header) - 1) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def summary(results: Results, models: list[str]) -> str:
    ranked = ranks(results, models)
    header = [
        "model",
        "RMSE rank",
        "log-RMSE gain",
        "> 5 % worse",
        "AUC gain",
        "log-loss gain",
        "calibration error",
        "coverage of 90 %",
        "CPU, geometric mean",
        f"CPU, largest where CatBoost > {LONG:g} s",
    ]
    rows = []
    for model in models:
        logs = against(results, model, "rmse", lambda ours, theirs: float(np.log(ours / theirs)))
        auc = against(results, model, "auc", lambda ours, theirs: theirs - ours)
        loss = against(results, model, "log_loss", lambda ours, theirs: ours - theirs)
        typical, largest = cpu_ratios(results, model)
        covered = means(results, model, "coverage")
        rows.append(
            [
                TITLES[model],
                with_error(ranked[model], 1),
                with_error(logs),
                str(sum(np.exp(-each) > WORSE for each in logs)),
                with_error(auc, 4),
                with_error(loss),
                with_error(means(results, model, "calibration")),
                with_error(covered),
                ratio(typical),
                ratio(largest),
            ]
        )
    return table_of(header, rows)


def every_table(results: Results, models: list[str], measure: str, digits: int) -> str:
    """One measure, a row for each table; the best is bold."""
    rows = []
    highest = measure == "auc"
    for table, measured in sorted(of_task(results, measure).items()):
        there = {model: measured[model][measure] for model in models if model in measured}
        best = (max if highest else min)(there.values(), default=np.nan)
        row = [table]
        for model in models:
            shown = "–"
            if model in there:
                shown = number(there[model], digits)
                if there[model] == best:
                    shown = f"**{shown}**"
            row.append(shown)
        rows.append(row)
    return table_of(["table", *(TITLES[model] for model in models)], rows)


def number(value: float, digits: int) -> str:
    """Three digits of RMSE and seconds, which have every order of magnitude."""
    return f"{value:.3g}" if digits == 0 and value < 1000 else f"{value:.{digits}f}"


def failures(results: list[dict[str, Any]], size: str) -> str:
    lines = []
    for each in results:
        if "error" in each and each["size"] == size:
            what = f"{TITLES[each['model']]} on {each['table']}, split {each['split']}"
            lines.append(f"- {what}: {each['error']}")
    return "\n".join(sorted(lines)) + "\n" if lines else ""


def write_report(
    results: list[dict[str, Any]], path: Path, wanted: list[str], note: str = ""
) -> None:
    """Write and print the report."""
    text = ["# Automatic models against gradient boosting, table by table\n"]
    text.append(
        "Made by `benchmarks/tables.py`, which describes the protocol: the same rows for all "
        "models, means over the splits, CPU seconds of fit and prediction on one thread. Gains "
        "are over CatBoost's defaults, positive where the model is better: the logarithm of the "
        "ratio of RMSE, the difference of AUC (one class against the rest, macro average) and of "
        "log-loss; ± is the standard error over tables. "
        f"Processor: {platform.processor() or platform.machine()}. {note}".rstrip()
        + "\n"
    )
    for size, title in (("small", "At most 1,500 training rows"), ("large", "More training rows")):
        found = averages(results, size, wanted)
        present = {model for models in found.values() for model in models}
        models = [model for model in wanted if model in present]
        if not models:
            continue
        tasks = {each["table"]: each["task"] for each in results if "task" in each}
        n_numbers = sum(tasks[table] == REGRESSION for table in found)
        text.append(f"## {title}\n")
        text.append(f"Tables of regression: {n_numbers}, of classes: {len(found) - n_numbers}.\n")
        text.append(summary(found, models))
        n_ranked = max(map(len, ranks(found, models).values()), default=0)
        tables = "table" if n_ranked == 1 else f"{n_ranked} tables"
        text.append(f"Ranks are those on the {tables} that all of these models have.\n")
        for heading, measure, digits in (
            ("RMSE", "rmse", 0),
            ("AUC", "auc", 4),
            ("Log-loss", "log_loss", 3),
            ("Calibration error", "calibration", 3),
            ("CPU seconds", "cpu", 0),
        ):
            if of_task(found, measure):
                text.append(f"### {heading}\n")
                text.append(every_table(found, models, measure, digits))
        failed = failures(results, size)
        if failed:
            text.append(f"Not measured:\n\n{failed}")
    path.write_text("\n".join(text), encoding="utf-8")
    print("\n".join(text))
