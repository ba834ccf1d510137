"""``mercer predict``."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import Frame, RawSamples
from mercer.automatic.study import layout_of
from mercer.cli.loading import load_fitted
from mercer.cli.output import plain_warnings, print_json, with_threads
from mercer.domains.base import raw_length
from mercer.errors import InputError, ParameterError
from mercer.readers import Source, read_source, read_table


def run(
    path: Path,
    data: list[Path],
    out: Path | None,
    probabilities: bool,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> int:
    model = load_fitted(path)
    with plain_warnings(not quiet), with_threads(threads):
        X, truth, names = _samples(model, data)
        said, more = _predictions(model, X, probabilities)
    known = _known(truth, len(said))
    score = _score(np.asarray(truth)[known], said[known]) if known.any() else None
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    writer.writerow(
        [*(["name"] if names else []), model.source_["target"], *(name for name, _ in more)]
    )
    for at, value in enumerate(said):
        writer.writerow(
            [
                *([names[at]] if names else []),
                _cell(value),
                *(_cell(column[at]) for _, column in more),
            ]
        )
    if out is not None:
        out.write_text(held.getvalue(), encoding="utf-8")
    if as_json:
        print_json(
            {"predictions": said, "columns": dict(more), "score": score, "samples": raw_length(X)}
        )
        return 0
    if out is None and not quiet:
        sys.stdout.write(held.getvalue())
    if score is not None and not quiet:
        name = "accuracy" if model.source_["task"] == "classification" else "R²"
        shown = f"{100 * score:.1f} %" if name == "accuracy" else f"{score:.4f}"
        which = (
            f"these {len(said):,} samples"
            if known.all()
            else f"the {int(known.sum()):,} samples whose {model.source_['target']} is given"
        )
        print(f"{name} on {which}: {shown}", file=sys.stderr)
    return 0


def _cell(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, (float, np.floating)) else str(value)


def _samples(model: Any, data: list[Path]) -> tuple[Any, Any, list[str]]:
    """Samples read as those of the training were, their true targets if they are there, and their names."""
    kind, target = model.source_["kind"], model.source_["target"]
    layout = layout_of(model)
    if kind == "table" and layout is not None:
        if len(data) > 1:
            raise InputError(
                "data", [str(file) for file in data], "are several files where one table is wanted"
            )
        frame, _ = read_table(data[0], like=_without(layout, target, data[0]))
        truth = frame.pop(target).to_numpy() if target in frame.columns else None
        _check_types(frame, model, data[0])
        return frame, truth, []
    source: Source = read_source(data)
    if source.kind != kind:
        raise InputError(
            "data", source.description, f"are {source.kind}, where the model was fitted on {kind}"
        )
    X = source.samples
    if (
        kind == "vectors" and X.shape[1] < model.n_features_in_
    ):  # the last columns may be zero in every row
        X.resize((X.shape[0], model.n_features_in_))
    labels = source.labels
    if (
        labels is not None
        and model.source_["task"] == "classification"
        and not np.isin(_classes(labels), model.classes_).any()
    ):
        labels = None  # whatever they are, they are not what the model tells
    return X, labels, source.names


def _without(layout: Any, target: str, path: Path) -> Any:
    """Of a table without a header that lacks the target, the names of the columns that it has."""
    if layout.header:
        return layout
    import dataclasses
    import itertools

    from mercer.readers.files import read_text
    from mercer.readers.tables import table_rows

    first: list[str] = next(
        itertools.islice(table_rows(read_text(path, layout.encoding), layout.separator), 1), []
    )
    if len(first) == len(layout.names) - 1:
        return dataclasses.replace(
            layout, names=tuple(name for name in layout.names if name != target)
        )
    return layout


def _check_types(frame: Frame, model: Any, path: Path) -> None:
    """A column of numbers must not hold text."""
    texts = set(layout.texts) if (layout := layout_of(model)) is not None else set()
    for name in model.feature_names_in_:
        if (
            name in frame.columns
            and name not in texts
            and str(frame[name].dtype) in ("object", "str", "string")
        ):
            odd = frame[name].dropna()
            if len(odd) and not all(isinstance(value, bool) for value in odd):
                text = next((value for value in odd if not _is_number(value)), odd.iloc[0])
                raise InputError(
                    f"{path.name}, column {name!r}",
                    text,
                    "is text, where the model was fitted on numbers",
                )


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _predictions(
    model: Any, X: RawSamples, probabilities: bool
) -> tuple[np.ndarray, list[tuple[str, np.ndarray]]]:
    if not probabilities:
        return np.asarray(model.predict(X)), []
    if model.source_["task"] == "classification":
        p = model.predict_proba(X)
        return np.asarray(model.predict(X)), [
            (f"p({name})", p[:, at]) for at, name in enumerate(model.classes_)
        ]
    if model.learner_ not in ("gp", "rvm"):
        raise ParameterError(
            "--probabilities",
            True,
            f"asks a deviation of {model.learner_}, which has none",
            "fit with --learner gp",
        )
    mean, deviation = model.predict(X, return_std=True)
    return mean, [("deviation", deviation)]


def _known(truth: Any, count: int) -> np.ndarray:
    """Which samples have their target given."""
    if truth is None:
        return np.zeros(count, dtype=bool)
    return np.array(
        [value is not None and value == value for value in np.asarray(truth).tolist()], dtype=bool
    )


def _score(truth: np.ndarray, said: np.ndarray) -> float | None:
    """Accuracy, or R² of numbers; None where it has no meaning."""
    if said.dtype.kind == "f" and truth.dtype.kind not in "iuf":
        return None
    if said.dtype.kind == "f":
        y = truth.astype(float)
        spread = float(((y - y.mean()) ** 2).sum())
        return 1.0 - float(((y - said) ** 2).sum()) / spread if spread > 0 else None
    return float(np.mean(_classes(truth) == said.astype(str)))


def _classes(labels: np.ndarray) -> np.ndarray:
    """Labels as classes are called: whole numbers without a point."""
    whole = labels.dtype.kind in "iuf" and bool((labels == np.round(labels)).all())
    return (labels.astype(int) if whole else labels).astype(str)
