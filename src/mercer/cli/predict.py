"""``mercer predict``."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np

from mercer.automatic.study import layout_of
from mercer.cli.loading import load_fitted
from mercer.cli.output import plain_warnings, print_json, with_threads
from mercer.domains.base import raw_length
from mercer.errors import InputError, ParameterError, explain
from mercer.readers import Source, read_source, read_table


def run(path: Path, data: list[Path], out: Path | None, probabilities: bool, threads: int | None, as_json: bool, quiet: bool) -> int:
    model = load_fitted(path)
    with plain_warnings(), with_threads(threads):
        X, truth, names = _samples(model, data)
        said, more = _predictions(model, X, probabilities)
    score = None if truth is None else _score(truth, said)
    if as_json:
        print_json({"predictions": said, "columns": dict(more), "score": score, "samples": raw_length(X)})
        return 0
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    writer.writerow([*(["name"] if names else []), model.source_["target"], *(name for name, _ in more)])
    for at, value in enumerate(said):
        writer.writerow([*([names[at]] if names else []), _cell(value), *(_cell(column[at]) for _, column in more)])
    if out is None:
        if not quiet:
            sys.stdout.write(held.getvalue())
    else:
        out.write_text(held.getvalue(), encoding="utf-8")
    if score is not None and not quiet:
        name = "accuracy" if model.source_["task"] == "classification" else "R²"
        shown = f"{100 * score:.1f} %" if name == "accuracy" else f"{score:.4f}"
        print(f"{name} on these {len(said):,} samples: {shown}", file=sys.stderr)
    return 0


def _cell(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, (float, np.floating)) else str(value)


def _samples(model: Any, data: list[Path]) -> tuple[Any, Any, list[str]]:
    """Samples read as those of the training were, their true targets if they are there, and their names."""
    kind, target = model.source_["kind"], model.source_["target"]
    layout = layout_of(model)
    if kind == "table" and layout is not None:
        if len(data) > 1:
            raise InputError(explain("data", [str(file) for file in data], "are several files where one table is wanted"))
        frame, _ = read_table(data[0], like=_without(layout, target, data[0]))
        truth = frame.pop(target).to_numpy() if target in frame.columns else None
        _check_types(frame, model, data[0])
        return frame, truth, []
    source: Source = read_source(data)
    if source.kind != kind:
        raise InputError(explain("data", source.told, f"are {source.kind}, where the model was fitted on {kind}"))
    X = source.samples
    if kind == "vectors" and X.shape[1] < model.n_features_in_:  # the last columns may be zero in every row
        X.resize((X.shape[0], model.n_features_in_))
    return X, source.labels, source.names


def _without(layout: Any, target: str, path: Path) -> Any:
    """Of a table without a header that lacks the target, the names of the columns that it has."""
    if layout.header:
        return layout
    import dataclasses
    import itertools

    from mercer.readers.files import read_text
    from mercer.readers.tables import _rows

    first: list[str] = next(itertools.islice(_rows(read_text(path, layout.encoding), layout.separator), 1), [])
    if len(first) == len(layout.names) - 1:
        return dataclasses.replace(layout, names=tuple(name for name in layout.names if name != target))
    return layout


def _check_types(frame: Any, model: Any, path: Path) -> None:
    """A column of numbers must not hold text."""
    texts = set(layout.texts) if (layout := layout_of(model)) is not None else set()
    for name in model.feature_names_in_:
        if name in frame.columns and name not in texts and str(frame[name].dtype) in ("object", "str", "string"):
            odd = frame[name].dropna()
            if len(odd) and not all(isinstance(value, bool) for value in odd):
                rule = f"holds text such as {odd.iloc[0]!r}, where the model was fitted on numbers"
                raise InputError(explain(f"{path.name}, column {name!r}", f"{len(odd)} values", rule))


def _predictions(model: Any, X: Any, probabilities: bool) -> tuple[np.ndarray, list[tuple[str, np.ndarray]]]:
    if not probabilities:
        return np.asarray(model.predict(X)), []
    if model.source_["task"] == "classification":
        p = model.predict_proba(X)
        return np.asarray(model.predict(X)), [(f"p({name})", p[:, at]) for at, name in enumerate(model.classes_)]
    if model.learner_ not in ("gp", "rvm"):
        raise ParameterError(
            explain("--probabilities", True, f"asks a deviation of {model.learner_}, which has none", "fit with --learner gp")
        )
    mean, deviation = model.predict(X, return_std=True)
    return mean, [("deviation", deviation)]


def _score(truth: Any, said: np.ndarray) -> float | None:
    truth = np.asarray(truth)
    if said.dtype.kind == "f" and truth.dtype.kind in "iuf":
        known = np.isfinite(truth.astype(float))
        y, f = truth[known].astype(float), said[known]
        spread = float(((y - y.mean()) ** 2).sum()) if len(y) else 0.0
        return 1.0 - float(((y - f) ** 2).sum()) / spread if spread > 0 else None
    whole = truth.dtype.kind in "iuf" and bool((truth == np.round(truth)).all())
    return float(np.mean((truth.astype(int) if whole else truth).astype(str) == said.astype(str)))
