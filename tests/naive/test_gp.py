"""The slow formulas of Bayesian models against integrals, against each other and against
scikit-learn.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from naive import gp as naive_gp


def points(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2, 2, (n, 2))


def gram(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    return np.asarray(Matern(nu=1.5)(X, Z))


@given(seed=st.integers(0, 1000), n=st.integers(1, 12), columns=st.integers(0, 5))
def test_the_weights_are_the_function_seen_otherwise(seed, n, columns):
    rng = np.random.default_rng(seed)
    Phi, y, alpha, noise = (
        rng.standard_normal((n, columns)),
        rng.standard_normal(n),
        rng.uniform(0.1, 3, columns),
        rng.uniform(0.1, 1, n),
    )
    C = np.diag(noise) + (Phi / alpha) @ Phi.T
    assert naive_gp.rvm_evidence(Phi, y, alpha, noise) == pytest.approx(
        multivariate_normal.logpdf(y, np.zeros(n), C)
    )
    mean, covariance = naive_gp.rvm_posterior(Phi, y, alpha, noise)
    cross = (Phi / alpha).T
    np.testing.assert_allclose(mean, cross @ np.linalg.solve(C, y), atol=1e-10)
    np.testing.assert_allclose(
        covariance, np.diag(1 / alpha) - cross @ np.linalg.solve(C, cross.T), atol=1e-10
    )


def test_an_infinite_precision_is_no_column(rng):
    Phi, y = rng.standard_normal((8, 3)), rng.standard_normal(8)
    left_out = naive_gp.rvm_evidence(Phi, y, np.array([1.0, np.inf, 2.0]), 0.3)
    assert left_out == pytest.approx(
        naive_gp.rvm_evidence(Phi[:, [0, 2]], y, np.array([1.0, 2.0]), 0.3)
    )


def test_one_logistic_weight_against_the_integral(rng):
    Phi = 0.5 * rng.standard_normal((60, 1))
    label = (rng.random(60) < naive_gp.sigmoid(Phi[:, 0])).astype(float)
    alpha = np.array([2.0])
    found = naive_gp.rvm_laplace(Phi, label, alpha)

    def joint(w: float) -> float:
        f = Phi[:, 0] * w
        return float(
            np.exp(label @ f - np.logaddexp(0, f).sum() - 0.5 * alpha[0] * w * w)
            * np.sqrt(alpha[0] / (2 * np.pi))
        )

    total, first, second = (quad(lambda w: w**k * joint(w), -8, 8, epsabs=0)[0] for k in range(3))
    assert found.evidence == pytest.approx(np.log(total), abs=0.01)  # Laplace's error, of order 1/n
    assert found.mean[0] == pytest.approx(first / total, abs=0.02)
    assert found.covariance[0, 0] == pytest.approx(second / total - (first / total) ** 2, rel=0.02)
    slope = naive_gp.differences(lambda w: np.log(joint(w[0])), found.mean)
    np.testing.assert_allclose(slope, 0.0, atol=1e-8)
    mean, covariance = naive_gp.rvm_posterior(Phi, found.target, alpha, 1 / found.curvature)
    np.testing.assert_allclose(mean, found.mean)
    np.testing.assert_allclose(covariance, found.covariance)


def test_separable_labels_have_a_mode():
    found = naive_gp.rvm_laplace(np.array([[-1e3], [1e3]]), np.array([0.0, 1.0]), np.array([1e-2]))
    assert np.isfinite(found.evidence) and found.mean[0] > 0


@given(seed=st.integers(0, 1000), n=st.integers(2, 15), several=st.booleans())
def test_more_inducing_points_raise_the_bound_up_to_the_evidence(seed, n, several):
    rng = np.random.default_rng(seed)
    X, y, noise = (
        points(n, seed),
        rng.standard_normal((n, 2) if several else n),
        rng.uniform(0.05, 1, n),
    )
    K = gram(X, X)
    bounds = [naive_gp.titsias_bound(K, K[:, :m], K[:m, :m], noise, y) for m in range(1, n + 1)]
    assert (np.diff(bounds) > -1e-8).all()
    assert bounds[-1] == pytest.approx(naive_gp.log_normal(y, K + np.diag(noise)), abs=1e-8)


def test_all_inducing_points_predict_like_the_exact_process(rng):
    X, Z, y, noise = points(15), points(6, 1), rng.standard_normal(15), rng.uniform(0.05, 1, 15)
    K, C, cross = gram(X, X), gram(X, X) + np.diag(noise), gram(Z, X)
    mean, covariance = naive_gp.titsias_predict(K, K, noise, y, cross, gram(Z, Z))
    np.testing.assert_allclose(mean, cross @ np.linalg.solve(C, y), atol=1e-10)
    np.testing.assert_allclose(
        covariance, gram(Z, Z) - cross @ np.linalg.solve(C, cross.T), atol=1e-10
    )


def test_two_functions_are_one_with_twice_the_covariance():
    X, Z = points(20), points(5, 1)
    label = (X[:, 0] + 0.5 * np.sin(9 * X[:, 1]) > 0).astype(int)
    K = 0.7 * gram(X, X)
    found = naive_gp.multinomial_laplace(K, label, 2)
    theirs = GaussianProcessClassifier(ConstantKernel(1.4) * Matern(nu=1.5), optimizer=None).fit(
        X, label
    )
    assert found.evidence == pytest.approx(theirs.log_marginal_likelihood_value_, rel=1e-8)
    mean, covariance = naive_gp.multinomial_latent(found, K, 0.7 * gram(Z, X), np.full(5, 0.7))
    probability = naive_gp.softmax_averaged(mean, covariance)
    np.testing.assert_allclose(
        probability, theirs.predict_proba(Z), atol=0.01
    )  # theirs approximates the integral


@given(seed=st.integers(0, 1000), classes=st.integers(2, 4), n=st.integers(1, 6))
def test_the_slope_vanishes_at_the_mode(seed, classes, n):
    rng = np.random.default_rng(seed)
    K, label = 3 * gram(points(n, seed), points(n, seed)), rng.integers(0, classes, n)
    found = naive_gp.multinomial_laplace(K, label, classes)
    np.testing.assert_allclose(found.mode, (found.indicator - found.probability) @ K, atol=1e-8)
    np.testing.assert_allclose(found.probability.sum(axis=0), 1.0)

    def likelihood(f: np.ndarray) -> float:
        return float(np.log(naive_gp.softmax(f.reshape(classes, n))[label, np.arange(n)]).sum())

    at = found.mode.ravel()
    np.testing.assert_allclose(
        naive_gp.differences(likelihood, at),
        (found.indicator - found.probability).ravel(),
        atol=1e-8,
    )
    second = [
        naive_gp.differences(lambda f: naive_gp.softmax(f.reshape(classes, n)).ravel()[i], at)
        for i in range(classes * n)
    ]
    np.testing.assert_allclose(second, found.W, atol=1e-8)


def test_three_classes_of_one_sample_against_drawing_from_the_prior(rng):
    K = np.array([[0.3]])
    found = naive_gp.multinomial_laplace(K, np.array([1]), 3)
    f = np.sqrt(K[0, 0]) * rng.standard_normal((3, 400_000))
    assert np.exp(found.evidence) == pytest.approx(
        naive_gp.softmax(f)[1].mean(), rel=0.02
    )  # 1/3, by symmetry
