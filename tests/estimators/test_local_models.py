"""Local models against a naive recursion, on tables of all kinds."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    RBF,
    SVC,
    KernelLogisticRegression,
    KernelPCA,
    KernelRidge,
    KernelRidgeClassifier,
    LocalModels,
    load,
    save,
    squash,
)
from mercer.errors import DataWarning, ModelFileError, ParameterError
from mercer.estimators.routing import RoutingTree

RIDGE = KernelRidge(alpha=0.1, kernel=RBF(1.5))
LOGISTIC = KernelLogisticRegression(kernel=RBF(1.5))


def problem(n=300, d=3, seed=0):
    X = np.random.default_rng(seed).standard_normal((n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2


def labels(X):
    return np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + X[:, 1] ** 2, [0.0, 1.5])]


def naive(model, X, y, metric, test):
    """What one tree predicts for one row: the definition, row by row and part by part."""
    Z = squash.fit(X)
    root = np.sqrt(metric)

    def predict(rows, row):
        if len(rows) <= model.most:
            return clone(model.estimator).fit(X[rows], y[rows]).predict(row[None])[0]
        U = Z(X[rows]) * root
        v = np.linalg.eigh(np.cov(U.T))[1][:, -1]
        v = v * np.sign(v[np.abs(v).argmax()])
        places, place = U @ v, (Z(row[None]) * root) @ v
        half = np.sort(places)[len(rows) // 2 - 1 : len(rows) // 2 + 1].mean()
        distance = np.abs(places - half)
        band = np.sort(distance)[int(model.overlap * len(rows)) - 1]
        left = rows[(places < half) | (distance <= band)]
        right = rows[(places > half) | (distance <= band)]
        if place[0] <= half - band:
            return predict(left, row)
        if place[0] >= half + band:
            return predict(right, row)
        share = (place[0] - half + band) / (2 * band)
        return (1 - share) * predict(left, row) + share * predict(right, row)

    return np.array([predict(np.arange(len(X)), row) for row in test])


def test_against_the_naive_recursion():
    X, y = problem(320)
    model = LocalModels(RIDGE, most=100, overlap=0.2).fit(X, y)
    test, _ = problem(25, seed=1)
    assert model.predict(test) == pytest.approx(naive(model, X, y, model.metric_, test), abs=1e-8)


def test_parts():
    X, y = problem(1000)
    model = LocalModels(RIDGE, most=200, overlap=0.0).fit(X, y)
    counts = np.zeros(1000)
    for leaf, rows, shares in model.trees_[0].shares(model.columns_(X)):
        assert len(model.estimators_[leaf].X_fit_) == len(rows) <= 200
        counts[rows] += shares
    assert (counts == 1).all()
    assert len(model.estimators_) == model.trees_[0].n_leaves == 8
    assert "8 parts of 125 to 125 rows" in str(model.report_)
    wide = LocalModels(RIDGE, most=200, overlap=0.3).fit(X, y)
    sizes = [len(part.X_fit_) for part in wide.estimators_]
    assert max(sizes) <= 200
    assert sum(sizes) > 1000


def test_the_relevant_columns_decide():
    X, y = problem(600, 6)
    model = LocalModels(RIDGE, most=200).fit(X, y)
    assert set(np.argsort(model.metric_)[-2:]) == {0, 1}


def test_predictions_are_continuous_across_borders():
    X = np.linspace(0.0, 10.0, 800)[:, None]
    y = np.floor(X[:, 0])
    grid = np.linspace(0.0, 10.0, 4001)[:, None]

    def largest_step(overlap):
        model = LocalModels(LinearRegression(), most=100, overlap=overlap).fit(X, y)
        return np.abs(np.diff(model.predict(grid))).max()

    assert largest_step(0.2) < 0.1 * largest_step(0.0)


def test_a_small_table_is_not_divided():
    X, y = problem(50)
    model = LocalModels(RIDGE, trees=3).fit(X, y)
    assert (model.predict(X) == clone(RIDGE).fit(X, y).predict(X)).all()
    assert len(model.estimators_) == 1


def test_trees_average():
    X, y = problem()
    model = LocalModels(RIDGE, most=100, trees=3).fit(X, y)
    Z, first, total = model.columns_(X), 0, np.zeros(len(X))
    for tree in model.trees_:
        for leaf, rows, shares in tree.shares(Z):
            total[rows] += shares * model.estimators_[first + leaf].predict(X[rows]) / 3
        first += tree.n_leaves
    assert first == len(model.estimators_)
    assert model.predict(X) == pytest.approx(total)
    again = LocalModels(RIDGE, most=100, trees=3).fit(X, y)
    assert (again.predict(X) == model.predict(X)).all()
    other = LocalModels(RIDGE, most=100, trees=3, random_state=1).fit(X, y)
    assert (other.predict(X) != model.predict(X)).any()
    parallel = LocalModels(RIDGE, most=100, trees=3, n_jobs=2).fit(X, y)
    assert parallel.predict(X) == pytest.approx(model.predict(X), abs=1e-10)


def test_many_parts_are_as_good_as_one_model():
    X, y = problem(1500)
    test, truth = problem(200, seed=1)
    whole = clone(RIDGE).fit(X, y).score(test, truth)
    assert LocalModels(RIDGE, most=300).fit(X, y).score(test, truth) > whole - 0.02


@pytest.mark.parametrize("estimator", [LOGISTIC, KernelRidgeClassifier(kernel=RBF()), SVC()])
def test_classifiers(estimator):
    X, _ = problem(400)
    y = labels(X)
    model = LocalModels(estimator, most=120, trees=2).fit(X, y)
    assert model.classes_.tolist() == ["high", "low", "middle"]
    assert model.score(X, y) > 0.85
    assert hasattr(model, "predict_proba") == hasattr(estimator, "predict_proba")
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X)
        assert probabilities.sum(axis=1) == pytest.approx(1.0)
        assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(X)).all()


def test_classes_that_parts_lack():
    X = np.linspace(0.0, 1.0, 400)[:, None]
    y = np.repeat(["a", "b", "c", "d"], 100)
    model = LocalModels(LOGISTIC, most=100, overlap=0.0).fit(X, y)
    assert {len(part.classes_) for part in model.estimators_} == {1}
    assert (model.predict(X) == y).all()
    assert (model.predict_proba(X) == np.repeat(np.eye(4), 100, axis=0)).all()


def test_kinds():
    assert is_regressor(LocalModels(RIDGE))
    assert not is_classifier(LocalModels(RIDGE))
    assert is_classifier(LocalModels(SVC()))
    assert not hasattr(LocalModels(RIDGE), "predict_proba")
    X, y = problem()
    Y = np.c_[y, -y]
    model = LocalModels(RIDGE, most=100).fit(X, Y)
    assert model.predict(X)[:, 0] == pytest.approx(-model.predict(X)[:, 1])


def mixed_table(n=400):
    X, y = problem(n)
    rng = np.random.default_rng(2)
    color = rng.choice(["red", "green", "blue"], n)
    frame = pd.DataFrame({"a": X[:, 0], "color": color, "b": X[:, 1]})
    frame.loc[::9, "b"] = np.nan
    return frame, y + 3.0 * (color == "red")


class ByNumbers(Ridge):
    """A regressor of frames with text and missing values."""

    @staticmethod
    def _columns(X):
        X = X if hasattr(X, "iloc") else pd.DataFrame(X.to_dict(as_series=False))
        return np.c_[X["a"], X["b"].fillna(0.0), X["color"] == "red"]

    def fit(self, X, y, sample_weight=None):
        return super().fit(self._columns(X), y, sample_weight)

    def predict(self, X):
        return super().predict(self._columns(X))


def test_frames_with_categories_and_holes():
    frame, y = mixed_table()
    model = LocalModels(ByNumbers(), most=100).fit(frame, y)
    assert model.metric_.shape == (5,)
    assert len(set(model.metric_[2:])) == 1  # the indicators of a category share a weight
    assert model.feature_names_in_.tolist() == ["a", "color", "b"]
    expected = model.predict(frame)
    assert (model.predict(frame[["b", "a", "color"]]) == expected).all()
    new = frame.iloc[:3].assign(color="yellow")
    assert np.isfinite(model.predict(new)).all()
    polars = pl.DataFrame({name: frame[name].to_list() for name in frame.columns})
    assert LocalModels(ByNumbers(), most=100).fit(polars, y).metric_ == pytest.approx(model.metric_)


def test_sparse_rows():
    X, y = problem(300, 4)
    X[np.abs(X) < 0.5] = 0.0
    model = LocalModels(RIDGE, most=100).fit(csr_array(X), y)
    dense = LocalModels(RIDGE, most=100).fit(X, y)
    assert model.predict(X) == pytest.approx(dense.predict(csr_array(X)), abs=1e-8)
    wide = csr_array(np.c_[X, np.zeros((300, 400))])
    assert len(LocalModels(RIDGE, most=100).fit(wide, y).metric_) == 200


def test_weights():
    X, y = problem()
    weight = np.ones(300)
    weight[::3] = 0.0
    wrong = y.copy()
    wrong[::3] = 1e6
    model = LocalModels(RIDGE, most=80).fit(X, wrong, sample_weight=weight)
    kept = weight > 0
    expected = LocalModels(RIDGE, most=80).fit(X[kept], y[kept]).predict(X)
    assert model.predict(X) == pytest.approx(expected)
    with pytest.raises(ParameterError, match="sample_weight"):
        LocalModels(KNeighborsRegressor()).fit(X, y, sample_weight=weight)


def test_rows_that_no_column_divides_stay_together():
    X = np.ones((300, 2))
    X[0] = 5.0
    with pytest.warns(DataWarning, match="most = 100"):
        model = LocalModels(RIDGE, most=100).fit(X, np.arange(300.0))
    assert len(model.estimators_) == 1
    X[:150, 0] = 0.0
    with pytest.warns(DataWarning):
        model = LocalModels(RIDGE, most=100).fit(X, np.arange(300.0))
    assert len(model.estimators_) == 2


def test_many_equal_values():
    X = np.random.default_rng(0).integers(0, 4, (600, 3)).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LocalModels(RIDGE, most=100, overlap=0.5).fit(X, X.sum(axis=1))
    assert max(len(part.X_fit_) for part in model.estimators_) <= 100


def test_save_and_load(tmp_path):
    X, _ = problem()
    model = LocalModels(LOGISTIC, most=100).fit(X, np.where(X[:, 0] > 0, "a", "b"))
    save(model, tmp_path / "model.mercer")
    loaded = load(tmp_path / "model.mercer")
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()


def test_a_loaded_tree_is_checked():
    X, y = problem()
    tree = LocalModels(RIDGE, most=100).fit(X, y).trees_[0]
    tree._check_loaded()
    RoutingTree([], [])._check_loaded()
    for children in (np.zeros_like(tree.children), tree.children[:, ::-1] * 0 + 1):
        tree.children = children
        with pytest.raises(ModelFileError, match="tree"):
            tree._check_loaded()


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"most": 1}, "most"),
        ({"trees": 0}, "trees"),
        ({"overlap": 0.7}, "overlap"),
        ({"overlap": -0.1}, "overlap"),
        ({"estimator": KernelPCA()}, "estimator"),
        ({"estimator": 3}, "estimator"),
    ],
)
def test_parameters_are_checked(options, word):
    X, y = problem()
    with pytest.raises(ParameterError, match=word):
        LocalModels(**{"estimator": RIDGE, **options}).fit(X, y)


def test_missing_values_for_estimators_that_take_them():
    X, _ = problem(400)
    y = labels(X)
    X[::5, 2] = np.nan
    model = LocalModels(HistGradientBoostingClassifier(max_iter=10), most=150).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


UNLIKE = {
    f"check_sample_weight_equivalence_on_{kind}_data": "copies of a row change the median"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [
        LocalModels(KernelRidge(kernel=RBF()), most=10, trees=2),
        LocalModels(KernelLogisticRegression(), most=25),
    ],
    expected_failed_checks=lambda estimator: UNLIKE,
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
