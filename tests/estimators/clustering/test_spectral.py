"""Spectral clustering against scikit-learn's, against the Laplacian written out, and on shapes that
means cannot tell apart.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import projection as naive
from sklearn.base import clone
from sklearn.cluster import SpectralClustering as Theirs
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.manifold import spectral_embedding
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import RBF, Jaccard, Linear, SpectralClustering, config_context

WAYS = ["kmeans", "cluster_qr", "discretize"]
SOLVERS = ["auto", "dense", "lanczos"]


@parametrize_with_checks(
    [SpectralClustering(n_clusters=3, kernel=RBF(), assign_labels="cluster_qr")]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def blobs(n: int = 120, k: int = 3, std: float = 0.7, seed: int = 0):
    return make_blobs(
        n,
        2,
        centers=np.array([[0, 0], [8, 0], [0, 8], [8, 8]])[:k],
        cluster_std=std,
        random_state=seed,
    )


def one_cloud(n: int = 80, seed: int = 0):
    """Connected, with eigenvalues that lie apart."""
    return np.random.default_rng(seed).standard_normal((n, 2)) * [3.0, 1.0]


def shapes(name: str, n: int = 300, seed: int = 0):
    return {
        "moons": lambda: make_moons(n, noise=0.05, random_state=seed),
        "circles": lambda: make_circles(n, factor=0.4, noise=0.04, random_state=seed),
        "blobs": lambda: blobs(n, seed=seed),
    }[name]()


def fitted(model, X):
    """Fitted, and quiet of graphs in several parts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(X)


def aligned(Z, other):
    """Z with the signs of other."""
    return Z * np.sign((Z * other).sum(axis=0))


def ari(a, b):
    return adjusted_rand_score(a, b)


# -- equal to scikit-learn, and to the definition
# ----------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "way", [{"affinity": "rbf"}, {"kernel": "rbf"}, {"affinity": RBF(length_scale=1.0)}], ids=str
)
def test_scikit_learns_embedding(way, solver):
    X = one_cloud()
    gamma = 0.5
    model = SpectralClustering(
        3, n_components=4, gamma=gamma, eigen_solver=solver, random_state=0, **way
    ).fit(X)
    theirs = spectral_embedding(
        rbf_kernel(X, gamma=gamma),
        n_components=4,
        drop_first=False,
        norm_laplacian=True,
        random_state=0,
    )
    np.testing.assert_allclose(aligned(model.embedding_, theirs), theirs, atol=1e-7)
    assert model.embedding_.shape == (80, 4)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_definition(solver):
    X = one_cloud()
    W = RBF()(X)
    model = SpectralClustering(
        3, n_components=5, kernel=RBF(), eigen_solver=solver, random_state=0
    ).fit(X)
    expected = naive.spectral_embedding(W, 5)
    np.testing.assert_allclose(model.eigenvalues_, expected.values, atol=1e-9)
    np.testing.assert_allclose(aligned(model.embedding_, expected.u), expected.u, atol=1e-7)
    assert (np.diff(model.eigenvalues_) >= -1e-12).all() and model.eigenvalues_[0] == pytest.approx(
        0.0, abs=1e-9
    )
    np.testing.assert_allclose(np.ptp(model.embedding_[:, 0]), 0.0, atol=1e-8)
    off = ~np.eye(80, dtype=bool)
    A = model.affinity_matrix_
    np.testing.assert_allclose(
        (A.toarray() if sp.issparse(A) else np.asarray(A))[off], W[off], atol=1e-9
    )


def test_the_diagonal_does_not_count():
    W = RBF()(one_cloud())
    plain, raised = (
        SpectralClustering(3, affinity="precomputed", random_state=0).fit(A)
        for A in (W, W + 7 * np.eye(80))
    )
    np.testing.assert_allclose(
        aligned(raised.embedding_, plain.embedding_), plain.embedding_, atol=1e-8
    )
    np.testing.assert_array_equal(raised.labels_, plain.labels_)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_scikit_learns_labels(way, affinity, k):
    X, y = blobs(k=k, std=0.9)
    options = {
        "affinity": affinity,
        "assign_labels": way,
        "random_state": 0,
        "gamma": 0.1,
        "n_neighbors": 40,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        ours, theirs = SpectralClustering(k, **options).fit(X), Theirs(k, **options).fit(X)
    assert ari(ours.labels_, theirs.labels_) == 1.0 == ari(ours.labels_, y)
    assert sorted(set(ours.labels_)) == list(range(k))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["moons", "circles", "blobs"])
def test_shapes_by_their_neighbors(name, way):
    X, y = shapes(name)
    model = fitted(
        SpectralClustering(
            len(set(y)), affinity="nearest_neighbors", assign_labels=way, random_state=0
        ),
        X,
    )
    assert ari(y, model.labels_) >= 0.99


def test_the_graph_of_neighbors():
    X = one_cloud()
    for kernel in ("linear", RBF(length_scale=2.0)):  # nearest for one is nearest for the other
        model = fitted(
            SpectralClustering(
                2, affinity="nearest_neighbors", kernel=kernel, n_neighbors=12, random_state=0
            ),
            X,
        )
        A = kneighbors_graph(X, 12, include_self=True).toarray()
        W = model.affinity_matrix_
        W = W.toarray() if sp.issparse(W) else np.asarray(W)
        off = ~np.eye(80, dtype=bool)
        np.testing.assert_array_equal(W[off], (0.5 * (A + A.T))[off])


@pytest.mark.parametrize("m", [1, 7])
def test_local_scales(m):
    X = one_cloud()
    model = fitted(SpectralClustering(3, kernel="linear", local_scaling=m, random_state=0), X)
    W = naive.local_scaling(naive.squared_distances(X @ X.T), m)
    expected = naive.spectral_embedding(W, 3)
    np.testing.assert_allclose(model.eigenvalues_, expected.values, atol=1e-8)
    if m == 7:
        np.testing.assert_allclose(aligned(model.embedding_, expected.u), expected.u, atol=1e-6)
    curved = fitted(
        SpectralClustering(3, kernel=RBF(length_scale=2.0), local_scaling=m, random_state=0), X
    )
    W = naive.local_scaling(naive.squared_distances(RBF(length_scale=2.0)(X)), m)
    np.testing.assert_allclose(
        curved.eigenvalues_, naive.spectral_embedding(W, 3).values, atol=1e-7
    )


def test_local_scales_tell_a_dense_blob_from_a_wide_one():
    rng = np.random.default_rng(0)
    X = np.vstack(
        [0.1 * rng.standard_normal((60, 2)), [6.0, 0.0] + 1.2 * rng.standard_normal((60, 2))]
    )
    y = np.repeat([0, 1], 60)
    model = fitted(SpectralClustering(2, kernel="linear", local_scaling=7, random_state=0), X)
    assert ari(y, model.labels_) >= 0.96
    near, far = (
        fitted(
            SpectralClustering(2, kernel="linear", local_scaling=7, random_state=0), s * X
        ).labels_
        for s in (1.0, 1e3)
    )
    assert ari(near, far) == 1.0


@settings(max_examples=12)
@given(seed=st.integers(0, 10_000), n=st.integers(8, 40), k=st.integers(2, 4))
def test_any_affinities(seed, n, k):
    rng = np.random.default_rng(seed)
    W = rng.uniform(0.05, 1.0, (n, n))
    W = 0.5 * (W + W.T)
    kept = W.copy()
    model = SpectralClustering(k, affinity="precomputed", random_state=0).fit(W)
    expected = naive.spectral_embedding(W, k)
    np.testing.assert_allclose(model.eigenvalues_, expected.values, atol=1e-8)
    d = (W - np.diag(np.diag(W))).sum(axis=1)
    V = model.embedding_ * np.sqrt(d)[:, None]
    np.testing.assert_allclose(V.T @ V, np.eye(k), atol=1e-7)
    np.testing.assert_allclose(naive.laplacian(W)[0] @ V, V * model.eigenvalues_, atol=1e-7)
    np.testing.assert_array_equal(W, kept)
    assert model.labels_.shape == (n,) and set(model.labels_) <= set(range(k))


# -- new samples
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["moons", "circles", "blobs"])
@pytest.mark.parametrize("way", WAYS)
def test_new_points_of_shapes(name, way):
    X, y = shapes(name)
    new, truth = shapes(name, seed=1)
    model = SpectralClustering(
        len(set(y)),
        gamma={"moons": 30.0, "circles": 30.0, "blobs": 0.5}[name],
        assign_labels=way,
        random_state=0,
    )
    model = fitted(model, X)
    assert ari(y, model.labels_) == 1.0 and ari(truth, model.predict(new)) >= 0.99
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize(
    "options",
    [{"affinity": "nearest_neighbors"}, {"kernel": "linear", "local_scaling": 7}],
    ids=str,
)
def test_new_points_of_moons_by_neighbors_and_by_local_scales(options):
    X, y = shapes("moons")
    new, truth = shapes("moons", seed=1)
    model = fitted(SpectralClustering(2, random_state=0, **options), X)
    assert ari(y, model.labels_) >= 0.99
    assert ari(truth, model.predict(new)) >= 0.97


def test_new_samples_by_nystroem():
    X = one_cloud(100)
    new = one_cloud(60, seed=1)
    kernel = RBF()
    model = SpectralClustering(3, kernel=kernel, n_init=20, random_state=0).fit(X)
    slow = naive.spectral_embedding(kernel(X), 3)
    centers = np.array([slow.u[model.labels_ == c].mean(axis=0) for c in range(3)])
    gaps = np.sort(
        ((slow.extended(kernel(new, X))[:, None] - centers[None]) ** 2).sum(axis=2), axis=1
    )
    expected = (
        ((slow.extended(kernel(new, X))[:, None] - centers[None]) ** 2).sum(axis=2).argmin(axis=1)
    )
    clear = gaps[:, 1] - gaps[:, 0] > 1e-4 * gaps[:, 1]
    assert clear.sum() > 50
    np.testing.assert_array_equal(model.predict(new)[clear], expected[clear])


def test_affinities_of_new_samples_made_beforehand():
    X, _ = blobs()
    new, truth = blobs(seed=1)
    kernel = RBF(length_scale=2.0)
    model = SpectralClustering(3, affinity="precomputed", random_state=0).fit(kernel(X))
    assert ari(truth, model.predict(kernel(new, X))) == 1.0


def test_samples_far_from_everything_get_a_label():
    X, _ = blobs()
    found = SpectralClustering(3, gamma=0.5, random_state=0)
    found = fitted(found, X).predict([[1e4, 1e4], [-1e6, 0.0]])
    assert found.shape == (2,) and set(found) <= {0, 1, 2}


# -- graphs in several parts, and with negative edges
# ------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("sparse", [False, True])
def test_parts_without_edges_between(way, solver, sparse):
    W = np.kron(np.eye(3), np.ones((10, 10)))
    model = SpectralClustering(
        3, affinity="precomputed", assign_labels=way, eigen_solver=solver, random_state=0
    )
    model.fit(sp.csr_matrix(W) if sparse else W)
    assert "3 parts" in str(model.report_)  # as many as clusters: nothing to warn of
    assert ari(np.repeat([0, 1, 2], 10), model.labels_) == 1.0
    np.testing.assert_allclose(model.eigenvalues_, 0.0, atol=1e-9)
    assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize("way", WAYS)
def test_more_parts_than_clusters(way):
    W = np.kron(np.eye(4), np.ones((6, 6)))
    model = SpectralClustering(2, affinity="precomputed", assign_labels=way, random_state=0)
    with pytest.warns(UserWarning, match=r"\b4\b"):
        model.fit(W)
    assert np.isfinite(model.embedding_).all() and set(model.labels_) <= {0, 1}
    assert all(len(set(part)) == 1 for part in model.labels_.reshape(4, 6))


def test_a_sample_without_neighbors():
    W = np.ones((12, 12))
    W[0, 1:] = W[1:, 0] = 0.0
    model = SpectralClustering(2, affinity="precomputed", random_state=0).fit(W)
    assert "2 parts" in str(model.report_)
    assert np.isfinite(model.embedding_).all() and np.isfinite(model.eigenvalues_).all()
    assert ari(np.arange(12) > 0, model.labels_) == 1.0


def test_neighbors_far_apart():
    X, y = blobs()
    model = SpectralClustering(3, affinity="nearest_neighbors", n_neighbors=8, random_state=0).fit(
        X
    )
    assert "3 parts" in str(model.report_)
    assert ari(y, model.labels_) == 1.0
    new, truth = blobs(seed=1)
    assert ari(truth, model.predict(new)) == 1.0


def test_negative_affinities_are_named():
    W = RBF()(one_cloud(20))
    W[3, 7] = W[7, 3] = -0.25
    for A in (W, sp.csr_matrix(W)):
        with pytest.raises(ValueError, match=r"-0\.25") as caught:
            SpectralClustering(2, affinity="precomputed").fit(A)
        assert "3" in str(caught.value) and "7" in str(caught.value)
    with pytest.raises(ValueError, match=r"negative|-"):
        SpectralClustering(2, kernel=Linear()).fit(one_cloud(20))


# -- kernels and samples of every sort
# ---------------------------------------------------------------------------------


def test_ways_to_name_an_affinity():
    X, _ = blobs(std=1.5)
    expected = SpectralClustering(3, kernel=RBF(length_scale=1.0), random_state=0).fit(X)
    given = [
        {"affinity": "rbf", "gamma": 0.5},
        {"kernel": "rbf", "gamma": 0.5},
        {"kernel": "RBF(length_scale=1.0)"},
        {"affinity": RBF()},
        {"affinity": lambda a, b: RBF()(a, b)},
        {"kernel": lambda a, b: RBF()(a, b)},
    ]
    for options in given:
        model = fitted(SpectralClustering(3, random_state=0, **options), X)
        np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues_, atol=1e-8)
        assert ari(model.labels_, expected.labels_) == 1.0
    for options in ({"affinity": "precomputed"}, {"kernel": "precomputed"}):
        model = fitted(SpectralClustering(3, random_state=0, **options), RBF()(X))
        np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues_, atol=1e-8)


def test_sets():
    sets = [
        {"a", "b", "s"},
        {"a", "c", "s"},
        {"b", "c"},
        {"x", "y", "s"},
        {"x", "z"},
        {"y", "z"},
    ] * 3
    model = fitted(SpectralClustering(2, kernel=Jaccard(), random_state=0), sets)
    assert ari([0, 0, 0, 1, 1, 1] * 3, model.labels_) == 1.0
    first, second = model.predict([{"a"}, {"x", "q"}])
    assert first == model.labels_[0] and second == model.labels_[3]


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
def test_sparse_rows_are_dense_rows(affinity):
    X, _ = blobs(std=1.2)
    model = SpectralClustering(3, affinity=affinity, gamma=0.3, random_state=0)
    dense, sparse = fitted(clone(model), X), fitted(clone(model), sp.csr_matrix(X))
    np.testing.assert_allclose(sparse.eigenvalues_, dense.eigenvalues_, atol=1e-7)
    assert ari(sparse.labels_, dense.labels_) == 1.0


def test_sparse_affinities():
    X, _ = blobs(std=1.2)
    A = kneighbors_graph(X, 30, include_self=True)
    A = 0.5 * (A + A.T)
    dense, sparse = (
        fitted(SpectralClustering(3, affinity="precomputed", random_state=0), W)
        for W in (A.toarray(), A)
    )
    np.testing.assert_allclose(sparse.eigenvalues_, dense.eigenvalues_, atol=1e-8)
    assert ari(sparse.labels_, dense.labels_) == 1.0


# -- what must hold
# --------------------------------------------------------------------------------------------------


def test_a_small_memory_budget_changes_the_way_only():
    X = one_cloud(300)
    new = one_cloud(40, seed=1)
    roomy = SpectralClustering(3, kernel=RBF(), random_state=0).fit(X)
    with config_context(memory_budget="200 kB"):
        narrow = SpectralClustering(3, kernel=RBF(), random_state=0).fit(X)
        predicted = narrow.predict(new)
    np.testing.assert_allclose(narrow.eigenvalues_, roomy.eigenvalues_, atol=1e-8)
    np.testing.assert_allclose(
        aligned(narrow.embedding_, roomy.embedding_), roomy.embedding_, atol=1e-7
    )
    assert ari(narrow.labels_, roomy.labels_) == 1.0 and ari(predicted, roomy.predict(new)) == 1.0
    assert not hasattr(narrow, "affinity_matrix_") and hasattr(roomy, "affinity_matrix_")
    assert narrow.report_.plan != roomy.report_.plan


@pytest.mark.parametrize("budget", ["8 GB", "500 kB"])
@pytest.mark.parametrize(
    "options",
    [{"kernel": RBF()}, {"affinity": "nearest_neighbors", "n_neighbors": 30}],
    ids=["kernel", "neighbors"],
)
def test_bits_do_not_depend_on_threads(budget, options):
    X = one_cloud(400)
    found = []
    for threads in (1, 2, 8):
        with config_context(threads=threads, memory_budget=budget):
            model = fitted(SpectralClustering(3, random_state=0, **options), X)
            found.append(
                (model.labels_, model.embedding_, model.eigenvalues_, model.predict(X[:50] + 0.01))
            )
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


@pytest.mark.parametrize("way", WAYS)
def test_the_random_state_decides(way):
    X = one_cloud()
    a, b = (
        SpectralClustering(4, assign_labels=way, random_state=5).fit(X).labels_ for _ in range(2)
    )
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(
        SpectralClustering(4, assign_labels=way, random_state=5).fit_predict(X), a
    )


def test_scaling_the_affinities_changes_nothing():
    W = RBF()(one_cloud())
    a, b = (
        SpectralClustering(3, affinity="precomputed", random_state=0).fit(s * W)
        for s in (1.0, 1e-6)
    )
    np.testing.assert_allclose(a.eigenvalues_, b.eigenvalues_, atol=1e-9)
    assert ari(a.labels_, b.labels_) == 1.0


def test_the_report_says_how():
    assert "RBF" in str(
        SpectralClustering(2, kernel=RBF(), random_state=0).fit(one_cloud()).report_
    )


# -- degenerate data
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_one_cluster(way):
    X = one_cloud(30)
    model = SpectralClustering(1, assign_labels=way, random_state=0).fit(X)
    assert not model.labels_.any() and not model.predict(X).any()


@pytest.mark.parametrize(
    "options",
    [{}, {"affinity": "nearest_neighbors"}, {"kernel": "linear", "local_scaling": 7}],
    ids=str,
)
@pytest.mark.parametrize("way", WAYS)
def test_equal_samples_give_numbers_and_labels_below_k(options, way):
    for X in (np.ones((20, 2)), np.repeat([[0.0, 0.0], [3.0, 0.0]], 10, axis=0)):
        model = fitted(SpectralClustering(2, assign_labels=way, random_state=0, **options), X)
        assert (
            set(model.labels_) <= {0, 1}
            and np.isfinite(model.embedding_).all()
            and np.isfinite(model.eigenvalues_).all()
        )
        assert set(model.predict(X)) <= {0, 1}
    if options != {"affinity": "nearest_neighbors"}:
        assert ari(np.repeat([0, 1], 10), model.labels_) == 1.0


def test_as_many_clusters_as_samples():
    X = one_cloud(6)
    model = fitted(SpectralClustering(6, random_state=0), X)
    assert model.labels_.shape == (6,) and np.isfinite(model.embedding_).all()
    one = fitted(SpectralClustering(1), [[1.0, 2.0]])
    assert one.labels_.tolist() == [0]


# -- refusals
# --------------------------------------------------------------------------------------------------


def test_more_clusters_than_samples():
    for X in (one_cloud(5), np.ones((1, 2))):
        with pytest.raises(ValueError, match="n_clusters"):
            SpectralClustering(6).fit(X)


@pytest.mark.parametrize(
    ("X", "match"),
    [
        (np.full((30, 2), np.nan), "NaN"),
        ([["a", "b"]] * 30, "could not convert|numeric|string"),
        (np.ones(30), "2D"),
        (np.ones((0, 3)), "0 sample|no rows|empty"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_data(X, match):
    with pytest.raises(ValueError, match=match):
        SpectralClustering(2).fit(X)


@pytest.mark.parametrize(
    "options",
    [
        {"n_clusters": 0},
        {"n_clusters": 1.5},
        {"affinity": "hope"},
        {"affinity": 3},
        {"kernel": 3},
        {"kernel": "hope"},
        {"gamma": "much"},
        {"n_neighbors": 0, "affinity": "nearest_neighbors"},
        {"local_scaling": 0},
        {"local_scaling": 2.5},
        {"local_scaling": 1000},
        {"n_components": 0},
        {"eigen_solver": "hope"},
        {"assign_labels": "hope"},
        {"n_init": 0},
        {"tol": -1.0},
    ],
    ids=str,
)
def test_bad_parameters(options):
    with pytest.raises(ValueError):
        SpectralClustering(**{"n_clusters": 2, **options}).fit(one_cloud())


def test_refusals_after_the_fit():
    X = one_cloud()
    with pytest.raises(NotFittedError):
        SpectralClustering().predict(X)
    model = SpectralClustering(2, random_state=0).fit(X)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :1])
    with pytest.raises(ValueError, match="NaN"):
        model.predict(X * np.nan)
    with pytest.raises(ValueError, match="square"):
        SpectralClustering(2, affinity="precomputed").fit(X)
    W = RBF()(X)
    W[0, 1] = 0.9
    with pytest.raises(ValueError, match="symmetric"):
        SpectralClustering(2, affinity="precomputed").fit(W)


# -- weights
# -----------------------------------------------------------------------------------------


def repeated(n: int = 60, seed: int = 4):
    """Weights from 0 to 3, and the rows so many times."""
    weight = np.random.default_rng(seed).integers(0, 4, n)
    return weight.astype(float), np.repeat(np.arange(n), weight)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", ["kernel", "streamed", "precomputed", "sparse"])
def test_a_weight_counts_a_sample_several_times(way, form):
    X, Z = one_cloud(60), one_cloud(20, seed=1)
    weight, rows = repeated()
    kernel = RBF(1.5)
    model = SpectralClustering(3, kernel=kernel, assign_labels=way, random_state=0)
    new = Z
    if form in ("precomputed", "sparse"):
        model.set_params(affinity="precomputed")
        new, X = kernel(Z, X), kernel(X)
    ours = X if form != "sparse" else sp.csr_array(X)
    copies = X[rows] if X.shape[1] == 2 else X[np.ix_(rows, rows)]
    with config_context(memory_budget="20 kB" if form == "streamed" else "1 MB"):
        weighted = clone(model).fit(ours, sample_weight=weight)
        plain = clone(model).fit(copies)
    np.testing.assert_allclose(weighted.eigenvalues_, plain.eigenvalues_, atol=1e-9)
    np.testing.assert_allclose(weighted.embedding_[rows], plain.embedding_, atol=1e-7)
    assert ari(weighted.labels_[rows], plain.labels_) == 1.0
    assert ari(weighted.predict(new), plain.predict(new if new is Z else new[:, rows])) == 1.0


def test_less_than_one_copy_has_no_loop():
    X = one_cloud(60)
    plain, half = (
        SpectralClustering(3, kernel=RBF(1.5)).fit(X, sample_weight=np.full(60, w))
        for w in (1.0, 0.5)
    )
    np.testing.assert_allclose(half.eigenvalues_, plain.eigenvalues_, atol=1e-12)
    np.testing.assert_allclose(half.embedding_, 2 * plain.embedding_, atol=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"affinity": "nearest_neighbors", "n_neighbors": 12},
        {"kernel": "linear", "local_scaling": 7},
        {"affinity": "precomputed_nearest_neighbors", "n_neighbors": 12},
    ],
    ids=["neighbors", "local scaling", "given neighbors"],
)
def test_a_sample_of_weight_0_is_embedded_as_a_new_one(options):
    X = one_cloud(60)
    weight = np.ones(60)
    weight[::5] = 0.0
    kept, absent = np.flatnonzero(weight), np.flatnonzero(weight == 0)
    model = SpectralClustering(2, random_state=0, assign_labels="cluster_qr", **options)
    if options.get("affinity", "").startswith("precomputed"):
        X = np.linalg.norm(X[:, None] - X, axis=2)
    weighted = clone(model).fit(X, sample_weight=weight)
    without = clone(model).fit(X[kept] if X.shape[1] == 2 else X[np.ix_(kept, kept)])
    np.testing.assert_allclose(weighted.embedding_[kept], without.embedding_, atol=1e-9)
    assert np.array_equal(weighted.labels_[kept], without.labels_)
    if X.shape[1] == 2:
        np.testing.assert_allclose(weighted.embedding_[absent], without.embed(X[absent]))
    assert np.isfinite(weighted.embedding_).all() and set(weighted.labels_) == {0, 1}


@pytest.mark.parametrize("affinity", ["nearest_neighbors", "precomputed", "rbf"])
def test_the_graph_is_of_scikit_learns_type(affinity):
    X = np.random.default_rng(0).standard_normal((30, 2))
    if affinity == "precomputed":
        X = sp.csr_matrix(RBF()(X))
    options = {"affinity": affinity, "n_neighbors": 20, "random_state": 0}
    ours = SpectralClustering(2, **options).fit(X).affinity_matrix_
    theirs = Theirs(2, **options).fit(X).affinity_matrix_
    assert type(ours) is type(theirs)
    if sp.issparse(theirs):
        assert ours.indices.dtype == theirs.indices.dtype
