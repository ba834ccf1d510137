"""Eigenvalues, largest first, with those that should not be there marked."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from mercer import RBF, SVC, Linear, Sigmoid, SpectrumDisplay, errors

mpl.use("Agg")
import matplotlib.pyplot as plt

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 3))


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_values_are_eigenvalues_over_n():
    shown = SpectrumDisplay.from_kernel(RBF(length_scale=2.0), X)
    np.testing.assert_allclose(
        shown.values, np.linalg.eigvalsh(RBF(length_scale=2.0)(X))[::-1] / 40, atol=1e-14
    )
    assert shown.values.sum() == pytest.approx(1.0) and shown.negative_ is None
    np.testing.assert_allclose(shown.line_.get_ydata()[:5], shown.values[:5])
    assert shown.ax_.get_yscale() == "log"


def test_the_effective_dimension():
    shown = SpectrumDisplay.from_kernel(RBF(length_scale=2.0), X, ridge=0.01)
    K = RBF(length_scale=2.0)(X) / 40
    assert shown.effective_dimension_ == pytest.approx(
        np.trace(K @ np.linalg.inv(K + 0.01 * np.eye(40)))
    )
    assert SpectrumDisplay.from_matrix(
        40 * np.eye(40), ridge=1e-9
    ).effective_dimension_ == pytest.approx(40)
    assert SpectrumDisplay.from_kernel(
        Linear(), X, ridge=1e-9
    ).effective_dimension_ == pytest.approx(3, abs=1e-4)


def test_negative_values_are_marked_and_rounding_is_not():
    shown = SpectrumDisplay.from_kernel(Sigmoid(), X)
    assert (shown.values < 0).sum() >= len(shown.negative_.get_xdata()) > 0
    np.testing.assert_allclose(
        shown.negative_.get_ydata(), -shown.values[shown.negative_.get_xdata() - 1]
    )
    assert "negative" in [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert (
        SpectrumDisplay.from_kernel(Linear(), X).negative_ is None
    )  # 37 zeros, some of them below


def test_edges():
    assert SpectrumDisplay.from_matrix([[2.0]]).values.tolist() == [2.0]
    assert SpectrumDisplay.from_matrix(np.zeros((3, 3))).effective_dimension_ == 0.0
    assert len(SpectrumDisplay.from_kernel(RBF(), X, most=7).values) == 7


def test_estimators_and_given_axes():
    model = make_pipeline(StandardScaler(), SVC(kernel=RBF())).fit(X, X[:, 0] > 0)
    _, ax = plt.subplots()
    shown = SpectrumDisplay.from_estimator(model, X, ax=ax, color="C2", linestyle="--")
    assert (
        shown.ax_ is ax and shown.line_.get_linestyle() == "--" and shown.line_.get_color() == "C2"
    )
    expected = np.linalg.eigvalsh(RBF()(StandardScaler().fit_transform(X)))[::-1] / 40
    np.testing.assert_allclose(shown.values, expected, atol=1e-14)
    assert shown.plot() is shown and shown.ax_ is not ax


def test_refused():
    with pytest.raises(errors.ShapeError, match="must be a square matrix"):
        SpectrumDisplay.from_matrix(np.ones((3, 4)))
    for ridge in (0.0, -1.0, np.nan):
        with pytest.raises(errors.ParameterError, match="ridge"):
            SpectrumDisplay.from_kernel(RBF(), X, ridge=ridge)
    with pytest.raises(errors.ParameterError, match="most = 0"):
        SpectrumDisplay.from_kernel(RBF(), X, most=0)
    with pytest.raises(NotFittedError):
        SpectrumDisplay.from_estimator(SVC(), X)
    with pytest.raises(errors.ParameterError, match="has no kernel of its own"):
        SpectrumDisplay.from_estimator(LinearSVC().fit(X, X[:, 0] > 0), X)
