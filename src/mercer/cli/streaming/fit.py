"""Fit a model to the rows of files that are read block by block."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.aliases import Estimator, Frame
from mercer.automatic.assessment import Assessment, assess_on
from mercer.automatic.checks.chosen import Choice, find_column
from mercer.automatic.checks.left_out import LeftOut
from mercer.automatic.explanations import Contribution, column_contributions
from mercer.automatic.metrics import METRICS, Reference, default_metric
from mercer.automatic.question import Question
from mercer.automatic.studies.remarks import baseline_note, imbalance_note, never_predicted_note
from mercer.cli.findings import Printer, column_lines, question_text, score_lines, time_line
from mercer.cli.output import peak_memory, plain_warnings, print_json, with_threads
from mercer.cli.progress import PassLines
from mercer.cli.streaming.facts import fit_lines, source_facts
from mercer.cli.streaming.files import MANY_ROWS, tables_of, unused_note
from mercer.cli.streaming.kernels import CENTERS, kernel_of
from mercer.cli.streaming.penalties import choose_penalty
from mercer.config import config_context
from mercer.errors import ABSENT, ParameterError
from mercer.estimators import estimator
from mercer.estimators.centers.changes import Without
from mercer.execution.progress import listening_to_passes
from mercer.gram.blocks.base import Block, Rows
from mercer.gram.blocks.sources import scan
from mercer.gram.plan import default_centers, kept_rows
from mercer.kernels.base import Kernel
from mercer.model_files import save
from mercer.proposals.letters import warn_of_case
from mercer.readers.tables import text_columns

_ALPHAS = (0.01, 0.1, 1.0, 10.0, 100.0)
_SAMPLE = 20_000  # rows that the task and the kernel are read from
_HELD_OUT, _MOST_HELD = 0.1, 5000  # share and number of rows that the error is estimated on
_FEWEST = 10  # rows held out, below which nothing is estimated
_QUICK = 3000  # rows up to which the model is fitted again, to those held out too
_FEW_VALUES = 20  # whole numbers of so few values are classes


@dataclasses.dataclass(frozen=True)
class _Table:
    """The rows of files, how they are written, and the columns that are learned from."""

    rows: Rows
    target: str
    names: list[str]  # of all columns
    left_out: list[LeftOut]


@dataclasses.dataclass(frozen=True)
class _Drawn:
    """Rows that are drawn at random: some are held out, the others stand for all rows."""

    sample: Block
    held: np.ndarray  # places among all rows, ascending
    places: np.ndarray  # of those held out in the sample

    @property
    def count(self) -> int:
        """The number of rows held out."""
        return len(self.held)

    @property
    def rest(self) -> Block:
        """The rows of the sample that are not held out."""
        return self.sample.take(np.setdiff1d(np.arange(len(self.sample)), self.places))

    @property
    def test(self) -> Block:
        """The rows that are held out."""
        return self.sample.take(self.places)


def run(
    data: list[Path],
    target: str | None,
    choices: dict[str, Any],
    model_file: Path,
    threads: int | None,
    as_json: bool,
    quiet: bool,
    engine: str | None = None,
) -> int:
    """Fit a model to the rows of all files, save it, and print what was found."""
    start = time.perf_counter()
    if target is None:
        rule = "has to be named where files are read block by block"
        raise ParameterError("--target", ABSENT, rule, "give --target COLUMN")
    shown = not (as_json or quiet)
    effort, seed = choices["effort"], int(choices["random_state"])
    with with_threads(threads), plain_warnings(not quiet), Printer(shown) as tell:
        files = tables_of(data)
        table = _table(files, target, choices["choice"])
        table.rows.keep(kept_rows())
        drawn = _draw(table.rows, seed, effort.assess)
        question = _question(table, drawn.sample, choices["task"])
        tell(_data_lines(files, table, question, len(drawn.sample)))
        warn_of_case(question.X)
        choices, more = _with_centers(choices, question.task, len(table.rows))
        model, *words = _model(drawn.rest, question.task, choices)
        _fit(model, table.rows.map(Without(drawn.held)), engine, shown)
        tell(fit_lines(model, list(question.X.columns), *words))
        judge = default_metric(question.y, question.task, choices["balanced"])
        assessment = _assessed(model, question, drawn, judge, seed)
        again = drawn.count > 0 and len(table.rows) <= _QUICK
        tell(_score_lines(judge, assessment, question, _seen_text(table, drawn, again)))
        contributions = _contributions(assessment, drawn.test, seed)
        tell(column_lines(METRICS[judge], contributions))
        if again:
            model = _same(model)
            _fit(model, table.rows, engine, shown=False)
        held_out = np.asarray(drawn.test.y)
        notes = [*question.notes, *_remarks(judge, assessment, question, held_out, choices)]
        notes += [*model.report_.notes, *more, *unused_note(effort)]
        facts = source_facts(model, question, assessment, contributions, table.names, notes)
        seen = len(table.rows) if again else len(table.rows) - drawn.count
        facts["summary"] |= {"samples": seen, "held out": drawn.count}
        model.source_ = {**facts, "layout": _layout(files, table, question.X)}
        save(model, model_file)
        summary = {**facts["summary"], **model.report_.to_dict(), "notes": notes}
        summary |= {"rows": len(table.rows), "samples": seen}
        summary |= {"model": str(model_file), "report": None, "peak memory": peak_memory()}
        summary["total seconds"] = round(time.perf_counter() - start, 2)
        lines = [("note", note) for note in notes]
        lines += [("model", str(model_file))]
        lines += [("report", "none, since the files are read block by block")]
        tell([*lines, time_line(summary)])
    if as_json:
        print_json(summary)
    return 0


# -- data ------------------------------------------------------------------------------------------


def _table(files: list[Path], target: str, choice: Choice) -> _Table:
    """The rows of all files, with the columns that the user chose by the names in the first one."""
    frame = next(iter(scan(list(files)))).X
    name = find_column(frame, target)
    choice.kept(frame)  # every column is used; those that are not there are an error
    features, left_out, _ = choice.apply(frame, name)
    rows = scan(list(files), name, columns=list(features.columns))
    return _Table(rows, name, list(map(str, frame.columns)), left_out)


def _layout(files: list[Path], table: _Table, X: Frame) -> dict[str, Any]:
    """How the files are written, as plain values."""
    name = files[0].name.lower()
    separator = ""
    if ".tsv" in name:
        separator = "\t"
    elif ".csv" in name or ".txt" in name:
        separator = ","
    texts = list(text_columns(X))
    return {"separator": separator, "header": True, "names": table.names, "texts": texts}


def _draw(rows: Rows, seed: int, assess: bool) -> _Drawn:
    """Rows drawn at random, a part of which is held out; each class keeps one that is not."""
    count = len(rows)
    rng = np.random.default_rng(seed)
    index = np.sort(rng.choice(count, min(count, _SAMPLE), replace=False))
    sample = rows.take(index)
    most = min(_MOST_HELD, int(_HELD_OUT * count))
    if not assess or most < _FEWEST or sample.y is None:
        return _Drawn(sample, index[:0], np.arange(0))
    free = np.arange(len(sample))
    if _are_labels(np.asarray(sample.y)):
        free = np.setdiff1d(free, np.unique(np.asarray(sample.y), return_index=True)[1])
    places = np.sort(rng.permutation(free)[:most])
    return _Drawn(sample, index[places], places)


def _question(table: _Table, sample: Block, task: str) -> Question:
    """The learning problem, as far as a sample of the rows shows it."""
    y = np.asarray(sample.y)
    if task == "auto":
        task = "classification" if _are_labels(y) else "regression"
    if task == "regression":
        y = y.astype(np.float64)
    rows = np.arange(len(y))
    return Question(sample.X, y, table.target, task, rows, [], table.left_out)


def _are_labels(y: np.ndarray) -> bool:
    if y.dtype.kind in "fiu":
        return len(np.unique(y)) <= _FEW_VALUES and bool((y == np.floor(y)).all())
    return True


def _data_lines(
    files: list[Path], table: _Table, question: Question, drawn: int
) -> list[tuple[str, str]]:
    """The files, the target, and the columns that are left out."""
    names = f"{len(files)} files" if len(files) > 3 else ", ".join(file.name for file in files)
    text = f"{names}: {len(table.rows):,} rows of {len(table.names)} columns, read block by block"
    if len(files) == 1 and len(table.rows) > MANY_ROWS:
        text += f", since they are more than {MANY_ROWS:,}"
    target, *others = question_text(question)
    if drawn < len(table.rows):
        target = (target[0], f"{target[1]} (of {drawn:,} rows drawn at random)")
    return [("data", text), target, *others]


# -- the model -------------------------------------------------------------------------------------


def _model(sample: Block, task: str, choices: dict[str, Any]) -> tuple[Estimator, str, str]:
    """A classifier or a regressor, and how its length scales and its penalty were chosen."""
    make = functools.partial(_learner, task, choices)
    seed = int(choices["random_state"])
    kernel, of_kernel, of_penalty = choices["kernel"], "", ""
    if isinstance(kernel, str):
        kernel, of_kernel = kernel_of(sample, make, task == "classification", seed)
    model = make(kernel, choices.get("centers"))
    if task == "classification":
        model.C, of_penalty = choose_penalty(make(kernel, CENTERS), sample, seed)
    return model, of_kernel, of_penalty


def _with_centers(
    choices: dict[str, Any], task: str, n_rows: int
) -> tuple[dict[str, Any], list[str]]:
    """Centers for a regression whose matrix would take long to decompose, and a note that says so.

    Classifiers decide by themselves from how many rows on they consist of centers.
    """
    if task != "regression" or choices.get("centers") is not None or n_rows <= _QUICK:
        return choices, []
    count = default_centers(n_rows)
    note = f"{count:,} of more than {_QUICK:,} rows are centers, 10 √n; --centers takes others"
    return {**choices, "centers": count}, [note]


def _same(model: Estimator) -> Estimator:
    """A model that is not fitted, with the penalty of one that is."""
    fresh = clone(model)
    if hasattr(model, "alpha_"):
        fresh.set_params(alphas=(model.alpha_,))
    return fresh


def _learner(task: str, choices: dict[str, Any], kernel: Kernel, centers: int | None) -> Estimator:
    options: dict[str, Any] = {"kernel": kernel, "random_state": int(choices["random_state"])}
    if centers is not None:
        options["centers"] = centers
    if task == "regression":
        return estimator("KernelRidgeCV")(_ALPHAS, **options)
    weight = "balanced" if choices["balanced"] else None
    return estimator("KernelLogisticRegression")(class_weight=weight, **options)


def _fit(model: Estimator, rows: Rows, engine: str | None, shown: bool) -> None:
    """Fit here or on a cluster; passes and the time left are shown."""
    with contextlib.ExitStack() as stack:
        if engine is not None:
            stack.enter_context(config_context(engine=engine))
        if shown:
            stack.enter_context(config_context(progress=False))
            stack.enter_context(listening_to_passes(PassLines()))
        model.fit(rows)


# -- its error -------------------------------------------------------------------------------------


def _assessed(
    model: Estimator, question: Question, drawn: _Drawn, judge: str, seed: int
) -> Assessment | None:
    """The scores on the rows held out; None where there are none."""
    if not len(drawn.held):
        return None
    reference = Reference(question.y, question.task)
    test = drawn.test
    y = np.asarray(test.y)
    if question.task == "regression":
        y = y.astype(np.float64)
    return assess_on(model, test.X, y, reference, metric=judge, random_state=seed)


def _score_lines(
    judge: str, assessment: Assessment | None, question: Question, seen: str
) -> list[tuple[str, str]]:
    lines = score_lines(METRICS[judge], assessment, question)
    if assessment is None:
        return lines
    return [*lines[:-1], ("", seen)]


def _seen_text(table: _Table, drawn: _Drawn, again: bool) -> str:
    """Which rows the scores belong to, and which ones the model has seen."""
    rows, held = len(table.rows), drawn.count
    if again:
        return f"on {held:,} rows held out; then the model is fitted again, to all {rows:,}"
    seen = f"the model is fitted to the other {rows - held:,}"
    return f"on {held:,} rows held out; {seen} (--no-assess: to all)"


def _contributions(assessment: Assessment | None, test: Block, seed: int) -> list[Contribution]:
    """The permutation importance of the columns on the rows held out."""
    if assessment is None:
        return []
    X: Frame = test.X.reset_index(drop=True)
    return column_contributions(assessment, X, np.asarray(test.y), random_state=seed)


def _remarks(
    judge: str,
    assessment: Assessment | None,
    question: Question,
    held_out: np.ndarray,
    choices: dict[str, Any],
) -> list[str]:
    """Notes on classes that prevail or are never predicted, and on a model that is no better."""
    balanced = choices["balanced"]
    remarks = [imbalance_note(question, judge, balanced)]
    if assessment is not None:
        remarks.append(baseline_note(assessment, question))
        remarks.append(never_predicted_note(assessment, held_out, balanced))
    return list(filter(None, remarks))
