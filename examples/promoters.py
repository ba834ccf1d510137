"""Promoters of E. coli: correspondence analysis of a table of letters, and what its eigenvalues are worth.

Each row is a piece of DNA of 57 letters, half of them promoters, where a gene begins to be read, and half not. Letters are categories,
so the table has no principal components; multiple correspondence analysis finds its axes. Nobody tells it the class. The first two
axes nonetheless lean to it together: the promoters lie to the upper right.

The shares of inertia look poor, four per cent for the first axis, but most of the inertia of an indicator matrix is that of each column
with itself. Benzécri leaves that out and takes the rest for the whole, which flatters; Greenacre compares with what the columns have to
do with each other, and lies between. Neither moves the plane, except for its scale.

Two axes of more than a hundred are a glance, not a classifier. The letters that shape the plane are named in it.

    python examples/promoters.py [picture.png]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from mercer import MCA, ComponentDisplay

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT.parent / "shared" / "data" / "promoters" / "promotergene_kernlab.csv"
START = 50  # letters before the one where reading begins, which is +1: there is no 0
CORRECTIONS = (None, "benzecri", "greenacre")


def sequences() -> tuple[np.ndarray, np.ndarray]:
    """Letters, a row for each piece, and its class."""
    with FILE.open(newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    table = np.array(rows, dtype=object)
    return table[:, 1:], np.where(table[:, 0] == "+", "promoter", "no promoter")


def positions(width: int) -> list[str]:
    """How biologists count: from -50 to -1, then from +1 to +7."""
    return [f"{at - START:+d}" if at < START else f"{at - START + 1:+d}" for at in range(width)]


def compare(X: np.ndarray) -> None:
    """The first axes under every correction."""
    print(f"{len(X)} pieces of {X.shape[1]} letters; inertia of the first axes, and share of the whole")
    print(f"{'':>12}" + "".join(f"{f'axis {at}':>18}" for at in (1, 2, 3)) + f"{'axes above 0':>15}")
    for correction in CORRECTIONS:
        model = MCA(3, correction=correction).fit(X)
        shown = "".join(f"{model.inertia_[at]:10.4f} {model.explained_inertia_ratio_[at]:7.1%}" for at in range(3))
        print(f"{correction or 'none':>12}{shown}{int((model.inertia_ > 0).sum()):15d}")


def draw(path: Path, letters: np.ndarray, classes: np.ndarray) -> None:
    import matplotlib
    import pandas as pd

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X = pd.DataFrame(letters, columns=positions(letters.shape[1]))
    model = MCA(2).fit(X)
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), width_ratios=(3, 2), layout="constrained")
    ComponentDisplay.from_estimator(model, X, classes, categories=12, ax=left)
    left.set_title("Pieces of DNA, and the letters that shape the plane")
    mean = 1 / X.shape[1]
    right.hist(model.eigenvalues_, bins=30, color="C0")
    right.axvline(mean, color="C1", linestyle="--", label=f"1/{X.shape[1]}: below it, corrections give 0")
    right.set(title=f"The {len(model.eigenvalues_)} eigenvalues", xlabel="principal inertia", ylabel="axes")
    right.legend(frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    if not FILE.exists():
        print(f"the sequences are not here: put kernlab's promotergene (columns Class, V2 to V58) at {FILE} and run this again")
        return
    X, classes = sequences()
    compare(X)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    print("\naccuracy in five folds of logistic regression on the axes, which were found without the class")
    for count in (2, 10, 40):
        guess = make_pipeline(MCA(count, handle_unknown="ignore"), LogisticRegression(C=10.0))
        print(f"{count:>12} axes {cross_val_score(guess, X, classes, cv=folds).mean():7.1%}")
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures" / "promoters.png", X, classes)


if __name__ == "__main__":
    main()
