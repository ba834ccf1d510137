"""Pictures of intervals and sets show what the estimators give."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from mercer import (
    RBF,
    SVC,
    ConformalClassifier,
    ConformalRegressor,
    IntervalDisplay,
    KernelRidge,
    SetSizeDisplay,
)
from mercer.errors import ParameterError, ShapeError

mpl.use("Agg")
import matplotlib.pyplot as plt

X = np.random.default_rng(0).uniform(-3, 3, (60, 2))
y = np.sin(X[:, 0]) + 0.3 * np.random.default_rng(1).standard_normal(60)
MODEL = ConformalRegressor(KernelRidge(alpha=0.5, kernel=RBF())).fit(X, y)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_bars_are_the_intervals():
    shown = IntervalDisplay.from_estimator(MODEL, X, y, coverage=0.8, along=1)
    lower, upper = MODEL.predict_interval(X, 0.8)
    ends = np.array([path.vertices for path in shown.bars_.get_paths()])
    np.testing.assert_allclose(ends[:, 0, 1], lower)
    np.testing.assert_allclose(ends[:, 1, 1], upper)
    assert len(shown.held_.get_xdata()) + len(shown.missed_.get_xdata()) == 60
    assert shown.ax_.get_xlabel() == "column 1"
    assert shown.ax_.get_title() == "guaranteed coverage: 60%"
    _, ax = plt.subplots()
    assert shown.plot(ax=ax) is shown and shown.ax_ is ax


def test_horizontal_axes():
    assert IntervalDisplay.from_estimator(MODEL, X).name == "prediction"
    frame = pd.DataFrame(X, columns=["time", "place"])
    model = ConformalRegressor(KernelRidge(alpha=0.5, kernel="rbf", gamma=0.5)).fit(frame, y)
    for along in (1, "place"):
        shown = IntervalDisplay.from_estimator(model, frame, along=along)
        assert shown.name == "place" and shown.along.tolist() == X[:, 1].tolist()
    assert IntervalDisplay.from_estimator(MODEL, X, along=np.arange(60)).name == "along"
    with pytest.raises(ShapeError, match="along"):
        IntervalDisplay.from_estimator(MODEL, X, along=[1.0])
    with pytest.raises(ShapeError, match="one value for each of the 60 intervals"):
        IntervalDisplay.from_estimator(MODEL, X, y[:5])
    with pytest.raises(ParameterError, match="ConformalRegressor"):
        IntervalDisplay.from_estimator(SVC(), X)


def test_infinite_intervals_end_at_the_border():
    far = ConformalRegressor(KernelRidge(), shift=lambda X: np.exp(X[:, 0])).fit(X, y)
    new = np.array([[9.0, 0.0], [-1.0, 0.0]])
    assert np.isinf(far.predict_interval(new).upper[0])
    shown = IntervalDisplay.from_estimator(far, new)
    assert all(np.isfinite(path.vertices).all() for path in shown.bars_.get_paths())


def test_sizes_of_sets():
    flowers, kinds = load_iris(return_X_y=True)
    model = ConformalClassifier(SVC()).fit(flowers, kinds)
    sets = model.predict_set(flowers, 0.95)
    shown = SetSizeDisplay.from_estimator(model, flowers, kinds, coverage=0.95)
    assert shown.counts_.tolist() == np.bincount(sets.sizes, minlength=4).tolist()
    assert [bar.get_height() for bar in shown.bars_] == shown.counts_.tolist()
    assert len(shown.texts_) == len(np.unique(sets.sizes[sets.sizes > 0]))
    assert "asked 95%" in shown.ax_.get_title()
    assert SetSizeDisplay.from_estimator(model, flowers).texts_ == []
    with pytest.raises(ParameterError, match="ConformalClassifier"):
        SetSizeDisplay.from_estimator(SVC(), flowers)
