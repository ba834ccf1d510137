"""The public tables of ``tables.py``, each as a frame, its target and its task, and their splits.

A column is numeric, boolean, or of pandas' category type; the levels of a category are ordered
where the table says so. A missing value is NaN. Identifiers (the animals of zoo) are left out.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import train_test_split

DATA = Path(os.environ.get("MERCER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
REGRESSION, CLASSIFICATION = "regression", "classification"
HOLES = ("NA", "?", "")
MOST_TEST, TRAIN_SHARE = 5000, 0.75
ADULT = "age workclass fnlwgt education years marital occupation relationship race sex gain loss hours country income"  # noqa: E501
COUNTS = ["None", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine or more"]
ORDERED = {  # the columns of the income survey that have an order
    "AGE": ["14-17", "18-24", "25-34", "35-44", "45-54", "55-64", "65+"],
    "EDUCATION": [
        "Grade 8 or less",
        "Grades 9 to 11",
        "Graduated High Scool",
        "1 to 3 years of college",
        "College graduate",
        "Grad Study",
    ],
    "AREA": ["-1 year", "1-3 years", "4-6 years", "7-10 years", "10+ years"],
    "HOUSEHOLD.SIZE": COUNTS[1:],
    "UNDER18": COUNTS,
}


# -- readers --------------------------------------------------------------------------------------


def plain(name: str) -> Callable[[], pd.DataFrame]:
    """Numbers without a header; the last column is the target."""

    def read() -> pd.DataFrame:
        numbers = np.loadtxt(DATA / name / f"{name}.txt")
        return pd.DataFrame(numbers, columns=[f"x{i}" for i in range(numbers.shape[1])])

    return read


def comma(file: str, drop: str = "") -> Callable[[], pd.DataFrame]:
    """A CSV file with a header."""

    def read() -> pd.DataFrame:
        frame = pd.read_csv(DATA / file, keep_default_na=False, na_values=list(HOLES))
        return frame.drop(columns=drop.split())

    return read


def adult() -> pd.DataFrame:
    """Both parts of the census; the labels of the second end with a dot."""
    parts = []
    for file in ("adult.data", "adult.test"):
        part = pd.read_csv(
            DATA / "adult" / file, names=ADULT.split(), skipinitialspace=True, na_values="?"
        )
        parts.append(part)
    frame = pd.concat(parts, ignore_index=True).dropna(subset=["income"])
    frame["income"] = frame["income"].str.rstrip(".")
    return frame


def letter() -> pd.DataFrame:
    parts = []
    for file in ("letter.scale", "letter.scale.t"):
        X, y = load_svmlight_file(str(DATA / "letter" / file), n_features=16)
        parts.append(pd.DataFrame(X.toarray(), columns=[f"x{i}" for i in range(16)]))
        parts[-1]["letter"] = y.astype(int)
    return pd.concat(parts, ignore_index=True)


def votes() -> pd.DataFrame:
    names = ["party", *(f"vote{i}" for i in range(1, 17))]
    return pd.read_csv(
        DATA / "house_votes_84" / "house-votes-84.data", names=names, na_values=list(HOLES)
    )


# -- the tables -----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Table:
    """Where a table comes from, its target, and how many rows train at the size ``large``."""

    read: Callable[[], pd.DataFrame]
    target: str
    task: str
    large: int = 0


def numbers(read: Callable[[], pd.DataFrame], target: str, large: int = 0) -> Table:
    return Table(read, target, REGRESSION, large)


def classes(read: Callable[[], pd.DataFrame], target: str, large: int = 0) -> Table:
    return Table(read, target, CLASSIFICATION, large)


TABLES = {
    "abalone": numbers(comma("abalone/abalone.csv"), "Class_Rings"),
    "boston": numbers(plain("boston"), "x13"),
    "cadata": numbers(comma("cadata/cadata.csv"), "medianHouseValue", large=16_000),
    "concrete": numbers(plain("concrete"), "x8"),
    "cpusmall": numbers(comma("cpusmall/cpusmall.csv"), "usr", large=6000),
    "energy": numbers(plain("energy"), "x8"),
    "kin8nm": numbers(plain("kin8nm"), "x8", large=6000),
    "ozone": numbers(comma("ozone/ozone.csv"), "V4"),
    "yacht": numbers(plain("yacht"), "x6"),
    "adult": classes(adult, "income", large=10_000),
    "glass": classes(comma("glass/glass.csv"), "Type"),
    "heart": classes(comma("heart_cleveland/heart_cleveland.csv"), "num"),
    "income": classes(comma("income_kernlab/income.csv"), "INCOME", large=6000),
    "kr_vs_kp": classes(comma("kr_vs_kp/kr_vs_kp.csv"), "class"),
    "letter": classes(letter, "letter", large=10_000),
    "mushroom": classes(comma("mushroom/mushroom.csv"), "class"),
    "musk": classes(comma("musk/musk.csv"), "Class"),
    "pima": classes(comma("pima_missing/pima_missing.csv"), "diabetes"),
    "promoters": classes(comma("promoters/promotergene_kernlab.csv"), "Class"),
    "satimage": classes(comma("satimage/satimage.csv"), "classes", large=5000),
    "sonar": classes(comma("sonar/sonar.csv"), "Class"),
    "soybean": classes(comma("soybean/soybean.csv"), "class"),
    "spam": classes(comma("spam/spam.csv"), "type"),
    "tic_tac_toe": classes(comma("tic_tac_toe/tic_tac_toe.csv"), "Class"),
    "votes": classes(votes, "party"),
    "zoo": classes(comma("zoo/zoo.csv", drop="animal"), "type"),
}
SIZES = {"small": 1500, "large": None}  # the most training rows; for large, the table says


def load(name: str) -> tuple[pd.DataFrame, np.ndarray, str]:
    """The columns, the target (numbers, or classes 0, 1, ...), and ``"regression"`` or
    ``"classification"``.
    """
    table = TABLES[name]
    frame = table.read().dropna(subset=[table.target]).reset_index(drop=True)
    target = frame.pop(table.target)
    for column in frame:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            ordered = column in ORDERED
            kind = pd.CategoricalDtype(ORDERED.get(column), ordered=ordered)
            frame[column] = frame[column].astype(kind)
    if table.task == REGRESSION:
        return frame, target.to_numpy(float), table.task
    return frame, np.unique(target.to_numpy(), return_inverse=True)[1], table.task


def split(name: str, seed: int, size: str = "small") -> tuple[np.ndarray, np.ndarray]:
    """The rows that train and the rows that test in split 0, 1, 2, ...; stratified by classes.

    At most 1,500 rows train (or as many as the table says at the size "large"), and never more than
    three quarters of all; at most 5,000 of the others test.
    """
    _, y, task = load(name)
    most = SIZES[size] or TABLES[name].large
    if not most:
        raise ValueError(f"{name} has too few rows for the size {size!r}")
    train = min(most, int(TRAIN_SHARE * len(y)))
    test = min(MOST_TEST, len(y) - train)
    strata = y if task == CLASSIFICATION else None
    rows = train_test_split(
        np.arange(len(y)), train_size=train, test_size=test, random_state=seed, stratify=strata
    )
    return rows[0], rows[1]
