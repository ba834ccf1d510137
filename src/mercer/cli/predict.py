"""``mercer predict``: predictions for new samples, and their score where the target is given."""

from __future__ import annotations

import csv
import dataclasses
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from mercer.aliases import Estimator, Frame, RawSamples, SparseMatrix, Targets
from mercer.automatic.checks.chosen import find_column
from mercer.automatic.question import class_names
from mercer.automatic.study import layout_of
from mercer.cli.comparison import Comparison
from mercer.cli.loading import load_fitted
from mercer.cli.output import check_writable, plain_warnings, print_json, with_threads
from mercer.domains.base import raw_length
from mercer.errors import DataWarning, InputError, ParameterError, explain, nearest, warn
from mercer.gram.blocks.files import find_files
from mercer.markup import visible
from mercer.readers import Layout, read_source, read_table
from mercer.readers.doubts import check_case, doubt
from mercer.readers.files import read_text
from mercer.readers.rows import table_rows
from mercer.readers.sources import Source, holds_tables, read_texts

_MOST_CLASSES = 6  # that are listed
_MOST_NEW = 50  # percent of new values of a category, beyond which a table is in doubt
_UNNAMED = re.compile(r"c\d+")  # what columns are called where a file has no header


@dataclasses.dataclass(frozen=True)
class _NewSamples:
    """Samples to predict; their targets and names where the data have them."""

    X: RawSamples
    y: Targets = None
    names: list[str] = dataclasses.field(default_factory=list)
    title: str = "name"  # of the names


def run(
    path: Path,
    data: list[Path],
    reading: dict[str, Any],
    out: Path | None,
    probabilities: bool,
    spreadsheet: bool,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Run the command; return its exit code."""
    if out is not None:
        check_writable(out, [path, *data], whole=False)
    model = load_fitted(path)
    with plain_warnings(not quiet), with_threads(threads):
        samples = read_samples(model, data, reading)
        predicted, columns = _predict(model, samples.X, probabilities)
        known = _is_known(samples.y, len(predicted))
        if known.any() and not _check_labels(model, np.asarray(samples.y)[known]):
            known[:] = False
        result = Comparison.of(model, samples.X, samples.y, predicted, known)
    table = [(model.source_["target"], predicted), *columns.items()]
    if samples.names:
        table.insert(0, (samples.title, np.array(samples.names, dtype=object)))
    text = _as_csv(table, spreadsheet)
    if out is not None:
        out.write_text(text, encoding="utf-8")
    if as_json:
        values = {"predictions": predicted, "columns": columns, "names": samples.names}
        scores = {"score": result.score, "scores": result.values, "baselines": result.baselines}
        print_json({**values, **scores, "samples": raw_length(samples.X)})
        return 0
    if quiet:
        return 0
    if out is None:
        _print_table(text)
    for line in result.lines(model.source_["target"]):
        print(visible(line), file=sys.stderr)
    return 0


def _print_table(text: str) -> None:
    """Print the predictions; a terminal, unlike a file, gets no control characters."""
    if sys.stdout.isatty():
        text = visible(text)
    sys.stdout.write(text)


def _check_labels(model: Estimator, y: np.ndarray) -> bool:
    """Whether any label is a class of the model; say so where some are not."""
    if model.source_["task"] == "regression":
        return True
    labels = class_names(y)
    is_unknown = ~np.isin(labels, np.asarray(model.classes_).astype(str))
    if not is_unknown.any():
        return True
    unknown = list(map(str, np.unique(labels[is_unknown])))
    classes = [str(name) for name in model.classes_]
    remedy = f"the model knows {', '.join(classes[:_MOST_CLASSES])}"
    near = nearest(unknown[0], classes, most=1)
    if near:
        remedy += f"; is {unknown[0]!r} meant for {near[0]!r}?"
    share = float(is_unknown.mean())
    rule = "is not a class of the model, nor is any other label: there is no accuracy"
    if share < 1:
        others = "".join(f", nor is {label!r}" for label in unknown[1:_MOST_CLASSES])
        count = f"{100 * share:.1f} % of the labels count as errors"
        rule = f"is not a class of the model{others}: {count}"
    warn(explain(model.source_["target"], unknown[0], rule, remedy), DataWarning)
    return share < 1


def _as_csv(columns: list[tuple[str, np.ndarray]], spreadsheet: bool) -> str:
    """The named columns as rows of text."""
    table = [[name, *map(_cell, values)] for name, values in columns]
    if spreadsheet:
        table = [list(map(_no_formula, column)) for column in table]
    lines: list[str] = []
    # quotes what the ends of lines have, so that a carriage return in a cell begins no row
    writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n")
    writer.writerows(zip(*table, strict=True))
    return "".join(line.removesuffix("\r\n") + "\n" for line in lines)


def _cell(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, (float, np.floating)) else str(value)


def _no_formula(cell: str) -> str:
    """A cell that a spreadsheet does not evaluate."""
    if cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not _is_number(cell):
        return f"'{cell}"
    return cell


def read_samples(model: Estimator, data: list[Path], reading: dict[str, Any]) -> _NewSamples:
    """Read the samples in the same way as those of the training."""
    check_case(reading["case"])
    layout = layout_of(model)
    kind = model.source_["kind"]
    if kind == "table" and layout is not None:
        return _read_table(model, layout, data, reading)
    if reading["id"] is not None:
        raise InputError("--id", reading["id"], f"is for tables, and the model is one of {kind}")
    source = _read_alike(model, data, reading)
    if source.kind != kind:
        rule = f"are {source.kind}, where the model was fitted on {kind}"
        raise InputError("data", source.description, rule)
    if kind == "vectors":
        _widen(source.samples, model.n_features_in_)
    if kind == "sequences":
        _check_letters(source.samples, model.source_.get("letters", ""))
    return _NewSamples(source.samples, source.labels, source.names)


def _read_alike(model: Estimator, data: list[Path], reading: dict[str, Any]) -> Source:
    """Read files with the options of the training, unless others are given now."""
    alike = model.source_.get("options", {})
    given = {name: reading[name] for name in ("case", "strict") if reading[name] is not None}
    if model.source_["kind"] == "texts" and all(path.is_file() for path in data):
        given.pop("strict", None)
        return read_texts(data, **{**alike, **given})
    return read_source(data, **{**alike, **given})


def _check_letters(sequences: Iterable[str], known: str, what: str = "letters") -> None:
    """Say so where sequences have letters of the other case only, which are none of the model's."""
    letters = set().union(*sequences)
    changed = {letter.swapcase() for letter in letters}
    if letters.isdisjoint(known) and not changed.isdisjoint(known):
        rule = f"do not occur in the training sequences, which are {known[:30]}"
        remedy = "--case upper, or lower, as those are"
        warn(explain(what, "".join(sorted(letters))[:30], rule, remedy), DataWarning)


def _widen(X: SparseMatrix, n_columns: int) -> None:
    """Append columns that are zero in every row, and are therefore not in the file."""
    if X.shape[1] < n_columns:
        X.resize((X.shape[0], n_columns))


def _read_table(
    model: Estimator, layout: Layout, data: list[Path], reading: dict[str, Any]
) -> _NewSamples:
    target, strict, wanted = model.source_["target"], reading["strict"], reading["id"]
    frame, path = _read_tables(data, layout, target, {"strict": strict, "case": reading["case"]})
    y = None
    if target in frame.columns:
        y = frame.pop(target).to_numpy()
    numbers = [name for name in model.feature_names_in_ if name not in layout.texts]
    _check_header(frame, path.name, list(model.feature_names_in_), layout)
    _check_columns(frame, path.name, numbers, model.source_.get("categories", {}), strict)
    for name, letters in model.source_.get("column letters", {}).items():
        if name in frame.columns:
            _check_letters(frame[name].dropna().astype(str), letters, f"column {name!r}: letters")
    kept = model.source_.get("id")
    if wanted is not None:
        kept = find_column(frame, wanted, "id")
    X = frame
    if not hasattr(model, "columns_"):  # it takes its own columns and no others
        X = frame[list(model.feature_names_in_)]
    if kept is None or kept not in frame.columns:
        return _NewSamples(X, y)
    return _NewSamples(X, y, _row_names(frame[kept]), str(kept))


def _read_tables(
    data: list[Path], layout: Layout, target: str, reading: dict[str, Any]
) -> tuple[Frame, Path]:
    """The rows of all tables, which have the columns of the first one, and its path."""
    files = data
    if any("*" in str(path) or holds_tables(path) for path in data):
        files = list(map(Path, find_files(data)))
    frames = [
        read_table(path, like=_layout_of_file(layout, target, path), **reading)[0] for path in files
    ]
    first, *others = frames
    for path, frame in zip(files[1:], others, strict=True):
        if set(frame.columns) != set(first.columns):
            rule = f"has other columns than {files[0].name}"
            raise InputError("data", str(path), rule, "predict the tables one by one")
    if not others:
        return first, files[0]
    import pandas

    return pandas.concat(frames, ignore_index=True), files[0]


def _row_names(column: Frame) -> list[str]:
    """The cells of a column as text, empty where a value is missing."""
    known = _is_known(column, len(column))
    return [_cell(value) if known[at] else "" for at, value in enumerate(column.tolist())]


def _layout_of_file(layout: Layout, target: str, path: Path) -> Layout:
    """The layout without the target, for a file that has neither a header nor the target."""
    if layout.header:
        return layout
    first: list[str] = next(
        iter(table_rows(read_text(path, layout.encoding), layout.separator)), []
    )
    if len(first) != len(layout.names) - 1:
        return layout
    others = tuple(name for name in layout.names if name != target)
    return dataclasses.replace(layout, names=others)


def _check_header(frame: Frame, file: str, names: list[str], layout: Layout) -> None:
    """Name the columns that are not there; all of them in a file without a header."""
    missing = [name for name in names if name not in frame.columns]
    if not missing:
        return
    listed = ", ".join(map(repr, missing[:_MOST_CLASSES]))
    more = f" and {len(missing) - _MOST_CLASSES} more" if len(missing) > _MOST_CLASSES else ""
    has = ", ".join(map(str, list(frame.columns)[:_MOST_CLASSES]))
    remedy = f"it has {has}"
    unnamed = all(_UNNAMED.fullmatch(str(name)) for name in frame.columns)
    if unnamed and layout.header:
        remedy = "the file has no header: put the names of its columns in its first line"
    what = f"column {listed} is" if len(missing) == 1 else f"columns {listed}{more} are"
    raise InputError(f"{what} missing in {file}; {remedy}")


def _check_columns(
    frame: Frame, file: str, numbers: list[str], categories: dict[str, list[str]], strict: bool
) -> None:
    """Compare columns with those of the training table; columns that are not there are skipped."""
    for name in numbers:
        if name in frame.columns:
            _check_numbers(frame[name], f"{file}, column {name!r}")
    for name, known in categories.items():
        if name in frame.columns:
            _check_categories(frame[name], name, known, strict)


def _check_numbers(column: Frame, name: str) -> None:
    """Refuse text in a column that held numbers in training; truth values are no text."""
    present = column.dropna()
    if str(column.dtype) not in ("object", "str", "string") or len(present) == 0:
        return
    if all(isinstance(value, bool) for value in present):
        return
    text = next((value for value in present if not _is_number(value)), present.iloc[0])
    raise InputError(name, text, "is text, where the model was fitted on numbers")


def _check_categories(column: Frame, name: str, known: list[str], strict: bool) -> None:
    """Say so, or refuse the data, where most values of a column were not seen in training."""
    values = column.dropna().astype(str)
    strange = values[~values.isin(known)]
    if len(strange) == 0:
        return
    share = 100 * len(strange) / len(values)
    count = f"{share:.0f} %" if share > _MOST_NEW else f"{len(strange):,}"
    rule = f"was not seen in training, as {count} of the {len(values):,} values of the column"
    remedy = f"the model knows {', '.join(known[:_MOST_CLASSES])}"
    doubt(strict and share > _MOST_NEW, f"column {name!r}", strange.iloc[0], rule, remedy)


def _is_number(value: str) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _predict(
    model: Estimator, X: RawSamples, probabilities: bool
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Predictions, and columns of probabilities or standard deviations by their names."""
    if not probabilities:
        return np.asarray(model.predict(X)), {}
    if model.source_["task"] == "classification":
        shares = model.predict_proba(X).T
        names = [f"p({name})" for name in model.classes_]
        return np.asarray(model.predict(X)), dict(zip(names, shares, strict=True))
    learner = getattr(model, "learner_", type(model).__name__)
    if learner not in ("gp", "rvm"):
        rule = f"asks for standard deviations of {learner}, which has none"
        raise ParameterError("--probabilities", True, rule, "fit with --learner gp")
    mean, deviation = model.predict(X, return_std=True)
    return mean, {"deviation": deviation}


def _is_known(y: Targets, n_samples: int) -> np.ndarray:
    """Which samples have a target that is not missing."""
    if y is None:
        return np.zeros(n_samples, dtype=bool)
    values = np.asarray(y).tolist()
    return np.array([value is not None and value == value for value in values], dtype=bool)
