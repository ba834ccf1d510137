"""The surface is what the estimator says at every point of it."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.colors import to_rgba
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import RBF, SVC, SVR, DecisionDisplay, KernelRidgeClassifier, OneClassSVM, errors

mpl.use("Agg")
import matplotlib.pyplot as plt

rng = np.random.default_rng(0)
X = np.concatenate(
    [rng.normal(0, 0.8, (20, 2)), rng.normal(2, 0.8, (20, 2)), rng.normal((0, 4), 0.8, (20, 2))]
)
Y = np.repeat(["one", "two", "three"], 20)
TWO = SVC(kernel=RBF(length_scale=2.0), C=5.0).fit(X[:40], Y[:40])


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_two_classes_by_the_decision_function():
    shown = DecisionDisplay.from_estimator(TWO, X[:40], Y[:40], resolution=21, margin=0.1)
    across, along, found = shown.grid
    assert shown.kind == "margin" and across[0] == pytest.approx(
        X[:40, 0].min() - 0.1 * np.ptp(X[:40, 0])
    )
    for row, column in ((0, 0), (5, 17), (20, 20)):
        assert found[row, column] == pytest.approx(
            TWO.decision_function([[across[column], along[row]]])[0]
        )
    np.testing.assert_array_equal(shown.surface_.get_array(), found)
    assert [text.get_text() for text in shown.legend_.get_texts()] == ["one", "two"]
    np.testing.assert_array_equal(shown.rings_.get_offsets(), X[TWO.support_])
    assert shown.boundary_.levels.tolist() == [
        level for level in (-1.0, 0.0, 1.0) if found.min() < level < found.max()
    ]


def test_a_region_has_the_color_of_its_class():
    shown = DecisionDisplay.from_estimator(TWO, X[:40], Y[:40], resolution=21)
    low, high = (shown.surface_.cmap(shown.surface_.norm(value)) for value in (-1e9, 1e9))
    assert TWO.classes_.tolist() == ["one", "two"]
    np.testing.assert_allclose(low, to_rgba("C0"))  # a negative decision is the first class
    np.testing.assert_allclose(high, to_rgba("C1"))


def test_more_classes_are_regions():
    model = SVC(kernel=RBF(length_scale=2.0)).fit(X, Y)
    shown = DecisionDisplay.from_estimator(model, X, Y, resolution=15)
    across, along, found = shown.grid
    for row, column in ((0, 0), (3, 11), (14, 2)):
        assert (
            model.classes_[found[row, column]] == model.predict([[across[column], along[row]]])[0]
        )
    assert shown.kind == "regions" and len(shown.boundary_) == len(np.unique(found)) - 1
    assert DecisionDisplay.from_estimator(model, X, resolution=5).legend_ is None


def test_points_have_the_color_of_their_class_where_others_are_absent():
    model = SVC(kernel=RBF(length_scale=2.0)).fit(X, Y)
    shown = DecisionDisplay.from_estimator(model, X[20:40], Y[20:40], resolution=15)
    assert shown.surface_.cmap.N == 3 and [
        text.get_text() for text in shown.legend_.get_texts()
    ] == ["one", "three", "two"]
    assert [len(part.get_offsets()) for part in shown.points_] == [0, 0, 20]
    np.testing.assert_allclose(shown.points_[2].get_facecolor()[0][:3], to_rgba("C2")[:3])
    assert DecisionDisplay.from_estimator(
        model, X[:3], ["x", "y", "x"], resolution=5
    ).labels.names == ["x", "y"]


def test_classes_that_are_many_numbers():
    many = np.arange(60) % 15
    shown = DecisionDisplay.from_estimator(
        SVC(kernel=RBF(length_scale=0.3), C=100.0).fit(X, many), X, many, resolution=9
    )
    assert shown.kind == "regions" and len(shown.labels.names) == 15


def test_regression_is_a_map_of_values():
    model = SVR(kernel=RBF(length_scale=2.0)).fit(X, X[:, 0])
    shown = DecisionDisplay.from_estimator(model, X, resolution=9, cmap="gray")
    across, along, found = shown.grid
    assert shown.kind == "values" and found[2, 7] == pytest.approx(
        model.predict([[across[7], along[2]]])[0]
    )
    assert shown.colorbar_ is not None and shown.boundary_ is None


def test_outliers_and_estimators_without_margins():
    outliers = DecisionDisplay.from_estimator(OneClassSVM(kernel=RBF()).fit(X), X, resolution=9)
    assert outliers.kind == "side" and outliers.rings_ is not None
    ridge = DecisionDisplay.from_estimator(
        KernelRidgeClassifier(kernel=RBF()).fit(X[:40], Y[:40]), X[:40], Y[:40], resolution=9
    )
    assert ridge.kind == "side" and ridge.rings_ is None
    chances = GaussianProcessClassifier().fit(X[:40], Y[:40])
    shown = DecisionDisplay.from_estimator(chances, X[:40], Y[:40], resolution=9)
    across, along, found = shown.grid
    assert shown.kind == "side" and found[1, 2] == pytest.approx(
        chances.predict_proba([[across[2], along[1]]])[0, 1] - 0.5
    )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames(frame):
    table = frame({"left": X[:40, 0], "right": X[:40, 1]})
    shown = DecisionDisplay.from_estimator(
        make_pipeline(StandardScaler(), SVC()).fit(table, Y[:40]), table, Y[:40], resolution=9
    )
    assert (
        (shown.ax_.get_xlabel(), shown.ax_.get_ylabel()) == ("left", "right")
        and shown.kind == "margin"
        and shown.rings_ is not None
    )


def test_on_given_axes():
    _, ax = plt.subplots()
    shown = DecisionDisplay.from_estimator(
        TWO, X[:40], Y[:40], resolution=9, ax=ax, rings=False, legend=False
    )
    assert shown.ax_ is ax and shown.rings_ is None and shown.legend_ is None
    assert shown.plot() is shown and shown.ax_ is not ax
    other = DecisionDisplay.from_estimator(
        TWO, X[:3], Y[:3], resolution=9
    )  # not the training samples
    assert other.rings_ is None


def test_refused():
    with pytest.raises(NotFittedError):
        DecisionDisplay.from_estimator(SVC(), X)
    with pytest.raises(errors.ShapeError, match=r"3 columns.*must have two"):
        DecisionDisplay.from_estimator(TWO, np.ones((5, 3)))
    with pytest.raises(errors.ParameterError, match="resolution = 1"):
        DecisionDisplay.from_estimator(TWO, X, resolution=1)
    with pytest.raises(errors.ShapeError, match="one label for each"):
        DecisionDisplay.from_estimator(TWO, X, Y[:3])
    with pytest.raises(errors.InputTypeError, match="no columns of numbers"):
        DecisionDisplay.from_estimator(TWO, ["a", "b"])


def test_clusters_are_regions():
    shown = DecisionDisplay.from_estimator(
        KMeans(3, n_init=1, random_state=0).fit(X), X, resolution=9
    )
    assert shown.kind == "values" and set(np.unique(shown.grid[2])) <= {0.0, 1.0, 2.0}
