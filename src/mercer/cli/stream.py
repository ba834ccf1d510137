"""``mercer fit`` on many rows: files that are read block by block, and a model on centers."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import Estimator, Frame
from mercer.automatic.checks.chosen import Choice, find_column
from mercer.cli.findings import Printer
from mercer.cli.output import peak_memory, print_json, with_threads
from mercer.cli.progress import PassLines
from mercer.config import config_context
from mercer.errors import ABSENT, InputError, ParameterError
from mercer.estimators import estimator
from mercer.execution.progress import listening_to_passes
from mercer.gram.blocks.base import Block, Rows
from mercer.gram.blocks.files import has_rows
from mercer.gram.blocks.sources import scan
from mercer.gram.plan import kept_rows
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.radial import RBF
from mercer.model_files import save

_ALPHAS = (0.01, 0.1, 1.0, 10.0, 100.0)
_SAMPLE = 20_000  # rows that the task and the length scales are read from
_DEFAULTS: tuple[object, ...] = (None, (), [], False, "utf-8")  # of options that are not used here
_SHOWN = 12  # names of columns in an error message
_FEW_VALUES = 20  # whole numbers of so few values are classes


def streams(data: list[Path]) -> bool:
    """Whether files are read block by block: several tables, or one that is large."""
    if not all(has_rows(str(path)) or "*" in str(path) for path in data):
        return False
    for path in data:
        if "*" not in str(path) and not path.exists():
            raise InputError("path", str(path), "is not there")
    if len(data) > 1 or "*" in str(data[0]):
        return True
    return data[0].is_file() and os.path.getsize(data[0]) > kept_rows()


def refuse_unused(choices: dict[str, Any], reading: dict[str, Any], test: Path | None) -> None:
    """Refuse options that only a table read as a whole obeys."""
    given = {**reading, "metric": choices["metric"], "test": test}
    if choices["learner"] != "auto":
        given["learner"] = choices["learner"]
    for name, value in given.items():
        if value not in _DEFAULTS:
            rule = "is not used where files are read block by block"
            remedy = "leave it out, or give a table that fits an eighth of the memory budget"
            raise ParameterError(f"--{name}", value, rule, remedy)


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
    with with_threads(threads), Printer(not (as_json or quiet)) as tell:
        rows = _rows(data, target, choices["choice"])
        rows.keep(kept_rows())
        sample = _sample(rows, int(choices["random_state"]))
        model = _model(sample, choices)
        tell([("data", f"{len(rows):,} rows of {len(data)} files, read block by block")])
        _fit(model, rows, engine, shown=not (as_json or quiet))
        save(model, model_file)
        facts = model.report_.to_dict()
        lines = [("kernel", str(facts["kernel"])), ("plan", str(facts["plan"]))]
        if "score" in facts:
            lines.append(("score", f"{facts['score']:.4g} of rows held out"))
        if "passes" in facts:
            lines.append(("passes", f"{facts['passes']} over all rows"))
        lines.append(("report", "none, since the files are read block by block"))
        tell([*lines, ("model", str(model_file))])
    if as_json:
        summary = {**facts, "model": str(model_file), "peak memory": peak_memory()}
        print_json({**summary, "total seconds": round(time.perf_counter() - start, 2)})
    return 0


def _fit(model: Estimator, rows: Rows, engine: str | None, shown: bool) -> None:
    """Fit here or on a cluster; passes and the time left are shown."""
    with contextlib.ExitStack() as stack:
        if engine is not None:
            stack.enter_context(config_context(engine=engine))
        if shown:
            stack.enter_context(config_context(progress=False))
            stack.enter_context(listening_to_passes(PassLines()))
        model.fit(rows)


def _rows(data: list[Path], target: str, choice: Choice) -> Rows:
    """The rows of all files, with the columns that the user chose by the names in the first one."""
    frame = next(iter(scan(list(data)))).X
    name = find_column(frame, target)
    choice.kept(frame)  # every column is used; those that are not there are an error
    features, _, _ = choice.apply(frame, name)
    return scan(list(data), name, columns=list(features.columns))


def _sample(rows: Rows, seed: int) -> Block:
    count = len(rows)
    rng = np.random.default_rng(seed)
    return rows.take(np.sort(rng.choice(count, min(count, _SAMPLE), replace=False)))


def _model(sample: Block, choices: dict[str, Any]) -> Estimator:
    """A classifier or a regressor, with the kernel given or one that suits the columns."""
    kernel: Kernel | str = choices["kernel"]
    if isinstance(kernel, str):
        kernel = _kernel(sample)
    task = choices["task"]
    options = {"kernel": kernel, "random_state": int(choices["random_state"])}
    if choices.get("centers") is not None:
        options["centers"] = choices["centers"]
    if task == "auto":
        task = "classification" if _are_labels(np.asarray(sample.y)) else "regression"
    if task == "regression":
        return estimator("KernelRidgeCV")(_ALPHAS, **options)
    weight = "balanced" if choices["balanced"] else None
    return estimator("KernelLogisticRegression")(class_weight=weight, **options)


def _are_labels(y: np.ndarray) -> bool:
    if y.dtype.kind in "fiu":
        return len(np.unique(y)) <= _FEW_VALUES and bool((y == np.floor(y)).all())
    return True


def _kernel(sample: Block) -> Kernel:
    """A Gaussian of columns that count by their standard deviations."""
    words = [str(name) for name, column in sample.X.items() if not _is_numeric(column)]
    if words:
        rule = f"has columns that are not numbers: {', '.join(words[:_SHOWN])}"
        remedy = "leave them out with --drop, or give --kernel for tables"
        raise InputError("data", sample.place or "table", rule, remedy)
    X = np.asarray(sample.X, dtype=np.float64)
    X = X[np.isfinite(X).all(axis=1)]  # the fit names the rows of the others
    spread = X.std(axis=0) if len(X) else np.ones(X.shape[1])
    spread[spread == 0] = 1.0
    return RBF(length_scale=np.sqrt(X.shape[1] / 2.0) * spread)


def _is_numeric(column: Frame) -> bool:
    """Whether a column of a table holds numbers, or truth values."""
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return column.dtype.kind in "biuf"
