"""Promoters of E. coli by support vector machines: three kernels on letters, and how their test errors spread.

Overlap counts the positions at which two pieces have the same letter; the RBF of one-hot rows is exp of minus the others; the weighted
overlap counts agreement on a rare letter for more, by h_α(z) = (1 − z^α)^{1/α} of its frequency z among the training rows. Parameters
and C are chosen by three folds inside every training part. The lectures show such a figure without numbers; these are ours.

    python examples/promoter_errors.py [repeats] [picture.png]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from mercer import RBF, SVC, Overlap, WeightedOverlap
from mercer.kernels.base import Kernel
from mercer.kernels.categories import one_hot, rarity

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT.parent / "shared" / "data" / "promoters" / "promotergene_kernlab.csv"
COSTS = (1.0, 10.0)
ALPHAS = (0.2, 0.5, 1.0, 2.0, 5.0)
CHOICES: dict[str, list[Kernel]] = {
    "overlap": [Overlap()],
    "one-hot RBF": [RBF(length_scale=width) @ one_hot for width in (3.0, 6.0, 12.0)],
    "weighted overlap": [WeightedOverlap(alpha=alpha, gamma=gamma) for alpha in (0.5, 1.0, 2.0) for gamma in (2.0, 8.0)],
}


def sequences() -> tuple[np.ndarray, np.ndarray]:
    """Letters, a row for each piece, and its class."""
    with FILE.open(newline="") as lines:
        table = np.array(list(csv.reader(lines))[1:], dtype=object)
    return table[:, 1:], table[:, 0].astype(str)


def inner_error(K: np.ndarray, y: np.ndarray, cost: float) -> float:
    """By three folds of the training rows."""
    wrong = 0
    for fit, hold in StratifiedKFold(3, shuffle=True, random_state=0).split(y, y):
        model = SVC(kernel="precomputed", C=cost).fit(K[np.ix_(fit, fit)], y[fit])
        wrong += int((model.predict(K[np.ix_(hold, fit)]) != y[hold]).sum())
    return wrong / len(y)


def errors(X: np.ndarray, y: np.ndarray, choices: list[Kernel], repeats: int) -> np.ndarray:
    """The cross-validated error of every repetition."""
    wrong = np.zeros(repeats)
    for number, (train, test) in enumerate(RepeatedStratifiedKFold(n_splits=10, n_repeats=repeats, random_state=0).split(X, y)):
        fitted = [kernel.copy().fit(X[train]) for kernel in choices]
        tried = [(inner_error(K, y[train], cost), at, cost) for at, K in enumerate(k(X[train]) for k in fitted) for cost in COSTS]
        _, at, cost = min(tried)
        model = SVC(kernel=fitted[at], C=cost).fit(X[train], y[train])
        wrong[number // 10] += (model.predict(X[test]) != y[test]).sum()
    return wrong / len(y)


def draw(path: Path, found: dict[str, np.ndarray]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=(3, 2), layout="constrained")
    left.boxplot([100 * error for error in found.values()], tick_labels=list(found), widths=0.5)
    left.set(title="Errors of ten-fold cross-validation, repeated", ylabel="% wrong")
    z = np.linspace(0.0, 1.0, 400)
    for alpha in ALPHAS:
        right.plot(z, rarity(z, alpha), label=f"α = {alpha:g}")
    right.set(title="What agreement on a letter counts", xlabel="share z of the letter", ylabel="h(z)")
    right.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    if not FILE.exists():
        print(f"the sequences are not here: put kernlab's promotergene (columns Class, V2 to V58) at {FILE} and run this again")
        return
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    X, y = sequences()
    found = {}
    print(f"{len(X)} pieces of {X.shape[1]} letters, {repeats}x10cv\n{'':>18}{'error':>8}{'spread':>8}{'least':>8}{'most':>8}")
    for name, choices in CHOICES.items():
        found[name] = e = errors(X, y, choices, repeats)
        print(f"{name:>18}{e.mean():8.1%}{e.std():8.1%}{e.min():8.1%}{e.max():8.1%}", flush=True)
    draw(Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "pictures" / "promoter_errors.png", found)


if __name__ == "__main__":
    main()
