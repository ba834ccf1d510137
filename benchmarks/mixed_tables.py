"""`table_kernel` + SVC against scikit-learn's ColumnTransformer (impute, scale, one-hot) + SVC on
tables of mixed columns with holes.

Run ``python benchmarks/mixed_tables.py [name ...] [--repeats N]``; without names, all of them:
heart adult soybean mushroom.

Both sides choose among the same widths, in units in which the mean exponent of the training rows is
1, and the same C by the same inner
folds; everything is learned on the training rows. Printed are mean accuracies, the mean of the
paired differences over the test
folds and its standard error. Of mushrooms, which are easy, only 60 rows are for training.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn import svm
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from timing import REAL

from mercer import SVC, table_kernel

SCALES, COSTS = (0.5, 1.0, 2.0), (1.0, 10.0, 100.0)
ADULT = "age workclass fnlwgt education years marital occupation relationship race sex gain loss hours country class"  # noqa: E501
INNER = StratifiedKFold(3, shuffle=True, random_state=0)


def read(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A table, with NaN for its holes, and the classes."""
    if name == "adult":
        frame = pd.read_csv(
            REAL / "adult" / "adult.data", names=ADULT.split(), skipinitialspace=True, na_values="?"
        ).sample(2000, random_state=0)
    elif name == "heart":
        frame = pd.read_csv(REAL / "heart_cleveland" / "heart_cleveland.csv", na_values="?").rename(
            columns={"num": "class"}
        )
        frame["class"] = frame["class"] == "<50"
    else:
        frame = pd.read_csv(REAL / name / f"{name}.csv", na_values="?")
        if name == "mushroom":
            frame = frame.sample(2000, random_state=0)
    y = frame.pop("class").to_numpy()
    return frame.reset_index(drop=True), np.unique(y, return_inverse=True)[1]


def folds(name: str, repeats: int) -> Any:
    if name == "mushroom":
        return StratifiedShuffleSplit(10 * repeats, train_size=60, random_state=0)
    return RepeatedStratifiedKFold(n_splits=5, n_repeats=repeats, random_state=0)


def ours(X: pd.DataFrame, y: np.ndarray) -> GridSearchCV:
    grid = {"kernel": [table_kernel(X, scale=scale, holes=True) for scale in SCALES], "C": COSTS}
    return GridSearchCV(SVC(), grid, cv=INNER).fit(X, y)


def theirs(X: pd.DataFrame, y: np.ndarray) -> GridSearchCV:
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    categories = make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    )
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (categories, make_column_selector(dtype_exclude="number")),
        sparse_threshold=0.0,
    )
    spread = (
        2.0 * np.asarray(columns.fit_transform(X)).var(axis=0).sum()
    )  # the mean squared distance of two rows
    model = Pipeline([("columns", columns), ("svc", svm.SVC())])
    grid = {"svc__gamma": [1.0 / (spread * scale**2) for scale in SCALES], "svc__C": COSTS}
    return GridSearchCV(model, grid, cv=INNER).fit(X, y)


def accuracies(name: str, repeats: int) -> Iterator[tuple[float, float, float, float]]:
    """Accuracy of ours and theirs, and the seconds each took, fold by fold."""
    X, y = read(name)
    for train, test in folds(name, repeats).split(X, y):
        found, took = [], []
        for make in (ours, theirs):
            found.append(_score(make, X, y, train, test, took))
        yield found[0], found[1], took[0], took[1]


def _score(
    make: Callable[..., Any],
    X: pd.DataFrame,
    y: np.ndarray,
    train: Any,
    test: Any,
    took: list[float],
) -> float:
    start = time.perf_counter()
    score = make(X.iloc[train], y[train]).score(X.iloc[test], y[test])
    took.append(time.perf_counter() - start)
    return score


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=["heart", "adult", "soybean", "mushroom"])
    parser.add_argument("--repeats", type=int, default=4)
    given = parser.parse_args()
    print(
        f"{'':>10}{'rows':>7}{'holes':>7}{'folds':>7}{'ours':>9}{'theirs':>9}{'difference':>18}{'seconds':>16}"
    )
    for name in given.names:
        X, _ = read(name)
        found = np.array(list(accuracies(name, given.repeats)))
        gap = found[:, 0] - found[:, 1]
        error = gap.std(ddof=1) / np.sqrt(len(gap))
        ours_, theirs_, quick, slow = found.mean(axis=0)
        holes = float(X.isna().to_numpy().mean())
        print(
            f"{name:>10}{len(X):7d}{holes:7.1%}{len(gap):7d}{ours_:9.2%}{theirs_:9.2%}"
            f"{f'{100 * gap.mean():+.2f} ± {100 * error:.2f} %':>18}{f'{quick:.2f}, {slow:.2f}':>16}",  # noqa: E501
            flush=True,
        )


if __name__ == "__main__":
    main()
