"""Votes of the House in 1984 with some missing: kernels that take the mean over what is not known, against tables that were filled.

Sixteen votes of 435 members, of which 392 are neither yes nor no; the party is to be told. K₁ fills each hole by all values as often as
the training rows have them (theorem 4), K₂ by all values equally (theorem 5); neither fills a table. The others do: with the
most frequent vote, or five times by the votes of members who voted alike, and then take the mean of five Gram matrices (1MI) or the
majority of five machines (2MI). All of it is learned on the training rows of each fold, and the best C by three folds inside it.

Hardly anything is to be gained here: the parties are told apart by a few votes, and a vote that was not cast is often a statement too.

    python examples/votes.py [repeats]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from mercer import RBF, SVC, Completions, Imputed, MissingAware, ModeFilled, Overlap
from mercer.kernels.categories import one_hot

FILE = Path(__file__).resolve().parents[2] / "shared" / "data" / "house_votes_84" / "house-votes-84.data"
COSTS = (0.5, 2.0, 8.0)
DRAWS = 5
KERNELS = {
    "K1": MissingAware(Overlap(), missing=("?",)),
    "K2": Completions(Overlap(), missing=("?",)),
    "K2, RBF": Completions(RBF(length_scale=3.0) @ one_hot, missing=("?",)),
    "mode": ModeFilled(Overlap(), missing=("?",)),
    "1MI": Imputed(Overlap(), draws=DRAWS, missing=("?",)),
}


def votes() -> tuple[np.ndarray, np.ndarray]:
    table = np.array([line.split(",") for line in FILE.read_text().split()], dtype=object)
    return table[:, 1:], table[:, 0].astype(str)


def grams(name: str, X: np.ndarray, train: np.ndarray, test: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test matrices; several for the machines that vote."""
    if name != "2MI":
        kernel = KERNELS[name].copy().fit(X[train])
        return [(kernel(X[train]), kernel(X[test], X[train]))]
    made = []
    for seed in range(DRAWS):
        kernel = Imputed(Overlap(), draws=1, missing=("?",), random_state=seed).fit(X[train])
        made.append((kernel(X[train]), kernel(X[test], X[train])))
    return made


def predicted(pairs: list[tuple[np.ndarray, np.ndarray]], y: np.ndarray, cost: float) -> np.ndarray:
    """What most of the machines say."""
    said = [SVC(kernel="precomputed", C=cost).fit(K, y).predict(k) == "republican" for K, k in pairs]
    return np.where(np.mean(said, axis=0) > 0.5, "republican", "democrat")


def best_cost(pairs: list[tuple[np.ndarray, np.ndarray]], y: np.ndarray) -> float:
    """By three folds of the training rows."""
    right = np.zeros(len(COSTS))
    for fit, hold in StratifiedKFold(3, shuffle=True, random_state=0).split(y, y):
        inner = [(K[np.ix_(fit, fit)], K[np.ix_(hold, fit)]) for K, _ in pairs]
        right += [(predicted(inner, y[fit], cost) == y[hold]).sum() for cost in COSTS]
    return COSTS[int(np.argmax(right))]


def study(repeats: int) -> Iterator[tuple[str, np.ndarray, float, dict[str, float]]]:
    """For every approach the accuracies of the repetitions, the usual C, and the accuracy in each party."""
    X, y = votes()
    folds = list(RepeatedStratifiedKFold(n_splits=10, n_repeats=repeats, random_state=0).split(X, y))
    for name in (*KERNELS, "2MI"):
        said = np.empty((repeats, len(y)), dtype=y.dtype)
        costs = []
        for number, (train, test) in enumerate(folds):
            pairs = grams(name, X, train, test)
            costs.append(best_cost(pairs, y[train]))
            said[number // 10, test] = predicted(pairs, y[train], costs[-1])
        right: Any = said == y
        yield name, right.mean(axis=1), float(np.median(costs)), {party: right[:, y == party].mean() for party in np.unique(y)}


def main() -> None:
    if not FILE.exists():
        print(f"the votes are not here: put house-votes-84.data of the UCI repository at {FILE} and run this again")
        return
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"{'':>10}{'C':>6}{f'{repeats}x10cv':>10}{'spread':>9}{'democrat':>11}{'republican':>12}")
    for name, accuracy, cost, parties in study(repeats):
        print(
            f"{name:>10}{cost:6.1f}{accuracy.mean():10.2%}{accuracy.std(ddof=min(1, repeats - 1)):9.2%}"
            f"{parties['democrat']:11.1%}{parties['republican']:12.1%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
