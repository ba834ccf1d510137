"""The picture of components shows what the estimator transforms to."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    MCA,
    RBF,
    SVC,
    ComponentDisplay,
    KernelCCA,
    KernelDiscriminant,
    KernelICA,
    KernelPCA,
    errors,
)

mpl.use("Agg")
import matplotlib.pyplot as plt

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 4))
CLASS = np.array(["red", "green", "blue"])[np.arange(60) % 3]
MODEL = KernelPCA(3, kernel=RBF(length_scale=2.0)).fit(X)
TABLE = pd.DataFrame(rng.choice(list("abc"), (60, 3)), columns=["one", "two", "three"])


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def offsets(points):
    return np.concatenate([np.asarray(part.get_offsets()) for part in points])


def test_points_are_the_transform_and_the_axes_tell_the_share():
    shown = ComponentDisplay.from_estimator(MODEL, X, components=(0, 2))
    np.testing.assert_allclose(offsets(shown.points_), MODEL.transform(X)[:, [0, 2]])
    assert (
        shown.ax_.get_xlabel()
        == f"1st component ({100 * MODEL.explained_variance_ratio_[0]:.1f} %)"
    )
    assert (
        shown.ax_.get_ylabel()
        == f"3rd component ({100 * MODEL.explained_variance_ratio_[2]:.1f} %)"
    )
    assert shown.legend_ is None and shown.colorbar_ is None and shown.figure_ is shown.ax_.figure


def test_few_classes_have_a_legend():
    shown = ComponentDisplay.from_estimator(MODEL, X, pd.Series(CLASS, name="color"))
    Z = MODEL.transform(X)
    assert [text.get_text() for text in shown.legend_.get_texts()] == ["blue", "green", "red"]
    assert shown.legend_.get_title().get_text() == "color"
    for part, name in zip(shown.points_, ("blue", "green", "red"), strict=True):
        np.testing.assert_allclose(part.get_offsets(), Z[name == CLASS][:, :2])
    numbered = ComponentDisplay.from_estimator(MODEL, X, np.arange(60) % 4)
    assert [text.get_text() for text in numbered.legend_.get_texts()] == ["0", "1", "2", "3"]
    truths = ComponentDisplay.from_estimator(MODEL, X, X[:, 0] > 0, legend=False)
    assert len(truths.points_) == 2 and truths.legend_ is None


def test_many_numbers_have_a_color_bar():
    shown = ComponentDisplay.from_estimator(MODEL, X, pd.Series(X[:, 1], name="height"))
    assert shown.legend_ is None and shown.colorbar_.ax.get_ylabel() == "height"
    np.testing.assert_allclose(shown.points_[0].get_array(), X[:, 1])
    many = ComponentDisplay.from_estimator(MODEL, X, [f"kind {at % 40:02}" for at in range(60)])
    ticks = [text.get_text() for text in many.colorbar_.ax.get_yticklabels()]
    assert ticks == [f"kind {at:02}" for at in range(0, 40, 2)]
    assert ComponentDisplay.from_estimator(MODEL, X, X[:, 1], legend=False).colorbar_ is None


def test_other_estimators():
    y = CLASS
    cca = KernelCCA(2).fit(X[:, :2], X[:, 2:])
    shown = ComponentDisplay.from_estimator(cca, X[:, :2], y)
    assert shown.ax_.get_xlabel() == f"1st component (correlation {cca.correlations_[0]:.2f})"
    ica = ComponentDisplay.from_estimator(KernelICA(2, random_state=0).fit(X), X, y)
    assert ica.ax_.get_ylabel() == "2nd component"
    assert (
        "%"
        in ComponentDisplay.from_estimator(
            KernelDiscriminant(kernel=RBF()).fit(X, y), X, y
        ).ax_.get_xlabel()
    )
    pipeline = make_pipeline(StandardScaler(), PCA(2)).fit(X)
    assert "%" in ComponentDisplay.from_estimator(pipeline, X, y).ax_.get_xlabel()


def test_categories_of_a_table():
    model = MCA(2).fit(TABLE)
    shown = ComponentDisplay.from_estimator(model, TABLE, CLASS, categories=True)
    assert [text.get_text() for text in shown.category_names_] == model.column_names_.tolist()
    np.testing.assert_allclose(shown.category_points_.get_offsets(), model.column_coordinates_)
    np.testing.assert_allclose(
        [text.xy for text in shown.category_names_], model.column_coordinates_
    )
    some = ComponentDisplay.from_estimator(model, TABLE, categories=3, components=(1, 0))
    share = model.column_contributions_ @ model.inertia_[:2]
    best = np.sort(np.argsort(-share)[:3])
    assert [text.get_text() for text in some.category_names_] == model.column_names_[best].tolist()
    np.testing.assert_allclose(
        some.category_points_.get_offsets(), model.column_coordinates_[best][:, ::-1]
    )
    assert ComponentDisplay.from_estimator(model, TABLE).category_names_ == []


def test_names_do_not_cover_each_other():
    model = MCA(2).fit(TABLE)
    shown = ComponentDisplay.from_estimator(model, TABLE, categories=True)
    boxes = [text.get_window_extent() for text in shown.category_names_]
    assert not any(a.overlaps(b) for at, a in enumerate(boxes) for b in boxes[:at])


def test_axes_given_and_drawn_again():
    _, ax = plt.subplots()
    shown = ComponentDisplay.from_estimator(MODEL, X, CLASS, ax=ax, s=40)
    assert shown.ax_ is ax and shown.points_[0].get_sizes().tolist() == [40]
    assert shown.plot() is shown and shown.ax_ is not ax


def test_refused():
    with pytest.raises(NotFittedError):
        ComponentDisplay.from_estimator(KernelPCA(2), X)
    for components in ((0, 3), (0,), 1, (0, 0), (0, -3), (0.0, 1.0), "01"):
        with pytest.raises(errors.ParameterError, match="components"):
            ComponentDisplay.from_estimator(MODEL, X, components=components)
    with pytest.raises(errors.ShapeError, match=r"y = .*60 samples"):
        ComponentDisplay.from_estimator(MODEL, X, CLASS[:-1])
    with pytest.raises(errors.ParameterError, match=r"estimator = .*no transform"):
        ComponentDisplay.from_estimator(SVC().fit(X, CLASS), X)
    with pytest.raises(errors.ParameterError, match="categories = True is for MCA"):
        ComponentDisplay.from_estimator(MODEL, X, categories=True)
    with pytest.raises(errors.ParameterError, match="categories = 0"):
        ComponentDisplay.from_estimator(MCA(2).fit(TABLE), TABLE, categories=0)
