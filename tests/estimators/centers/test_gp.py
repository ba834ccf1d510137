"""Gaussian process classification on centers: the exact one where all rows are centers."""

import numpy as np
import pytest

import mercer
from mercer import RBF, GaussianProcessClassifier, GaussianProcessRegressor, Spectrum, scan
from mercer.errors import MemoryBudgetError, NotFiniteError, ParameterError

rng = np.random.default_rng(0)
N = 150
X = rng.standard_normal((N, 2))
Y = (np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(N) > 0).astype(int)
THREE = np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])
WEIGHT = rng.integers(1, 4, N).astype(float)
NEW = 2.0 * rng.standard_normal((40, 2))
KERNEL = 4.0 * RBF(length_scale=1.2)


def fitted(y, centers, weight=None, **options):
    model = GaussianProcessClassifier(KERNEL, optimizer=None, centers=centers, **options)
    return model.fit(X, y, weight)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_all_rows_give_the_exact_posterior(weight):
    exact, model = fitted(Y, "all", weight), fitted(Y, N, weight)
    mean, variance = exact.latent_mean_and_variance(NEW)
    found = model.latent_mean_and_variance(NEW)
    np.testing.assert_allclose(found[0], mean, atol=1e-6)
    np.testing.assert_allclose(found[1], variance, atol=1e-6)
    value = exact.log_marginal_likelihood_value_
    assert model.log_marginal_likelihood_value_ == pytest.approx(value, abs=1e-6)
    assert (model.predict(NEW) == exact.predict(NEW)).all()


@pytest.mark.parametrize("way", ["one_vs_rest", "one_vs_one"])
def test_several_classes(way):
    exact, model = fitted(THREE, "all", multi_class=way), fitted(THREE, N, multi_class=way)
    np.testing.assert_allclose(model.predict_proba(NEW), exact.predict_proba(NEW), atol=1e-6)
    few = fitted(THREE, 50, multi_class=way, random_state=0)
    np.testing.assert_allclose(few.predict_proba(X), exact.predict_proba(X), atol=0.05)


def test_hyperparameters_are_learned_on_a_sample():
    model = GaussianProcessClassifier(1.0 * RBF(), centers=60, random_state=0).fit(X, Y)
    exact = GaussianProcessClassifier(1.0 * RBF()).fit(X, Y)
    assert abs(np.log(model.kernel_.kernel.length_scale / exact.kernel_.kernel.length_scale)) < 0.3
    np.testing.assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=0.1)
    assert "Nyström, 60 of 150 rows" in model.report_.plan
    assert any("evidence of 150 rows" in note for note in model.report_.notes)
    with pytest.raises(ValueError, match="exact fits"):
        model.log_marginal_likelihood(np.zeros(2))


def test_sources_and_files(tmp_path):
    model = fitted(Y, X[:40])
    streamed = GaussianProcessClassifier(KERNEL, optimizer=None, centers=X[:40])
    streamed.fit(scan(X, Y, block_rows=40))
    np.testing.assert_allclose(streamed.predict_proba(NEW), model.predict_proba(NEW), atol=1e-6)
    mercer.save(model, tmp_path / "model.mercer")
    loaded = mercer.load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(loaded.predict_proba(NEW), model.predict_proba(NEW))


def test_strings_have_latent_functions_on_centers():
    words = ["".join(rng.choice(list("ab" if k % 2 else "bc"), 8)) for k in range(60)]
    y = np.arange(60) % 2
    model = GaussianProcessClassifier(Spectrum(2), optimizer=None, centers=30, random_state=0)
    assert model.fit(words, y).score(words, y) > 0.9


def test_a_matrix_beyond_the_memory_takes_centers(monkeypatch):
    monkeypatch.setattr("mercer.estimators.centers.data._FEW", 10)
    with mercer.config_context(memory_budget="0.1 MB"):
        model = GaussianProcessClassifier(KERNEL, optimizer=None, random_state=0).fit(X, Y)
        assert model.report_.plan.startswith("Laplace, 1 problem(s), Nyström, ")
        with pytest.raises(MemoryBudgetError):
            fitted(Y, "all")
    with pytest.raises(ParameterError, match="multinomial"):
        fitted(THREE, 20, multi_class="multinomial")


TARGET = np.sin(2 * X[:, 0]) + X[:, 1]


def test_centers_of_a_regression_are_inducing_points(tmp_path):
    options = {"alpha": 0.1, "optimizer": None}
    by_method = GaussianProcessRegressor(KERNEL, method="sparse", n_inducing=40, **options)
    expected = by_method.fit(X, TARGET).predict(NEW)
    by_number = GaussianProcessRegressor(KERNEL, centers=40, **options).fit(X, TARGET)
    np.testing.assert_array_equal(by_number.predict(NEW), expected)
    points = X[by_number.inducing_]
    given = GaussianProcessRegressor(KERNEL, centers=points, **options).fit(scan(X, TARGET))
    np.testing.assert_allclose(given.predict(NEW), expected, atol=1e-9)
    assert any("loaded into memory" in note for note in given.report_.notes)
    mercer.save(given, tmp_path / "model.mercer")
    np.testing.assert_array_equal(
        mercer.load(tmp_path / "model.mercer").predict(NEW), given.predict(NEW)
    )
    exact = GaussianProcessRegressor(KERNEL, centers="all", **options).fit(X, TARGET)
    assert "exact" in exact.report_.plan or "dense" in exact.report_.plan
    learned = GaussianProcessRegressor(1.0 * RBF(), alpha=0.1, centers=X[:30]).fit(X, TARGET)
    assert learned.score(X, TARGET) > 0.9
    with pytest.raises(ParameterError, match="is empty"):
        GaussianProcessRegressor(KERNEL, centers=[]).fit(X, TARGET)
    with pytest.raises(ParameterError, match="inducing"):
        GaussianProcessRegressor(KERNEL, method="exact", centers=10).fit(X, TARGET)


def test_more_centers_of_a_regression_than_rows_are_all_rows():
    model = GaussianProcessRegressor(KERNEL, alpha=0.1, centers=500, optimizer=None)
    with pytest.warns(UserWarning, match=rf"500 is more than the {len(X)} rows"):
        model.fit(X, TARGET)
    assert len(model.inducing_) == len(X)


def test_what_is_loaded_for_a_regression_is_checked_block_by_block():
    bad = X.copy()
    bad[-3, 1] = np.nan
    rows = scan(bad, TARGET, block_rows=len(X) - 10)
    with pytest.raises(NotFiniteError, match=r"\(block 1\), column 1 = nan"):
        GaussianProcessRegressor(KERNEL, centers=40).fit(rows)
