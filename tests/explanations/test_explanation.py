"""Explanations as objects: parts, text, plain values, and what the package shap takes them for."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.inspection import PartialDependenceDisplay

from mercer import (
    RBF,
    SVC,
    AutoRegressor,
    Explanation,
    GaussianProcessRegressor,
    KernelLogisticRegression,
    KernelRidge,
    Sigmoid,
    errors,
    explain,
)

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 3))
MODEL = KernelRidge(0.1, kernel=RBF()).fit(X, X[:, 0] * X[:, 1])
CLASSES = KernelLogisticRegression(kernel=RBF()).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))


def test_rows_and_outputs():
    found = explain(CLASSES, X[:8], background=X, interactions=True)
    assert len(found) == 8 and found.shape == (8, 3, 3)
    one = found[:, :, 1]
    np.testing.assert_array_equal(one.values, found.values[:, :, 1])
    np.testing.assert_array_equal(one.interactions, found.interactions[..., 1])
    np.testing.assert_array_equal(found.output("2")[3].values, found.values[3, :, 2])
    np.testing.assert_array_equal(found[2:4].data, X[2:4])
    assert np.ndim(found[2].output("0").base_values) == 0
    with pytest.raises(errors.ParameterError, match="one of"):
        found.output("none")
    with pytest.raises(errors.ParameterError, match="colon"):
        found[:, 0]


def test_text_and_plain_values():
    found = explain(MODEL, X[:8], background=X)
    text = str(found)
    assert text.startswith("exact Shapley values of the prediction")
    assert "row 4:" in text and "row 5:" not in text and "and 3 more rows" in text
    assert str(found[0]).count("x0 =") == 1
    assert "<table>" in found._repr_html_() and "shape=(8, 3)" in repr(found)
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["values"] == found.values.tolist() and plain["method"] == "exact"
    assert "row 0, 1:" in str(explain(CLASSES, X[:1], background=X))
    wide = np.tile(X, (1, 5))
    many = KernelRidge(0.1, kernel=RBF()).fit(wide, X[:, 0])
    assert "5 other columns" in str(explain(many, wide[:1], background=wide))


def test_values_in_tables_are_escaped():
    table = pd.DataFrame({"<b>": X[:, 0], "c": RNG.choice(["<i>", "y"], 40)})
    model = AutoRegressor(time="fast").fit(table, X[:, 0])
    html = explain(model, table[:3], background=table)._repr_html_()
    assert "<b>" not in html and "<i>" not in html and "&lt;b&gt;" in html
    classes = np.where(X[:, 0] > 0, "<b>", "<i>")
    html = explain(SVC(kernel=RBF()).fit(X, classes), X[:1], background=X)._repr_html_()
    assert "decision function of &lt;i&gt; against &lt;b&gt;" in html and "<b>" not in html


def test_copies():
    found = explain(MODEL, X[:3], background=X)
    for other in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert type(other) is Explanation
        np.testing.assert_array_equal(other.values, found.values)


@pytest.fixture
def shap(monkeypatch):
    """A stand-in for the package: its plots ask for its class, and for methods of it."""

    class Theirs:
        def __init__(self, **parts):
            vars(self).update(parts)

        @property
        def abs(self):
            return Theirs(values=np.abs(self.values))

        def __getitem__(self, item):
            return Theirs(values=self.values[item])

    module = ModuleType("shap")
    module.Explanation = Theirs
    monkeypatch.setitem(sys.modules, "shap", module)
    return module


def test_shap_takes_it_for_its_own(shap):
    found = explain(MODEL, X[:3], background=X)
    assert isinstance(found, shap.Explanation) and isinstance(found, Explanation)
    np.testing.assert_array_equal(found.abs.values, np.abs(found.values))
    np.testing.assert_array_equal(found[:, 1].values, found.values[:, 1])
    assert type(pickle.loads(pickle.dumps(found))) is Explanation
    assert found.display_data is None and not hasattr(found, "nonsense")


def test_without_shap_it_has_only_its_own_attributes():
    found = explain(MODEL, X[:3], background=X)
    if "shap" not in sys.modules:
        assert not hasattr(found, "abs") and found.__class__ is Explanation


def test_plots_of_shap():
    plots = pytest.importorskip("shap").plots
    import matplotlib.pyplot as plt

    found = explain(MODEL, X[:20], background=X)
    for draw in (plots.bar, plots.beeswarm, plots.heatmap):
        draw(found, show=False)
        plt.close("all")
    for draw in (plots.waterfall, plots.bar):
        draw(found[0], show=False)
        plt.close("all")
    plots.scatter(found[:, 0], show=False)
    plt.close("all")


def test_the_default_background():
    found = explain(MODEL, X[:2])
    np.testing.assert_allclose(found.base_values, MODEL.predict(X).mean())


def test_same_values_for_the_same_seed():
    model = SVC(kernel=Sigmoid(scale=0.1), repair="clip").fit(X, X[:, 0] > 0)
    first, again = (explain(model, X[:2], background=X[:9], samples=20) for _ in range(2))
    np.testing.assert_array_equal(first.values, again.values)
    other = explain(model, X[:2], background=X[:9], samples=20, random_state=1)
    assert not np.array_equal(first.values, other.values)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"background": X[:, :2]}, errors.WidthError, "3 columns"),
        ({"background": X[:0]}, errors.EmptyInputError, "no rows"),
        ({"background": X, "groups": {"g": [0, 7]}}, errors.ParameterError, "groups"),
        ({"background": X, "groups": {"g": [0], "h": [0]}}, errors.ParameterError, "other group"),
        ({"background": X, "samples": 0}, errors.ParameterError, "samples"),
    ],
    ids=["width", "empty", "no column", "twice", "samples"],
)
def test_bad_arguments(change, error, match):
    with pytest.raises(error, match=match):
        explain(MODEL, X[:2], **change)


def test_bad_models_and_samples():
    for model in (KernelRidge(kernel=RBF()), GaussianProcessRegressor(), SVC()):
        with pytest.raises(NotFittedError):
            explain(model, X[:2], background=X)
    with pytest.raises(errors.EmptyInputError, match="nothing to explain"):
        explain(MODEL, X[:0], background=X)
    with pytest.raises(errors.InputTypeError, match="neither a decision function"):
        explain(RBF(), X[:2], background=X)
    with pytest.raises(errors.ParameterError, match="precomputed"):
        explain(KernelRidge(kernel="precomputed").fit(X @ X.T, X[:, 0]), X[:2], background=X)
    with pytest.raises(errors.InputTypeError, match="rows of a table"):
        explain(lambda texts: np.zeros(len(texts)), ["a", "b"], background=["c"])
    sampled = SVC(kernel=Sigmoid(scale=0.1), repair="clip").fit(X, X[:, 0] > 0)
    with pytest.raises(errors.ParameterError, match="interactions"):
        explain(sampled, X[:2], background=X, interactions=True)
    with pytest.raises(ValueError, match="NaN"):
        explain(MODEL, X[:2] * np.nan, background=X)


def test_a_data_frame_with_other_columns():
    frame = pd.DataFrame(X, columns=list("abc"))
    model = KernelRidge(0.1, kernel=RBF()).fit(frame, X[:, 0])
    with pytest.raises(errors.WidthError, match="'c'"):
        explain(model, frame[:2], background=frame.drop(columns="c"))
    found = explain(model, frame[:2], background=frame)
    assert found.feature_names == list("abc")


def test_scikit_learn_inspects_the_same_models():
    plt = pytest.importorskip("matplotlib.pyplot")
    shown = PartialDependenceDisplay.from_estimator(MODEL, X, [0, (0, 1)], grid_resolution=5)
    assert shown.axes_.size == 2
    frame = pd.DataFrame(X, columns=list("abc"))
    model = AutoRegressor(time="fast").fit(frame, X[:, 0])
    options = {"kind": "individual", "grid_resolution": 5, "subsample": 10}
    shown = PartialDependenceDisplay.from_estimator(model, frame, ["a"], **options)
    assert shown.lines_.shape == (1, 1, 10)
    plt.close("all")
