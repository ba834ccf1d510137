"""The picture of a posterior shows what the estimator predicts."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import BayesianRidge

from mercer import RBF, RVR, GaussianProcessRegressor, PosteriorDisplay, errors

mpl.use("Agg")
import matplotlib.pyplot as plt

X = np.random.default_rng(0).uniform(-3, 3, (30, 2))
y = np.sin(X[:, 0]) + 0.1 * X[:, 1]
MODEL = GaussianProcessRegressor(RBF(), alpha=0.01, optimizer=None).fit(X, y)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_the_lines_are_the_predictions():
    shown = PosteriorDisplay.from_estimator(MODEL, X, y, column=0, n_samples=4, levels=(0.5, 0.9))
    Z = np.column_stack([shown.grid, np.full(400, np.median(X[:, 1]))])
    mean, std = MODEL.predict(Z, return_std=True)
    np.testing.assert_allclose(shown.mean_line_.get_ydata(), mean)
    np.testing.assert_allclose(shown.std, std)
    np.testing.assert_allclose(
        np.column_stack([line.get_ydata() for line in shown.sample_lines_]),
        MODEL.sample_y(Z, 4, random_state=0),
    )
    assert len(shown.bands_) == 2 and shown.ax_.get_xlabel() == "column 0"
    top = shown.bands_[0].get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx((mean + 1.6448536269514722 * std).max())
    assert shown.points_.get_xdata().tolist() == X[:, 0].tolist()


def test_axes_names_and_grid():
    _, ax = plt.subplots()
    frame = pd.DataFrame(X, columns=["time", "place"])
    model = GaussianProcessRegressor(RBF(), alpha=0.01, optimizer=None).fit(X, y)
    shown = PosteriorDisplay.from_estimator(model, frame, column=1, grid=[0.0, 1.0], ax=ax)
    assert (
        shown.ax_ is ax
        and ax.get_xlabel() == "place"
        and shown.grid.tolist() == [0.0, 1.0]
        and shown.points_ is None
    )
    again = shown.plot(color="C3")
    assert again is shown and shown.ax_ is not ax


def test_other_regressors_with_a_deviation():
    for model in (RVR(), BayesianRidge()):
        assert len(PosteriorDisplay.from_estimator(model.fit(X, y), X).bands_) == 2


def test_refused():
    with pytest.raises(NotFittedError):
        PosteriorDisplay.from_estimator(RVR(), X)
    with pytest.raises(errors.ParameterError, match="column"):
        PosteriorDisplay.from_estimator(MODEL, X, column=2)
    with pytest.raises(errors.ParameterError, match="levels"):
        PosteriorDisplay.from_estimator(MODEL, X, levels=(95,))
    with pytest.raises(errors.ShapeError, match="matrix"):
        PosteriorDisplay.from_estimator(MODEL, X[:, 0])
    with pytest.raises(errors.ShapeError, match="target"):
        PosteriorDisplay.from_estimator(
            GaussianProcessRegressor(RBF(), alpha=0.01).fit(X, np.column_stack([y, y])), X
        )
