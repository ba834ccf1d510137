"""What scikit-learn's Gaussian processes offer by name: theta, bounds, base_estimator_."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.gaussian_process as sg
import sklearn.gaussian_process.kernels as sk

import mercer
from mercer import RBF, GaussianProcessClassifier, GaussianProcessRegressor, Matern


@pytest.fixture
def data(rng):
    X = rng.uniform(-2, 2, (30, 2))
    return X, np.sin(X[:, 0]) + 0.1 * rng.standard_normal(30)


def test_theta_of_the_learned_kernel(data):
    kernel = 2.0 * RBF(length_scale=[1.0, 2.0]) + Matern()
    bounds = {"k1__kernel__length_scale": [(0.1, 10.0), (0.2, 20.0)]}
    model = GaussianProcessRegressor(kernel, alpha=0.1, bounds=bounds, fixed="k2__length_scale")
    model.fit(*data)
    theta = model.kernel_.theta
    assert model.log_marginal_likelihood(theta) == model.log_marginal_likelihood_value_
    assert isinstance(model.log_marginal_likelihood_value_, np.float64)
    assert isinstance(model.log_marginal_likelihood(theta), np.float64)
    np.testing.assert_allclose(model.kernel_.bounds[1:], np.log([[0.1, 10.0], [0.2, 20.0]]))
    found = {one.name: (one.n_elements, one.fixed) for one in model.kernel_.hyperparameters}
    assert found == {
        "k1__factor": (1, False),
        "k1__kernel__length_scale": (2, False),
        "k2__length_scale": (1, True),
    }
    model.log_marginal_likelihood(theta + 1.0, clone_kernel=False)
    np.testing.assert_allclose(model.kernel_.theta, theta + 1.0)


def test_theta_of_any_kernel():
    kernel = RBF(length_scale=2.0)
    assert kernel.theta == pytest.approx([np.log(2.0)])
    kernel.theta = [np.log(3.0)]
    assert kernel.length_scale == pytest.approx(3.0)
    assert kernel.bounds.shape == (1, 2)
    assert mercer.Linear().theta.shape == (0,)


@pytest.mark.parametrize("kernel", [1.0 * RBF(), 1.0 * sk.RBF()])
def test_classifiers_change_their_kernel_if_asked(data, kernel):
    X, y = data
    model = GaussianProcessClassifier(kernel).fit(X, y > 0)
    theta = model.kernel_.theta + 0.5
    value = model.log_marginal_likelihood(theta, clone_kernel=True)
    assert not np.allclose(model.kernel_.theta, theta)
    assert model.log_marginal_likelihood(theta, clone_kernel=False) == pytest.approx(value)
    np.testing.assert_allclose(model.kernel_.theta, theta)


def test_base_estimator(data):
    X, y = data
    ours = GaussianProcessClassifier(1.0 * sk.RBF(), optimizer=None)
    other = sg.GaussianProcessClassifier(1.0 * sk.RBF(), optimizer=None)
    assert not hasattr(ours, "base_estimator_")
    ours.fit(X, y > 0)
    other.fit(X, y > 0)
    for name in ("pi_", "W_sr_", "L_"):
        expected = getattr(other.base_estimator_, name)
        np.testing.assert_allclose(getattr(ours.base_estimator_, name), expected, atol=1e-6)
    ours.fit(X, np.digitize(y, [-0.3, 0.3]))
    assert len(ours.base_estimator_.estimators_) == 3
