"""News told apart by their letters: principal components of articles under a string kernel, without a word being known.

Two articles are alike if they share many strings of four letters: the spectrum kernel of length 4 (Leslie and others, 2002), the inner
product of the counts of all such strings, scaled so that every article has length one. There is nothing to tokenise, no list of words,
and no label is used to find the components. The topics, crude oil and grain, separate nonetheless.

The kernel takes text as it is, so that it goes through scikit-learn's Pipeline and cross-validation as any other. Its counts are those
of a vectoriser that was shown all articles; that gives away nothing, since a string that neither article has adds 0 to their product.

Ten components nearly suffice for what a support vector machine makes of the whole kernel.

The articles are of Reuters-21578, Distribution 1.0: to be used for research only.

    python examples/reuters.py [picture.png]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, ComponentDisplay, KernelPCA, Linear, ScreeDisplay

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT.parent / "shared" / "data" / "reuters_crude_grain" / "reuters_crude_grain.csv"
LENGTH = 4


def articles() -> tuple[list[str], np.ndarray]:
    """Titles with bodies, in lower case and with single spaces, and their first topics: whole articles of the ModApte split."""
    texts, topics = [], []
    with FILE.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            first = row["topics"].split()[0]
            if row["type"] == "NORM" and row["modapte"] in ("train", "test") and first in ("crude", "grain"):
                texts.append(" ".join(f"{row['title']} {row['body']}".lower().split()))
                topics.append(first)
    return texts, np.array(topics)


def spectrum(texts: list[str]):
    """The kernel of all strings of four letters; the texts are needed only to number the strings."""
    counts = CountVectorizer(analyzer="char", ngram_range=(LENGTH, LENGTH), lowercase=False).fit(texts)
    return (Linear() @ counts.transform).normalize()


def draw(path: Path, model: KernelPCA, texts: list[str], topics: np.ndarray) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), width_ratios=(3, 2), layout="constrained")
    ComponentDisplay.from_estimator(model, texts, topics, ax=left, s=12)
    left.set_title(f"{len(texts)} Reuters articles, strings of {LENGTH} letters")
    ScreeDisplay.from_estimator(model, ax=right)
    right.set_title("What the components explain")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    if not FILE.exists():
        print(f"the articles are not here: put reuters_crude_grain.csv at {FILE} and run this again")
        return
    texts, topics = articles()
    kernel = spectrum(texts)
    print(f"{len(texts)} articles, {np.mean(topics == 'crude'):.0%} on crude oil; accuracy in five folds")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    rivals = {
        "SVC on the kernel": SVC(kernel=kernel, C=10.0),
        "10 components, logistic": make_pipeline(KernelPCA(10, kernel=kernel), StandardScaler(), LogisticRegression()),
        "2 components, logistic": make_pipeline(KernelPCA(2, kernel=kernel), StandardScaler(), LogisticRegression()),
    }
    for name, model in rivals.items():
        found = cross_val_score(model, texts, topics, cv=folds)
        print(f"{name:>26} {found.mean():7.1%} ± {found.std():.1%}", flush=True)
    model = KernelPCA(20, kernel=kernel).fit(texts)
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures" / "reuters.png", model, texts, topics)


if __name__ == "__main__":
    main()
