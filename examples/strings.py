"""String kernels on news, names, DNA and proteins.

Support vector machines with normalized string kernels are compared with `Spectrum(length=1)`, which
counts single letters and ignores their order.

* 880 Reuters articles on crude oil or grain, five folds, accuracy. The subsequence kernel
  compares all pairs of letters of two texts: its matrix, for 5·10¹¹ such pairs, takes two
  minutes, and is computed once for all folds.
* Surnames by language, a sample of them, five folds, accuracy.
* Binding sites of EP300 in DNA against background: trained on one file, tested on the other,
  accuracy and area under the ROC curve.
* Remote homology of proteins (SCOP 1.1): area under the ROC curve of a test file with eight
  positive proteins, so that differences of 0.01 are not significant.

The articles are from Reuters-21578, Distribution 1.0, which is for research only.

    python examples/strings.py [news names dna proteins]
"""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path

import numpy as np
from articles import FILE, articles
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score

from mercer import (
    SVC,
    BagOfWords,
    GappedKmer,
    Kernel,
    Mismatch,
    Spectrum,
    Subsequence,
    TfIdf,
    read_fasta,
)
from mercer.datasets import data_folder

DATA = data_folder()
NAMES = 2000


def folds(
    name: str, kernel: Kernel | str, X: list[str] | np.ndarray, y: np.ndarray, C: float = 10.0
) -> None:
    start = time.perf_counter()
    found = cross_val_score(
        SVC(kernel=kernel, C=C), X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0)
    )
    print(
        f"{name:>44} {found.mean():7.1%} ± {found.std():.1%} {time.perf_counter() - start:6.1f} s",
        flush=True,
    )


def news() -> None:
    texts, topics = articles()
    print(
        f"{len(texts)} articles, {np.mean(topics == 'crude'):.0%} "
        "on crude oil: accuracy in five folds"
    )
    folds("letters", Spectrum(length=1).normalize(), texts, topics)
    folds("Spectrum(4)", Spectrum(length=4).normalize(), texts, topics)
    folds("words", BagOfWords().normalize(), texts, topics)
    folds("TfIdf", TfIdf(), texts, topics)
    start = time.perf_counter()
    K = Subsequence(length=4, decay=0.5).normalize()(texts)
    print(f"{'the matrix of Subsequence(4)':>44} {time.perf_counter() - start:24.1f} s", flush=True)
    folds("Subsequence(4)", "precomputed", K, topics)


def names() -> None:
    with (DATA / "names_by_language" / "names.csv").open(newline="", encoding="utf-8") as lines:
        # The marks ^ and $ let substrings distinguish the beginning and the end of a name.
        rows = [(row["language"], f"^{row['name'].lower()}$") for row in csv.DictReader(lines)]
    languages, found = (np.array(column) for column in zip(*rows, strict=True))
    chosen = np.random.default_rng(0).permutation(len(rows))[:NAMES]
    common = [
        language
        for language, count in zip(*np.unique(languages[chosen], return_counts=True), strict=True)
        if count >= 20
    ]
    chosen = chosen[np.isin(languages[chosen], common)]
    X, y = found[chosen].tolist(), languages[chosen]
    most = max(np.mean(y == language) for language in common)
    print(
        f"{len(X)} surnames of {len(common)} languages, "
        f"{most:.0%} of the most frequent: accuracy in five folds"
    )
    folds("letters", Spectrum(length=1).normalize(), X, y, 3.0)
    folds(
        "Spectrum(1) + Spectrum(2) + Spectrum(3)",
        sum((Spectrum(length=n).normalize() for n in (2, 3)), Spectrum(length=1).normalize()),
        X,
        y,
        3.0,
    )
    folds("GappedKmer(3, 2)", GappedKmer(length=3, matches=2).normalize(), X, y, 3.0)


def tested(
    name: str,
    kernel: Kernel,
    train: tuple[list[str], np.ndarray],
    test: tuple[list[str], np.ndarray],
    C: float,
) -> None:
    start = time.perf_counter()
    model = SVC(kernel=kernel, C=C).fit(*train)
    value = model.decision_function(test[0])
    print(
        f"{name:>44} AUC {roc_auc_score(test[1], value):.3f}, "
        f"accuracy {np.mean((value > 0) == test[1]):6.1%} "
        f"{time.perf_counter() - start:6.1f} s",
        flush=True,
    )


def labeled(path: Path) -> tuple[list[str], np.ndarray]:
    """Sequences in upper case (lower case marks repeats), and labels, the names of the records."""
    labels, sequences = read_fasta(path)
    return [sequence.upper() for sequence in sequences], np.array(labels) == "1"


def dna() -> None:
    train, test = (
        labeled(DATA / "ep300_dna" / f"EP300.{part}.fasta") for part in ("train", "test")
    )
    print(
        f"binding sites of EP300: {len(train[0])} sequences of DNA to learn, {len(test[0])} to test"
    )
    kernels = {
        "letters": Spectrum(length=1),
        "Spectrum(4)": Spectrum(length=4),
        "Spectrum(6)": Spectrum(length=6),
        "Mismatch(6, 1)": Mismatch(length=6, mismatches=1),
        "GappedKmer(7, 5)": GappedKmer(length=7, matches=5),
    }
    for name, kernel in kernels.items():
        tested(name, kernel.normalize(), train, test, 1.0)


def proteins() -> None:
    train, test = (labeled(DATA / "scop_1_1" / f"1.1.{part}.fasta") for part in ("train", "test"))
    print(
        f"SCOP 1.1: {len(train[0])} proteins to learn, "
        f"{len(test[0])} to test, {test[1].sum()} of them positive"
    )
    kernels = {
        "letters": Spectrum(length=1),
        "Spectrum(3)": Spectrum(length=3),
        "Mismatch(3, 1)": Mismatch(length=3, mismatches=1),
        "GappedKmer(6, 5)": GappedKmer(length=6, matches=5),
    }
    for name, kernel in kernels.items():
        tested(name, kernel.normalize(), train, test, 10.0)


def main() -> None:
    if FILE is None or DATA is None:
        print(
            "the data were not found: set the environment variable "
            "MERCER_DATA to their folder and run this again"
        )
        return
    studies = {"news": news, "names": names, "dna": dna, "proteins": proteins}
    for name in sys.argv[1:] or studies:
        studies[name]()


if __name__ == "__main__":
    main()
