"""Predictions of a fitted model for one row that the user fills in, with an explanation."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import Estimator, Frame
from mercer.automatic.subsets import even_rows
from mercer.errors import InputError
from mercer.model_files import load
from mercer.studio.data.columns import describe_columns, read

_BACKGROUND = 40  # rows whose values take the place of a column
Request = dict[str, Any]
Tell = Callable[[Request], None]


@functools.lru_cache(maxsize=4)
def _model(path: str) -> Estimator:
    return load(path)


def _fitted(request: Request) -> tuple[Estimator, Request, Frame]:
    """The model of a number, the facts of its fit, and the table that it was fitted on."""
    folder, number = Path(str(request.get("folder"))), int(request.get("number", 0))
    facts = folder / f"facts-{number}.json"
    if not facts.is_file():
        raise InputError("model", number, "is not there", "fit a model first")
    known = json.loads(facts.read_text(encoding="utf-8"))
    source, _ = read(known["path"])
    if not known["columns"]:
        raise InputError("form", source.kind, "is for tables", "use `mercer predict`")
    return _model(str(folder / f"model-{number}.mercer")), known, source.samples


def form(request: Request, tell: Tell) -> Request:
    """The fields of the form: every column of the model, with its range or its values."""
    _, known, frame = _fitted(request)
    return {"fields": describe_columns(frame[known["columns"]]), "target": known["target"]}


def predict(request: Request, tell: Tell) -> Request:
    """The prediction for one row, the probabilities of the classes, and what each column adds."""
    model, known, frame = _fitted(request)
    row = _row(frame[known["columns"]], request.get("row", {}))
    answer: Request = {"target": known["target"]}
    if known["task"] == "classification":
        chances = np.asarray(model.predict_proba(row))[0]
        best = int(np.argmax(chances))
        answer["classes"] = [str(name) for name in model.classes_]
        answer |= {"probabilities": chances.tolist(), "predicted": answer["classes"][best]}
        outcome = f"probability of {answer['predicted']}"
        values = lambda rows: np.asarray(model.predict_proba(rows))[:, best]  # noqa: E731
    else:
        answer["predicted"] = float(np.asarray(model.predict(row))[0])
        if hasattr(model, "loo_errors_"):
            low, high = model.predict_interval(row)
            answer["interval"] = [float(low[0]), float(high[0])]
        outcome = f"predicted {known['target']}"
        values = lambda rows: np.asarray(model.predict(rows), float)  # noqa: E731
    effects = explain_row(values, row, frame[known["columns"]])
    return {**answer, "effects": effects, "outcome": outcome}


def _row(frame: Frame, given: Request) -> Frame:
    """One row of the table with the values that the user gave; empty ones are missing."""
    row = frame.head(1).copy()
    for name in frame.columns:
        text = given.get(str(name))
        is_missing = text is None or text == ""
        if frame[name].dtype.kind in "iuf":
            row[name] = row[name].astype(float)
            row[name] = np.nan if is_missing else _number(str(name), text)
        else:
            row[name] = row[name].astype(object)
            row[name] = None if is_missing else _known(frame[name], str(text))
    return row


def _number(name: str, text: object) -> float:
    try:
        value = float(str(text))
    except ValueError:
        raise InputError(name, text, "is not a number") from None
    if not np.isfinite(value):
        raise InputError(name, text, "must be a finite number")
    return value


def _known(column: Frame, text: str) -> object:
    """The value of the column that reads so, in its own type; the text itself if there is none."""
    return next((value for value in column.dropna().unique() if str(value) == text), text)


def explain_row(
    values: Callable[[Frame], np.ndarray], row: Frame, frame: Frame
) -> list[dict[str, Any]]:
    """How much the prediction owes to each column, the largest effect first.

    It is the prediction less the mean prediction with the values of other rows in that column: the
    permutation importance, for one row.
    """
    others = frame.iloc[even_rows(len(frame), _BACKGROUND)]
    blocks = [row]
    for name in frame.columns:
        block = row.iloc[[0] * len(others)].copy()
        block[name] = others[name].to_numpy()
        blocks.append(block)
    import pandas as pd

    predicted = values(pd.concat(blocks, ignore_index=True))
    means = predicted[1:].reshape(len(frame.columns), len(others)).mean(axis=1)
    effects = [
        {"column": str(name), "effect": float(predicted[0] - mean)}
        for name, mean in zip(frame.columns, means, strict=True)
    ]
    return sorted(effects, key=lambda each: -abs(each["effect"]))
