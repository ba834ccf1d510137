"""Many rows on centers: CPU seconds, peak memory and accuracy, beside other libraries.

Every row of the table runs in a process of its own. ``python benchmarks/large.py --rows 100000``
takes some minutes; ``--rows 1000000`` is the size that the goals are stated for. What is not
installed is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np


def regression(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A smooth function with interactions of 20 columns, with noise 0.3."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * np.abs(X[:, 3])
    return X, y + 0.3 * rng.standard_normal(n)


def classes(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that overlap, 18 columns."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 18))
    f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * np.abs(X[:, 3]) - 0.4
    return X, (f + 0.7 * rng.standard_normal(n) > 0).astype(int)


def clusters(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Four clusters in 20 columns."""
    rng = np.random.default_rng(0)
    X, which = rng.standard_normal((n, 20)), rng.integers(0, 4, n)
    X[:, :2] += 6.0 * which[:, None] * np.array([1.0, -1.0])
    return X, which


def make(task: str, m: int):
    """An estimator, and the data that it is fitted on."""
    import mercer
    from mercer import RBF, SVC, KernelLogisticRegression, KernelRidge

    if task.startswith("ridge"):
        return KernelRidge(1.0, kernel=RBF(4.0), centers=m), regression
    if task == "full ridge":
        return KernelRidge(1.0, kernel=RBF(4.0), centers="all"), regression
    if task == "logistic":
        return KernelLogisticRegression(1.0, kernel=RBF(4.0), centers=m), classes
    if task == "squared hinge":
        return SVC(kernel=RBF(3.0), centers=m), classes
    if task == "SVC exact":
        return SVC(kernel=RBF(3.0), centers="all"), classes
    options = {"kernel": RBF(4.0), "centers": m, "random_state": 0}
    if task == "KernelPCA":
        return mercer.KernelPCA(10, **options), clusters
    if task == "k-means":
        return mercer.KernelKMeans(8, **options), clusters
    if task == "spectral clustering":
        return mercer.SpectralClustering(4, **options), clusters
    return _peer(task, m)


def _peer(task: str, m: int):
    if task.startswith("LightGBM"):
        import lightgbm

        options = {"n_estimators": 200, "num_leaves": 63, "verbose": -1}
        if task == "LightGBM":
            return lightgbm.LGBMRegressor(**options), regression
        return lightgbm.LGBMClassifier(**options), classes
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    features = Nystroem(gamma=0.5 / 16, n_components=m, random_state=0)
    return make_pipeline(features, Ridge(1.0)), regression


def measure(task: str, n: int, m: int) -> dict[str, object]:
    """Fit once, and score fresh rows."""
    model, data = make(task, m)
    X, y = data(n + 5000)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        rows = arranged(task, X[:n], y[:n], folder, stack)
        used = children_and_own()
        model.fit(*rows)
        seconds = children_and_own() - used
    if data is clusters:
        error = float("nan")
    else:
        wrong = model.predict(X[n:]) - y[n:]
        error = float(np.mean(wrong != 0) if data is classes else np.sqrt(np.mean(wrong**2)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {"task": task, "M": m, "cpu s": seconds, "GB": peak, "error": error}


def children_and_own() -> float:
    """CPU seconds of this process and, where there are some, of the workers of a cluster."""
    total = time.process_time()
    for pid in WORKERS:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


WORKERS: list[int] = []


def arranged(task: str, X, y, folder: str, stack: contextlib.ExitStack) -> tuple:
    """The rows as a task reads them: from memory, from Parquet files, or on a cluster."""
    if "Parquet" in task:
        import pandas

        for part, at in enumerate(np.array_split(np.arange(len(X)), 8)):
            frame = pandas.DataFrame(X[at], columns=[f"x{i}" for i in range(X.shape[1])])
            frame.assign(y=y[at]).to_parquet(f"{folder}/{part}.parquet", index=False)
        return f"{folder}/*.parquet", "y"
    if "Dask" in task:
        import distributed

        import mercer

        options = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
        cluster = stack.enter_context(distributed.LocalCluster(2, **options))
        client = stack.enter_context(distributed.Client(cluster, set_as_default=False))
        WORKERS.extend(client.run(os.getpid).values())
        stack.enter_context(mercer.config_context(engine=client))
        return (mercer.scan(X, y, block_rows=-(-len(X) // 8)),)
    return X, y


ROWS = [
    ("ridge", 1000),
    ("ridge", 4000),
    ("ridge", 10000),
    ("ridge from Parquet", 1000),
    ("ridge on Dask, 2 workers", 1000),
    ("full ridge", 0),
    ("scikit-learn Nystroem + Ridge", 1000),
    ("LightGBM", 0),
    ("logistic", 1000),
    ("squared hinge", 4000),
    ("SVC exact", 0),
    ("LightGBM classes", 0),
    ("KernelPCA", 1000),
    ("k-means", 1000),
    ("spectral clustering", 1000),
]
SMALL = {"full ridge": 2e5, "SVC exact": 5e5, "scikit-learn Nystroem + Ridge": 2e5}  # rows at most


def main() -> None:
    """Run the rows of the table, or one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e5)
    parser.add_argument("--only", help="a part of the name of a task")
    parser.add_argument("--one", nargs=2, metavar=("TASK", "M"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    n = int(options.rows)
    if options.one:
        print(json.dumps(measure(options.one[0], n, int(options.one[1]))))
        return
    print(f"{n:,} rows: CPU seconds, peak memory, and RMSE or share of wrong labels")
    for task, m in ROWS:
        if (options.only and options.only not in task) or n > SMALL.get(task, np.inf):
            continue
        command = [sys.executable, __file__, "--rows", str(n), "--one", task, str(m)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{task:32}{m:7}  failed: {(done.stderr.strip() or '?').splitlines()[-1][:60]}")
            continue
        row = json.loads(done.stdout.splitlines()[-1])
        print(
            f"{task:32}{m:7}{row['cpu s']:9.1f} s{row['GB']:7.2f} GB{row['error']:9.4f}", flush=True
        )


if __name__ == "__main__":
    main()
