"""Sparse and iterative Gaussian process regression against the bound's definition, and against the
exact process.
"""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import gp as naive_gp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    RBF,
    GaussianProcessRegressor,
    Jaccard,
    Linear,
    Matern,
    Polynomial,
    RationalQuadratic,
    White,
    config_context,
    errors,
)


@parametrize_with_checks(
    [
        GaussianProcessRegressor(method="sparse", alpha=0.1, n_inducing=100),
        GaussianProcessRegressor(method="iterative", alpha=0.1, optimizer=None),
    ]
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def data(n: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    return (
        X,
        np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.standard_normal(n),
        rng.uniform(-3, 3, (12, 2)),
    )


def logarithms(kernel) -> np.ndarray:
    """Every positive continuous parameter, in the kernel's own order."""
    return np.log(
        np.concatenate([np.ravel(value) for value in kernel.continuous_params().values()])
    )


def moved(kernel, theta: np.ndarray):
    """A copy with other parameters."""
    made, values, start = clone(kernel), np.exp(theta), 0
    for name, value in kernel.continuous_params().items():
        size = np.size(value)
        made.set_params(
            **{name: values[start : start + size] if np.ndim(value) else float(values[start])}
        )
        start += size
    assert start == len(theta)
    return made


def sparse(kernel, m: int = 10, **options) -> GaussianProcessRegressor:
    return GaussianProcessRegressor(
        kernel, method="sparse", n_inducing=m, optimizer=None, **options
    )


FUNCTIONS = {  # the covariance of the function, without noise
    "rbf": 1.5 * RBF(length_scale=[0.7, 1.4]),
    "matern": Matern(nu=1.5, length_scale=0.8),
    "sum": 0.5 * RBF(length_scale=0.6) + 0.8 * Matern(nu=2.5, length_scale=[1.0, 2.0]),
    "product": 2.0 * (RBF(length_scale=1.5) * RationalQuadratic(length_scale=0.7)),
    "polynomial": Polynomial(degree=6, offset=1.0, scale=0.5),
    "linear in it": Matern(nu=0.5) + 0.4 * Linear(),
}
EACH = 0.02 + 0.3 * np.random.default_rng(5).random(40)
NOISES = {
    "white": (0.1, 0.0),
    "alpha": (None, 0.1),
    "each": (None, EACH),
    "white and each": (0.05, EACH),
}  # weight of White, alpha


def noisy(function, white):
    return function if white is None else function + white * White()


def bound_of(function, white, alpha, X, u, y) -> float:
    noise = np.asarray(alpha) + (0.0 if white is None else white)
    return naive_gp.titsias_bound(function(X), function(X, X[u]), function(X[u]), noise, y)


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_bound_its_gradient_and_predictions(name, noise):
    X, y, Z = data()
    function, (white, alpha) = FUNCTIONS[name], NOISES[noise]
    model = sparse(noisy(function, white), alpha=alpha).fit(X, y)
    u = model.inducing_
    assert u.shape == (10,) and len(np.unique(u)) == 10 and (u >= 0).all() and (u < 40).all()
    assert model.log_marginal_likelihood_value_ == pytest.approx(
        bound_of(function, white, alpha, X, u, y), rel=1e-7
    )
    assert model.log_marginal_likelihood() == model.log_marginal_likelihood_value_

    many = len(logarithms(function))

    def oracle(theta: np.ndarray) -> float:
        return bound_of(
            moved(function, theta[:many]),
            None if white is None else np.exp(theta[many]),
            alpha,
            X,
            u,
            y,
        )

    at = logarithms(noisy(function, white))
    for theta in (at, at + 0.2 * np.cos(np.arange(len(at)))):
        value, slope = model.log_marginal_likelihood(theta, eval_gradient=True)
        assert value == pytest.approx(oracle(theta), rel=1e-7)
        expected = naive_gp.differences(oracle, theta)
        np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
        assert model.log_marginal_likelihood(theta) == pytest.approx(value, rel=1e-12)

    total = np.asarray(alpha) + (white or 0.0)
    mean, covariance = naive_gp.titsias_predict(
        function(X, X[u]), function(X[u]), total, y, function(Z, X[u]), function(Z)
    )
    np.testing.assert_allclose(model.predict(Z), mean, rtol=1e-6, atol=1e-6)
    variance = np.diag(covariance) + (
        white or 0.0
    )  # as in the exact process, of which the next test assures itself
    np.testing.assert_allclose(model.predict(Z, return_std=True)[1], np.sqrt(variance), rtol=1e-6)
    covariance = covariance + (white or 0.0) * np.eye(len(Z))
    np.testing.assert_allclose(
        model.predict(Z, return_cov=True)[1],
        covariance,
        rtol=1e-6,
        atol=1e-6 * np.abs(covariance).max(),
    )


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("name", ["rbf", "matern", "sum", "product", "linear in it"])
@pytest.mark.parametrize("method", ["sparse", "iterative"])
def test_all_points_make_the_exact_process(name, noise, method):
    X, y, Z = data()
    white, alpha = NOISES[noise]
    kernel = noisy(FUNCTIONS[name], white)
    exact = GaussianProcessRegressor(kernel, alpha=alpha, optimizer=None, method="exact").fit(X, y)
    model = GaussianProcessRegressor(
        kernel, alpha=alpha, optimizer=None, method=method, n_inducing=100
    ).fit(X, y)
    if method == "sparse":
        assert sorted(model.inducing_) == list(range(40))
        assert model.log_marginal_likelihood_value_ == pytest.approx(
            exact.log_marginal_likelihood_value_, rel=1e-6
        )
    for u, v in zip(
        model.predict(Z, return_std=True), exact.predict(Z, return_std=True), strict=True
    ):
        np.testing.assert_allclose(u, v, atol=1e-6)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 25),
    m=st.integers(1, 30),
    width=st.floats(0.05, 5),
    noise=st.floats(1e-3, 2),
    white=st.booleans(),
    rough=st.booleans(),
)
def test_the_bound_is_below_the_evidence(seed, n, m, width, noise, white, rough):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(-2, 2, (n, 2)), rng.standard_normal(n)
    k = Matern(nu=0.5, length_scale=width) if rough else RBF(length_scale=width)
    model = sparse(k + noise * White() if white else k, m, alpha=0.0 if white else noise).fit(X, y)
    evidence = naive_gp.log_normal(y, k(X) + noise * np.eye(n))
    assert np.isfinite(model.log_marginal_likelihood_value_)
    assert model.log_marginal_likelihood_value_ <= evidence + 1e-6 * (1 + abs(evidence))
    assert len(model.inducing_) <= min(m, n)
    mean, std = model.predict(X, return_std=True)
    assert np.isfinite(mean).all() and np.isfinite(std).all()


def test_what_the_report_says():
    X, y, _ = data()
    model = sparse(RBF() + 0.1 * White(), alpha=0.0).fit(X, y)
    exact = GaussianProcessRegressor(RBF() + 0.1 * White(), alpha=0.0, optimizer=None).fit(X, y)
    assert np.isfinite([model.report_.bound, model.report_.likelihood]).all()
    assert model.report_.bound == pytest.approx(model.log_marginal_likelihood_value_)
    assert model.report_.bound <= model.report_.likelihood
    assert model.report_.likelihood == pytest.approx(exact.log_marginal_likelihood_value_, rel=1e-6)
    assert "inducing" in str(model.report_)


def test_learning_raises_the_bound_to_a_stationary_point():
    X, y, Z = data(80)
    kernel = 1.0 * RBF(length_scale=[1.0, 1.0]) + 0.5 * White()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = GaussianProcessRegressor(
            kernel, alpha=0.0, method="sparse", n_inducing=30, random_state=0
        ).fit(X, y)
    before = sparse(kernel, 30, alpha=0.0, random_state=0).fit(X, y)
    assert model.log_marginal_likelihood_value_ > before.log_marginal_likelihood_value_
    _, slope = model.log_marginal_likelihood(logarithms(model.kernel_), eval_gradient=True)
    np.testing.assert_allclose(slope, 0.0, atol=0.05)
    exact = GaussianProcessRegressor(kernel, alpha=0.0, method="exact").fit(X, y)
    assert model.log_marginal_likelihood_value_ <= exact.log_marginal_likelihood_value_ + 1e-6
    np.testing.assert_allclose(model.predict(Z), exact.predict(Z), atol=0.1)
    white = model.kernel_.continuous_params()["k2__factor"]
    assert 0.05**2 < white < 0.2**2  # 0.1² is the truth


@pytest.mark.parametrize("method", ["sparse", "iterative"])
def test_several_targets(method):
    X, y, Z = data()
    Y = np.column_stack([y, 4 + 3 * np.cos(X[:, 1]), -y])
    kernel = RBF(length_scale=0.8) + 0.1 * White()
    options = {
        "method": method,
        "n_inducing": 10,
        "optimizer": None,
        "random_state": 0,
        "alpha": 0.01,
    }
    model = GaussianProcessRegressor(kernel, **options).fit(X, Y)
    mean, std = model.predict(Z, return_std=True)
    assert mean.shape == std.shape == (12, 3)
    if method == "sparse":
        expected = bound_of(RBF(length_scale=0.8), 0.1, 0.01, X, model.inducing_, Y)
        assert model.log_marginal_likelihood_value_ == pytest.approx(expected, rel=1e-7)
    alone = [clone(model).fit(X, Y[:, j]).predict(Z, return_std=True) for j in range(3)]
    np.testing.assert_allclose(mean, np.column_stack([m for m, _ in alone]), atol=1e-6)
    np.testing.assert_allclose(std, np.column_stack([s for _, s in alone]), atol=1e-6)


@pytest.mark.parametrize("method", ["sparse", "iterative"])
def test_a_normalized_target(method):
    X, y, Z = data()
    y = 100 + 20 * y
    kernel = RBF(length_scale=0.8) + 0.1 * White()
    options = {
        "method": method,
        "n_inducing": 10,
        "optimizer": None,
        "random_state": 0,
        "alpha": 0.01,
    }
    model = GaussianProcessRegressor(kernel, normalize_y=True, **options).fit(X, y)
    plain = GaussianProcessRegressor(kernel, **options).fit(X, (y - y.mean()) / y.std())
    (mean, std), (mean_p, std_p) = (
        model.predict(Z, return_std=True),
        plain.predict(Z, return_std=True),
    )
    np.testing.assert_allclose(mean, y.mean() + y.std() * mean_p, rtol=1e-6)
    np.testing.assert_allclose(std, y.std() * std_p, rtol=1e-6)
    if method == "iterative":
        exact = GaussianProcessRegressor(
            kernel, alpha=0.01, optimizer=None, normalize_y=True, method="exact"
        ).fit(X, y)
        np.testing.assert_allclose(mean, exact.predict(Z), atol=1e-4)


def test_the_iterative_process_solves_closely():
    X, y, Z = data(300)
    kernel = 1.5 * RBF(length_scale=[0.5, 0.9])
    exact, model = (
        GaussianProcessRegressor(kernel, alpha=1e-3, optimizer=None, method=how).fit(X, y)
        for how in ("exact", "iterative")
    )
    for u, v in zip(
        model.predict(Z, return_std=True), exact.predict(Z, return_std=True), strict=True
    ):
        np.testing.assert_allclose(u, v, atol=1e-6)
    assert "iterative" in str(model.report_) or "conjugate" in str(model.report_)


def test_little_memory_means_few_inducing_points():
    n = 2000  # 32 MB of kernel values
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (n, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(n)
    model = GaussianProcessRegressor(RBF() + 0.01 * White(), n_inducing=30, optimizer=None)
    with config_context(memory_budget="8 MB", threads=1):
        tracemalloc.start()
        try:
            model.fit(X, y)
            mean = model.predict(X)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 16e6
    assert len(model.inducing_) <= 30
    assert "sparse" in str(model.report_) or "inducing" in str(model.report_)
    assert "memory" in str(model.report_) or "budget" in str(model.report_)
    assert np.sqrt(np.mean((mean - np.sin(2 * X[:, 0])) ** 2)) < 0.1
    small = GaussianProcessRegressor(RBF() + 0.01 * White(), optimizer=None).fit(X[:50], y[:50])
    assert "exact" in str(small.report_) and not hasattr(small, "inducing_")


def test_a_refit_forgets_the_other_method():
    X, y, Z = data()
    model = sparse(RBF(), alpha=0.1).fit(X, y)
    model.set_params(method="exact").fit(X, y)
    fresh = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None).fit(X, y)
    np.testing.assert_array_equal(model.predict(Z), fresh.predict(Z))
    again = model.set_params(method="sparse").fit(X, y).predict(Z)
    np.testing.assert_array_equal(again, sparse(RBF(), alpha=0.1).fit(X, y).predict(Z))


def test_two_fits_are_the_same_fit():
    X, y, Z = data()
    kernel = 1.0 * RBF() + 0.1 * White()
    models = [
        GaussianProcessRegressor(
            kernel, alpha=0.0, method="sparse", n_inducing=10, random_state=1
        ).fit(X, y)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(models[0].inducing_, models[1].inducing_)
    np.testing.assert_array_equal(models[0].predict(Z), models[1].predict(Z))


def test_draws_have_the_mean_and_the_deviation():
    X, y, Z = data()
    model = sparse(RBF(), alpha=0.05).fit(X, y)
    drawn = model.sample_y(Z, 4000, random_state=1)
    mean, std = model.predict(Z, return_std=True)
    np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=5 * std.max() / np.sqrt(4000))
    np.testing.assert_allclose(drawn.std(axis=1), std, atol=0.05)


def test_sets():
    rng = np.random.default_rng(0)
    sets = [
        frozenset(rng.choice(12, rng.integers(1, 8), replace=False).tolist()) for _ in range(40)
    ]
    y = np.array([len(s & {0, 1, 2, 3}) for s in sets], dtype=float)
    model = sparse(1.0 * Jaccard() + 0.1 * White(), 10, alpha=0.0).fit(sets, y)
    few = [sets[i] for i in model.inducing_]
    k = Jaccard()
    assert model.log_marginal_likelihood_value_ == pytest.approx(
        naive_gp.titsias_bound(k(sets), k(sets, few), k(few), 0.1, y), rel=1e-7
    )


# ---- Odd and bad input ----


def test_one_sample():
    for method in ("sparse", "iterative"):
        model = GaussianProcessRegressor(RBF(), alpha=0.1, method=method, optimizer=None).fit(
            [[1.0]], [2.0]
        )
        mean, std = model.predict([[1.0]], return_std=True)
        assert mean[0] == pytest.approx(2 / 1.1) and std[0] == pytest.approx(np.sqrt(1 - 1 / 1.1))


def test_samples_that_are_all_the_same():
    X, y = np.ones((20, 2)), np.linspace(0, 1, 20)
    model = sparse(RBF(), 10, alpha=0.1).fit(X, y)
    evidence = naive_gp.log_normal(y, np.ones((20, 20)) + 0.1 * np.eye(20))
    assert model.log_marginal_likelihood_value_ == pytest.approx(evidence, rel=1e-5)
    assert model.predict(X[:1])[0] == pytest.approx(y.sum() / 20.1, rel=1e-5)


def test_far_samples_keep_the_prior():
    X, y, _ = data()
    mean, std = sparse(2.0 * RBF(), alpha=0.1).fit(X, y).predict([[1e3, 1e3]], return_std=True)
    assert mean[0] == pytest.approx(0.0, abs=1e-12) and std[0] == pytest.approx(np.sqrt(2))


@pytest.mark.parametrize(
    "alpha",
    [0.0, np.zeros(40), np.where(np.arange(40) == 7, 0.0, 0.1)],
    ids=["zero", "zeros", "one zero"],
)
def test_a_bound_needs_noise(alpha):
    X, y, _ = data()
    with pytest.raises(ValueError, match="alpha"):
        sparse(RBF(), alpha=alpha).fit(X, y)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"n_inducing": 0}, "n_inducing"),
        ({"n_inducing": 2.5}, "n_inducing"),
        ({"method": "nonsense"}, "method"),
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": np.ones(7)}, "alpha"),
    ],
    ids=str,
)
def test_refused_parameters(options, match):
    X, y, _ = data()
    with pytest.raises(ValueError, match=match):
        GaussianProcessRegressor(RBF(), **{"method": "sparse", "alpha": 0.1, **options}).fit(X, y)


@pytest.mark.parametrize("method", ["sparse", "iterative"])
def test_refused_data(method):
    X, y, _ = data()
    model = GaussianProcessRegressor(RBF(), alpha=0.1, method=method)
    for samples, target in (
        (X, np.full(40, np.nan)),
        (X, y[:5]),
        (np.full((40, 2), np.inf), y),
        (X[:0], y[:0]),
        (X, None),
    ):
        with pytest.raises(ValueError):
            model.fit(samples, target)


def test_an_exact_process_that_does_not_fit_is_refused():
    X, y, _ = data()
    with config_context(memory_budget=1000), pytest.raises(errors.MemoryBudgetError):
        GaussianProcessRegressor(RBF(), alpha=0.1, method="exact").fit(X, y)
