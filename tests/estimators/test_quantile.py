"""Quantile regression against a linear programme, against the conditions of its optimum, and
against what must not happen.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import optimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import d2_pinball_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import (
    RBF,
    Jaccard,
    KernelQuantileRegressor,
    Linear,
    NegativeDistance,
    Sigmoid,
    config_context,
    errors,
)


@parametrize_with_checks([KernelQuantileRegressor(0.8, kernel=RBF(length_scale=2.0))])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def waves(n: int = 80, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (n, 2))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] + (0.1 + 0.2 * np.abs(X[:, 0])) * rng.standard_normal(
        n
    )


def pinball(y, f, tau, weight=1.0):
    return float((weight * np.maximum(tau * (y - f), (tau - 1) * (y - f))).sum())


def whole(model, n: int) -> np.ndarray:
    """The coefficients of all samples, one row per quantile."""
    beta = np.zeros((len(model.dual_coef_), n))
    beta[:, model.support_] = model.dual_coef_
    return beta


# -- the optimum
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [RBF(), NegativeDistance(), Linear()], ids=repr)
@pytest.mark.parametrize("tau", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("C", [0.3, 20.0])
def test_the_conditions_of_the_optimum(C, tau, kernel):
    X, y = waves()
    weight = np.random.default_rng(1).uniform(0.2, 2.0, len(y))
    model = KernelQuantileRegressor(tau, C=C, kernel=kernel, tol=1e-6).fit(X, y, weight)
    beta, left = whole(model, len(y))[0], y - model.predict(X)
    low, high = -C * weight * (1 - tau), C * weight * tau
    assert beta.sum() == pytest.approx(0.0, abs=1e-9 * C)
    assert (beta >= low - 1e-12 * C).all() and (beta <= high + 1e-12 * C).all()
    assert (
        left[beta < high - 1e-9 * C].max(initial=-1.0) <= 1e-5
    )  # above the curve: at the upper bound
    assert left[beta > low + 1e-9 * C].min(initial=1.0) >= -1e-5
    np.testing.assert_allclose(model.predict(X), kernel(X) @ beta + model.intercept_[0], atol=1e-9)


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.75])
def test_no_other_function_is_better(tau):
    """The primal as a smooth problem with slack: C Σ (τ u + (1 − τ) v) + ½ aᵀKa."""
    X, y = waves(25)
    K, C = RBF()(X), 2.0
    model = KernelQuantileRegressor(tau, C=C, kernel=RBF(), tol=1e-8).fit(X, y)
    beta = whole(model, 25)[0]
    value = C * pinball(y, model.predict(X), tau) + 0.5 * beta @ K @ beta
    dual = y @ beta - 0.5 * beta @ K @ beta
    assert value == pytest.approx(dual, rel=1e-6)  # no duality gap

    def objective(v):
        return C * pinball(y, K @ v[:-1] + v[-1], tau) + 0.5 * v[:-1] @ K @ v[:-1]

    best = np.append(beta, model.intercept_)
    rng = np.random.default_rng(0)
    assert all(
        objective(best + scale * rng.standard_normal(26)) >= value - 1e-6
        for scale in (1e-4, 1e-2, 1.0)
        for _ in range(50)
    )


@pytest.mark.parametrize("tau", [0.2, 0.5, 0.9])
def test_with_hardly_a_penalty_the_linear_kernel_is_the_linear_programme(tau):
    X, y = waves(60)
    ours = KernelQuantileRegressor(tau, C=100.0, kernel=Linear(), tol=1e-4).fit(X, y)
    other = QuantileRegressor(quantile=tau, alpha=0.0).fit(X, y)
    assert pinball(y, ours.predict(X), tau) == pytest.approx(
        pinball(y, other.predict(X), tau), rel=1e-3
    )
    np.testing.assert_allclose(ours.coef_[0], other.coef_, atol=0.05)


@pytest.mark.parametrize("tau", [0.25, 0.5, 0.8])
def test_with_hardly_a_function_it_is_the_quantile(tau):
    X, y = waves(41)
    model = KernelQuantileRegressor(tau, C=1e-9, kernel=RBF()).fit(X, y)
    best = optimize.minimize_scalar(
        lambda c: pinball(y, c, tau),
        bounds=(y.min(), y.max()),
        method="bounded",
        options={"xatol": 1e-10},
    )
    assert pinball(y, model.predict(X), tau) == pytest.approx(best.fun, rel=1e-5)


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.75])
def test_the_share_of_samples_below(tau):
    X, y = waves(200)
    model = KernelQuantileRegressor(tau, C=5.0, kernel=RBF(), tol=1e-5).fit(X, y)
    left = y - model.predict(X)
    assert (left < -1e-4).mean() <= tau <= (left <= 1e-4).mean()


# -- several quantiles
# -------------------------------------------------------------------------------------------------


def test_several_quantiles_in_any_order_are_the_single_ones():
    X, y = waves()
    given = [0.9, 0.1, 0.5]
    several = KernelQuantileRegressor(given, kernel=RBF(), tol=1e-6).fit(X, y).predict(X)
    singles = np.column_stack(
        [KernelQuantileRegressor(t, kernel=RBF(), tol=1e-6).fit(X, y).predict(X) for t in given]
    )
    crossed = (singles[:, 1] > singles[:, 2]) | (singles[:, 2] > singles[:, 0])
    assert several.shape == (80, 3)
    np.testing.assert_allclose(several[~crossed], singles[~crossed], atol=1e-5)
    ordered = KernelQuantileRegressor(sorted(given), kernel=RBF(), tol=1e-6).fit(X, y).predict(X)
    np.testing.assert_allclose(several[:, [1, 2, 0]], ordered, atol=1e-9)


def test_quantiles_do_not_cross():
    X, y = waves(60)
    levels = [0.45, 0.5, 0.55, 0.05, 0.95]
    model = KernelQuantileRegressor(levels, C=100.0, kernel=RBF(length_scale=0.3)).fit(X, y)
    far = np.random.default_rng(0).uniform(-6, 6, (300, 2))
    values = model.predict(far)
    assert (np.diff(values[:, np.argsort(levels)], axis=1) >= 0).all()
    raw = model.kernel_(far, X) @ whole(model, 60).T + model.intercept_
    assert (np.diff(raw[:, np.argsort(levels)], axis=1) < 0).any()  # they would


def test_one_quantile_in_a_list_is_a_column():
    X, y = waves(40)
    single, listed = (
        KernelQuantileRegressor(0.3).fit(X, y),
        KernelQuantileRegressor([0.3]).fit(X, y),
    )
    assert single.predict(X).shape == (40,) and listed.predict(X).shape == (40, 1)
    np.testing.assert_array_equal(single.predict(X), listed.predict(X)[:, 0])
    twice = KernelQuantileRegressor((0.3, 0.3)).fit(X, y).predict(X)
    np.testing.assert_array_equal(twice[:, 0], twice[:, 1])


def test_the_columns_belong_to_the_quantiles_of_the_fit():
    X, y = waves(40)
    model = KernelQuantileRegressor([0.9, 0.1]).fit(X, y)
    before = model.predict(X)
    model.set_params(quantile=[0.1, 0.9])
    np.testing.assert_array_equal(model.predict(X), before)


def test_the_score_is_the_share_of_the_pinball_loss():
    X, y = waves()
    model = KernelQuantileRegressor([0.8, 0.2], kernel=RBF()).fit(X, y)
    values = model.predict(X)
    scores = [d2_pinball_score(y, values[:, k], alpha=a) for k, a in enumerate([0.8, 0.2])]
    assert model.score(X, y) == pytest.approx(np.mean(scores)) and 0.2 < model.score(X, y) < 1.0
    one = KernelQuantileRegressor(0.5, kernel=RBF()).fit(X, y)
    assert one.score(X, y) == pytest.approx(d2_pinball_score(y, one.predict(X)))


# -- units, weights
# --------------------------------------------------------------------------------------------------


def test_the_units_of_the_target_do_not_matter():
    """C divides them: c·y with C·c has the solution c·f."""
    X, y = waves()
    base = KernelQuantileRegressor(0.3, kernel=RBF(), tol=1e-6).fit(X, y)
    for factor in (1e-6, 1e6):
        other = KernelQuantileRegressor(0.3, kernel=RBF(), C=factor, tol=1e-6).fit(
            X, factor * y + 5 * factor
        )
        np.testing.assert_allclose(other.predict(X) / factor - 5.0, base.predict(X), atol=1e-4)


def test_the_report_compares_gap_and_tolerance_in_the_same_units():
    X, y = waves()
    for factor in (1e-4, 1.0, 1e4):
        report = KernelQuantileRegressor(0.3, kernel=RBF(), C=factor).fit(X, factor * y).report_
        assert report.converged and report.gap <= report.tol


def test_a_weight_is_a_number_of_copies(rng):
    X, y = waves(60)
    weight = rng.integers(0, 3, 60)
    rows = np.repeat(np.arange(60), weight)
    model = KernelQuantileRegressor([0.2, 0.7], kernel=RBF(), tol=1e-7)
    a, b = clone(model).fit(X, y, weight), clone(model).fit(X[rows], y[rows])
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-5)
    assert a.score(X, y, weight) == pytest.approx(b.score(X[rows], y[rows]), abs=1e-5)


# -- kernels of every sort
# ---------------------------------------------------------------------------------------------


def test_ways_to_name_a_kernel():
    X, y = waves()
    expected = (
        KernelQuantileRegressor(0.3, kernel=RBF(length_scale=2.0), tol=1e-6).fit(X, y).predict(X)
    )
    for kernel in ("rbf", "RBF(length_scale=2.0)"):
        np.testing.assert_allclose(
            KernelQuantileRegressor(0.3, kernel=kernel, gamma=0.125, tol=1e-6).fit(X, y).predict(X),
            expected,
            atol=1e-5,
        )
    K = RBF(length_scale=2.0)(X)
    given = KernelQuantileRegressor(0.3, kernel="precomputed", tol=1e-6)
    np.testing.assert_allclose(clone(given).fit(K, y).predict(K), expected, atol=1e-5)
    made = KernelQuantileRegressor(0.3, kernel=RBF(length_scale=2.0), tol=1e-6)
    np.testing.assert_allclose(cross_val_score(given, K, y), cross_val_score(made, X, y), atol=1e-5)


def test_sets_in_a_pipeline_and_a_search():
    sets = [{"a", "b"}, {"a", "c"}, {"x", "y"}, {"y", "z"}] * 8
    y = np.array([1.0, 1.1, 5.0, 5.1] * 8)
    model = make_pipeline(
        FunctionTransformer(list), KernelQuantileRegressor([0.4, 0.6], C=100.0, kernel=Jaccard())
    )
    low, high = model.fit(sets, y).predict([{"a"}, {"x", "y"}])
    assert low.max() < 3.0 < high.min()
    assert cross_val_score(model, sets, y, cv=4).mean() > 0.9
    X, y = waves()
    search = GridSearchCV(
        KernelQuantileRegressor([0.1, 0.9], kernel=RBF()),
        {"kernel__length_scale": [0.01, 2.0]},
        cv=3,
    ).fit(X, y)
    assert search.best_params_ == {"kernel__length_scale": 2.0}


def test_sparse_rows_are_dense_rows():
    X, y = waves(50)
    X = np.where(np.abs(X) > 1.0, X, 0.0)
    model = KernelQuantileRegressor([0.3, 0.7], tol=1e-7)
    dense, sparse = clone(model).fit(X, y), clone(model).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.predict(sp.csr_matrix(X)), dense.predict(X), atol=1e-5)


def test_definiteness():
    X, y = waves(40)
    with pytest.raises(errors.DefinitenessError, match=r"Sigmoid.*repair"):
        KernelQuantileRegressor(kernel=Sigmoid(scale=0.5)).fit(X, y)
    repaired = KernelQuantileRegressor([0.2, 0.8], kernel=Sigmoid(scale=0.5), repair="clip").fit(
        X, y
    )
    assert repaired.predict(X[:3]).shape == (3, 2)


# -- what must hold
# --------------------------------------------------------------------------------------------------


def test_shifting_the_data_changes_nothing():
    X, y = waves()
    X = np.round(X * 2**20) / 2**20
    near, far = (
        KernelQuantileRegressor([0.1, 0.5], kernel=RBF(length_scale=2.0)).fit(x, y)
        for x in (X, X + 1e6)
    )
    np.testing.assert_allclose(near.predict(X), far.predict(X + 1e6), atol=1e-2 * y.std())


def test_bits_do_not_depend_on_threads():
    X, y = waves(600)
    found = []
    for threads in (1, 2):
        with config_context(threads=threads):
            model = KernelQuantileRegressor([0.2, 0.8], kernel=RBF()).fit(X, y)
            found.append((model.dual_coef_, model.intercept_, model.predict(X)))
    assert all(np.array_equal(a, b) for a, b in zip(*found, strict=True))


def test_rows_on_demand_find_the_same(monkeypatch):
    from mercer.solvers.margin import problem as margin_problem

    X, y = waves(300)
    model = KernelQuantileRegressor([0.2, 0.8], kernel=RBF(), C=2.0)
    roomy = clone(model).fit(X, y)
    monkeypatch.setattr(margin_problem, "_SMALL", 100)
    with config_context(memory_budget="1 MB"):
        narrow = clone(model).fit(X, y)
    assert "on demand" in narrow.report_.plan and narrow.report_.converged
    np.testing.assert_allclose(narrow.predict(X), roomy.predict(X), atol=2e-2 * y.std())


def test_too_few_steps_give_advice():
    X, y = waves()
    with pytest.warns(ConvergenceWarning, match=r"StandardScaler.*gap"):
        model = KernelQuantileRegressor(0.5, C=100.0, kernel=RBF(), max_iter=3).fit(X, y)
    assert not model.report_.converged


def test_duplicates_constants_and_few_samples_are_legal():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", mercer.errors.DataWarning)  # that all are equal
        y = np.arange(20.0)
        for X in (np.ones((20, 2)), np.column_stack([np.ones(20), np.arange(20) // 2])):
            assert np.isfinite(KernelQuantileRegressor([0.1, 0.9]).fit(X, y).predict(X)).all()
        flat = KernelQuantileRegressor(0.3).fit(np.arange(20.0)[:, None], np.full(20, 7.0))
        np.testing.assert_allclose(flat.predict([[3.0], [99.0]]), 7.0, atol=1e-9)
        one = KernelQuantileRegressor(0.3, kernel=RBF()).fit([[1.0]], [4.0])
        assert one.predict([[1.0], [2.0]]).tolist() == [4.0, 4.0]
        assert np.isfinite(
            KernelQuantileRegressor(0.3, kernel=RBF())
            .fit([[1.0], [2.0]], [4.0, 5.0])
            .predict([[1.5]])
        ).all()


@pytest.mark.parametrize("integer", [np.int64, np.int8, bool])
def test_whole_numbers_are_numbers(integer):
    X, y = waves(40)
    y = (10 * np.abs(y)).astype(integer)
    a, b = (
        KernelQuantileRegressor(0.3).fit(X, y),
        KernelQuantileRegressor(0.3).fit(X, y.astype(float)),
    )
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


# -- refusals
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"y": np.full(30, np.nan)}, "NaN"),
        ({"y": np.array(["a"] * 30)}, "could not convert|string|numeric"),
        ({"y": None}, "requires y"),
        ({"y": np.zeros(28)}, "inconsistent"),
        ({"y": np.zeros((30, 2))}, "1d|shape"),
        ({"X": np.full((30, 2), np.inf)}, "infinity"),
        ({"X": [["a", "b"]] * 30}, "could not convert|numeric|string"),
        ({"sample_weight": -np.ones(30)}, ">= 0"),
        ({"sample_weight": np.zeros(30)}, "zero or negative"),
        ({"sample_weight": np.ones(7)}, "each of the 30"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_data(change, match):
    X, y = waves(30)
    with pytest.raises(ValueError, match=match):
        KernelQuantileRegressor().fit(**{"X": X, "y": y, **change})


@pytest.mark.parametrize(
    "y", [[1.0, np.nan, 2.0], [1.0, np.inf, 2.0], ["a", "b", "c"], [1.0, 2.0]], ids=str
)
def test_bad_targets_of_sets(y):
    with pytest.raises(ValueError):
        KernelQuantileRegressor(kernel=Jaccard()).fit([{"a"}, {"b"}, {"a", "b"}], y)


@pytest.mark.parametrize(
    "options",
    [
        {"quantile": 0.0},
        {"quantile": 1.0},
        {"quantile": -0.1},
        {"quantile": [0.5, 1.2]},
        {"quantile": []},
        {"quantile": [[0.5]]},
        {"quantile": np.nan},
        {"quantile": "median"},
        {"quantile": ["low", "high"]},
        {"C": 0.0},
        {"tol": 0.0},
        {"kernel": "hope"},
        {"repair": "pray"},
    ],
    ids=str,
)
def test_bad_parameters(options):
    X, y = waves(20)
    with pytest.raises(ValueError):
        KernelQuantileRegressor(**options).fit(X, y)


def test_refusals_after_the_fit():
    X, y = waves(30)
    with pytest.raises(NotFittedError):
        KernelQuantileRegressor().predict(X)
    model = KernelQuantileRegressor().fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :1])
    with pytest.raises(ValueError, match="square"):
        KernelQuantileRegressor(kernel="precomputed").fit(X, y)
    given = KernelQuantileRegressor(kernel="precomputed").fit(RBF()(X), y)
    with pytest.raises(ValueError):
        given.predict(RBF()(X)[:, :10])
