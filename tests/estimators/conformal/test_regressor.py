"""Intervals against their definitions: models fitted again, plain formulas, simulated coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import (
    RBF,
    SVR,
    ConformalRegressor,
    GaussianProcessRegressor,
    KernelQuantileRegressor,
    KernelRidge,
    KernelRidgeCV,
    Linear,
    Spectrum,
    TfIdf,
    config_context,
)
from mercer.errors import MemoryBudgetError, ParameterError, ShapeError

RIDGE = KernelRidge(alpha=0.3, kernel=RBF())


def data(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0.0, 6.0, (n, 1))
    return X, np.sin(X[:, 0]) + 0.3 * rng.standard_normal(n)


NEW = np.linspace(-1.0, 7.0, 15)[:, None]


def jackknife_plus(predicted, errors, coverage):
    """The definition: predictions (new, n) of models without a row, and their errors."""
    n = len(errors)
    place = math.ceil(coverage * (n + 1) - 1e-12)
    low = -np.sort(-(predicted - errors), axis=1)[:, place - 1]
    high = np.sort(predicted + errors, axis=1)[:, place - 1]
    return low, high


EXACT = {
    "ridge": RIDGE,
    "ridge of features": KernelRidge(alpha=0.5, kernel=Linear()),
    "process": GaussianProcessRegressor(1.5 * RBF(), alpha=0.1, optimizer=None),
    "process with a mean": GaussianProcessRegressor(
        RBF(), alpha=0.2, optimizer=None, mean=lambda X: X[:, 0]
    ),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.97])
def test_jackknife_plus_is_that_of_n_fits(name, coverage):
    X, y = data()
    model = ConformalRegressor(EXACT[name]).fit(X, y)
    assert model.method_ == "jackknife+"
    fits = [clone(EXACT[name]).fit(np.delete(X, i, axis=0), np.delete(y, i)) for i in range(len(y))]
    errors = np.array([abs(y[i] - fit.predict(X[i : i + 1])[0]) for i, fit in enumerate(fits)])
    predicted = np.column_stack([fit.predict(NEW) for fit in fits])
    low, high = jackknife_plus(predicted, errors, coverage)
    lower, upper = model.predict_interval(NEW, coverage)
    np.testing.assert_allclose(lower, low, atol=1e-9)
    np.testing.assert_allclose(upper, high, atol=1e-9)


@pytest.mark.parametrize("name", EXACT)
def test_cv_plus_is_that_of_its_folds(name):
    X, y = data()
    folds = KFold(7, shuffle=True, random_state=3)
    model = ConformalRegressor(EXACT[name], "cv+", cv=folds).fit(X, y)
    predicted, errors = np.empty((len(NEW), len(y))), np.empty(len(y))
    for kept, out in folds.split(X):
        fit = clone(EXACT[name]).fit(X[kept], y[kept])
        errors[out] = np.abs(y[out] - fit.predict(X[out]))
        predicted[:, out] = fit.predict(NEW)[:, None]
    low, high = jackknife_plus(predicted, errors, 0.8)
    lower, upper = model.predict_interval(NEW, 0.8)
    np.testing.assert_allclose(lower, low, atol=1e-9)
    np.testing.assert_allclose(upper, high, atol=1e-9)
    again = ConformalRegressor(EXACT[name], "cv+", cv=folds, refit=True).fit(X, y)
    np.testing.assert_allclose(again.predict_interval(NEW, 0.8).lower, low, atol=1e-9)


@pytest.mark.parametrize("name", ["ridge", "process"])
def test_weights_of_samples_are_those_of_n_fits(name):
    X, y = data()
    learner = EXACT[name]
    weight = np.random.default_rng(1).uniform(0.2, 3.0, len(y))
    weight[::7] = 0.0
    closed = ConformalRegressor(learner).fit(X, y, sample_weight=weight)
    fitted = ConformalRegressor(learner, "jackknife+", refit=True).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(closed.scores_, fitted.scores_, atol=1e-9)
    for ours, theirs in zip(closed.predict_interval(NEW), fitted.predict_interval(NEW)):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
    with pytest.raises(ParameterError, match="takes no sample_weight"):
        ConformalRegressor(make_pipeline(LinearRegression())).fit(X, y, sample_weight=weight)


def test_split_is_the_plain_formula():
    X, y = data(60)
    model = ConformalRegressor(SVR(), calibration=0.4).fit(X, y)
    assert model.method_ == "split" and len(model.scores_) == 24
    place = math.ceil(0.9 * 25)
    level = np.sort(model.scores_)[place - 1]
    predicted = model.predict(NEW)
    lower, upper = model.predict_interval(NEW, 0.9)
    np.testing.assert_allclose(lower, predicted - level)
    np.testing.assert_allclose(upper, predicted + level)
    fitted = SVR().fit(X[:30], y[:30])
    before = ConformalRegressor(fitted, "prefit").fit(X[30:], y[30:])
    np.testing.assert_allclose(before.scores_, np.abs(y[30:] - fitted.predict(X[30:])))
    assert before.estimator_ is fitted and before.predict_interval(NEW).bound == 0.9


def test_conformalized_quantiles():
    X, y = data(80)
    quantiles = KernelQuantileRegressor([0.1, 0.9], kernel=RBF(), C=10.0)
    model = ConformalRegressor(quantiles, conformity="quantile", calibration=0.5).fit(X, y)
    low, high = model.estimator_.predict(NEW).T
    level = np.sort(model.scores_)[math.ceil(0.8 * 41) - 1]
    lower, upper = model.predict_interval(NEW, 0.8)
    middle = (low + high) / 2
    np.testing.assert_allclose(lower, np.minimum(low - level, middle))
    np.testing.assert_allclose(upper, np.maximum(high + level, middle))
    assert model.predict(NEW).shape == (15,)
    with pytest.raises(ShapeError, match="two or more quantiles"):
        ConformalRegressor(RIDGE, conformity="quantile").fit(X, y)
    with pytest.raises(ShapeError, match="conformity='quantile'"):
        ConformalRegressor(quantiles).fit(X, y)


@pytest.mark.parametrize(
    "estimator",
    [RIDGE, SVR(), GaussianProcessRegressor(RBF(), alpha=0.1)],
    ids=lambda e: str(e)[:5],
)
def test_normalized_intervals_are_wider_where_errors_are_larger(estimator):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 6.0, (300, 1))
    X = X[(X[:, 0] < 2.0) | (rng.random(300) < 0.25)]  # fewer rows on the right
    y = np.sin(X[:, 0]) + np.where(X[:, 0] < 3.0, 0.05, 0.6) * rng.standard_normal(len(X))
    model = ConformalRegressor(estimator, conformity="normalized").fit(X, y)
    width = model.predict_interval([[1.0], [5.0]]).width
    assert width[1] > 1.01 * width[0]
    spread = model.conformity_.spread(X)
    assert (spread > 0).all() and model.guarantee_.formula == "≥ 1 − α"
    learner = mercer.AutoRegressor(learner="ridge", tune_rows=30)  # its predict has return_std
    automatic = ConformalRegressor(learner, conformity="normalized").fit(X, y)
    assert automatic.conformity_.smallest > 0
    own = ConformalRegressor(RIDGE, conformity="normalized", scale=SVR()).fit(X, y)
    assert isinstance(own.conformity_.model, SVR)


# -- what is proven ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (KernelRidgeCV(kernel=RBF()), "penalty of KernelRidgeCV was chosen on all rows"),
        (GaussianProcessRegressor(RBF(), alpha=0.1), "learned on all rows"),
        (
            GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None, normalize_y=True),
            "normalize_y",
        ),
        (
            GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None, mean=LinearRegression()),
            "mean function was fitted",
        ),
        (KernelRidge(kernel="rbf", gamma="median"), "width of the kernel (gamma)"),
        (KernelRidge(kernel=RBF().center()), "Centered learned from all rows"),
    ],
)
def test_choices_on_all_rows_have_no_guarantee(estimator, words):
    X, y = data()
    model = ConformalRegressor(estimator, "jackknife+").fit(X, y)
    result = model.predict_interval(NEW)
    assert result.bound is None and "No guarantee" in result.guarantee
    assert words in result.guarantee and words in str(model.report_)
    chosen = ConformalRegressor(estimator).fit(X, y)  # rather a guarantee than a closed form
    assert chosen.method_ == "split" and chosen.predict_interval(NEW, 0.8).bound == 0.8
    again = ConformalRegressor(estimator, "cv+", cv=4, refit=True).fit(X, y)
    assert again.guarantee_.formula == "≥ 1 − 2α − √(2/n)"
    assert "chosen again in each fit" in again.predict_interval(NEW, 0.8).guarantee


def test_folds_that_were_not_drawn_at_random_have_no_guarantee():
    X, y = data()
    folds = PredefinedSplit(np.argsort(np.argsort(y)) // 10)
    result = ConformalRegressor(RIDGE, "cv+", cv=folds).fit(X, y).predict_interval(NEW)
    assert result.bound is None and "PredefinedSplit" in result.guarantee
    again = ConformalRegressor(RIDGE, "cv+", cv=folds, refit=True).fit(X, y)
    assert again.guarantee_.formula == "none"
    drawn = ConformalRegressor(RIDGE, "cv+", cv=KFold(4, shuffle=True, random_state=0)).fit(X, y)
    assert drawn.guarantee_.formula == "≥ 1 − 2α − √(2/n)"
    with pytest.raises(ParameterError, match="PredefinedSplit"):
        ConformalRegressor(RIDGE, "cv+", cv=GroupKFold(4)).fit(X, y)


def test_both_conditions_of_a_shift_after_a_fit_are_said():
    X, y = data()
    fitted = clone(RIDGE).fit(X[:20], y[:20])
    model = ConformalRegressor(fitted, "prefit", shift=lambda X: np.ones(len(X)))
    words = model.fit(X[20:], y[20:]).predict_interval(NEW, 0.8).guarantee
    assert "had no part in the fit" in words and "known ratio" in words


def test_texts_of_results():
    X, y = data(50)
    result = ConformalRegressor(RIDGE).fit(X, y).predict_interval(NEW, 0.9)
    assert "at least 80 % (≥ 1 − 2α)" in result.guarantee
    assert result.bound == pytest.approx(0.8)
    assert result.guarantee in str(result) and result.guarantee in repr(result)
    assert result._repr_html_().count("<table") == 1 and len(result) == 2
    assert result[0] is result.lower and result.covered(result.lower) == 1.0
    with pytest.raises(ShapeError, match="one value for each of the 15 intervals"):
        result.contain([1.0])
    folds = ConformalRegressor(RIDGE, "cv+").fit(X, y).predict_interval(NEW, 0.9)
    assert folds.bound == pytest.approx(0.8 - math.sqrt(2 / 50))
    assert "60 %" in folds.guarantee


# -- coverage ------------------------------------------------------------------------------------

REPEATS = 200


@pytest.mark.parametrize(
    ("model", "least"),
    [
        (ConformalRegressor(RIDGE), 0.8),
        (ConformalRegressor(RIDGE, "cv+", cv=5), 0.8 - math.sqrt(2 / 50)),
        (ConformalRegressor(RIDGE, "split", calibration=0.38), 0.9),
        (ConformalRegressor(RIDGE, conformity="normalized", calibration=0.38), 0.9),
    ],
    ids=["jackknife+", "cv+", "split", "normalized"],
)
def test_coverage_over_many_repeats(model, least):
    covered = []
    for seed in range(REPEATS):
        X, y = data(100, seed)
        model.fit(X[:50], y[:50])
        covered.append(model.predict_interval(X[50:]).covered(y[50:]))
    mean, error = np.mean(covered), np.std(covered, ddof=1) / math.sqrt(REPEATS)
    assert mean >= least - 2 * error
    assert abs(mean - 0.9) < 0.03 + 2 * error  # what is usual
    if model.method_ == "split":  # 19 calibration rows: 0.9 to 0.9 + 1/20
        assert mean <= 0.95 + 2 * error


def test_known_ratios_restore_the_coverage_under_a_shift():
    rng = np.random.default_rng(0)

    def draw(n, shift):
        x = rng.standard_normal(n) + shift
        return x[:, None], np.where(x > 0.5, 3.0, 0.3) * rng.standard_normal(n)

    def ratio(X):
        return np.exp(X[:, 0] - 0.5)  # of N(1, 1) to N(0, 1)

    plain, known = [], []
    for _ in range(60):
        X, y = draw(200, 0.0)
        new, truth = draw(100, 1.0)
        model = ConformalRegressor(KernelRidge(alpha=10.0), "split", calibration=0.5).fit(X, y)
        plain.append(model.predict_interval(new).covered(truth))
        model = ConformalRegressor(KernelRidge(alpha=10.0), calibration=0.5, shift=ratio).fit(X, y)
        result = model.predict_interval(new)
        known.append(result.covered(truth))
    assert np.mean(plain) < 0.86 and np.mean(known) > 0.9 - 2 * np.std(known) / math.sqrt(60)
    assert result.bound == 0.9 and "known ratio of the densities" in result.guarantee


def test_matched_means_are_weights_without_a_guarantee():
    X, y = data(120)
    model = ConformalRegressor(RIDGE, shift="kmm", calibration=0.5).fit(X, y)
    result = model.predict_interval(NEW[8:])
    assert result.bound is None and "kernel mean matching are estimated" in result.guarantee
    weights, own = model.shift_.at(NEW[8:])
    expected = mercer.kernel_mean_matching(RBF(), model.shift_.samples, NEW[8:])
    np.testing.assert_array_equal(weights, expected)
    np.testing.assert_allclose(own, (weights**2).sum() / weights.sum())
    given = ConformalRegressor(SVR(), shift=RBF(2.0)).fit(X, y)
    assert given.shift_.kernel == RBF(2.0)
    default = ConformalRegressor(LinearRegression(), shift="kmm").fit(X, y)
    assert isinstance(default.shift_.kernel, RBF)


# -- crossings -----------------------------------------------------------------------------------


def test_strings():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ab"), rng.integers(4, 9))) for _ in range(60)]
    y = np.array([word.count("ab") for word in words]) + 0.1 * rng.standard_normal(60)
    ridge = KernelRidge(alpha=0.1, kernel=Spectrum(2))
    model = ConformalRegressor(ridge).fit(words[:40], y[:40])
    assert model.method_ == "jackknife+"
    again = ConformalRegressor(ridge, "jackknife+", refit=True).fit(words[:40], y[:40])
    result = model.predict_interval(words[40:])
    np.testing.assert_allclose(result.lower, again.predict_interval(words[40:]).lower, atol=1e-8)
    texts = [" ".join(word) for word in words]
    learned = ConformalRegressor(KernelRidge(kernel=TfIdf())).fit(texts, y)
    assert learned.method_ == "split"  # word weights are learned from all rows


@pytest.mark.parametrize("method", ["jackknife+", "cv+", "split"])
@pytest.mark.parametrize("refit", [False, True])
def test_a_precomputed_matrix_is_its_kernel(method, refit):
    X, y = data(30)
    weight = np.ones(30)
    weight[[3, 9]] = 0.0
    options = {"method": method, "cv": 4, "refit": refit, "calibration": 0.5}
    given = ConformalRegressor(RIDGE, **options).fit(X, y, sample_weight=weight)
    matrix = KernelRidge(alpha=0.3, kernel="precomputed")
    model = ConformalRegressor(matrix, **options).fit(RBF()(X), y, sample_weight=weight)
    ours, theirs = model.predict_interval(RBF()(NEW, X), 0.8), given.predict_interval(NEW, 0.8)
    np.testing.assert_allclose(ours.lower, theirs.lower, atol=1e-9)
    np.testing.assert_allclose(model.predict(RBF()(NEW, X)), given.predict(NEW), atol=1e-9)
    with pytest.raises(ParameterError, match="precomputed"):
        ConformalRegressor(matrix, shift="kmm").fit(RBF()(X), y)


def test_a_search_over_parameters_of_the_learner():
    X, y = data(60)
    search = GridSearchCV(ConformalRegressor(RIDGE), {"estimator__alpha": [0.01, 1.0]}, cv=3)
    best = search.fit(X, y).best_estimator_
    assert best.predict_interval(NEW).bound == pytest.approx(0.8)
    assert clone(best).get_params()["estimator__alpha"] == best.estimator.alpha


@pytest.mark.parametrize(
    "options",
    [{}, {"method": "cv+", "refit": True, "cv": 3}, {"conformity": "normalized"}, {"shift": "kmm"}],
    ids=["jackknife+", "refitted", "normalized", "shift"],
)
def test_saved_models_give_the_same_intervals(options, tmp_path):
    X, y = data()
    model = ConformalRegressor(RIDGE, **options).fit(X, y)
    mercer.save(model, tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    ours, theirs = model.predict_interval(NEW, 0.7), loaded.predict_interval(NEW, 0.7)
    np.testing.assert_array_equal(ours.lower, theirs.lower)
    np.testing.assert_array_equal(ours.upper, theirs.upper)
    assert ours.guarantee == theirs.guarantee


def test_a_model_fitted_before_is_saved_with_it(tmp_path):
    X, y = data()
    model = ConformalRegressor(clone(RIDGE).fit(X[:20], y[:20]), "prefit").fit(X[20:], y[20:])
    mercer.save(model, tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    ours, theirs = model.predict_interval(NEW, 0.7), loaded.predict_interval(NEW, 0.7)
    np.testing.assert_array_equal(ours.lower, theirs.lower)
    assert "had no part in the fit" in theirs.guarantee


def test_threads_and_blocks_change_nothing():
    X, y = data(300)
    new = np.linspace(0.0, 6.0, 700)[:, None]
    results = []
    for threads in (1, 4):
        with config_context(threads=threads):
            results.append(ConformalRegressor(RIDGE).fit(X, y).predict_interval(new))
    np.testing.assert_array_equal(results[0].lower, results[1].lower)
    some = ConformalRegressor(RIDGE).fit(X, y).predict_interval(new[300:310])
    np.testing.assert_allclose(some.upper, results[0].upper[300:310], atol=1e-12)


def test_a_small_memory_budget():
    X, y = data(200)
    with config_context(memory_budget=300_000):
        model = ConformalRegressor(RIDGE).fit(X, y)
        assert model.method_ == "split"
        with pytest.raises(MemoryBudgetError, match="use method='split'"):
            ConformalRegressor(RIDGE, "jackknife+").fit(X, y)


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("coverage", [0.0, 1.0, -0.1, 90, np.nan, "0.9", True])
def test_a_coverage_that_is_none(coverage):
    model = ConformalRegressor(RIDGE).fit(*data())
    with pytest.raises(ParameterError, match=r"coverage = .* strictly between 0 and 1"):
        model.predict_interval(NEW, coverage)


def test_a_coverage_too_high_for_the_rows_names_the_fewest():
    model = ConformalRegressor(RIDGE).fit(*data(40))
    with pytest.raises(ParameterError, match=r"too high for 40 calibration rows.*at least 99"):
        model.predict_interval(NEW, 0.99)
    assert np.isfinite(
        ConformalRegressor(RIDGE).fit(*data(99)).predict_interval(NEW, 0.99)[0]
    ).all()


def test_refusals():
    X, y = data()
    with pytest.raises(
        ShapeError, match=r"\(40, 2\).* predicts one number; fit one model for each"
    ):
        ConformalRegressor(RIDGE).fit(X, np.column_stack([y, y]))
    with pytest.raises(ParameterError, match="is not a regressor"):
        ConformalRegressor(mercer.SVC()).fit(X, y)
    with pytest.raises(ParameterError, match="method = 'cv' must be one of"):
        ConformalRegressor(RIDGE, "cv").fit(X, y)
    with pytest.raises(ParameterError, match="is not for conformity='normalized'"):
        ConformalRegressor(RIDGE, "cv+", conformity="normalized").fit(X, y)
    with pytest.raises(ParameterError, match="is not for a covariate shift"):
        ConformalRegressor(RIDGE, "jackknife+", shift="kmm").fit(X, y)
    with pytest.raises(ParameterError, match="shift = 'mean' must be"):
        ConformalRegressor(RIDGE, shift="mean").fit(X, y)
    with pytest.raises(ShapeError, match="one weight for each"):
        ConformalRegressor(RIDGE, shift=lambda X: X).fit(X, y)
    with pytest.raises(ParameterError, match="must be finite and >= 0"):
        ConformalRegressor(RIDGE, shift=lambda X: -X[:, 0]).fit(X, y)
    with pytest.raises(ParameterError, match="folds from 2 to the 40 rows"):
        ConformalRegressor(RIDGE, "cv+", cv=41).fit(X, y)
    with pytest.raises(ParameterError, match="holds row 20 out 0 times"):
        ConformalRegressor(RIDGE, "cv+", cv=Half()).fit(X, y)
    with pytest.raises(ShapeError, match="Found array with 3 sample"):
        ConformalRegressor(RIDGE).fit(X[:3], y[:3])


class Half:
    """Holds only the first half out."""

    def split(self, X, y=None):
        yield np.arange(20, 40), np.arange(20)


def test_a_pipeline_is_split():
    X, y = data(60)
    model = ConformalRegressor(make_pipeline(StandardScaler(), RIDGE)).fit(X, y)
    assert model.method_ == "split"
    again = ConformalRegressor(make_pipeline(StandardScaler(), RIDGE), "cv+", cv=5).fit(X, y)
    assert again.guarantee_.formula == "≥ 1 − 2α − √(2/n)"
