"""Projections and clusterings on centers: dense formulas, and exact learners where all are."""

import numpy as np
import pytest
from scipy import linalg
from sklearn.metrics import adjusted_rand_score

import mercer
from mercer import (
    RBF,
    Jaccard,
    KernelDiscriminant,
    KernelKMeans,
    KernelPCA,
    Linear,
    SpectralClustering,
    scan,
)
from mercer.errors import NotFiniteError, ParameterError

rng = np.random.default_rng(0)
N, M = 300, 60
X = np.vstack(
    [rng.standard_normal((100, 3)) * 0.5 + shift for shift in ([0, 0, 0], [3, 0, 0], [0, 3, 3])]
)
TRUE = np.repeat([0, 1, 2], 100)
WEIGHT = rng.integers(1, 4, N).astype(float)
NEW = rng.standard_normal((40, 3))
KERNEL = RBF(length_scale=1.5)


def blocks(X, size=70):
    def factory():
        for start in range(0, len(X), size):
            yield X[start : start + size]

    return factory


def whitened(model, rows, kernel=KERNEL):
    """Features of the centers of a model, by the formula: L⁻¹ k_x."""
    centers = model.X_fit_
    L = np.linalg.cholesky(kernel(centers) + 1e-13 * len(centers) * np.eye(len(centers)))
    return linalg.solve_triangular(L, kernel(centers, rows), lower=True).T


# -- principal components --------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_components_of_all_rows_are_the_exact_ones(weight):
    exact = KernelPCA(4, kernel=KERNEL, centers="all").fit(X, sample_weight=weight)
    model = KernelPCA(4, kernel=KERNEL, centers=N).fit(X, sample_weight=weight)
    np.testing.assert_allclose(model.eigenvalues_, exact.eigenvalues_, rtol=1e-8)
    ratio = exact.explained_variance_ratio_
    np.testing.assert_allclose(model.explained_variance_ratio_, ratio, rtol=1e-7)
    np.testing.assert_allclose(model.explained_variance_, exact.explained_variance_, rtol=1e-8)
    Z, expected = model.transform(NEW), exact.transform(NEW)
    np.testing.assert_allclose(Z * np.sign(np.sum(Z * expected, axis=0)), expected, atol=1e-6)
    error = exact.reconstruction_error(NEW)
    np.testing.assert_allclose(model.reconstruction_error(NEW), error, atol=1e-6)


def test_components_follow_the_formula():
    model = KernelPCA(3, kernel=KERNEL, centers=M, random_state=1).fit(X, sample_weight=WEIGHT)
    F = whitened(model, X)
    mean = WEIGHT @ F / WEIGHT.sum()
    scatter = (F - mean).T @ (WEIGHT[:, None] * (F - mean))
    values, vectors = np.linalg.eigh(scatter)
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:3], rtol=1e-8)
    Z = (whitened(model, NEW) - mean) @ vectors[:, ::-1][:, :3]
    found = model.transform(NEW)
    np.testing.assert_allclose(np.abs(found), np.abs(Z), atol=1e-7)
    assert model.report_.plan == f"Nyström, {M} of {N} rows, uniform, float64 tiles"
    assert model.report_.passes > 1 and len(model.report_.trace_error) == 3
    assert model.X_fit_.shape == (M, 3)
    np.testing.assert_array_equal(model.fit_transform(X), model.transform(X))


def test_components_of_a_source_are_those_of_the_array():
    given = KernelPCA(3, kernel=KERNEL, centers=X[::6]).fit(X)
    streamed = KernelPCA(3, kernel=KERNEL, centers=X[::6]).fit(scan(blocks(X)))
    np.testing.assert_allclose(streamed.eigenvalues_, given.eigenvalues_, rtol=1e-10)
    np.testing.assert_allclose(
        np.abs(streamed.transform(NEW)), np.abs(given.transform(NEW)), atol=1e-8
    )


def test_components_in_single_precision(monkeypatch):
    monkeypatch.setattr("mercer.gram.plan._MANY_ENTRIES", 1.0)
    model = KernelPCA(3, kernel=KERNEL, centers=X[::6]).fit(X)
    assert "float32" in model.report_.plan
    monkeypatch.undo()
    exact = KernelPCA(3, kernel=KERNEL, centers=X[::6]).fit(X)
    np.testing.assert_allclose(model.eigenvalues_, exact.eigenvalues_, rtol=1e-5)
    np.testing.assert_allclose(
        np.abs(model.transform(NEW)), np.abs(exact.transform(NEW)), atol=1e-3
    )


def test_bits_do_not_depend_on_threads():
    results = []
    for threads in (1, 2, 8):
        with mercer.config_context(threads=threads):
            pca = KernelPCA(3, kernel=KERNEL, centers=M, random_state=0).fit(X)
            means = KernelKMeans(3, kernel=KERNEL, centers=M, random_state=0).fit(X)
            results.append((pca.eigenvalues_, pca._dual, means._share))
    for other in results[1:]:
        for left, right in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("inverse", ["ridge", "fixed_point"])
def test_pre_images_come_from_the_centers(inverse):
    model = KernelPCA(8, kernel=KERNEL, centers=M, fit_inverse_transform=True, inverse=inverse)
    model.set_params(alpha=1e-3, random_state=0).fit(X)
    back = model.inverse_transform(model.transform(X[:20]))
    assert np.sqrt(np.mean((back - X[:20]) ** 2)) < 0.6


def test_all_components_need_all_samples():
    with pytest.raises(ParameterError, match="n_components"):
        KernelPCA(kernel=KERNEL, centers=20).fit(X)


# -- k-means ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_clusters_of_all_rows_are_the_exact_ones(weight):
    options = {"kernel": KERNEL, "random_state": 0, "n_init": 5}
    exact = KernelKMeans(3, centers="all", **options).fit(X, sample_weight=weight)
    model = KernelKMeans(3, centers=N, **options).fit(X, sample_weight=weight)
    assert adjusted_rand_score(model.labels_, exact.labels_) == 1.0
    assert model.inertia_ == pytest.approx(exact.inertia_, rel=1e-8)
    np.testing.assert_allclose(np.sort(model.cluster_sizes_), np.sort(exact.cluster_sizes_))
    distance = np.sort(exact.transform(NEW), axis=1)
    np.testing.assert_allclose(np.sort(model.transform(NEW), axis=1), distance, atol=1e-6)
    assert (model.predict(X) == model.labels_).all()


def test_means_follow_the_formula():
    model = KernelKMeans(3, kernel=KERNEL, centers=M, random_state=0).fit(X, sample_weight=WEIGHT)
    F = whitened(model, X)
    means = np.array(
        [np.average(F[model.labels_ == c], 0, WEIGHT[model.labels_ == c]) for c in range(3)]
    )
    squared = ((F[:, None] - means) ** 2).sum(axis=2)
    assert (squared.argmin(axis=1) == model.labels_).all()
    left_out = KERNEL(X).diagonal() - (F**2).sum(axis=1)
    inertia = WEIGHT @ (squared.min(axis=1) + left_out)
    assert model.inertia_ == pytest.approx(inertia, rel=1e-8)


def test_linear_kernel_of_a_source():
    model = KernelKMeans(3, kernel="linear", centers=20, random_state=0).fit(scan(blocks(X)))
    assert adjusted_rand_score(model.labels_, TRUE) > 0.95
    assert isinstance(model.kernel_, Linear)


def test_sets_have_clusters_on_centers():
    sets = [{letter, letter * 2, letter * 3, letter + str(i)} for letter in "ab" for i in range(40)]
    model = KernelKMeans(2, kernel=Jaccard(), centers=8, n_init=10, random_state=0).fit(sets)
    assert adjusted_rand_score(model.labels_, np.repeat([0, 1], 40)) == 1.0


def test_rows_without_weight_have_labels():
    weight = np.ones(N)
    weight[::3] = 0.0
    model = KernelKMeans(3, kernel=KERNEL, centers=M, random_state=0).fit(X, sample_weight=weight)
    assert (model.labels_ == model.predict(X)).all()
    np.testing.assert_array_equal(model.X_fit_, X[model.support_])
    spectral = SpectralClustering(3, kernel=KERNEL, centers=M, random_state=0)
    spectral.fit(X, sample_weight=weight)
    np.testing.assert_allclose(spectral.embed(X), spectral.embedding_, atol=1e-10)
    assert len(spectral.labels_) == N


# -- spectral clustering ---------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_embedding_follows_the_formula(weight):
    model = SpectralClustering(3, kernel=KERNEL, centers=N, random_state=0)
    model.fit(X, sample_weight=weight)
    w = np.ones(N) if weight is None else weight
    K = KERNEL(X)
    degree = K @ w
    root = np.sqrt(w / degree)
    values, vectors = np.linalg.eigh(root[:, None] * K * root)
    np.testing.assert_allclose(model.eigenvalues_, 1 - values[::-1][:3], atol=1e-8)
    expected = vectors[:, ::-1][:, :3] / np.sqrt(w * degree)[:, None]
    signs = np.sign(np.sum(expected * model.embedding_, axis=0))
    np.testing.assert_allclose(model.embedding_, expected * signs, atol=1e-8)
    np.testing.assert_allclose(model.embed(X), model.embedding_, atol=1e-8)


@pytest.mark.parametrize("cut", ["kmeans", "cluster_qr", "discretize"])
def test_few_centers_find_the_clusters(cut):
    model = SpectralClustering(3, kernel=KERNEL, centers=40, random_state=0, assign_labels=cut)
    model.fit(scan(blocks(X)))
    assert adjusted_rand_score(model.labels_, TRUE) > 0.97
    assert (model.predict(X) == model.labels_).all()


def test_neighbors_have_no_centers():
    model = SpectralClustering(2, affinity="nearest_neighbors", centers=10)
    with pytest.raises(ParameterError, match="all pairs"):
        model.fit(X)


# -- all -------------------------------------------------------------------------------------------

MODELS = [
    KernelPCA(2, kernel=KERNEL, centers=30, random_state=0),
    KernelKMeans(3, kernel=KERNEL, centers=30, random_state=0),
    SpectralClustering(3, kernel=KERNEL, centers=30, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_models_are_stored(model, tmp_path):
    model.fit(X)
    mercer.save(model, tmp_path / "model.mercer")
    loaded = mercer.load(tmp_path / "model.mercer")
    method = "transform" if hasattr(model, "transform") else "embed"
    np.testing.assert_array_equal(getattr(loaded, method)(NEW), getattr(model, method)(NEW))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_bad_values_are_named(model):
    bad = X.copy()
    bad[200, 1] = np.nan
    with pytest.raises(NotFiniteError, match=r"row 200 \(block 2\)"):
        model.fit(scan(blocks(bad)))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_many_rows_take_centers_by_themselves(model, monkeypatch):
    monkeypatch.setattr("mercer.gram.plan._EXACT_WORK", 1.0)
    monkeypatch.setattr("mercer.estimators.centers.data._FEW", 10)
    with mercer.config_context(memory_budget="1 MB"):
        model.set_params(centers="auto").fit(X)
    assert model.report_.plan.startswith("Nyström, 144 of 300 rows")


# -- discriminants ---------------------------------------------------------------------------------


@pytest.mark.parametrize("weight", [None, WEIGHT])
@pytest.mark.parametrize("labels", [TRUE, TRUE == 1])
def test_discriminants_of_all_rows_are_the_exact_ones(labels, weight):
    y = np.where(rng.random(N) < 0.1, labels[::-1], labels)
    exact = KernelDiscriminant(0.3, kernel=KERNEL, centers="all").fit(X, y, weight)
    model = KernelDiscriminant(0.3, kernel=KERNEL, centers=N).fit(X, y, weight)
    np.testing.assert_allclose(model.predict_proba(NEW), exact.predict_proba(NEW), atol=1e-7)
    np.testing.assert_allclose(
        np.abs(model.transform(NEW)), np.abs(exact.transform(NEW)), rtol=1e-6, atol=1e-6
    )
    ratio = exact.explained_variance_ratio_
    np.testing.assert_allclose(model.explained_variance_ratio_, ratio, rtol=1e-7)


def test_discriminants_of_a_source_follow_the_formula():
    source = scan(X, TRUE, block_rows=70)
    model = KernelDiscriminant(0.3, kernel=KERNEL, centers=X[::6]).fit(source)
    F = whitened(model, X)
    F = F - F.mean(axis=0)
    means = np.array([F[c == TRUE].mean(axis=0) for c in range(3)])
    between = means.T @ means * 100
    shares = linalg.eigh(between, F.T @ F + 0.3 * np.eye(F.shape[1]), eigvals_only=True)[::-1][:2]
    separation = shares / (1 - shares)
    np.testing.assert_allclose(
        model.explained_variance_ratio_, separation / separation.sum(), rtol=1e-6
    )
    assert (model.predict(X) == TRUE).mean() > 0.97
