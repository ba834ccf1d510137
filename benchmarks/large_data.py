"""The data of `large.py`: made ones of any size, and real tables."""

from __future__ import annotations

import numpy as np
from timing import REAL

REAL_TASKS = ("cadata", "a9a", "letter", "adult")


def regression(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A smooth function with interactions of 20 columns, with noise 0.3."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * np.abs(X[:, 3])
    return X, y + 0.3 * rng.standard_normal(n)


def classes(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that overlap, 18 columns."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 18))
    f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * np.abs(X[:, 3]) - 0.4
    return X, (f + 0.7 * rng.standard_normal(n) > 0).astype(int)


def clusters(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Four clusters in 20 columns."""
    rng = np.random.default_rng(0)
    X, which = rng.standard_normal((n, 20)), rng.integers(0, 4, n)
    X[:, :2] += 6.0 * which[:, None] * np.array([1.0, -1.0])
    return X, which


def real(name: str, centers: object):
    """A learner for a real table, and its training and test rows."""
    from mercer import RBF, KernelRidge, KernelRidgeClassifier

    X, y, test = TABLES[name]()
    kernel = RBF(SCALES[name])
    if name == "cadata":
        model = KernelRidge(0.1, kernel=kernel, centers=centers)
    else:
        model = KernelRidgeClassifier(alpha=1.0, kernel=kernel, centers=centers)
    return model, (X[~test], y[~test]), (X[test], y[test])


def losses(model, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The loss of every row: squared, or 1 for a wrong label."""
    predicted = model.predict(X)
    if y.dtype.kind == "f":
        return (predicted - y) ** 2
    return (predicted != y).astype(float)


# with which the error is within a standard error of the exact one; letter's kernel is narrow
CENTERS = {"cadata": 2000, "a9a": 2000, "letter": 6000, "adult": 2000}
SCALES = {"cadata": 1.5, "a9a": 3.2, "letter": 0.7, "adult": 4.0}


def _every_fifth(n: int) -> np.ndarray:
    return np.arange(n) % 5 == 0


def _cadata() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logarithms of the values of houses, columns standardized."""
    table = np.loadtxt(REAL / "cadata" / "cadata.csv", delimiter=",", skiprows=1)
    table = np.random.default_rng(0).permutation(table)
    X, y = table[:, :-1], np.log(table[:, -1])
    return (X - X.mean(axis=0)) / X.std(axis=0), y, _every_fifth(len(y))


def _svmlight(folder: str, file: str, n_features: int):
    from sklearn.datasets import load_svmlight_file

    parts = [
        load_svmlight_file(str(REAL / folder / name), n_features=n_features)
        for name in (file, f"{file}.t")
    ]
    X = np.vstack([part[0].toarray() for part in parts])
    y = np.concatenate([part[1] for part in parts]).astype(int)
    return X, y, np.arange(len(y)) >= len(parts[0][1])


def _a9a():
    return _svmlight("a9a", "a9a", 123)


def _letter():
    return _svmlight("letter", "letter.scale", 16)


def _adult():
    """Numbers standardized, a column of 0 and 1 for each category."""
    import pandas as pd

    parts = [
        pd.read_csv(REAL / "adult" / file, header=None, skipinitialspace=True, na_values="?")
        for file in ("adult.data", "adult.test")
    ]
    frame = pd.concat(parts, ignore_index=True)
    y = frame.pop(14).str.startswith(">").to_numpy().astype(int)
    X = pd.get_dummies(frame).to_numpy(dtype=float)
    numbers = frame.select_dtypes("number").shape[1]
    X[:, :numbers] = (X[:, :numbers] - X[:, :numbers].mean(axis=0)) / X[:, :numbers].std(axis=0)
    return X, y, np.arange(len(y)) >= len(parts[0])


TABLES = {"cadata": _cadata, "a9a": _a9a, "letter": _letter, "adult": _adult}
