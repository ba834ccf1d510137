"""The lines are the shares that the estimator has learned."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    RBF,
    SVC,
    MultipleKernelClassifier,
    MultipleKernelRegressor,
    WeightsDisplay,
    errors,
)

mpl.use("Agg")
import matplotlib.pyplot as plt

X = np.random.default_rng(0).uniform(-2, 2, (60, 3))
KERNELS = [RBF().on([c]) for c in range(3)]


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_lines_are_the_path():
    model = MultipleKernelRegressor(KERNELS).fit(X, np.sin(X[:, 0]))
    shown = WeightsDisplay.from_estimator(model)
    drawn = np.column_stack([line.get_ydata() for line in shown.lines_])
    np.testing.assert_array_equal(drawn, model.path_)
    names = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert names[0].startswith("RBF().on([0])")


def test_each_target_and_pipelines():
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1]])
    model = MultipleKernelRegressor(KERNELS, per_target=True).fit(X, Y)
    shown = WeightsDisplay.from_estimator(model, target=1)
    np.testing.assert_array_equal(shown.path, model.path_[1])
    with pytest.raises(errors.ParameterError, match="number below 2"):
        WeightsDisplay.from_estimator(model, target=2)
    line = make_pipeline(StandardScaler(), MultipleKernelClassifier(KERNELS, "easy"))
    assert len(WeightsDisplay.from_estimator(line.fit(X, X[:, 0] > 0)).lines_) == 3


def test_other_estimators_have_no_shares():
    with pytest.raises(errors.ParameterError, match="no shares"):
        WeightsDisplay.from_estimator(SVC().fit(X, X[:, 0] > 0))
