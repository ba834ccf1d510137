"""Gaussian process regression against scikit-learn's, against its definition, and against bad
input.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.gaussian_process as theirs
import sklearn.gaussian_process.kernels as sk
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    RBF,
    GaussianProcessRegressor,
    Jaccard,
    Linear,
    Matern,
    NegativeDistance,
    RationalQuadratic,
    White,
    config_context,
    errors,
)


@parametrize_with_checks([GaussianProcessRegressor(1.0 * RBF() + 0.1 * White(), normalize_y=True)])
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def data(n: int = 60, d: int = 3, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return (
        X,
        np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.standard_normal(n),
        rng.standard_normal((15, d)),
    )


SAME = [
    (1.5 * RBF(length_scale=[1.0, 2.0, 3.0]), sk.ConstantKernel(1.5) * sk.RBF([1.0, 2.0, 3.0])),
    (Matern(nu=0.5, length_scale=0.7), sk.Matern(nu=0.5, length_scale=0.7)),
    (Matern(nu=1.5, length_scale=[0.7, 1.0, 2.0]), sk.Matern(nu=1.5, length_scale=[0.7, 1.0, 2.0])),
    (Matern(nu=2.5), sk.Matern(nu=2.5)),
    (RBF() + 0.3 * White(), sk.RBF() + sk.WhiteKernel(0.3)),
]


@pytest.mark.parametrize(("ours", "peer"), SAME, ids=lambda k: repr(k)[:40])
def test_likelihood_gradient_mean_and_deviation(ours, peer):
    X, y, Z = data()
    a = GaussianProcessRegressor(ours, alpha=1e-2, optimizer=None).fit(X, y)
    b = theirs.GaussianProcessRegressor(peer, alpha=1e-2, optimizer=None).fit(X, y)
    assert a.log_marginal_likelihood_value_ == pytest.approx(
        b.log_marginal_likelihood_value_, rel=1e-8
    )
    for u, v in zip(a.predict(Z, return_std=True), b.predict(Z, return_std=True), strict=True):
        np.testing.assert_allclose(u, v, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(
        a.predict(Z, return_cov=True)[1], b.predict(Z, return_cov=True)[1], atol=1e-10
    )
    np.testing.assert_allclose(a.L_, b.L_, atol=1e-10)
    np.testing.assert_allclose(a.alpha_, b.alpha_, rtol=1e-8, atol=1e-8)
    theta = b.kernel_.theta
    (value, slope), (value_b, slope_b) = (
        a.log_marginal_likelihood(theta, True),
        b.log_marginal_likelihood(theta, True),
    )
    assert value == pytest.approx(value_b, rel=1e-8)
    np.testing.assert_allclose(np.sort(slope), np.sort(slope_b), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("columns", [1, 2])
def test_the_same_optimum(columns):
    X, y, Z = data(80)
    Y = y if columns == 1 else np.column_stack([y, 5 + 2 * np.cos(X[:, 0])])
    a = GaussianProcessRegressor(
        1.0 * RBF(length_scale=np.ones(3)) + 0.1 * White(), normalize_y=True
    ).fit(X, Y)
    b = theirs.GaussianProcessRegressor(
        sk.ConstantKernel() * sk.RBF(np.ones(3)) + sk.WhiteKernel(0.1), normalize_y=True
    ).fit(X, Y)
    c = GaussianProcessRegressor(
        sk.ConstantKernel() * sk.RBF(np.ones(3)) + sk.WhiteKernel(0.1), normalize_y=True
    ).fit(X, Y)
    for other in (b, c):
        assert a.log_marginal_likelihood_value_ == pytest.approx(
            other.log_marginal_likelihood_value_, rel=1e-6
        )
        for u, v in zip(
            a.predict(Z, return_std=True), other.predict(Z, return_std=True), strict=True
        ):
            np.testing.assert_allclose(u, v, atol=1e-3)
    np.testing.assert_allclose(c.kernel_.theta, b.kernel_.theta, atol=2e-3)


def test_the_evidence_is_a_density():
    X, y, _ = data(12)
    k = 2.0 * RBF(length_scale=0.5)
    noise = np.linspace(0.01, 0.3, 12)
    model = GaussianProcessRegressor(k, alpha=noise, optimizer=None).fit(X, y)
    assert model.log_marginal_likelihood_value_ == pytest.approx(
        multivariate_normal.logpdf(y, np.zeros(12), k(X) + np.diag(noise))
    )


@pytest.mark.parametrize(
    "kernel",
    [
        RBF() + Linear(),
        RationalQuadratic() * RBF(length_scale=[1.0, 2.0, 1.0]),
        (RBF() + 0.5).exp(),
    ],
    ids=repr,
)
def test_gradients_are_differences(kernel):
    X, y, _ = data(25)
    model = GaussianProcessRegressor(kernel, alpha=0.05, optimizer=None).fit(X, y)
    theta = model._posterior.parameters.theta
    _, slope = model.log_marginal_likelihood(theta, True)
    for i in range(len(theta)):
        step = np.zeros(len(theta))
        step[i] = 1e-5
        up, down = (
            model.log_marginal_likelihood(theta + step),
            model.log_marginal_likelihood(theta - step),
        )
        assert slope[i] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-5)


def test_leave_one_out_is_leaving_one_out():
    X, y, _ = data(20)
    Y = np.column_stack([y, 3 * y + 1])
    for target in (y, Y):
        model = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None).fit(X, target)
        mean, std, density = model.leave_one_out()
        for i in (0, 7):
            rest = np.arange(20) != i
            m, s = clone(model).fit(X[rest], target[rest]).predict(X[i : i + 1], return_std=True)
            noisy = np.sqrt(s**2 + 0.1)
            np.testing.assert_allclose(mean[i], m[0], atol=1e-10)
            np.testing.assert_allclose(std[i], noisy[0], atol=1e-10)
            expected = (
                -0.5 * np.log(2 * np.pi * noisy[0] ** 2)
                - 0.5 * (target[i] - m[0]) ** 2 / noisy[0] ** 2
            )
            np.testing.assert_allclose(density[i], expected, atol=1e-9)


def test_restarts_find_a_better_optimum_and_reproduce():
    X, y, _ = data(40)
    far = 1.0 * RBF(length_scale=5e3) + 1.0 * White()
    alone = GaussianProcessRegressor(far).fit(X, y)
    models = [
        GaussianProcessRegressor(far, n_restarts_optimizer=4, random_state=3).fit(X, y)
        for _ in range(2)
    ]
    assert models[0].log_marginal_likelihood_value_ >= alone.log_marginal_likelihood_value_ - 1e-6
    assert repr(models[0].kernel_) == repr(models[1].kernel_)


def test_fixed_and_bounded_parameters():
    X, y, _ = data(40)
    model = GaussianProcessRegressor(2.0 * RBF(), alpha=0.1, fixed=["factor"]).fit(X, y)
    assert model.kernel_.get_params()["factor"] == 2.0
    with pytest.warns(ConvergenceWarning, match=r"kernel__length_scale is at its bound.*widen"):
        tight = GaussianProcessRegressor(
            2.0 * RBF(length_scale=0.2), alpha=0.1, bounds={"kernel__length_scale": (0.1, 0.3)}
        ).fit(X, y)
    assert tight.report_.at_bounds == ("kernel__length_scale",)
    assert "at their bounds" in str(tight.report_)
    for options in ({"fixed": ["length"]}, {"bounds": {"length": (1, 2)}}, {"bounds": (2.0, 1.0)}):
        with pytest.raises(ValueError, match=r"fixed|bounds"):
            GaussianProcessRegressor(2.0 * RBF(), **options).fit(X, y)


def test_draws_have_the_mean_and_the_deviation():
    X, y, Z = data(30)
    model = GaussianProcessRegressor(RBF(), alpha=0.01, optimizer=None).fit(X, y)
    drawn = model.sample_y(Z, 4000, random_state=1)
    mean, std = model.predict(Z, return_std=True)
    assert drawn.shape == (15, 4000)
    np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=5 * std.max() / np.sqrt(4000) + 1e-6)
    np.testing.assert_allclose(drawn.std(axis=1), std, atol=0.05)
    assert GaussianProcessRegressor(RBF(), n_targets=2).sample_y(Z, 3).shape == (15, 2, 3)


def test_before_a_fit_there_is_the_prior():
    _, _, Z = data()
    k = 3.0 * RBF()
    mean, std = GaussianProcessRegressor(k).predict(Z, return_std=True)
    assert (mean == 0).all() and np.allclose(std, np.sqrt(3.0))
    np.testing.assert_allclose(GaussianProcessRegressor(k).predict(Z, return_cov=True)[1], k(Z))


def test_sets_expressions_and_search():
    X, y, _ = data(40)
    sets = [frozenset(np.flatnonzero(row > 0)) | {"x"} for row in X]
    model = GaussianProcessRegressor(1.0 * Jaccard() + 0.1 * White()).fit(sets, y)
    mean, std = model.predict(sets[:5], return_std=True)
    assert np.isfinite(mean).all() and (std > 0).all()
    assert cross_val_score(GaussianProcessRegressor(Jaccard(), alpha=0.1), sets, y, cv=3).shape == (
        3,
    )
    named = GaussianProcessRegressor("RBF(length_scale=2.0)", alpha=0.1).fit(X, y)
    assert named.kernel_.length_scale != 2.0
    search = GridSearchCV(
        GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None),
        {"kernel__length_scale": [0.01, 1.0]},
        cv=3,
    ).fit(X, y)
    assert search.best_params_ == {"kernel__length_scale": 1.0}


def test_duplicates_without_noise_are_told():
    X = np.array([[0.0], [0.0], [1.0]])
    with pytest.warns(UserWarning, match="alpha.*added to the diagonal"):
        model = GaussianProcessRegressor(RBF(), alpha=0.0, optimizer=None).fit(X, [1.0, 1.0, 2.0])
    assert model.report_.jitter > 0 and "jitter" in str(model.report_)


def test_legal_oddities():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = GaussianProcessRegressor(RBF(), optimizer=None).fit([[1.0]], [2.0])
        assert one.predict([[1.0]])[0] == pytest.approx(2.0)
        same = GaussianProcessRegressor(RBF(), alpha=0.1, normalize_y=True, optimizer=None).fit(
            [[0.0], [1.0]], [5.0, 5.0]
        )
        np.testing.assert_allclose(same.predict([[0.5]]), 5.0)


@pytest.mark.parametrize(
    ("model", "error", "match"),
    [
        (GaussianProcessRegressor(NegativeDistance()), errors.DefinitenessError, "cpd"),
        (GaussianProcessRegressor(3), ValueError, "is not a kernel"),
        (GaussianProcessRegressor(alpha=np.ones(7)), ValueError, "alpha must be a scalar"),
        (GaussianProcessRegressor(alpha=-1.0), ValueError, "alpha"),
        (GaussianProcessRegressor(n_targets=3), ValueError, "n_targets"),
        (GaussianProcessRegressor("RBF(length=2)"), ValueError, "length"),
    ],
    ids=lambda v: repr(v)[:50],
)
def test_refusals(model, error, match):
    X, y, _ = data(10)
    with pytest.raises(error, match=match):
        model.fit(X, y)


def test_refused_data():
    X, y, _ = data(10)
    for bad in (np.full(10, np.nan), y[:5]):
        with pytest.raises(ValueError):
            GaussianProcessRegressor(RBF()).fit(X, bad)
    with config_context(memory_budget=100), pytest.raises(errors.MemoryBudgetError):
        GaussianProcessRegressor(RBF()).fit(X, y)
    with pytest.raises(RuntimeError, match="At most one"):
        GaussianProcessRegressor(RBF()).fit(X, y).predict(X, return_std=True, return_cov=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("n", "d", "start", "least"), [(60, 1, 5.0, 500), (200, 2, 5.0, 1500)])
def test_the_first_steps_do_not_throw_parameters_away(n, d, start, least):
    X = np.random.default_rng(0).uniform(-3, 3, (n, d))
    model = GaussianProcessRegressor(1.0 * RBF(length_scale=start), alpha=1e-10).fit(
        X, np.sin(X).sum(axis=1)
    )
    assert model.log_marginal_likelihood_value_ > least
