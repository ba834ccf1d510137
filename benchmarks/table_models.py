"""The learners of ``tables.py`` at the settings that practitioners use.

Each is given the columns in the form it wants.

``MODELS[name](task)`` makes an unfitted model with ``fit(frame, y)`` and ``predict`` or
``predict_proba``. Boosting libraries and mercer are imported when they are needed: not every one is
installed everywhere, and mercer may come from two trees.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn import ensemble
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from table_data import REGRESSION

SEED = 0
COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
WIDTHS = (0.1, 0.3, 1.0, 3.0)  # times 1 / (number of columns)
RIDGES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
TUBE = 0.02  # of the support vector regression, in standard deviations of the target
TUNE_ROWS = 3000  # the most rows on which the grids are searched
BANDWIDTHS, PENALTIES = (3.0, 10.0, 30.0), (1e-3, 1e-1)  # of recursive feature machines


# -- columns --------------------------------------------------------------------------------------


def numbered(frame: pd.DataFrame) -> pd.DataFrame:
    """Plain column names; an ordered category is the number of its level, a boolean 0 or 1."""
    columns = {}
    for i, name in enumerate(frame):
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
            column = column.cat.codes.astype(float).where(column.notna())
        elif column.dtype == bool:
            column = column.astype(float)
        columns[f"c{i}"] = column
    return pd.DataFrame(columns)


def one_hot(scaled: bool) -> Any:
    """Numbers (imputed and standardized for those who need it) and indicators of categories."""
    numbers: Any = "passthrough"
    if scaled:
        numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_include="category"),
        ),
        sparse_threshold=0.0,
    )


class Numbered:
    """A model behind `numbered` columns."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> Numbered:
        self.model.fit(numbered(frame), y)
        return self

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return np.ravel(self.model.predict(numbered(frame)))

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(numbered(frame))

    @property
    def classes_(self) -> np.ndarray:
        return self.model.classes_


# -- trees ----------------------------------------------------------------------------------------


class CatBoost(Numbered):
    """CatBoost's defaults; categorical columns are given as such, missing ones as a level."""

    def __init__(self, task: str) -> None:
        import catboost

        kind = catboost.CatBoostRegressor if task == REGRESSION else catboost.CatBoostClassifier
        options = {"thread_count": 1, "random_seed": SEED, "allow_writing_files": False}
        super().__init__(kind(verbose=False, **options))

    @staticmethod
    def named(frame: pd.DataFrame) -> pd.DataFrame:
        for name in frame.select_dtypes("category"):
            frame[name] = frame[name].astype(object).where(frame[name].notna(), "?").astype(str)
        return frame

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> CatBoost:
        categories = list(numbered(frame).select_dtypes("category"))
        self.model.fit(self.named(numbered(frame)), y, cat_features=categories)
        return self

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return np.ravel(self.model.predict(self.named(numbered(frame))))

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(self.named(numbered(frame)))


def lightgbm(task: str) -> Numbered:
    import lightgbm

    kind = lightgbm.LGBMRegressor if task == REGRESSION else lightgbm.LGBMClassifier
    return Numbered(kind(n_jobs=1, random_state=SEED, verbose=-1))


def histogram(task: str) -> Numbered:
    kind = ensemble.HistGradientBoostingClassifier
    if task == REGRESSION:
        kind = ensemble.HistGradientBoostingRegressor
    return Numbered(kind(categorical_features="from_dtype", random_state=SEED))


def forest(task: str) -> Numbered:
    kind = ensemble.RandomForestClassifier
    if task == REGRESSION:
        kind = ensemble.RandomForestRegressor
    return Numbered(make_pipeline(one_hot(False), kind(500, random_state=SEED, n_jobs=1)))


# -- kernels and linear models --------------------------------------------------------------------


class Tuned:
    """A learner whose parameters are searched by five-fold cross-validation on standardized one-hot
    columns.
    """

    def __init__(self, task: str, make: Callable[..., Any], grid: dict[str, Any], score: Any):
        self.task, self.make, self.grid, self.score = task, make, grid, score

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> Tuned:
        self.columns = one_hot(True)
        X = self.columns.fit_transform(numbered(frame))
        self.mean, self.scale = 0.0, 1.0
        folds: Any = StratifiedKFold(5, shuffle=True, random_state=SEED)
        if self.task == REGRESSION:
            self.mean, self.scale = y.mean(), y.std()
            y = (y - self.mean) / self.scale
            folds = KFold(5, shuffle=True, random_state=SEED)
        grid = dict(self.grid)
        if "gamma" in grid:
            grid["gamma"] = [width / (X.shape[1] * X.var()) for width in WIDTHS]
        rows = np.random.default_rng(SEED).permutation(len(X))[:TUNE_ROWS]
        search = GridSearchCV(self.make(), grid, scoring=self.score, cv=folds, refit=False)
        search.fit(X[rows], y[rows])
        self.model = self.make(**search.best_params_)
        if isinstance(self.model, SVC):  # Platt's scaling by folds
            few = min(5, np.bincount(y).min())
            self.model = CalibratedClassifierCV(self.model, ensemble=False, cv=few)
        self.model.fit(X, y)
        return self

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        X = self.columns.transform(numbered(frame))
        return self.mean + self.scale * self.model.predict(X)

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(self.columns.transform(numbered(frame)))

    @property
    def classes_(self) -> np.ndarray:
        return self.model.classes_


def minus_log_loss(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Also where a fold has no sample of some class."""
    return -log_loss(y, model.predict_proba(X), labels=model.classes_)


def vectors(task: str) -> Tuned:
    """SVC or SVR."""
    grid = {"C": COSTS, "gamma": WIDTHS}
    if task == REGRESSION:
        return Tuned(task, partial(SVR, epsilon=TUBE), grid, "neg_mean_squared_error")
    return Tuned(task, SVC, grid, "accuracy")


def ridge(task: str) -> Tuned:
    """Kernel ridge regression with a Gaussian kernel, or logistic regression."""
    if task == REGRESSION:
        grid = {"alpha": RIDGES, "gamma": WIDTHS}
        return Tuned(task, partial(KernelRidge, kernel="rbf"), grid, "neg_mean_squared_error")
    return Tuned(
        task, partial(LogisticRegression, max_iter=1000), {"C": (0.01, *COSTS)}, minus_log_loss
    )


class RecursiveFeatures:
    """xRFM: bandwidth and ridge, and its rounds, chosen on the fifth of the rows that it needs."""

    def __init__(self, task: str) -> None:
        self.task = task

    def fit(self, frame: pd.DataFrame, y: np.ndarray) -> RecursiveFeatures:
        self.columns = one_hot(True)
        X = self.columns.fit_transform(numbered(frame)).astype(np.float32)
        self.mean, self.scale, strata = 0.0, 1.0, y
        if self.task == REGRESSION:
            self.mean, self.scale, strata = y.mean(), y.std(), None
            y = ((y - self.mean) / self.scale).astype(np.float32)[:, None]
        else:
            self.classes_ = np.unique(y)
            if np.bincount(y).min() < 2:
                strata = None
        parts = train_test_split(X, y, test_size=0.2, random_state=SEED, stratify=strata)
        self.best = np.inf
        for bandwidth in BANDWIDTHS:
            for penalty in PENALTIES:
                self._try(*parts, bandwidth, penalty)
        return self

    def _try(
        self,
        X: np.ndarray,
        X_held: np.ndarray,
        y: np.ndarray,
        y_held: np.ndarray,
        bandwidth: float,
        penalty: float,
    ) -> None:
        import torch
        from xrfm import xRFM

        options = {
            "model": {
                "kernel": "l2",
                "exponent": 1.0,
                "bandwidth": bandwidth,
                "diag": False,
                "bandwidth_mode": "constant",
            },
            "fit": {
                "reg": penalty,
                "iters": 5,
                "early_stop_rfm": True,
                "return_best_params": True,
                "get_agop_best_model": True,
                "verbose": False,
            },
        }
        metric = "mse" if self.task == REGRESSION else "brier"
        model = xRFM(rfm_params=options, device=torch.device("cpu"), tuning_metric=metric)
        given = [torch.as_tensor(part) for part in (X, y, X_held, y_held)]
        model.fit(*given)
        if self.task == REGRESSION:
            loss = np.mean((np.ravel(model.predict(given[2])) - np.ravel(y_held)) ** 2)
        else:
            held = np.asarray(model.predict_proba(given[2]))
            loss = np.mean((held - np.eye(held.shape[1])[y_held]) ** 2)
        if loss < self.best:
            self.best, self.model = loss, model

    def _tensor(self, frame: pd.DataFrame) -> Any:
        import torch

        return torch.as_tensor(self.columns.transform(numbered(frame)).astype(np.float32))

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        return self.mean + self.scale * np.ravel(self.model.predict(self._tensor(frame)))

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.model.predict_proba(self._tensor(frame)), dtype=float)


# -- mercer ---------------------------------------------------------------------------------------


def automatic(**options: Any) -> Callable[[str], Any]:
    """The frame as it is: mercer finds out about the columns by itself."""

    def make(task: str) -> Any:
        import mercer

        kind = mercer.AutoRegressor if task == REGRESSION else mercer.AutoClassifier
        return kind(random_state=SEED, **options)

    return make


MODELS: dict[str, Callable[[str], Any]] = {
    "catboost": CatBoost,
    "lightgbm": lightgbm,
    "histogram": histogram,
    "forest": forest,
    "mercer-0.1": automatic(),
    "svm": vectors,
    "ridge": ridge,
    "xrfm": RecursiveFeatures,
    "mercer": automatic(),
    "mercer-fast": automatic(time="fast"),
    "mercer-best": automatic(time="best"),
}
TITLES = {
    "catboost": "CatBoost",
    "lightgbm": "LightGBM",
    "histogram": "HistGradientBoosting",
    "forest": "RandomForest",
    "mercer-0.1": "mercer 0.1",
    "svm": "SVC, SVR",
    "ridge": "KernelRidge, logistic",
    "xrfm": "xRFM",
    "mercer": "mercer",
    "mercer-fast": 'mercer, time="fast"',
    "mercer-best": 'mercer, time="best"',
}
