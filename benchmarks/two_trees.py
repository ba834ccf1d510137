"""Compare the speed of two source trees on the tasks of the other benchmarks, at smaller sizes.

    python benchmarks/two_trees.py OLD/src NEW/src [--rounds 3] [--only PART ...]

Each round runs every task in a process per tree, first in the one tree and then in the other, with
one thread. A task is called once to compile and load what it needs, then repeatedly, and the
quickest call counts, in CPU time. The spread of the old tree is the ratio of its slowest round to
its quickest one: a row is slower if the ratio of the two trees exceeds that spread by more than
5 %.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

Task = Callable[[], object]
ALLOWED = 1.05  # times the spread of the old tree
SECONDS = 0.3  # of CPU time for the repeated calls of a task, at least three of them


def points(n: int, d: int, seed: int = 0) -> Any:
    import numpy as np

    return np.random.default_rng(seed).standard_normal((n, d))


def classes(n: int, d: int, n_classes: int = 2) -> tuple[Any, Any]:
    """Clouds that overlap, as the benchmark of support vector machines has them."""
    import numpy as np

    X = points(n, d)
    score = np.sin(X[:, 0]) + X[:, 1] ** 2 / 2 + 0.3 * points(n, 1, 1)[:, 0]
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.digitize(score, edges)


def gram_tasks() -> Iterator[tuple[str, Task]]:
    import numpy as np

    import mercer

    for n, d in ((100, 20), (2000, 5), (2000, 20), (2000, 64), (2000, 784)):
        yield f"Gram, RBF, n = {n}, d = {d}", partial(mercer.RBF(2.0), points(n, d))
    mixed = 0.5 * mercer.RBF() + mercer.Polynomial(degree=2) * mercer.Linear()
    yield "Gram, 0.5*RBF + Polynomial(2)*Linear, n = 100", partial(mixed, points(100, 20))
    yield "Gram, 0.5*RBF + Polynomial(2)*Linear, n = 2000", partial(mixed, points(2000, 20))
    matern = mercer.Matern(length_scale=np.linspace(1.0, 3.0, 20), nu=1.5)
    yield "Gram, Matern 3/2, 20 length scales", partial(matern, points(2000, 20))
    lazy, ones = mercer.RBF(3.0).gram(points(8000, 10)), np.ones(8000)
    yield "gram @ v, n = 8000", lambda: lazy @ ones
    table = np.random.default_rng(0).integers(0, 6, (1500, 22)).astype(str).astype(object)
    yield "Overlap, 1500 rows of 22 categories", lambda: mercer.Overlap()(table)
    holes = table.copy()
    holes[np.random.default_rng(1).random(holes.shape) < 0.1] = None
    aware = mercer.MissingAware(mercer.Overlap()).fit(holes)
    yield "MissingAware(Overlap), 1500 rows", partial(aware, holes)


def margin_tasks() -> Iterator[tuple[str, Task]]:
    import mercer

    for n, C in ((200, 1.0), (200, 10.0), (2000, 1.0), (2000, 10.0), (6000, 1.0), (6000, 10.0)):
        X, y = classes(n, 10)
        yield f"SVC, n = {n}, C = {C:g}", partial(mercer.SVC(C=C).fit, X, y)
    X, y = classes(900, 16, 26)
    yield "SVC, n = 900, 26 classes", partial(mercer.SVC().fit, X, y)
    X, y = classes(4000, 8)
    model = mercer.SVC().fit(X, y)
    yield "SVC predict, 4000 rows", partial(model.predict, X)
    target = X[:, 0] + X[:, 1] ** 2
    yield "SVR, n = 4000", partial(mercer.SVR(C=10.0).fit, X, target)


def ridge_tasks() -> Iterator[tuple[str, Task]]:
    import numpy as np

    import mercer

    X = points(2000, 10)
    y = np.sin(X[:, 0])
    ridge = {"alpha": 0.1, "kernel": mercer.RBF(3.0)}
    yield "KernelRidge, n = 2000", lambda: mercer.KernelRidge(**ridge).fit(X, y)
    yield "KernelRidge, n = 200", lambda: mercer.KernelRidge(**ridge).fit(X[:200], y[:200])
    penalties = np.logspace(-3, 3, 50)
    chosen = mercer.KernelRidgeCV(alphas=penalties, kernel=mercer.RBF(3.0))
    yield "KernelRidgeCV, 50 penalties, n = 400", lambda: chosen.fit(X[:400], y[:400])
    gaussian = mercer.KernelDensity(bandwidth=0.5)
    yield "KernelDensity, gaussian", lambda: gaussian.fit(X[:, :3]).score_samples(X[:, :3])
    logistic = mercer.KernelLogisticRegression(kernel=mercer.RBF(3.0))
    yield "KernelLogisticRegression, n = 600", lambda: logistic.fit(X[:600], y[:600] > 0)


def process_tasks() -> Iterator[tuple[str, Task]]:
    import numpy as np

    import mercer

    X = points(600, 5)
    y = np.sin(X[:, 0]) + 0.1 * points(600, 1, 2)[:, 0]
    prior = 1.0 * mercer.RBF(2.0) + 0.1 * mercer.White()
    fixed = mercer.GaussianProcessRegressor(prior, optimizer=None)
    yield "GP without learning, n = 600", lambda: fixed.fit(X, y)
    yield "GP, the whole fit, n = 600", lambda: mercer.GaussianProcessRegressor(prior).fit(X, y)
    process = mercer.GaussianProcessRegressor(prior, optimizer=None).fit(X, y)
    many = points(3000, 5, 3)
    yield "GP, mean and deviation", lambda: process.predict(many, return_std=True)
    signs = mercer.GaussianProcessClassifier(1.0 * mercer.RBF(2.0))
    yield "GP classification, n = 200", lambda: signs.fit(X[:200], y[:200] > 0)


def projection_tasks() -> Iterator[tuple[str, Task]]:
    import mercer

    X, _ = classes(2000, 10)
    components = mercer.KernelPCA(n_components=10, kernel=mercer.RBF(3.0))
    yield "KernelPCA, n = 2000, 10 components", lambda: components.fit(X)
    means = mercer.KernelKMeans(n_clusters=10, kernel=mercer.RBF(3.0), random_state=0)
    yield "KernelKMeans, n = 2000", lambda: means.fit(X)
    clusters = mercer.SpectralClustering(n_clusters=4, kernel=mercer.RBF(3.0), random_state=0)
    yield "SpectralClustering, n = 2000", lambda: clusters.fit(X)
    views = [X[:1000, :5], X[:1000, 5:]]
    yield "KernelCCA, 1000 pairs", lambda: mercer.KernelCCA(kernel=mercer.RBF(3.0)).fit(*views)


def string_tasks() -> Iterator[tuple[str, Task]]:
    import numpy as np

    import mercer

    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice(list("acgt"), 300)) for _ in range(300)]
    yield "Spectrum(4), 300 strings", lambda: mercer.Spectrum(4)(texts)
    mismatch = mercer.Mismatch(5, 1, alphabet="acgt")
    yield "Mismatch(5, 1), 300 strings", partial(mismatch, texts)
    yield "Subsequence(4), 40 strings", lambda: mercer.Subsequence(4)(texts[:40])


GROUPS = (gram_tasks, margin_tasks, ridge_tasks, process_tasks, projection_tasks, string_tasks)


def quickest(task: Task) -> float:
    """CPU seconds of the quickest of several calls, after one that is not counted."""
    task()
    times: list[float] = []
    while sum(times) < SECONDS or len(times) < 3:
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return min(times)


def measure(only: list[str]) -> None:
    """Print the seconds of every task of this process's tree."""
    import mercer

    warnings.simplefilter("ignore")
    mercer.set_config(threads=1)
    for group in GROUPS:
        for name, task in group():
            if not only or any(part in name for part in only):
                print(json.dumps([name, quickest(task)]), flush=True)


def run(tree: str, only: list[str]) -> dict[str, float]:
    """The seconds of every task in a process with this tree."""
    environment = {**os.environ, "PYTHONPATH": tree, "OMP_NUM_THREADS": "1"}
    environment["OPENBLAS_NUM_THREADS"] = "1"
    command = [sys.executable, __file__, "--measure", tree, tree, "--only", *only]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(line) for line in done.stdout.splitlines())


def report(old: list[dict[str, float]], new: list[dict[str, float]]) -> None:
    """A line for each task: the best of each tree, the old one's spread, the ratio."""
    print("| task | old, ms | spread | new, ms | new / old | |\n|---|---|---|---|---|---|")
    for name in old[0]:
        before = [times[name] for times in old]
        after = min(times[name] for times in new)
        spread, ratio = max(before) / min(before), after / min(before)
        verdict = "slower" if ratio > ALLOWED * spread else ""
        cells = (name, f"{1e3 * min(before):.3g}", f"{spread:.2f}", f"{1e3 * after:.3g}")
        print(f"| {' | '.join(cells)} | {ratio:.2f} | {verdict} |")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("old", help="the folder of sources to compare with")
    options.add_argument("new", help="the folder of sources that are compared")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--only", nargs="*", default=[], help="parts of the names of tasks")
    options.add_argument("--measure", action="store_true", help="print the times of one tree")
    given = options.parse_args()
    if given.measure:
        measure(given.only)
        return
    old, new = [], []
    for _ in range(given.rounds):
        old.append(run(given.old, given.only))
        new.append(run(given.new, given.only))
        report(old, new)  # what is known so far


if __name__ == "__main__":
    main()
