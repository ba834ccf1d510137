"""Weights in Gaussian processes: a weight of 2 is the same row twice."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.gaussian_process import kernels as theirs
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from mercer import RBF, GaussianProcessClassifier, GaussianProcessRegressor, White

METHODS = ["exact", "sparse", "iterative"]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (30, 2))
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.2 * rng.standard_normal(30)
    weight = rng.integers(0, 4, 30)
    return X, y, weight, np.repeat(np.arange(30), weight), rng.uniform(-3, 3, (12, 2))


def both(model_of, data, targets=None):
    """The model of weighted rows, and that of repeated ones."""
    X, y, weight, rows, _ = data
    y = y if targets is None else targets
    weighted = model_of().fit(X, y, sample_weight=weight.astype(float))
    return weighted, model_of().fit(X[rows], y[rows])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kernel", [1.5 * RBF(1.2), 1.5 * RBF(1.2) + 0.1 * White()])
def test_regression_learns_the_same(data, method, kernel):
    def model_of():
        options = {"method": method, "n_inducing": 12, "normalize_y": True, "alpha": 0.01}
        return GaussianProcessRegressor(kernel, **options)

    weighted, repeated = both(model_of, data)
    np.testing.assert_allclose(weighted.kernel_.theta, repeated.kernel_.theta, atol=1e-3)
    ours, others = (m.predict(data[-1], return_std=True) for m in (weighted, repeated))
    np.testing.assert_allclose(ours, others, atol=1e-3)
    values = [m.log_marginal_likelihood_value_ for m in (weighted, repeated)]
    np.testing.assert_allclose(*values, atol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_the_evidence_and_its_gradient(data, method):
    kernel = 1.5 * RBF(1.2) + 0.1 * White()

    def model_of():
        options = {"optimizer": None, "n_inducing": 30, "alpha": 0.05}
        return GaussianProcessRegressor(kernel, method=method, **options)

    y = np.column_stack([data[1], data[1] ** 2])
    weighted, repeated = both(model_of, data, y)
    theta = weighted.kernel_.theta + np.array([0.1, -0.2, 0.3])
    value, gradient = weighted.log_marginal_likelihood(theta, eval_gradient=True)
    other, other_gradient = repeated.log_marginal_likelihood(theta, eval_gradient=True)
    np.testing.assert_allclose(value, other, rtol=1e-7)
    np.testing.assert_allclose(gradient, other_gradient, rtol=1e-4, atol=1e-4)
    numeric = approx_fprime(theta, weighted.log_marginal_likelihood, 1e-6)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-3)


def test_noise_of_each_sample_follows_its_row(data):
    X, y, weight, rows, Z = data
    alpha = np.linspace(0.05, 0.5, len(X))
    kernel = 1.0 * RBF()
    weighted = GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None)
    weighted.fit(X, y, sample_weight=weight)
    repeated = GaussianProcessRegressor(kernel, alpha=alpha[rows], optimizer=None)
    repeated.fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.predict(Z), repeated.predict(Z), atol=1e-9)
    # a fraction is an observation with more noise
    half = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None)
    half.fit(X, y, sample_weight=np.full(len(X), 0.5))
    noisier = GaussianProcessRegressor(kernel, alpha=0.2, optimizer=None).fit(X, y)
    np.testing.assert_allclose(half.predict(Z), noisier.predict(Z), atol=1e-12)


def test_a_mean_function_is_fitted_with_the_weights(data):
    def model_of():
        return GaussianProcessRegressor(
            1.0 * RBF(), alpha=0.1, mean=LinearRegression(), optimizer=None
        )

    weighted, repeated = both(model_of, data)
    np.testing.assert_allclose(weighted.predict(data[-1]), repeated.predict(data[-1]), atol=1e-9)
    model = GaussianProcessRegressor(1.0 * RBF(), mean=KNeighborsRegressor())
    with pytest.raises(ValueError, match="mean = KNeighborsRegressor"):
        model.fit(data[0], data[1], sample_weight=data[2])


def test_noise_that_cannot_be_told_apart_is_refused(data):
    class Own(theirs.RBF):
        def __call__(self, X, Y=None, eval_gradient=False):
            return super().__call__(X, Y, eval_gradient)

    X, y, weight, _, Z = data
    noisy = GaussianProcessRegressor(Own() + theirs.WhiteKernel(0.1), optimizer=None)
    with pytest.raises(ValueError, match="sample_weight should divide"):
        noisy.fit(X, y, sample_weight=weight)
    plain = GaussianProcessRegressor(Own(), alpha=0.1, optimizer=None)
    ours = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None)
    predictions = [m.fit(X, y, sample_weight=weight).predict(Z) for m in (plain, ours)]
    np.testing.assert_allclose(*predictions, atol=1e-9)


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one", "multinomial"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classification_learns_the_same(data, multi_class, n_classes):
    labels = np.digitize(data[1], [0.0, 0.8][: n_classes - 1])

    def model_of():
        return GaussianProcessClassifier(2.0 * RBF(1.2), multi_class=multi_class)

    weighted, repeated = both(model_of, data, labels)
    ours, others = weighted.predict_proba(data[-1]), repeated.predict_proba(data[-1])
    np.testing.assert_allclose(ours, others, atol=1e-3)
    values = [m.log_marginal_likelihood_value_ for m in (weighted, repeated)]
    np.testing.assert_allclose(*values, atol=1e-5)
    theta = np.log([3.0, 0.9])
    value, gradient = weighted.log_marginal_likelihood(theta, eval_gradient=True)
    other, other_gradient = repeated.log_marginal_likelihood(theta, eval_gradient=True)
    np.testing.assert_allclose(value, other, rtol=1e-8)
    np.testing.assert_allclose(gradient, other_gradient, rtol=1e-5, atol=1e-6)


def test_fractions_weigh_the_likelihood(data):
    X, y, _, _, _ = data
    labels = np.digitize(y, [0.0, 0.8])
    weight = np.random.default_rng(1).uniform(0.2, 2.0, len(X))
    model = GaussianProcessClassifier(2.0 * RBF(), multi_class="multinomial", optimizer=None)
    model.fit(X, labels, sample_weight=weight)
    theta = np.log([3.0, 0.9])
    _, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
    numeric = approx_fprime(theta, model.log_marginal_likelihood, 1e-6)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4)
