"""The whole job on one source of data: what is to be told, the model, its error, and what it rests on."""

from __future__ import annotations

import dataclasses
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.aliases import Frame, RawSamples, Targets
from mercer.automatic.assessment import Assessment, assess, repeats_for
from mercer.automatic.explanations import (
    Contribution,
    CurvePoint,
    column_contributions,
    hardest,
    learning_curve,
    term_shares,
)
from mercer.automatic.models import AutoClassifier, AutoRegressor
from mercer.automatic.tables import read_columns
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import InputError
from mercer.readers import Layout, Source

_FEW = 20  # whole numbers up to which a target of numbers is taken for classes, where values repeat
_MANY = 100  # and up to which, where each occurs often
Told = Callable[[str, int], None]  # a stage, and how many steps it has; a step is told as ("", 1)


@dataclasses.dataclass(frozen=True)
class Question:
    """Samples and what is to be told of them."""

    X: RawSamples
    y: np.ndarray
    target: str
    task: str
    rows: np.ndarray  # the samples' places in the source
    notes: list[str]


@dataclasses.dataclass(frozen=True)
class Study:
    """Everything the report shows."""

    question: Question
    source: Source
    model: Any
    found: Assessment
    baseline: float
    contributions: list[Contribution]
    shares: list[tuple[str, float]]
    curve: list[CurvePoint]
    hardest: list[tuple[int, float]]
    columns: list[dict[str, Any]]
    seconds: dict[str, float]
    notes: list[str]

    def summary(self) -> dict[str, Any]:
        """The main figures as plain values."""
        model, found = self.model, self.found
        return {
            "task": self.question.task,
            "target": self.question.target,
            "samples": raw_length(self.question.X),
            "read": self.source.description,
            "kernel": repr(model.kernel_),
            "status": str(model.kernel_.certificate().status),
            "learner": type(model.model_).__name__,
            "chosen by": model.way_,
            model.penalty_name_: model.tuned_.penalty,
            "score": "accuracy" if self.question.task == "classification" else "R2",
            "mean": found.mean,
            "error": found.error,
            "baseline": self.baseline,
            "folds": found.folds,
            "repeats": found.repeats,
            "contributions": [[one.column, one.drop, one.error] for one in self.contributions],
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            "notes": [*self.question.notes, *self.notes],
        }


def ask(source: Source, target: str | None, task: str = "auto") -> Question:
    """Part the target from the samples, and decide whether it is a class or a number."""
    notes: list[str] = []
    X: RawSamples = source.samples
    if source.kind == "table":
        name = _column(X, target)
        y = X[name]
        X = X.drop(columns=[name])
        if X.shape[1] == 0:
            raise InputError(
                "table", f"one column, {name!r}", "has nothing to tell the target from"
            )
    else:
        name = target or "label"
        if source.labels is None:
            remedy = "FASTA headers that repeat, a file for each class, or a folder for each class"
            raise InputError(source.kind, source.description, "carry no classes", remedy)
        y = source.labels
    hole = _holes(y)
    keep = np.flatnonzero(~hole)
    if len(keep) == 0:
        raise InputError("target", name, "has no value at all")
    if hole.any():
        notes.append(f"{int(hole.sum())} rows have no {name} and are left out")
        X, y = pick_rows(X, keep), pick_rows(y, keep)
    if len(keep) < 10:
        raise InputError(
            "data",
            f"{len(keep)} samples",
            "are too few to learn from and to test on",
            "give at least 10",
        )
    values = np.asarray(y)
    task = _task(values) if task == "auto" else task
    values = _classes(values, name, notes) if task == "classification" else _numbers(values, name)
    if task == "classification":
        values, keep, X = _enough(values, keep, X, notes)
    elif np.ptp(values) == 0:
        raise InputError(
            "target", name, f"is {values[0]:g} in every row: there is nothing to learn"
        )
    return Question(X, values, name, task, keep, notes)


def _column(frame: Frame, target: str | None) -> str:
    """A column by its name or its place; negative places count from the end."""
    names = list(frame.columns)
    if target is None:
        raise InputError(
            "target",
            None,
            "is not named",
            f"--target, one of: {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}",
        )
    if target in names:
        return target
    if target.lstrip("-").isdigit() and -len(names) <= int(target) < len(names):
        return names[int(target)]
    alike = [name for name in names if name.lower() == target.lower()]
    hint = (
        f"did you mean {alike[0]!r}?"
        if alike
        else f"there are: {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}"
    )
    raise InputError("target", target, "is not a column", hint)


def _holes(y: Targets) -> np.ndarray:
    if hasattr(y, "isna"):
        return np.asarray(y.isna())
    values = np.asarray(y)
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)


def _task(y: np.ndarray) -> str:
    if y.dtype.kind not in "iuf":
        return "classification"
    found, counts = np.unique(y, return_counts=True)
    whole = bool((found == np.round(found)).all())
    few = len(found) <= _FEW and np.median(counts) >= 5
    return (
        "classification"
        if whole and (few or (len(found) <= _MANY and counts.min() >= 20))
        else "regression"
    )


def _numbers(y: np.ndarray, name: str) -> np.ndarray:
    try:
        values = y.astype(float)
    except (TypeError, ValueError):
        raise InputError(
            "target", name, "holds text, which is no number", "--task classification"
        ) from None
    if not np.isfinite(values).all():
        raise InputError("target", name, "holds infinities")
    return values


def _classes(y: np.ndarray, name: str, notes: list[str]) -> np.ndarray:
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InputError("target", name, "holds infinities")
    whole = y.dtype.kind in "iuf" and bool((y == np.round(y)).all())
    values = y.astype(int).astype(str) if whole else y.astype(str)
    found, counts = np.unique(values, return_counts=True)
    if len(found) < 2:
        raise InputError(
            "target", name, f"is {str(found[0])!r} in every row: there is one class only"
        )
    if counts.max() == 1 or len(found) > max(100, len(values) // 5):
        rule = f"has {len(found):,} classes in {len(values):,} rows: too few of each to learn"
        raise InputError("target", name, rule, "is it a name? or a number: --task regression")
    return values


def _enough(
    y: np.ndarray, keep: np.ndarray, X: RawSamples, notes: list[str]
) -> tuple[np.ndarray, np.ndarray, Any]:
    """Classes of a single sample cannot be learned and tested."""
    found, counts = np.unique(y, return_counts=True)
    single = found[counts < 2]
    if not len(single):
        return y, keep, X
    notes.append(
        f"{len(single)} classes have one sample each and are left out: {', '.join(map(str, single[:5]))}"
    )
    rows = np.flatnonzero(~np.isin(y, single))
    if len(np.unique(y[rows])) < 2:
        raise InputError(
            "target", "one class", "is left when classes of a single sample are left out"
        )
    return y[rows], keep[rows], pick_rows(X, rows)


def study(
    source: Source,
    target: str | None = None,
    *,
    task: str = "auto",
    kernel: Any = "auto",
    learner: str = "auto",
    folds: int = 5,
    repeats: int | None = None,
    random_state: int = 0,
    explain_columns: bool = True,
    told: Told | None = None,
) -> Study:
    """Fit, assess, explain; ``told(stage, steps)`` hears of the progress."""
    told = told or (lambda stage, steps: None)
    question = ask(source, target, task)
    X, y = question.X, question.y
    kind = AutoClassifier if question.task == "classification" else AutoRegressor
    blank = kind(kernel=kernel, learner=learner, random_state=random_state)
    seconds: dict[str, float] = {}
    notes: list[str] = []
    repeats = repeats_for(len(y)) if repeats is None else repeats

    def timed(name: str, steps: int, work: Callable[[], Any]) -> Any:
        told(name, steps)
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            made = work()
        notes.extend(
            text for text in dict.fromkeys(str(one.message) for one in said) if text not in notes
        )
        seconds[name] = time.perf_counter() - start
        return made

    model = timed("fit", 1, lambda: blank.fit(X, y))
    told("", 1)
    found = timed(
        "assess",
        folds * repeats,
        lambda: assess(
            blank,
            X,
            y,
            folds=folds,
            repeats=repeats,
            random_state=random_state,
            told=lambda: told("", 1),
        ),
    )
    if getattr(model, "left_out_", []):
        notes.insert(
            0, f"columns without any value are left out: {', '.join(map(str, model.left_out_))}"
        )
    if model.n_tuned_ < len(y):
        notes.append(
            f"kernel and penalty were chosen on {model.n_tuned_:,} of the {len(y):,} samples; the model is fitted on all"
        )
    contributions = timed(
        "columns",
        1,
        lambda: (
            column_contributions(found, X, y, random_state=random_state) if explain_columns else []
        ),
    )
    shares = term_shares(model.model_)
    curve = timed(
        "learning curve", 1, lambda: learning_curve(model, X, y, random_state=random_state)
    )
    made = Study(
        question,
        source,
        model,
        found,
        _baseline(y, question.task),
        contributions,
        shares,
        curve,
        hardest(found, y),
        _describe(X),
        seconds,
        notes,
    )
    model.source_ = {
        "kind": source.kind,
        "target": question.target,
        "task": question.task,
        "layout": None if source.layout is None else dataclasses.asdict(source.layout),
        "summary": made.summary(),
    }
    return made


def layout_of(model: Any) -> Layout | None:
    """How the table was written that the model was fitted on."""
    kept = getattr(model, "source_", {}).get("layout")
    if kept is None:
        return None
    made: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()
    }
    return Layout(**made)


def _baseline(y: np.ndarray, task: str) -> float:
    """The score of the constant: the commonest class, or the mean."""
    return (
        float(np.unique(y, return_counts=True)[1].max() / len(y))
        if task == "classification"
        else 0.0
    )


def _describe(X: RawSamples) -> list[dict[str, Any]]:
    """What each column was taken for."""
    if not hasattr(X, "columns"):
        return []
    look = X.iloc[np.unique(np.linspace(0, len(X) - 1, min(len(X), 5000)).round().astype(int))]
    look = look.loc[:, look.notna().any()]
    kinds = {column.name: column.kind for column in read_columns(look)}
    made = []
    for name in X.columns:
        values = X[name]
        seen = values.dropna()
        numbers = kinds.get(name) == "number"
        span = (
            f"{seen.min():g} to {seen.max():g}"
            if numbers and len(seen)
            else ", ".join(str(v)[:24] for v in seen.value_counts().index[:4])
        )
        made.append(
            {
                "name": str(name),
                "kind": kinds.get(name, "empty"),
                "missing": int(values.isna().sum()),
                "distinct": int(seen.nunique()),
                "values": span,
            }
        )
    return made
