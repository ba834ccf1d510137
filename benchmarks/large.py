"""Many rows on centers: CPU seconds, peak memory and accuracy, beside other libraries.

Every row of the table runs in a process of its own, whose CPU seconds (those of workers included)
and seconds are those of the fit, and whose peak memory is that of all it did, its data included.

- ``python benchmarks/large.py`` runs all of them, which takes an hour on two cores that are free;
- ``python benchmarks/large.py ridge hinge`` runs those whose names contain one of the words;
- ``--keep results.jsonl`` adds each result to a file, and leaves out what the file has already, so
  that a run that was interrupted goes on;
- ``--table results.jsonl`` prints the file as the table of ``docs/scaling.md``.

What is not installed, and data that are not there, are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import large_data
import numpy as np
from timing import best, record

HUGE, LARGE = 1_000_000, 100_000
WARM = 25_000  # rows of a fit that is not measured


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of the table: what is fitted, on how many rows and centers, and the goal."""

    task: str
    n: int
    m: int = 0
    goal: str = ""

    @property
    def name(self) -> str:
        """Rows and centers with the task."""
        centers = f", M = {self.m:,}" if self.m else ""
        rows = f", {self.n:,} rows" if self.n else ""
        return f"{self.task}{rows}{centers}"


ROWS = [
    Row("ridge, float32 rows", HUGE, 1000, "25 s, 0.5 GB"),
    Row("ridge", HUGE, 1000, "25 s, 0.5 GB"),
    Row("ridge", HUGE, 4000, "70 s, 1.0 GB"),
    Row("ridge", HUGE, 10_000, "200 s, 3.5 GB"),
    Row("LightGBM", HUGE),
    Row("one pass over tile and products", LARGE, 1000, "1.5"),
    Row("ridge", LARGE, 1000),
    Row("scikit-learn Nystroem + Ridge", LARGE, 1000, "6 times the line above, 3 times its memory"),
    Row("full ridge", LARGE, 0, "100 s"),
    Row("LightGBM", LARGE),
    Row("hinge", LARGE, 4000, "half of exact SVC, error + 0.002 at most"),
    Row("squared hinge", LARGE, 4000),
    Row("SVC exact", LARGE),
    Row("LightGBM classes", LARGE),
    Row("logistic", HUGE, 1000, "60 s"),
    Row("hinge", HUGE, 4000, "600 s on two cores"),
    Row("LightGBM classes", HUGE),
    Row("KernelPCA", HUGE, 1000, "60 s, 1 GB"),
    Row("k-means", HUGE, 1000, "120 s on two cores, 1.5 GB"),
    Row("spectral clustering", HUGE, 1000, "120 s on two cores, 1.5 GB"),
    Row("ridge from memory, 8 blocks", HUGE, 1000),
    Row("ridge from Parquet, 8 files", HUGE, 1000, "1.10 of the line above"),
    Row("ridge from memory, 4 blocks", HUGE, 8000),
    Row("ridge on Dask, 2 workers, 4 blocks", HUGE, 8000, "1.05 of the line above, in time"),
    *[Row(f"{name}, {way}", 0) for name in large_data.REAL_TASKS for way in ("exact", "centers")],
]


def make(task: str, m: int):
    """An estimator, and the data that it is fitted on."""
    import mercer
    from mercer import RBF

    # a learner is imported by its row alone: its memory is measured
    if task.startswith("ridge"):
        return mercer.KernelRidge(1.0, kernel=RBF(4.0), centers=m), large_data.regression
    if task == "full ridge":
        return mercer.KernelRidge(1.0, kernel=RBF(4.0), centers="all"), large_data.regression
    if task == "logistic":
        return mercer.KernelLogisticRegression(1.0, kernel=RBF(4.0), centers=m), large_data.classes
    if task in ("hinge", "squared hinge"):
        loss = task.replace(" ", "_")
        return mercer.SVC(kernel=RBF(3.0), centers=m, loss=loss), large_data.classes
    if task == "SVC exact":
        return mercer.SVC(kernel=RBF(3.0), centers="all"), large_data.classes
    options = {"kernel": RBF(4.0), "centers": m, "random_state": 0}
    if task == "KernelPCA":
        return mercer.KernelPCA(10, **options), large_data.clusters
    if task == "k-means":
        return mercer.KernelKMeans(8, **options), large_data.clusters
    if task == "spectral clustering":
        return mercer.SpectralClustering(4, **options), large_data.clusters
    return _peer(task, m)


def _peer(task: str, m: int):
    if task.startswith("LightGBM"):
        import lightgbm

        options = {"n_estimators": 200, "num_leaves": 63, "verbose": -1}
        if task == "LightGBM":
            return lightgbm.LGBMRegressor(**options), large_data.regression
        return lightgbm.LGBMClassifier(**options), large_data.classes
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    features = Nystroem(gamma=0.5 / 16, n_components=m, random_state=0)
    return make_pipeline(features, Ridge(1.0)), large_data.regression


# -- one row, in a process of its own --------------------------------------------------------------


def measure(row: Row) -> dict[str, object]:
    """Fit once, and score fresh rows."""
    if row.task.startswith("one pass"):
        return pass_over_floor(row.n, row.m)
    if not row.n:
        return measure_real(*row.task.split(", "))
    model, data = make(row.task, row.m)
    X, y = data(row.n + 5000)
    if "float32" in row.task:
        X = X.astype(np.float32)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        rows = arranged(row.task, X[: row.n], y[: row.n], folder, stack)
        if "Parquet" in row.task:  # the other rows are in the files alone
            X, y = X[-WARM:].copy(), y[-WARM:].copy()
        if row.m:  # compiled functions are loaded before the clock starts, also on workers
            few = slice(0, WARM)
            make(row.task, min(row.m, 1000))[0].fit(X[few], y[few])
        used, start = own_and_workers(), time.perf_counter()
        model.fit(*rows)
        found = {"seconds": own_and_workers() - used, "wall": time.perf_counter() - start}
    if data is not large_data.clusters:
        found["error"] = error_of(model, X[-5000:], y[-5000:])
    return {**found, "plan": _plan(model)}


def _plan(model) -> str:
    """How a learner of ours was fitted, in words."""
    report = getattr(model, "report_", None)
    return "" if report is None else f"{report.plan}; {report.solver}"


def error_of(model, X: np.ndarray, y: np.ndarray) -> float:
    """The share of wrong labels, or the root of the mean squared error."""
    predicted = model.predict(X)
    if y.dtype.kind == "f":
        return float(np.sqrt(np.mean((predicted - y) ** 2)))
    return float(np.mean(predicted != y))


def measure_real(name: str, way: str) -> dict[str, object]:
    """The score of a real table and its standard error, with all rows or with centers."""
    centers = large_data.CENTERS[name] if way == "centers" else "all"
    model, train, test = large_data.real(name, centers)
    used = own_and_workers()
    model.fit(*train)
    seconds = own_and_workers() - used
    losses = large_data.losses(model, *test)
    return {
        "seconds": seconds,
        "error": float(losses.mean()),
        "standard error": float(losses.std() / np.sqrt(len(losses))),
        "plan": _plan(model),
    }


def pass_over_floor(n: int, m: int) -> dict[str, object]:
    """CPU seconds of one pass over those of its tiles and products alone, on one thread.

    The latter, as nanoseconds for each entry, say how fast the processor is at the time: 1.0 where
    the goals were set.
    """
    import mercer
    from mercer import RBF, _compiled
    from mercer.domains.base import Batch
    from mercer.execution.engine import LocalEngine
    from mercer.gram.blocks.arrays import ArrayRows
    from mercer.gram.centers import Centers
    from mercer.gram.fused import CenterMatrix, Curvature

    X, y = large_data.regression(n)
    centers = Centers(RBF(4.0), X[:m])
    matrix = CenterMatrix(centers, ArrayRows(X, y[:, None]), LocalEngine())
    step = centers.strip_rows()
    rows = centers.quick.scaled(centers.kernel.prepare(Batch(X[:step])))
    tile, values = np.empty((step, m), np.float32), np.zeros((step, 1))
    u, slopes, weights = np.ones((1, m)), np.zeros((1, m)), np.ones((step, 1))

    def floor() -> None:
        for _ in range(n // step):
            centers.quick.fill_rows(rows, 0, step, tile)
            _compiled.fused.add_products(tile, u, 0, values)
            _compiled.fused.add_transposed(tile, weights, 0, slopes)

    def one_pass() -> None:
        matrix.gather(Curvature(), u.T, np.zeros(1))

    with mercer.config_context(threads=1):
        one_pass()
        turns = [[best(call, 1, time.process_time) for call in (one_pass, floor)] for _ in range(5)]
    passes, floors = np.min(turns, axis=0)
    return {"ratio": float(passes / floors), "floor": 1e9 * float(floors) / (n // step * step * m)}


WORKERS: list[int] = []


def own_and_workers() -> float:
    """CPU seconds of this process and, where there are some, of the workers of a cluster."""
    total = time.process_time()
    for pid in WORKERS:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def arranged(task: str, X, y, folder: str, stack: contextlib.ExitStack) -> tuple:
    """The rows as a task reads them: from memory, from Parquet files, or on a cluster."""
    import mercer

    if "Parquet" in task:
        import pandas

        for part, at in enumerate(np.array_split(np.arange(len(X)), 8)):
            frame = pandas.DataFrame(X[at], columns=[f"x{i}" for i in range(X.shape[1])])
            frame.assign(y=y[at]).to_parquet(f"{folder}/{part}.parquet", index=False)
        return f"{folder}/*.parquet", "y"
    if "Dask" in task:
        import distributed

        options = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
        cluster = stack.enter_context(distributed.LocalCluster(2, **options))
        client = stack.enter_context(distributed.Client(cluster, set_as_default=False))
        WORKERS.extend(client.run(os.getpid).values())
        # a LocalCluster sets OMP_NUM_THREADS=1 here too, where the run from memory has all cores
        cores = len(os.sched_getaffinity(0))
        stack.enter_context(mercer.config_context(engine=client, threads=cores))
    if "blocks" in task:
        count = int(task.split(" blocks")[0].split()[-1])
        return (mercer.scan(X, y, block_rows=-(-len(X) // count)),)
    return X, y


# -- all rows --------------------------------------------------------------------------------------


def run(row: Row) -> dict[str, object]:
    """Measure a row in a process of its own."""
    command = [sys.executable, __file__, "--one", str(ROWS.index(row))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"name": row.name, "failed": (done.stderr.strip() or "?").splitlines()[-1]}
    return {"name": row.name, "goal": row.goal, **json.loads(done.stdout.splitlines()[-1])}


def shown(result: dict[str, object]) -> str:
    """A result as a row of the table in Markdown."""
    if "failed" in result:
        return f"| {result['name']} | failed: {str(result['failed'])[:70]} | | | |"
    if "ratio" in result:
        floor = f"{result['floor']:.2f} ns an entry" if "floor" in result else ""
        return f"| {result['name']} | {result['ratio']:.2f} | | {floor} | {result['goal']} |"
    error = ""
    if "error" in result:
        error = f"{result['error']:.4f}"
    if "standard error" in result:
        error += f" ± {result['standard error']:.4f}"
    wall = f" in {result['wall']:.1f} s" if "wall" in result else ""
    cost = f"{result['seconds']:.1f} s{wall} | {result['GB']:.2f} GB"
    return f"| {result['name']} | {cost} | {error} | {result['goal']} |"


def kept_results(path: Path | None) -> list[dict[str, object]]:
    """The results of earlier runs."""
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Run the rows of the table, or some of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="parts of the names of rows; all rows if none")
    parser.add_argument("--keep", type=Path, help="a file that results are added to")
    parser.add_argument("--table", type=Path, help="print the results of a file")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        found = measure(ROWS[options.one])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
        print(json.dumps({"GB": peak, **found}))
        return
    if options.table:
        print("\n".join(map(shown, kept_results(options.table))))
        return
    known = {result["name"] for result in kept_results(options.keep)}
    for row in ROWS:
        wanted = not options.words or any(word in row.name for word in options.words)
        if not wanted or row.name in known:
            continue
        result = run(row)
        print(shown(result), flush=True)
        if "seconds" in result:
            remark = f"CPU seconds; error {result.get('error', 'not defined')}; goal {row.goal}"
            memory = 1e9 * result["GB"]
            record(row.name, ours=result["seconds"], memory=memory, remark=remark)
        if options.keep and "failed" not in result:
            with options.keep.open("a", encoding="utf-8") as file:
                print(json.dumps(result, ensure_ascii=False), file=file)


if __name__ == "__main__":
    main()
