"""Samples far from the origin, of any scale, with outliers: what the projections and clusterings
make of them.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from mercer import (
    RBF,
    KernelCCA,
    KernelICA,
    KernelKMeans,
    KernelPCA,
    NegativeDistance,
    SpectralClustering,
    config_context,
    errors,
)


@pytest.fixture
def cloud():
    rng = np.random.default_rng(0)
    return rng.standard_normal((180, 2)) * [3, 2]


@pytest.mark.parametrize("offset", [1e5, 1e6])
def test_projections_far_from_the_origin(cloud, offset):
    model = KernelPCA(2, kernel="linear").fit(cloud + offset)
    known = model.eigenvectors_ * np.sqrt(model.eigenvalues_)
    np.testing.assert_allclose(model.transform(cloud + offset), known, atol=1e-9 * offset)


@pytest.mark.parametrize("scale", [1e-90, 1e75])
def test_projections_of_any_scale(scale):
    X = np.random.default_rng(0).standard_normal((500, 6))
    plain = KernelPCA(2, kernel="linear").fit(X)
    np.testing.assert_allclose(
        KernelPCA(2, kernel="linear").fit(scale * X).eigenvalues_ / scale**2,
        plain.eigenvalues_,
        rtol=1e-10,
    )


def test_correlations_far_from_the_origin(cloud):
    rng = np.random.default_rng(1)
    Y = np.column_stack([cloud[:, 0] + 0.5 * rng.standard_normal(180), rng.standard_normal(180)])
    plain = KernelCCA(2, kernel="linear", kappa=0).fit(cloud, Y)
    moved = KernelCCA(2, kernel="linear", kappa=0).fit(cloud + 1e4, Y + 1e4)
    np.testing.assert_allclose(moved.correlations_, plain.correlations_, atol=1e-5)
    assert moved.ranks_.tolist() == [2, 2]


def test_k_means_far_from_the_origin(cloud):
    rows = [0, 5, 9]
    model = KernelKMeans(3, kernel="linear", init=rows).fit(cloud + 1e8)
    theirs = KMeans(3, init=cloud[rows], n_init=1, tol=0).fit(cloud)
    assert model.inertia_ == pytest.approx(theirs.inertia_, rel=1e-5)
    assert adjusted_rand_score(model.labels_, theirs.labels_) == 1.0


def test_one_sample_far_away_holds_nobody():
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1], 50)
    X = np.vstack([rng.standard_normal((100, 2)) + 6 * groups[:, None], [[1e8, 0]]])
    model = KernelKMeans(
        3, kernel=NegativeDistance(power=2.0), init=np.append(rng.integers(0, 2, 100), 2)
    ).fit(X)
    assert adjusted_rand_score(groups, model.labels_[:100]) > 0.95


@pytest.mark.parametrize("unit", [1e-170, 1e160])
def test_weights_of_any_unit(cloud, unit):
    plain = KernelKMeans(2, random_state=0).fit(cloud)
    model = KernelKMeans(2, random_state=0).fit(cloud, sample_weight=np.full(180, unit))
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert model.inertia_ == pytest.approx(unit * plain.inertia_)


def test_more_copies_than_any_block():
    labels = np.repeat(np.arange(100), 10)
    model = KernelPCA(60, kernel="precomputed").fit((labels[:, None] == labels) * 1.0)
    np.testing.assert_allclose(model.eigenvalues_, 10.0)
    labels = np.repeat(np.arange(60), 10)
    cut = SpectralClustering(60, affinity="precomputed", random_state=0).fit(
        (labels[:, None] == labels) * 1.0
    )
    np.testing.assert_allclose(cut.eigenvalues_, 0.0, atol=1e-9)


def test_randomized_components_are_as_many_as_asked_for():
    X = np.random.default_rng(0).standard_normal((600, 10))
    model = KernelPCA(150, kernel="rbf", eigen_solver="randomized", random_state=0).fit(X)
    assert (model.eigenvalues_ > 0).all()


def test_inputs_are_not_written_on_and_not_shared(cloud):
    W = sparse.csr_array(np.array([[2.0, 1.0], [1.0, 2.0]]))
    SpectralClustering(2, affinity="precomputed").fit(W)
    np.testing.assert_array_equal(W.toarray(), [[2.0, 1.0], [1.0, 2.0]])
    for model in (
        KernelPCA(2, kernel="rbf"),
        KernelKMeans(2, random_state=0),
        SpectralClustering(2, random_state=0),
    ):
        X = cloud.copy()
        ask = "transform" if hasattr(model, "transform") else "embed"
        before = getattr(model.fit(X), ask)(cloud[:5])
        X[:] = 0.0
        np.testing.assert_array_equal(getattr(model, ask)(cloud[:5]), before)


def test_nothing_is_left_of_an_earlier_fit(cloud):
    model = KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(cloud)
    model.set_params(fit_inverse_transform=False).fit(cloud)
    assert not hasattr(model, "dual_coef_")
    cut = SpectralClustering(2, random_state=0).fit(cloud)
    with config_context(memory_budget="10 kB"):
        assert not hasattr(cut.fit(cloud), "affinity_matrix_")


def test_a_matrix_between_half_the_budget_and_all_of_it(cloud):
    with config_context(memory_budget=int(8 * 180**2 * 1.5)):
        assert KernelPCA(None, kernel=RBF()).fit(cloud).eigenvalues_.size > 10
        assert KernelPCA(2, kernel=RBF(), eigen_solver="dense").fit(cloud).eigenvalues_.size == 2


def test_one_neighbor_is_nobody(cloud):
    with pytest.warns(UserWarning, match="180 unlinked parts"):
        SpectralClustering(2, affinity="nearest_neighbors", n_neighbors=1, random_state=0).fit(
            cloud
        )


def test_a_constant_column_is_no_source():
    X = np.random.default_rng(0).uniform(-1, 1, (500, 2)) @ [[1, 0.5], [0.3, 1]]
    with pytest.warns(UserWarning, match="2 sources are found"):
        model = KernelICA(random_state=0).fit(np.column_stack([X, np.full(500, 1e6 / 3)]))
    assert model.transform(np.column_stack([X, np.full(500, 1e6 / 3)])).shape == (500, 2)


def test_what_is_not_positive_is_said():
    A = np.random.default_rng(0).standard_normal((60, 60))
    with pytest.warns(errors.DefinitenessWarning, match="negative"):
        KernelKMeans(3, kernel="precomputed", random_state=0).fit((A + A.T) / 2)
    with pytest.warns(errors.DefinitenessWarning, match=r"view 0: .*mercer\.repair"):
        KernelCCA(2, kernel="precomputed").fit((A + A.T) / 2, (A + A.T) / 2)


def test_powers_are_whole(cloud):
    with pytest.raises(errors.ParameterError, match="degree"):
        KernelPCA(2, kernel="poly", degree=2.5).fit(cloud)
