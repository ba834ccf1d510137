"""Approximate features: equal to scikit-learn's where the numbers are defined, or as close."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import kernel_approximation as theirs
from sklearn.metrics.pairwise import pairwise_kernels

import mercer
from mercer import (
    RBF,
    AdditiveChi2Sampler,
    Constant,
    Exponential,
    InverseMultiquadric,
    Laplacian,
    Linear,
    Matern,
    Nystroem,
    Periodic,
    Polynomial,
    PolynomialCountSketch,
    RationalQuadratic,
    RBFSampler,
    SkewedChi2Sampler,
    Spectrum,
    Stationary,
)
from mercer.errors import DomainError, InputTypeError, ParameterError
from mercer.kernels.vectors.stationary import normal_density


@pytest.fixture
def X(rng):
    return rng.random((120, 4))


# -- Nyström ---------------------------------------------------------------------------------------

NAMES = ["rbf", "linear", "poly", "sigmoid", "laplacian", "cosine", "chi2"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_nystroem_equals_scikit_learns(name, X):
    options = {"kernel": name, "n_components": 30, "random_state": 3}
    ours, own = Nystroem(**options).fit(X), theirs.Nystroem(**options).fit(X)
    np.testing.assert_array_equal(ours.component_indices_, own.component_indices_)
    np.testing.assert_array_equal(ours.components_, own.components_)
    z, Z = ours.transform(X), own.transform(X)
    np.testing.assert_allclose(z @ z.T, Z @ Z.T, atol=1e-8)


def test_nystroem_is_exact_on_the_centers_and_equals_the_formula(X):
    kernel = Matern(nu=2.5, length_scale=0.5)
    model = Nystroem(kernel, n_components=25, random_state=0).fit(X)
    Z, C = model.transform(X), model.components_
    k = kernel(X, C)
    np.testing.assert_allclose(Z @ Z.T, k @ np.linalg.solve(kernel(C), k.T), atol=1e-8)
    np.testing.assert_allclose(Z @ model.transform(C).T, k, atol=1e-8)


def test_all_samples_as_centers_give_the_kernel(X):
    Z = Nystroem(RBF(), n_components=120, random_state=0).fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, RBF()(X), atol=1e-8)
    with pytest.warns(UserWarning, match="more than the 120 samples"):
        assert Nystroem(RBF(), n_components=121).fit(X).transform(X).shape == (120, 120)


def test_what_the_report_says_of_the_error(X):
    few = Nystroem(RBF(0.3), n_components=10, random_state=0).fit(X)
    many = Nystroem(RBF(0.3), n_components=60, random_state=0).fit(X)
    assert many.report_.left_out < few.report_.left_out <= few.report_.left_out_most
    rest = np.delete(X, few.component_indices_, axis=0)
    left = 1.0 - (few.transform(rest) ** 2).sum(axis=1)
    assert few.report_.left_out == pytest.approx(left.mean())
    assert "10 of 120 samples, uniform" in few.report_.plan


@pytest.mark.parametrize("centers", ["uniform", "rpcholesky", "kmeans"])
def test_ways_to_choose_centers(centers, X):
    model = Nystroem(RBF(), n_components=20, centers=centers, random_state=0).fit(X)
    np.testing.assert_array_equal(model.components_, X[model.component_indices_])
    assert model.report_.left_out < 0.01


def test_given_centers_and_twice_the_same_one(X):
    C = np.concatenate([X[:10], X[:10]])
    model = Nystroem(RBF(), centers=C).fit(X)
    assert model.component_indices_ is None
    Z, once = model.transform(X), Nystroem(RBF(), centers=X[:10]).fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, once @ once.T, atol=1e-6)
    with pytest.raises(ParameterError, match="centers = 'leverage' must be"):
        Nystroem(centers="leverage").fit(X)


def test_precomputed_and_structured_samples(X):
    K = RBF()(X)
    matrix = Nystroem("precomputed", n_components=15, random_state=0).fit(K)
    samples = Nystroem(RBF(), n_components=15, random_state=0).fit(X)
    np.testing.assert_allclose(matrix.transform(K[:7]), samples.transform(X[:7]), atol=1e-8)
    assert matrix.report_.left_out == pytest.approx(samples.report_.left_out)
    words = ["ab" * (k % 5 + 1) + "c" * (k % 3) for k in range(30)]
    Z = Nystroem(Spectrum(2), n_components=8, centers="rpcholesky").fit_transform(words)
    np.testing.assert_allclose(Z @ Z.T, Spectrum(2)(words), atol=1e-6)


def test_blocks_single_precision_and_partial_fit(X, monkeypatch):
    whole = Nystroem(RBF(), n_components=20, random_state=0).fit(X)
    Z = whole.transform(X)
    np.testing.assert_array_equal(np.vstack(list(whole.transform_blocks(np.split(X, 4)))), Z)
    monkeypatch.setattr("mercer.estimators.features.nystroem._BLOCK", 17)
    np.testing.assert_allclose(whole.transform(X), Z, atol=1e-10)
    assert whole.transform(X.astype(np.float32)).dtype == np.float32
    model = Nystroem(RBF(), n_components=20, random_state=0).partial_fit(X[:60])
    first = model.transform(X)
    model.partial_fit(X[60:])
    assert model.n_samples_seen_ == 120
    np.testing.assert_array_equal(model.transform(X), first)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2])


def test_features_beyond_the_budget_name_the_remedy(X):
    model = Nystroem(RBF(), n_components=20).fit(X)
    with mercer.config_context(memory_budget=10_000), pytest.raises(MemoryError, match="blocks"):
        model.transform(X)


# -- Fourier ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [0.7, "scale"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, np.float32])
def test_plain_gaussian_features_equal_scikit_learns(gamma, make, X):
    options = {"gamma": gamma, "n_components": 50, "random_state": 1}
    Z = RBFSampler(**options).fit_transform(make(X))
    expected = theirs.RBFSampler(**options).fit_transform(make(X))
    assert Z.dtype == expected.dtype
    np.testing.assert_allclose(Z, expected, atol=1e-6 if make is np.float32 else 1e-12)


STATIONARY = [
    RBF(length_scale=[0.5, 1.0, 2.0, 1.0]),
    Matern(nu=0.5),
    Matern(nu=1.5, length_scale=0.7),
    Matern(nu=3.2),
    Matern(nu=np.inf),
    Exponential(length_scale=2.0),
    Laplacian(length_scale=[1.0, 2.0, 3.0, 4.0]),
    RationalQuadratic(length_scale=0.8, alpha=0.6),
    InverseMultiquadric(c=2.0),
    Periodic(period=0.9, length_scale=1.5),
    Stationary(normal_density, length_scale=2.0),
    0.5 * RBF() + 2.0 * Laplacian() + Constant(0.3),
    RBF().on([0, 1]) * Matern(nu=2.5).on([2, 3]),
]


@pytest.mark.parametrize("kernel", STATIONARY, ids=repr)
@pytest.mark.parametrize("method", ["plain", "orthogonal", "qmc"])
def test_features_of_stationary_kernels(kernel, method, X):
    count = 4001
    sampler = RBFSampler(kernel=kernel, method=method, n_components=count, random_state=0).fit(X)
    Z = sampler.transform(X)
    K = kernel(X)
    error = np.sqrt(np.mean((Z @ Z.T - K) ** 2))
    assert Z.shape == (120, count)
    # the standard deviation of a mean of products of two cosines is at most √(1.5 / count)
    assert error <= 1.3 * np.sqrt(1.5 / count) * K.max()


@pytest.mark.parametrize("kernel", [RBF(0.5), Matern(nu=1.5)], ids=repr)
@pytest.mark.parametrize("method", ["orthogonal", "qmc"])
def test_better_frequencies_have_a_smaller_error(kernel, method, X):
    def error(how):
        errors = []
        for seed in range(5):
            sampler = RBFSampler(kernel=kernel, method=how, n_components=128, random_state=seed)
            Z = sampler.fit_transform(X)
            errors.append(np.mean((Z @ Z.T - kernel(X)) ** 2))
        return np.mean(errors)

    assert error(method) < 0.7 * error("plain")


def test_kernels_without_a_spectral_density(X):
    for kernel in (Linear(), RBF() + Linear(), -1.0 * RBF()):
        with pytest.raises(ParameterError, match="spectral density"):
            RBFSampler(kernel=kernel).fit(X)
    with pytest.raises(ParameterError, match="must be a mercer kernel"):
        RBFSampler(kernel="rbf").fit(X)


# -- sketches and χ² -------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [1, 2, 4])
@pytest.mark.parametrize("coef0", [0.0, 1.5])
@pytest.mark.parametrize("count", [50, 51])
def test_count_sketches_equal_scikit_learns(degree, coef0, count, X):
    options = {"degree": degree, "coef0": coef0, "gamma": 0.6, "n_components": count}
    expected = theirs.PolynomialCountSketch(**options, random_state=2).fit_transform(X)
    for samples in (X, sp.csr_array(X)):
        Z = PolynomialCountSketch(**options, random_state=2).fit_transform(samples)
        np.testing.assert_allclose(Z, expected, atol=1e-10)


def test_the_sketch_of_a_kernel(X):
    kernel = Polynomial(degree=2, scale=0.5, offset=1.0)
    Z = PolynomialCountSketch.from_kernel(kernel, 3000, random_state=0).fit_transform(X)
    assert np.abs(Z @ Z.T - kernel(X)).max() < 0.3
    with pytest.raises(ParameterError, match="must be a Polynomial"):
        PolynomialCountSketch.from_kernel(RBF())
    with pytest.raises(ParameterError, match="is negative"):
        PolynomialCountSketch(coef0=-1.0).fit(X)


def test_chi_squared_features_equal_scikit_learns(X):
    X[3, 2] = 0.0
    for options in ({}, {"sample_steps": 3}, {"sample_steps": 4, "sample_interval": 0.3}):
        ours, own = AdditiveChi2Sampler(**options), theirs.AdditiveChi2Sampler(**options)
        expected = own.fit_transform(X)
        np.testing.assert_allclose(ours.fit_transform(X), expected, atol=1e-12)
        sparse = ours.fit_transform(sp.csr_array(X))
        np.testing.assert_allclose(sparse.toarray(), expected, atol=1e-12)
        assert list(ours.get_feature_names_out()) == list(own.get_feature_names_out())
    kernel = -pairwise_kernels(X, metric="additive_chi2")  # Σ (x − y)²/(x + y)
    sums = X.sum(axis=1)
    exact = 0.5 * (sums[:, None] + sums - kernel)
    Z = AdditiveChi2Sampler(sample_steps=3).fit_transform(X)
    assert np.abs(Z @ Z.T - exact).max() < 0.2
    with pytest.raises(ParameterError, match="sample_interval"):
        AdditiveChi2Sampler(sample_steps=5).fit(X)


def test_skewed_features_equal_scikit_learns(X):
    options = {"skewedness": 0.3, "n_components": 40, "random_state": 0}
    expected = theirs.SkewedChi2Sampler(**options).fit_transform(X)
    np.testing.assert_allclose(SkewedChi2Sampler(**options).fit_transform(X), expected, atol=1e-12)
    X[5, 1] = -0.4
    with pytest.raises(DomainError, match=r"X\[5, 1\] = -0\.4 must be above"):
        SkewedChi2Sampler(**options).fit(X).transform(X)


@pytest.mark.parametrize("centers", ["uniform", "rpcholesky"])
def test_nystroem_of_a_source(centers):
    X = np.random.default_rng(0).standard_normal((3000, 3))
    rows = mercer.scan(X, block_rows=500)
    model = mercer.Nystroem(mercer.RBF(), n_components=30, centers=centers, random_state=0)
    model.fit(rows)
    np.testing.assert_array_equal(model.components_, X[model.component_indices_])
    assert model.report_.plan == f"Nyström, 30 of 3000 samples, {centers}"
    assert model.n_samples_seen_ == 3000
    Z = np.vstack(list(model.transform_blocks(rows)))
    np.testing.assert_allclose(Z, model.transform(X), atol=1e-10)


def test_other_learners_have_no_sources():
    rows = mercer.scan(np.zeros((10, 2)))
    with pytest.raises(InputTypeError, match="learners with centers"):
        mercer.KernelDensity(kernel=mercer.RBF()).fit(rows)
