"""The slow formulas of projections and clusterings against scikit-learn, against each other and
against tables worked out by hand.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, KernelPCA
from sklearn.manifold import spectral_embedding
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph

from naive import projection as naive


def points(n: int = 40, d: int = 3, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)) * np.arange(1, d + 1)


def test_kernel_principal_components_are_scikit_learns():
    X, new = points(), points(9, seed=1)
    K, K_new = rbf_kernel(X, gamma=0.1), rbf_kernel(new, X, gamma=0.1)
    ours, theirs = naive.kernel_pca(K, 4), KernelPCA(4, kernel="precomputed").fit(K)
    np.testing.assert_allclose(ours.values, theirs.eigenvalues_)
    np.testing.assert_allclose(
        np.abs(ours.scores(K_new)), np.abs(theirs.transform(K_new)), atol=1e-10
    )


def test_linear_components_reconstruct_as_principal_components_do():
    X, new = points(), points(9, seed=1)
    ours, theirs = naive.kernel_pca(X @ X.T, 2), PCA(2).fit(X)
    expected = ((new - theirs.inverse_transform(theirs.transform(new))) ** 2).sum(axis=1)
    np.testing.assert_allclose(ours.error((new**2).sum(axis=1), new @ X.T), expected, atol=1e-9)
    back = ours.weights(ours.scores(new @ X.T)) @ X
    np.testing.assert_allclose(back, theirs.inverse_transform(theirs.transform(new)), atol=1e-9)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6), weighted=st.booleans())
def test_linear_kernel_means_are_scikit_learns_means(seed, k, weighted):
    X = points(25, 2, seed)
    rows = np.random.default_rng(seed).permutation(25)[:k]
    weight = np.random.default_rng(seed + 1).uniform(0.2, 2.0, 25) if weighted else None
    ours = naive.kernel_kmeans(X @ X.T, k, rows, weight)
    theirs = KMeans(k, init=X[rows], n_init=1, tol=0).fit(X, sample_weight=weight)
    assert (ours.labels == theirs.labels_).all()
    assert ours.inertia == pytest.approx(theirs.inertia_)


def test_an_empty_cluster_takes_the_farthest_sample():
    X = np.array([[0.0], [1.0], [2.0], [50.0]])
    found = naive.kernel_kmeans(X @ X.T, 2, np.zeros(4, dtype=int))
    assert found.labels.tolist() == [0, 0, 0, 1] and found.inertia == pytest.approx(2.0)


def test_the_spectral_embedding_is_scikit_learns():
    W = rbf_kernel(points(), gamma=0.2)
    ours = naive.spectral_embedding(W, 4)
    theirs = spectral_embedding(W, n_components=4, drop_first=False, random_state=0)
    np.testing.assert_allclose(np.abs(ours.u), np.abs(theirs), atol=1e-8)
    without = W - np.diag(np.diag(W))
    np.testing.assert_allclose(ours.extended(without), ours.u, atol=1e-10)


def test_the_graph_of_neighbors_is_scikit_learns():
    X = points()
    A = kneighbors_graph(X, 7, include_self=True).toarray()
    np.testing.assert_array_equal(
        naive.nearest_neighbors(naive.squared_distances(X @ X.T), 7), 0.5 * (A + A.T)
    )


def test_local_scaling_does_not_see_the_scale():
    D2 = naive.squared_distances(points() @ points().T)
    np.testing.assert_allclose(naive.local_scaling(D2, 5), naive.local_scaling(100 * D2, 5))


def test_linear_views_correlate_as_plain_ones():
    X, Y = points(60, 3), points(60, 2, 1) + points(60, 3)[:, :2]
    found = naive.kernel_cca([X @ X.T, Y @ Y.T], 2, 1e-4)
    np.testing.assert_allclose(found.values, naive.canonical_correlations(X, Y), atol=1e-3)
    np.testing.assert_allclose(
        (found.variates(0) * found.variates(1)).mean(axis=0), found.values, atol=1e-3
    )
    np.testing.assert_allclose(found.variates(0, X @ X.T), found.variates(0))


def test_correspondences_of_two_columns_are_those_of_their_table():
    """The inertias of two columns crossed are (2λ − 1)², what the corrections restore."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 200)
    b = np.where(rng.random(200) < 0.5, a, rng.integers(0, 3, 200))
    found = naive.mca(naive.indicator(np.column_stack([a, b]).tolist(), [[0, 1, 2], [0, 1, 2]]), 2)
    P = np.histogram2d(a, b, bins=3)[0] / 200
    r, c = P.sum(axis=1), P.sum(axis=0)
    s = np.linalg.svd((P - np.outer(r, c)) / np.sqrt(np.outer(r, c)), compute_uv=False)
    np.testing.assert_allclose(found.corrected()[:2], s[:2] ** 2, atol=1e-12)
    assert found.eigenvalues.sum() == pytest.approx(6 / 2 - 1)
    for correction in ("benzecri", "greenacre"):
        assert found.ratio(correction).sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found.contributions().sum(axis=0), 1.0)
