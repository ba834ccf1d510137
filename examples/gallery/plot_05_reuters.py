"""
Crude oil and grain: news told apart by their letters
=====================================================

Articles of Reuters under a string kernel: two are alike if they share many strings of four letters, counted and
scaled so that every article has length one. No word is known to it, and no topic is used to find the components of
the picture; the topics come apart nonetheless.

The lecture has 875 articles of the two topics and shows a picture without numbers. The rules it states (lower case,
single spaces, first topic) leave 880 whole articles of the ModApte split. They are of Reuters-21578, Distribution
1.0, to be used for research only, and do not come with the library: this study runs where they are at hand.
"""

import csv
import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    SVC,
    BagOfWords,
    ComponentDisplay,
    KernelPCA,
    ScreeDisplay,
    Spectrum,
    Subsequence,
    TfIdf,
)
from mercer.datasets import data_folder

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"
SHORT = 100  # letters of an article that the subsequence kernel is given: it compares all pairs of letters

# %%
# The articles: title and body, and the first topic.


def articles(path):
    texts, topics = [], []
    with path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            first = row["topics"].split()[0]
            if (
                row["type"] == "NORM"
                and row["modapte"] in ("train", "test")
                and first in ("crude", "grain")
            ):
                texts.append(" ".join(f"{row['title']} {row['body']}".lower().split()))
                topics.append(first)
    return texts, np.array(topics)


# %%
# Components first, without a look at the topics, then machines that are told them. A kernel that learns nothing from
# the texts is computed once for all folds; the weights of the words are learned inside each.


def accuracy(kernel, X, y, folds):
    if isinstance(kernel, TfIdf):
        return cross_val_score(SVC(kernel=kernel, C=10.0), X, y, cv=folds)
    K = kernel(X)
    return cross_val_score(SVC(kernel="precomputed", C=10.0), K, y, cv=folds)


def compare(texts, topics, folds):
    string, short = Spectrum(n=4).normalize(), [text[:SHORT] for text in texts]
    rivals = {
        "single letters": (Spectrum(n=1).normalize(), texts),
        "strings of 4 letters": (string, texts),
        "words": (BagOfWords().normalize(), texts),
        "words, rare ones count more": (TfIdf(), texts),
        f"strings of 4, first {SHORT} letters": (string, short),
        f"4 letters with gaps, first {SHORT}": (
            Subsequence(length=4, decay=0.5).normalize(),
            short,
        ),
    }
    for name, (kernel, X) in rivals.items():
        found = accuracy(kernel, X, topics, folds)
        print(f"{name:38}{found.mean():8.1%} ± {found.std():.1%}")
    K = string(texts)
    for count in (10, 2):
        model = make_pipeline(
            KernelPCA(count, kernel="precomputed"), StandardScaler(), LogisticRegression()
        )
        found = cross_val_score(model, K, topics, cv=folds)
        print(
            f"{f'{count} components of strings of 4, logistic':38}{found.mean():8.1%} ± {found.std():.1%}"
        )


# %%
# The picture: the lecture's, with the share of variance that the components have.


def draw(texts, topics):
    model = KernelPCA(20, kernel=Spectrum(n=4).normalize()).fit(texts)
    _, (left, right) = plt.subplots(
        1, 2, figsize=(12, 4.8), width_ratios=(3, 2), layout="constrained"
    )
    ComponentDisplay.from_estimator(model, texts, topics, ax=left, s=12)
    left.set_title(f"{len(texts)} articles by strings of 4 letters, not told their topics")
    ScreeDisplay.from_estimator(model, ax=right)
    right.set_title("what the components explain")


folder = data_folder()
file = None if folder is None else folder / "reuters_crude_grain" / "reuters_crude_grain.csv"
if file is None or not file.exists():
    print(
        "skipped: no reuters_crude_grain/reuters_crude_grain.csv in the folder that MERCER_DATA names"
    )
else:
    texts, topics = articles(file)
    if FAST:
        texts, topics = texts[::6], topics[::6]
    print(
        f"{len(texts)} articles (lecture: 875), {np.mean(topics == 'crude'):.0%} on crude oil; accuracy in five folds"
    )
    compare(texts, topics, StratifiedKFold(5, shuffle=True, random_state=0))
    draw(texts, topics)

# %%
# Single letters tell a good part already; strings of four are as good as words without knowing any. A few components
# hold nearly all of it.
