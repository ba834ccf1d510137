"""The bars are what the estimator found."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    MCA,
    RBF,
    SVC,
    KernelCCA,
    KernelDiscriminant,
    KernelKMeans,
    KernelPCA,
    ScreeDisplay,
    SpectralClustering,
    errors,
)

mpl.use("Agg")
import matplotlib.pyplot as plt

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 4))
TABLE = rng.choice(list("abc"), (60, 4)).astype(object)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def heights(shown):
    return [bar.get_height() for bar in shown.bars_]


def test_bars_and_cumulative_share():
    model = KernelPCA(10, kernel=RBF()).fit(X)
    shown = ScreeDisplay.from_estimator(model, 6)
    np.testing.assert_allclose(heights(shown), model.explained_variance_[:6])
    np.testing.assert_allclose(
        shown.share_line_.get_ydata(), np.cumsum(model.explained_variance_ratio_)[:6]
    )
    assert shown.share_line_.get_xdata().tolist() == [1, 2, 3, 4, 5, 6]
    assert (
        shown.ax_.get_ylabel() == "variance" and shown.share_ax_.get_ylabel() == "cumulative share"
    )
    assert len(ScreeDisplay.from_estimator(model).bars_) == 10  # as many as there are


@pytest.mark.parametrize("correction", [None, "benzecri", "greenacre"])
def test_inertias(correction):
    model = MCA(2, correction=correction).fit(TABLE)
    shown = ScreeDisplay.from_estimator(model, n=5)
    np.testing.assert_allclose(heights(shown), model.inertia_[:5])
    np.testing.assert_allclose(
        shown.share_line_.get_ydata(), np.cumsum(model.explained_inertia_ratio_)[:5]
    )
    assert shown.ax_.get_ylabel() == "inertia"


def test_correlations_have_no_share():
    model = KernelCCA(3).fit(X[:, :2], X[:, 2:])
    shown = ScreeDisplay.from_estimator(model)
    np.testing.assert_allclose(heights(shown), model.correlations_)
    assert shown.share_ax_ is None and shown.share_line_ is None and shown.cut_line_ is None


def test_the_gap_after_the_clusters():
    model = SpectralClustering(3, n_components=6, random_state=0).fit(X)
    shown = ScreeDisplay.from_estimator(model)
    np.testing.assert_allclose(heights(shown), model.eigenvalues_)
    assert shown.cut_line_.get_xdata()[0] == 3.5
    assert [text.get_text() for text in shown.ax_.get_legend().get_texts()] == ["3 clusters"]
    assert (
        ScreeDisplay.from_estimator(SpectralClustering(3, random_state=0).fit(X)).cut_line_ is None
    )  # nothing beyond it


def test_other_estimators():
    y = np.arange(60) % 3
    shown = ScreeDisplay.from_estimator(KernelDiscriminant(kernel=RBF()).fit(X, y))
    assert shown.ax_.get_ylabel() == "share" and len(shown.bars_) == 2
    assert (
        len(ScreeDisplay.from_estimator(make_pipeline(StandardScaler(), PCA()).fit(X)).bars_) == 4
    )


def test_axes_given_and_drawn_again():
    _, ax = plt.subplots()
    shown = ScreeDisplay.from_estimator(KernelPCA(4).fit(X), ax=ax, color="C2")
    assert shown.ax_ is ax and shown.figure_ is ax.figure
    assert shown.plot() is shown and shown.ax_ is not ax


def test_refused():
    model = KernelPCA(2).fit(X)
    with pytest.raises(NotFittedError):
        ScreeDisplay.from_estimator(KernelPCA())
    for n in (0, -1, 2.5, "all"):
        with pytest.raises(errors.ParameterError, match="n = "):
            ScreeDisplay.from_estimator(model, n)
    for other in (
        SVC().fit(X, X[:, 0] > 0),
        KernelKMeans(2, random_state=0).fit(X),
    ):  # an inertia that is one number
        with pytest.raises(errors.ParameterError, match="has no eigenvalues"):
            ScreeDisplay.from_estimator(other)
