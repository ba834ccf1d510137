"""``mercer explain MODEL DATA``: what columns, or parts of samples, add to single predictions."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.automatic.subsets import even_rows
from mercer.cli.loading import load_fitted
from mercer.cli.output import plain_warnings, print_json
from mercer.cli.predict import read_samples
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ABSENT, InputError, ParameterError
from mercer.explanations.explaining import explain
from mercer.explanations.explanation import Explanation
from mercer.explanations.formatting import as_text
from mercer.markup import visible

_BACKGROUND = 100  # rows that others are compared with, where the model does not name any
_FIRST = 3  # samples that are explained where none are named
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


def run(path: Path, data: list[Path], rows: str | None, as_json: bool) -> int:
    """Run the command; return its exit code."""
    model = load_fitted(path)
    with plain_warnings(True):
        given = read_samples(model, data, {"case": None, "strict": False, "id": None})
        X = _used_columns(model, given.X)
        count = raw_length(X)
        chosen = np.arange(min(_FIRST, count))
        if rows is not None:
            chosen = _positions(rows, count)
        background, compared, whose = _background(model, X)
        explanation = explain(model, pick_rows(X, chosen), background=background)
    numbers = (chosen + 1).tolist()
    if as_json:
        print_json({"rows": numbers, "background": compared, **explanation.to_dict()})
        return 0
    kind = "row" if hasattr(X, "columns") else "sample"
    names = [f"{kind} {number}{_name(given.names, number)}" for number in numbers]
    if isinstance(explanation, Explanation):
        print(f"{visible(str(model.source_['target']))}, compared with {compared} {whose}")
        print(visible(as_text(explanation, names)))
    else:
        print(visible(explanation.text(names)))
    return 0


def _background(model: Estimator, X: RawSamples) -> tuple[RawSamples, int, str]:
    """What samples are compared with, how many they are, and where they come from.

    It is None, for what the model keeps, where it keeps training rows.
    """
    is_table = hasattr(X, "columns")
    kept = getattr(model, "background_", None)
    if is_table and kept is not None:
        return None, raw_length(kept), "training rows"
    if is_table and hasattr(model, "X_fit_"):
        rows = _centers(model, X)
        some = np.random.default_rng(0).permutation(raw_length(rows))[:_BACKGROUND]
        return pick_rows(rows, np.sort(some)), len(some), "training rows"
    count = raw_length(X)
    if is_table and count < 2:
        rule = "has to have several rows: the model keeps none to compare one with"
        raise InputError("data", ABSENT, rule, "add rows, and name the one that is meant: --rows 1")
    some = even_rows(count, _BACKGROUND)
    return pick_rows(X, some), len(some), "rows of the data"


def _centers(model: Estimator, X: RawSamples) -> RawSamples:
    """The training rows that a model of several files is made of, with the columns of a table."""
    rows: RawSamples = model.X_fit_
    if hasattr(rows, "columns"):
        return rows
    return type(X)(rows, columns=list(model.feature_names_in_))


def _name(names: list[str], number: int) -> str:
    """The name that the data give to a sample, in brackets."""
    return f" ({names[number - 1]})" if names else ""


def _used_columns(model: Estimator, X: RawSamples) -> RawSamples:
    """A table without the columns that the fit left out; other samples as they are."""
    left_out = model.source_.get("summary", {}).get("left out", [])
    names = {each["column"] for each in left_out}
    if not names or not hasattr(X, "columns"):
        return X
    return X[[name for name in X.columns if name not in names]]


def _positions(text: str, count: int) -> np.ndarray:
    """Rows such as 1,2,5-8, of which 1 is the first, as positions from 0 on."""
    positions: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise ParameterError("--rows", text, "must be numbers of rows, such as 1,2,5-8")
        first = int(match[1])
        last = int(match[2] or first)
        if not 1 <= first <= last <= count:
            raise ParameterError("--rows", part.strip(), f"must be between 1 and {count}")
        positions += range(first - 1, last)
    return np.array(positions)
