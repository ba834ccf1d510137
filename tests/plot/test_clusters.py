"""The map shows the clusters of the samples, and behind them those predicted everywhere."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.colors import to_rgba
from sklearn.cluster import DBSCAN, KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import RBF, ClusterDisplay, Jaccard, KernelKMeans, KernelPCA, SpectralClustering, errors

mpl.use("Agg")
import matplotlib.pyplot as plt

rng = np.random.default_rng(0)
X = np.concatenate(
    [rng.normal(0, 0.5, (30, 2)), rng.normal(3, 0.5, (30, 2)), rng.normal((0, 4), 0.5, (30, 2))]
)
WIDE = np.column_stack([X, rng.standard_normal((90, 2))])
MODEL = KernelKMeans(3, kernel=RBF(length_scale=2.0), random_state=0).fit(X)
SETS = [set(rng.choice(8, 4) + 6 * (at % 2)) for at in range(40)]


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_points_are_colored_by_cluster():
    shown = ClusterDisplay.from_estimator(MODEL, X, resolution=20)
    assert [text.get_text() for text in shown.legend_.get_texts()] == [
        "cluster 0",
        "cluster 1",
        "cluster 2",
    ]
    for at, part in enumerate(shown.points_):
        np.testing.assert_allclose(part.get_offsets(), X[MODEL.predict(X) == at])
    assert (shown.ax_.get_xlabel(), shown.ax_.get_ylabel()) == ("column 0", "column 1")


def test_regions_are_predictions():
    shown = ClusterDisplay.from_estimator(
        MODEL, X, columns=(1, 0), resolution=25, margin=0.1, alpha=0.3
    )
    across, along, found = shown.grid
    assert across[0] == pytest.approx(X[:, 1].min() - 0.1 * np.ptp(X[:, 1]))
    assert along[-1] == pytest.approx(X[:, 0].max() + 0.1 * np.ptp(X[:, 0]))
    for row, column in ((0, 0), (3, 20), (24, 24), (12, 7)):
        cluster = MODEL.predict([[along[row], across[column]]])[0]
        assert found[row, column] == cluster
        np.testing.assert_allclose(
            shown.regions_.get_array()[row, column], to_rgba(f"C{cluster}", 0.3)
        )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames(frame):
    table = frame({"left": X[:, 0], "right": X[:, 1]})
    shown = ClusterDisplay.from_estimator(
        KMeans(3, n_init=1, random_state=0).fit(table), table, resolution=10
    )
    assert shown.ax_.get_xlabel() == "left" and shown.regions_ is not None


def test_more_columns_have_no_regions():
    model = KernelKMeans(2, random_state=0).fit(WIDE)
    shown = ClusterDisplay.from_estimator(model, WIDE, columns=(0, -1))
    assert shown.regions_ is None and shown.ax_.get_ylabel() == "column 3"
    np.testing.assert_allclose(
        np.sort(np.concatenate([part.get_offsets() for part in shown.points_])[:, 1]),
        np.sort(WIDE[:, 3]),
    )


def test_on_components():
    model = KernelKMeans(2, kernel=RBF(length_scale=2.0), random_state=0).fit(WIDE)
    shown = ClusterDisplay.from_estimator(model, WIDE, on="components")
    pca = KernelPCA(2, kernel=RBF(length_scale=2.0)).fit(WIDE)
    np.testing.assert_allclose(shown.points, pca.transform(WIDE))
    assert (
        shown.ax_.get_xlabel() == f"1st component ({100 * pca.explained_variance_ratio_[0]:.1f} %)"
        and shown.regions_ is None
    )
    K = RBF(length_scale=2.0)(WIDE)
    given = KernelKMeans(2, kernel="precomputed", random_state=0).fit(K)
    np.testing.assert_allclose(
        ClusterDisplay.from_estimator(given, K, on="components").points, shown.points, atol=1e-10
    )
    sets = ClusterDisplay.from_estimator(
        KernelKMeans(2, kernel=Jaccard(), random_state=0).fit(SETS), SETS, on="components"
    )
    assert sets.points.shape == (40, 2)
    pipeline = make_pipeline(StandardScaler(), KMeans(2, n_init=1, random_state=0)).fit(WIDE)
    np.testing.assert_allclose(
        ClusterDisplay.from_estimator(pipeline, WIDE, on="components").points,
        KernelPCA(2).fit_transform(StandardScaler().fit_transform(WIDE)),
        atol=1e-10,
    )


def test_many_clusters_have_a_color_bar():
    shown = ClusterDisplay.from_estimator(KernelKMeans(12, random_state=0).fit(X), X, resolution=30)
    assert shown.legend_ is None and len(shown.points_) == 1
    assert [text.get_text() for text in shown.colorbar_.ax.get_yticklabels()] == [
        f"cluster {at}" for at in range(12)
    ]
    found = shown.grid[2]
    color = shown.points_[0].to_rgba(found[4, 5])  # points and regions have the same colors
    np.testing.assert_allclose(shown.regions_.get_array()[4, 5][:3], color[:3])


def test_estimators_without_predict():
    model = DBSCAN(eps=0.6).fit(X)
    shown = ClusterDisplay.from_estimator(model, X)
    assert shown.regions_ is None and shown.clusters.tolist() == model.labels_.tolist()
    with pytest.raises(errors.ShapeError, match="90 training samples"):
        ClusterDisplay.from_estimator(model, X[:5])


def test_spectral_clustering_on_given_axes():
    _, ax = plt.subplots()
    model = SpectralClustering(3, kernel=RBF(), random_state=0).fit(X)
    shown = ClusterDisplay.from_estimator(model, X, ax=ax, legend=False, resolution=10)
    assert shown.ax_ is ax and shown.legend_ is None and shown.figure_ is ax.figure
    assert shown.plot() is shown and shown.ax_ is not ax


def test_refused():
    with pytest.raises(NotFittedError):
        ClusterDisplay.from_estimator(KernelKMeans(2), X)
    with pytest.raises(errors.ParameterError, match="columns"):
        ClusterDisplay.from_estimator(MODEL, X, columns=(0, 2))
    with pytest.raises(errors.ParameterError, match="on = 'rows'"):
        ClusterDisplay.from_estimator(MODEL, X, on="rows")
    with pytest.raises(errors.ParameterError, match="resolution = 1"):
        ClusterDisplay.from_estimator(MODEL, X, resolution=1)
    with pytest.raises(errors.InputTypeError, match='on="components"'):
        ClusterDisplay.from_estimator(
            KernelKMeans(2, kernel=Jaccard(), random_state=0).fit(SETS), SETS
        )
    with pytest.raises(errors.ParameterError, match="neither predict nor labels_"):
        ClusterDisplay.from_estimator(StandardScaler().fit(X), X)
