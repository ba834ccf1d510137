"""The matrix is drawn class by class."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from mercer import RBF, SVC, GramDisplay, Jaccard, TfIdf, errors

mpl.use("Agg")
import matplotlib.pyplot as plt

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(0, 0.4, (20, 2)), rng.normal(3, 0.4, (10, 2))])
Y = np.array(["first"] * 20 + ["second"] * 10)
MIX = rng.permutation(30)
KERNEL = RBF(length_scale=1.0)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_classes_are_side_by_side():
    shown = GramDisplay.from_kernel(KERNEL, X[MIX], Y[MIX])
    assert shown.groups == [("first", 20), ("second", 10)] and sorted(shown.order) == list(
        range(30)
    )
    np.testing.assert_array_equal(Y[MIX][shown.order], np.sort(Y))
    np.testing.assert_array_equal(shown.K, KERNEL(X[MIX])[np.ix_(shown.order, shown.order)])
    np.testing.assert_array_equal(shown.image_.get_array(), shown.K)
    means = shown.K[:20, :20].mean(axis=1)
    assert (np.diff(means) <= 1e-12).all()  # within a class the most typical first
    assert [text.get_text() for text in shown.ax_.get_yticklabels()] == ["first", "second"]
    np.testing.assert_allclose(shown.ax_.get_yticks(), [9.5, 24.5])


def test_numbers_order_the_samples():
    y = rng.standard_normal(30)
    shown = GramDisplay.from_kernel(KERNEL, X, y)
    assert (
        shown.groups == []
        and (np.diff(y[shown.order]) >= 0).all()
        and shown.ax_.get_xlabel() == "sample"
    )
    plain = GramDisplay.from_kernel(KERNEL, X)
    np.testing.assert_array_equal(plain.order, np.arange(30))


def test_of_many_samples_some_of_every_class():
    shown = GramDisplay.from_kernel(KERNEL, X[MIX], Y[MIX], most=9)
    assert (
        shown.K.shape == (9, 9)
        and dict(shown.groups) == {"first": 6, "second": 3}
        and len(set(shown.order)) == 9
    )
    again = GramDisplay.from_matrix(KERNEL(X[MIX]), Y[MIX], most=9)
    np.testing.assert_array_equal(again.order, shown.order)
    np.testing.assert_allclose(again.K, shown.K)


def test_many_classes_and_a_constant_matrix():
    many = GramDisplay.from_kernel(
        KERNEL, np.repeat(X, 2, axis=0), [f"class {at % 30}" for at in range(60)]
    )
    assert len(many.groups) == 30 and len(many.ax_.get_yticks()) <= 20
    assert GramDisplay.from_matrix(np.ones((4, 4))).image_ is not None
    assert GramDisplay.from_matrix(np.ones((1, 1)), ["only"]).groups == [("only", 1)]


def test_estimators_and_other_samples():
    model = make_pipeline(StandardScaler(), SVC(kernel=KERNEL)).fit(X, Y)
    shown = GramDisplay.from_estimator(model, X, Y)
    np.testing.assert_allclose(
        np.sort(shown.K, axis=None), np.sort(KERNEL(StandardScaler().fit_transform(X)), axis=None)
    )
    sets = [{at % 3, at % 5} for at in range(12)]
    assert GramDisplay.from_kernel(Jaccard(), sets).K.shape == (12, 12)
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert GramDisplay.from_kernel(KERNEL.on(["a"]), frame, pd.Series(Y, name="kind")).groups[
        0
    ] == ("first", 20)


def test_on_given_axes():
    _, ax = plt.subplots()
    shown = GramDisplay.from_kernel(KERNEL, X, ax=ax, colorbar=False, cmap="gray", vmin=0.0)
    assert (
        shown.ax_ is ax
        and shown.colorbar_ is None
        and shown.image_.get_cmap().name == "gray"
        and shown.image_.norm.vmin == 0.0
    )
    assert shown.plot() is shown and shown.ax_ is not ax


def test_refused():
    with pytest.raises(errors.ShapeError, match="must be a square matrix"):
        GramDisplay.from_matrix(np.ones((3, 4)))
    with pytest.raises(errors.ShapeError, match="one label for each of the 30 samples"):
        GramDisplay.from_kernel(KERNEL, X, Y[:5])
    with pytest.raises(errors.ParameterError, match="most = 0"):
        GramDisplay.from_kernel(KERNEL, X, most=0)
    with pytest.raises(NotFittedError):
        GramDisplay.from_estimator(SVC(), X)
    with pytest.raises(errors.ParameterError, match="has no kernel of its own"):
        GramDisplay.from_estimator(LinearSVC().fit(X, Y), X)
    with pytest.raises(errors.NotFittedError):
        GramDisplay.from_kernel(TfIdf(), ["a b", "b c"])


def test_names_of_many_classes_do_not_overlap():
    y = np.repeat([f"a class with a long name {at:02}" for at in range(20)], [80] + [4] * 19)
    points = np.random.default_rng(1).normal(size=(len(y), 2))
    shown = GramDisplay.from_kernel(KERNEL, points, y)
    ticks = shown.ax_.get_yticks()
    assert 2 <= len(ticks) < 20 and (np.diff(ticks) >= len(y) / 18).all()
    assert 39.5 in ticks  # the middle of the largest class
    assert all(len(text.get_text()) <= 18 for text in shown.ax_.get_yticklabels())
    assert len(shown.ax_.get_xticks()) == 0
