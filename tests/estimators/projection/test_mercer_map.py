"""Features from the eigenfunctions of a kernel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import RBF, Brownian, Jaccard, KernelRidge, Linear, MercerMap, Sigmoid, Wendland, errors


@parametrize_with_checks([MercerMap(RBF(length_scale=2.0))])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_inner_products_are_the_kernel(rng):
    X, Y = rng.standard_normal((30, 2)), rng.standard_normal((4, 2))
    phi = MercerMap(RBF()).fit(X)
    np.testing.assert_allclose(phi.transform(X) @ phi.transform(X).T, RBF()(X), atol=1e-12)
    np.testing.assert_allclose(phi.transform(Y) @ phi.transform(X).T, RBF()(Y, X), atol=1e-6)
    np.testing.assert_allclose((phi.transform(X) ** 2).mean(axis=0), phi.eigenvalues_, atol=1e-13)


def test_inner_products_are_those_of_nystroem(rng):
    X, Y = rng.standard_normal((30, 2)), rng.standard_normal((4, 2))
    theirs = Nystroem(gamma=0.5, n_components=30).fit(X).transform(Y)
    ours = MercerMap(RBF()).fit(X).transform(Y)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-6)


def test_eigenvalues_of_brownian_motion():
    """On [0, 1] with the uniform measure they are 1/((j − ½)π)²."""
    X = (np.arange(1000) + 0.5)[:, None] / 1000
    phi = MercerMap(Brownian(), n_components=3).fit(X)
    exact = [1 / ((j - 0.5) * math.pi) ** 2 for j in (1, 2, 3)]
    np.testing.assert_allclose(phi.eigenvalues_, exact, rtol=1e-5)
    sine = math.sqrt(2) * np.sin(0.5 * math.pi * X[:, 0])
    np.testing.assert_allclose(phi.transform(X)[:, 0] / math.sqrt(exact[0]), sine, atol=1e-4)


def test_a_ridge_on_the_features_is_kernel_ridge(rng):
    X, y = rng.standard_normal((30, 2)), rng.standard_normal(30)
    phi = MercerMap(RBF()).fit(X)
    model = Ridge(alpha=0.5, fit_intercept=False).fit(phi.transform(X), y)
    expected = KernelRidge(kernel=RBF(), alpha=0.5).fit(X, y).predict(X)
    np.testing.assert_allclose(model.predict(phi.transform(X)), expected, atol=1e-9)


def test_components(rng):
    X = rng.standard_normal((30, 2))
    assert MercerMap(Linear()).fit_transform(X).shape == (30, 2)  # all that are not 0
    assert MercerMap(RBF(), n_components=4).fit_transform(X).shape == (30, 4)
    names = MercerMap(RBF(), n_components=2).fit(X).get_feature_names_out()
    assert names.tolist() == ["mercermap0", "mercermap1"]
    sets = [{"a", "b"}, {"a"}, {"x", "y"}, {"y"}]
    assert MercerMap(Jaccard()).fit_transform(sets).shape == (4, 4)


@pytest.mark.parametrize("bad", [0, -1, 2.5, True, "all"])
def test_refused_numbers_of_components(rng, bad):
    with pytest.raises(errors.ParameterError, match="n_components"):
        MercerMap(RBF(), n_components=bad).fit(rng.standard_normal((5, 2)))


def test_an_indefinite_kernel_has_no_feature_map(rng):
    with pytest.raises(errors.DefinitenessError, match="eigenvalue"):
        MercerMap(Sigmoid(offset=-1.0)).fit(rng.standard_normal((20, 2)))


def test_a_kernel_of_unknown_definiteness_is_told(rng):
    X = rng.standard_normal((20, 8))
    with pytest.warns(errors.DefinitenessWarning, match=r"R\^8, as MercerMap needs it"):
        MercerMap(Wendland(3.0)).fit(X)


def test_weights_count_samples_several_times(rng):
    X, Y = rng.standard_normal((20, 2)), rng.standard_normal((4, 2))
    weight = rng.integers(0, 4, 20)
    ours = MercerMap(RBF(), n_components=8).fit(X, sample_weight=weight)
    expected = MercerMap(RBF(), n_components=8).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(ours.eigenvalues_, expected.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(ours.transform(Y), expected.transform(Y), rtol=1e-6, atol=1e-8)
    assert len(ours.centers_) == np.count_nonzero(weight)
    again = MercerMap(RBF(), n_components=8).fit(X, sample_weight=7.0 * weight)
    np.testing.assert_allclose(again.eigenvalues_, ours.eigenvalues_, rtol=1e-12)
    plain = MercerMap(RBF()).fit(X)
    same = MercerMap(RBF()).fit(X, sample_weight=np.ones(20))
    np.testing.assert_array_equal(plain.transform(Y), same.transform(Y))


def test_weights_make_the_features_orthogonal_in_their_measure(rng):
    X, weight = rng.standard_normal((20, 2)), rng.uniform(0.1, 3.0, 20)
    phi = MercerMap(RBF(), n_components=6).fit(X, sample_weight=weight)
    F = phi.transform(X)
    moments = F.T @ (weight[:, None] * F) / weight.sum()
    np.testing.assert_allclose(moments, np.diag(phi.eigenvalues_), atol=1e-13)


def test_weights_of_centers_that_are_drawn_or_given(rng):
    X, weight = rng.standard_normal((20, 2)), np.repeat([0.0, 2.0], 10)
    drawn = MercerMap(RBF(), centers=5, random_state=0).fit(X, sample_weight=weight)
    assert {tuple(row) for row in drawn.centers_} <= {tuple(row) for row in X[10:]}
    with pytest.warns(UserWarning, match="sample_weight.*is ignored: the centers are given"):
        given = MercerMap(RBF(), centers=X[:3]).fit(X, sample_weight=weight)
    np.testing.assert_array_equal(given.centers_, X[:3])
    sets = [{"a", "b"}, {"a"}, {"x", "y"}, {"y"}]
    assert len(MercerMap(Jaccard()).fit(sets, sample_weight=[1, 0, 2, 1]).centers_) == 3
    with pytest.raises(errors.ParameterError, match="sample_weight"):
        MercerMap(RBF()).fit(X, sample_weight=-weight)
