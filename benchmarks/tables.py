"""mercer's automatic models against gradient boosting and other learners on 26 public tables.

Run ``python benchmarks/tables.py --cache FILE [--models A,B] [--tables A,B] [--splits 3]
[--size small|large] [--again]`` to fit what FILE does not hold yet, and then ``python
benchmarks/tables.py --cache FILE --report`` to write ``benchmarks/TABLES.md``.

Every model of every split of every table is fitted in a process of its own, on one thread, and
appends one line of JSON to the cache; the last line of a model counts, and ``--again`` fits once
more. All models get the same rows: at most 1,500 to train (or, of the size "large", 5,000 and
more), the others to test, at most 5,000. CPU seconds are those of ``fit`` and of the prediction of
all test rows. What a process does once (imports, loading compiled code) does not count: mercer,
which loads its compiled code when it is first used, fits 200 rows before the clock starts. All
models should be measured on one machine with the same load: CPU seconds grow when cores share their
caches.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import log_loss, roc_auc_score
from table_data import REGRESSION, SIZES, TABLES, load, split
from table_models import MODELS
from table_report import write_report

__all__ = ["TABLES", "load", "split"]

HERE = Path(__file__).resolve().parent
SMALLEST = 1e-6  # a probability of 0 has an infinite loss
BINS, COVERAGE = 10, 0.9
WARM_ROWS = 200
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",
)


# -- one job --------------------------------------------------------------------------------------


def cpu() -> float:
    """CPU seconds of this process and of those it waited for."""
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in times)


def calibration_error(probabilities: np.ndarray, y: np.ndarray) -> float:
    """The mean distance of confidence and accuracy, over bins of the top class's confidence."""
    confidence, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == y
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, right - confidence, minlength=BINS)
    return float(np.abs(gaps).sum() / len(y))


def aligned(model: Any, probabilities: np.ndarray, n_classes: int) -> np.ndarray:
    """A column for every class; classes that the training rows lack have a tiny probability."""
    full = np.zeros((len(probabilities), n_classes))
    full[:, np.asarray(model.classes_, dtype=int)] = probabilities
    full = np.clip(full, SMALLEST, None)
    return full / full.sum(axis=1, keepdims=True)


def class_scores(probabilities: np.ndarray, y: np.ndarray) -> dict[str, float]:
    there = np.unique(y)
    if probabilities.shape[1] == 2:
        auc = roc_auc_score(y, probabilities[:, 1])
    else:
        auc = np.mean([roc_auc_score(y == label, probabilities[:, label]) for label in there])
    labels = np.arange(probabilities.shape[1])
    return {
        "auc": float(auc),
        "log_loss": float(log_loss(y, probabilities, labels=labels)),
        "calibration": calibration_error(probabilities, y),
        "accuracy": float(np.mean(probabilities.argmax(axis=1) == y)),
    }


def number_scores(model: Any, frame: Any, predicted: np.ndarray, y: np.ndarray) -> dict[str, float]:
    scores = {"rmse": float(np.sqrt(np.mean((predicted - y) ** 2)))}
    if hasattr(model, "predict_interval"):
        bounds = np.asarray(model.predict_interval(frame, COVERAGE))
        low, high = bounds if bounds.shape[0] == 2 else bounds.T
        scores["coverage"] = float(np.mean((low <= y) & (y <= high)))
    return scores


def job(table: str, seed: int, size: str, name: str) -> dict[str, Any]:
    """Fit one model on one split, and measure it."""
    warnings.simplefilter("ignore")
    frame, y, task = load(table)
    train, test = split(table, seed, size)
    if name.startswith("mercer"):
        few = train[:WARM_ROWS]
        with contextlib.suppress(ValueError):  # where classes are many, some have one row only
            MODELS[name](task).fit(frame.iloc[few], y[few])
    model = MODELS[name](task)
    start, wall = cpu(), time.perf_counter()
    model.fit(frame.iloc[train], y[train])
    fitted = cpu()
    asked = frame.iloc[test]
    found = model.predict(asked) if task == REGRESSION else model.predict_proba(asked)
    done, wall = cpu(), time.perf_counter() - wall
    if task == REGRESSION:
        scores = number_scores(model, asked, np.ravel(found), y[test])
    else:
        scores = class_scores(aligned(model, found, len(np.unique(y))), y[test])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    times = {"fit": fitted - start, "predict": done - fitted, "wall": wall, "memory": memory}
    times["load"] = os.getloadavg()[0]  # CPU seconds of a busy machine are longer
    return {"rows": len(train), "task": task, **scores, **times}


# -- all of them ----------------------------------------------------------------------------------


def read_cache(path: Path) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The last result of each job."""
    kept = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            result = json.loads(line)
            kept[tuple(result[key] for key in ("table", "split", "size", "model"))] = result
    return kept


def run(table: str, seed: int, size: str, name: str, given: argparse.Namespace) -> dict[str, Any]:
    """One job in a process of its own; what went wrong is a result too."""
    environment = dict(os.environ, **dict.fromkeys(ONE_THREAD, "1"))
    if name.startswith("mercer"):
        tree = given.old if name == "mercer-0.1" else given.tree
        environment["PYTHONPATH"] = str(tree)
    command = [sys.executable, __file__, "--job", table, str(seed), size, name]
    result: dict[str, Any] = {"table": table, "split": seed, "size": size, "model": name}
    try:
        ended = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=given.limit
        )
    except subprocess.TimeoutExpired:
        return {**result, "error": f"more than {given.limit:g} s"}
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or [f"ended with {ended.returncode}"])[-1]
        return {**result, "error": last}
    return {**result, **json.loads(ended.stdout.strip().splitlines()[-1])}


def run_all(given: argparse.Namespace) -> None:
    kept = {} if given.again else read_cache(given.cache)
    for name in given.models:
        for table in given.tables:
            if given.size == "large" and not TABLES[table].large:
                continue
            for seed in range(given.splits):
                if (table, seed, given.size, name) in kept:
                    continue
                result = run(table, seed, given.size, name, given)
                with given.cache.open("a", encoding="utf-8") as file:
                    print(json.dumps(result), file=file)
                print(json.dumps(result), flush=True)


def names(known: Any) -> Any:
    def parse(text: str) -> list[str]:
        chosen = text.split(",")
        for each in chosen:
            if each not in known:
                raise argparse.ArgumentTypeError(f"{each!r} is none of {', '.join(known)}")
        return chosen

    return parse


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=names(MODELS), default=list(MODELS)[:9])
    parser.add_argument("--tables", type=names(TABLES), default=list(TABLES))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--size", choices=list(SIZES), default="small")
    parser.add_argument("--cache", type=Path, default=HERE / "tables.jsonl")
    parser.add_argument("--again", action="store_true", help="fit also what the cache holds")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds for one job")
    parser.add_argument("--tree", type=Path, default=HERE.parent / "src", help="mercer's sources")
    parser.add_argument("--old", type=Path, default=None, help="the sources of mercer 0.1")
    parser.add_argument("--report", action="store_true", help="write the tables from the cache")
    parser.add_argument("--write", type=Path, default=HERE / "TABLES.md")
    parser.add_argument("--note", default="", help="what to say of the machine in the tables")
    parser.add_argument("--job", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        table, seed, size, name = given.job
        print(json.dumps(job(table, int(seed), size, name)))
    elif given.report:
        write_report(list(read_cache(given.cache).values()), given.write, given.models, given.note)
    else:
        run_all(given)


if __name__ == "__main__":
    main()
