"""Mean functions, and priors of the parameters, of Gaussian processes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression

from mercer import RBF, GaussianProcessClassifier, GaussianProcessRegressor, White, errors

X = np.random.default_rng(0).uniform(-2, 2, (40, 2))
Z = np.random.default_rng(1).uniform(-2, 2, (9, 2))
y = np.sin(2 * X[:, 0]) + 3 * X[:, 1] + 0.1 * np.random.default_rng(2).standard_normal(40)


def trend(X):
    return 3 * X[:, 1]


@pytest.mark.parametrize("method", ["exact", "sparse", "iterative"])
@pytest.mark.parametrize("normalize_y", [False, True])
def test_a_mean_function_is_taken_away_and_put_back(method, normalize_y):
    options = {"alpha": 0.01, "optimizer": None, "method": method, "normalize_y": normalize_y}
    model = GaussianProcessRegressor(RBF(), mean=trend, **options).fit(X, y)
    plain = GaussianProcessRegressor(RBF(), **options).fit(X, y - trend(X))
    np.testing.assert_allclose(model.predict(Z), plain.predict(Z) + trend(Z), atol=1e-9)
    np.testing.assert_allclose(
        model.predict(Z, return_std=True)[1], plain.predict(Z, return_std=True)[1], atol=1e-9
    )
    assert model.log_marginal_likelihood_value_ == pytest.approx(
        plain.log_marginal_likelihood_value_
    )
    if method == "exact":
        np.testing.assert_allclose(model.leave_one_out()[0], plain.leave_one_out()[0] + trend(X))


def test_a_regressor_is_fitted_first():
    line = LinearRegression()
    model = GaussianProcessRegressor(RBF(), alpha=0.01, optimizer=None, mean=line).fit(X, y)
    assert not hasattr(line, "coef_") and hasattr(model.mean_, "coef_")
    far = np.array([[100.0, 100.0]])
    np.testing.assert_allclose(model.predict(far), line.fit(X, y).predict(far))


def test_several_targets_have_means_of_their_own():
    Y = np.column_stack([y, -2 * y + 1])
    model = GaussianProcessRegressor(
        RBF(), alpha=0.01, optimizer=None, mean=LinearRegression()
    ).fit(X, Y)
    both = [
        GaussianProcessRegressor(RBF(), alpha=0.01, optimizer=None, mean=LinearRegression())
        .fit(X, t)
        .predict(Z)
        for t in Y.T
    ]
    np.testing.assert_allclose(model.predict(Z), np.column_stack(both), atol=1e-9)
    shared = GaussianProcessRegressor(RBF(), alpha=0.01, optimizer=None, mean=trend).fit(X, Y)
    assert shared.predict(Z).shape == (9, 2)


def test_a_mean_of_the_wrong_length_is_refused():
    with pytest.raises(errors.ShapeError, match="mean"):
        GaussianProcessRegressor(RBF(), alpha=0.01, mean=lambda X: np.zeros(3)).fit(X, y)


def test_a_sharp_prior_decides_and_none_does_not():
    kernel = 1.0 * RBF() + 0.1 * White()
    free = GaussianProcessRegressor(kernel, alpha=0.0).fit(X, y)
    same = GaussianProcessRegressor(kernel, alpha=0.0, priors={}).fit(X, y)
    assert same.log_marginal_likelihood_value_ == free.log_marginal_likelihood_value_
    held = GaussianProcessRegressor(
        kernel, alpha=0.0, priors={"k1__kernel__length_scale": stats.norm(0.5, 1e-3)}
    ).fit(X, y)
    assert held.kernel_.get_params()["k1__kernel__length_scale"] == pytest.approx(0.5, abs=0.02)
    assert held.log_marginal_likelihood_value_ < free.log_marginal_likelihood_value_


def test_the_optimum_is_that_of_evidence_and_prior():
    prior = stats.gamma(3.0, scale=0.4)
    model = GaussianProcessRegressor(RBF(), alpha=0.05, priors={"length_scale": prior}).fit(X, y)
    found = np.log(model.kernel_.length_scale)

    def objective(theta):
        return model.log_marginal_likelihood(np.array([theta])) + prior.logpdf(np.exp(theta))

    assert abs(objective(found + 1e-3) - objective(found - 1e-3)) / 2e-3 < 1e-2
    labels = GaussianProcessClassifier(RBF(), priors={"length_scale": stats.norm(0.7, 1e-3)}).fit(
        X, y > 0
    )
    assert labels.kernel_.length_scale == pytest.approx(0.7, abs=0.02)


def test_one_prior_serves_every_column():
    priors = {"length_scale": stats.norm(0.9, 1e-3), "length_scale[1]": stats.norm(0.9, 1e-3)}
    model = GaussianProcessRegressor(RBF(length_scale=[1.0, 1.0]), alpha=0.05, priors=priors).fit(
        X, y
    )
    np.testing.assert_allclose(model.kernel_.length_scale, 0.9, atol=0.02)


@pytest.mark.parametrize("priors", [{"width": stats.norm()}, {"length_scale": 3.0}])
def test_senseless_priors_are_refused(priors):
    with pytest.raises(errors.ParameterError, match="priors"):
        GaussianProcessRegressor(RBF(), alpha=0.1, priors=priors).fit(X, y)


def test_a_prior_that_forbids_the_start_is_told():
    with pytest.raises(ValueError, match="no density"):
        GaussianProcessRegressor(
            RBF(), alpha=0.1, priors={"length_scale": stats.uniform(5.0, 1.0)}
        ).fit(X, y)
