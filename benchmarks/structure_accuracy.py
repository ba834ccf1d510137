"""The accuracy of kernels on graphs and series, on real data.

Run ``python benchmarks/structure_accuracy.py [MUTAG NCI1 GunPoint] [--repeats 10]``; without names,
all of them. Graphs: ten repetitions of ten-fold cross-validation; the depth of the kernel and the
penalty of the machine are chosen by three-fold cross-validation in the training graphs of each
fold. GunPoint: its own division in training and test series; widths and penalties are chosen on the
training series alone. Nothing is chosen by the results.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from timing import REAL, record

import mercer
from mercer.kernels.base import Kernel

Grid = list[tuple[np.ndarray, float]]  # matrices and penalties to choose from


def _score(K: np.ndarray, y: np.ndarray, C: float, train: np.ndarray, test: np.ndarray) -> float:
    model = mercer.SVC(kernel="precomputed", C=C).fit(K[np.ix_(train, train)], y[train])
    return float(model.score(K[np.ix_(test, train)], y[test]))


def _best(grid: Grid, y: np.ndarray, rows: np.ndarray, folds: object) -> int:
    """The place of the best pair of a matrix and a penalty, by cross-validation among the rows."""
    splits = [(rows[a], rows[b]) for a, b in folds.split(rows, y[rows])]
    means = [np.mean([_score(K, y, C, *split) for split in splits]) for K, C in grid]
    return int(np.argmax(means))


def nested(
    name: str, kernels: Sequence[Kernel], penalties: Sequence[float], repeats: int, goal: float
) -> None:
    graphs, y = mercer.read_tudataset(REAL / name)
    grid = [(K, C) for K in (kernel(graphs) for kernel in kernels) for C in penalties]
    means = []
    for seed in range(repeats):
        outer = StratifiedKFold(10, shuffle=True, random_state=seed)
        inner = StratifiedKFold(3, shuffle=True, random_state=seed)
        scores = []
        for train, test in outer.split(np.zeros(len(y)), y):
            K, C = grid[_best(grid, y, train, inner)]
            scores.append(_score(K, y, C, train, test))
        means.append(100 * np.mean(scores))
        print(f"{name}, repetition {seed}: {means[-1]:.2f} %", flush=True)
    _tell(f"{type(kernels[0]).__name__}, {name}", means, goal)


def _tell(task: str, means: list[float], goal: float) -> None:
    mean, spread = np.mean(means), np.std(means)
    verdict = "" if mean >= goal else ", MISSED"
    print(f"{task}: {mean:.1f} % ± {spread:.1f} (goal {goal:g} %{verdict})", flush=True)
    record(task, remark=f"accuracy {mean:.1f} % ± {spread:.1f}, goal {goal:g} %{verdict.lower()}")


def gunpoint() -> None:
    files = [REAL / "ucr_gunpoint" / f"GunPoint_{part}.txt" for part in ("TRAIN", "TEST")]
    (y, X), (z, Y) = ((table[:, 0], table[:, 1:]) for table in map(np.loadtxt, files))
    median = mercer.GlobalAlignment("median").fit(X).length_scale_
    shares = (0.05, 0.1, 0.2, 0.5, 1.0)
    pairs = [(levels, scale) for levels in (3, 5) for scale in (0.5, 1.0, 2.0)]
    families = {
        "GlobalAlignment": [mercer.GlobalAlignment(share * median) for share in shares],
        "Signature": [mercer.Signature(levels, mercer.RBF(scale)) for levels, scale in pairs],
    }
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
    for task, kernels in families.items():
        grid = [(kernel([*X, *Y]), C) for kernel in kernels for C in 10.0 ** np.arange(5)]
        rows = np.arange(len(X))
        everything = np.concatenate([y, z])
        K, C = grid[_best(grid, everything, rows, folds)]
        score = _score(K, everything, C, rows, np.arange(len(X), len(K)))
        _tell(f"{task}, GunPoint", [100 * score], 97.0)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="MUTAG, NCI1, GunPoint")
    options.add_argument("--repeats", type=int, default=10)
    given = options.parse_args()
    small = [mercer.WeisfeilerLehman(depth) for depth in range(1, 6)]
    large = [mercer.WeisfeilerLehmanAssignment(depth) for depth in (3, 4, 5)]
    tasks = {
        "MUTAG": lambda: nested("MUTAG", small, 10.0 ** np.arange(-3, 3), given.repeats, 84.0),
        "NCI1": lambda: nested("NCI1", large, (0.001, 0.01, 0.1), given.repeats, 85.0),
        "GunPoint": gunpoint,
    }
    for name in given.names or tasks:
        tasks[name]()


if __name__ == "__main__":
    main()
