"""The same answers as scikit-learn on real data: the same predictions, the same accuracy, the same
R².
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.svm as theirs
from sklearn.datasets import load_svmlight_file
from sklearn.kernel_ridge import KernelRidge as TheirRidge
from sklearn.metrics import accuracy_score, r2_score
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, KernelRidge


class Split(NamedTuple):
    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray

    def scaled(self) -> Split:
        scaler = StandardScaler().fit(self.X)
        return Split(scaler.transform(self.X), self.y, scaler.transform(self.X_test), self.y_test)


def svmlight(train: Path, test: Path, width: int, rows: int | None) -> Split:
    """The first rows of two files."""
    parts = [
        part[:rows]
        for file in (train, test)
        for part in load_svmlight_file(str(file), n_features=width)
    ]
    return Split(*parts)


def table(file: Path, target: str, rows: int | None, test_rows: int | None = None) -> Split:
    """Shuffled rows: ``rows`` to fit, four fifths if none are said, and the next (or all other)
    ones to test.
    """
    frame = pd.read_csv(file).sample(frac=1, random_state=0)
    X, y = (
        pd.get_dummies(frame.drop(columns=target), dtype=float).to_numpy(float),
        frame[target].to_numpy(),
    )
    n = len(y) * 4 // 5 if rows is None else rows
    held = slice(n, None if test_rows is None else n + test_rows)
    return Split(X[:n], y[:n], X[held], y[held])


def labeled(folder: Path, name: str, rows: int | None) -> Split:
    match name:
        case "letter":
            made = svmlight(
                folder / "letter/letter.scale", folder / "letter/letter.scale.t", 16, rows
            )
            return made._replace(X=made.X.toarray(), X_test=made.X_test.toarray())
        case "a9a":
            return svmlight(folder / "a9a/a9a", folder / "a9a/a9a.t", 123, rows)
        case "satimage":
            return table(folder / "satimage/satimage.csv", "classes", rows, rows).scaled()
        case "spam":
            return table(folder / "spam/spam.csv", "type", rows, rows).scaled()
    return table(folder / "sonar/sonar.csv", "Class", None).scaled()


def measured(folder: Path, name: str, rows: int | None) -> Split:
    target = {"cadata": "medianHouseValue", "abalone": "Class_Rings"}[name]
    made = table(folder / name / f"{name}.csv", target, rows, rows).scaled()
    mean, spread = made.y.mean(), made.y.std()
    return made._replace(y=(made.y - mean) / spread, y_test=(made.y_test - mean) / spread)


CLASSIFIERS = {
    "letter": {"C": 10.0, "gamma": 1.0},
    "satimage": {"C": 10.0},
    "spam": {"C": 3.0},
    "a9a": {"C": 1.0, "gamma": 1 / 123},
    "sonar": {"C": 10.0},
}


def same_classes(data: Split, options: dict[str, Any]) -> None:
    ours, other = (
        cls(**options).fit(data.X, data.y).predict(data.X_test) for cls in (SVC, theirs.SVC)
    )
    assert (ours != other).mean() <= 0.001
    assert accuracy_score(data.y_test, ours) == pytest.approx(
        accuracy_score(data.y_test, other), abs=0.002
    )


def same_numbers(data: Split, ours: Any, other: Any) -> None:
    scores = [
        r2_score(data.y_test, model.fit(data.X, data.y).predict(data.X_test))
        for model in (ours, other)
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)
    assert scores[0] > 0.4


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_svc(shared_data, name):
    data = labeled(shared_data, name, 1500)
    assert sp.issparse(data.X) == (name == "a9a")
    same_classes(data, CLASSIFIERS[name])


@pytest.mark.parametrize("name", ["cadata", "abalone"])
def test_svr(shared_data, name):
    options = {"C": 3.0, "epsilon": 0.1, "gamma": 0.1}
    same_numbers(measured(shared_data, name, 1500), SVR(**options), theirs.SVR(**options))


@pytest.mark.parametrize("name", ["cadata", "abalone"])
def test_ridge(shared_data, name):
    options = {"alpha": 1.0, "kernel": "rbf", "gamma": 0.1}
    same_numbers(measured(shared_data, name, 1500), KernelRidge(**options), TheirRidge(**options))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["letter", "satimage", "spam", "a9a"])
def test_svc_on_all_rows(shared_data, name):
    same_classes(labeled(shared_data, name, None), CLASSIFIERS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cadata", "abalone"])
def test_svr_on_all_rows(shared_data, name):
    options = {"C": 3.0, "epsilon": 0.1, "gamma": 0.1}
    same_numbers(measured(shared_data, name, None), SVR(**options), theirs.SVR(**options))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cadata", "abalone"])
def test_ridge_on_all_rows(shared_data, name):
    options = {"alpha": 1.0, "kernel": "rbf", "gamma": 0.1}
    same_numbers(measured(shared_data, name, None), KernelRidge(**options), TheirRidge(**options))
