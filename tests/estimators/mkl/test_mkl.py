"""Learners of several kernels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mercer import (
    RBF,
    SVC,
    KernelRidge,
    Linear,
    MultipleKernelClassifier,
    MultipleKernelRegressor,
    Overlap,
    Spectrum,
    config_context,
    errors,
)

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, (90, 4))
Z = rng.uniform(-2, 2, (300, 4))
KERNELS = [RBF().on([c]) for c in range(4)]
RIDGE = ("evidence", "loo", "alignment", "average")
EVERY = (*RIDGE, "easy", "simple")


def wave(X):
    return np.sin(2 * X[:, 0]) + X[:, 2]


def band(X):
    return np.array(["low", "middle", "high"])[np.digitize(X[:, 1], [-0.7, 0.7])]


y = wave(X) + 0.1 * rng.standard_normal(len(X))


@pytest.mark.parametrize("weights", RIDGE)
def test_the_learned_kernel_in_another_learner_is_the_model(weights):
    model = MultipleKernelRegressor(KERNELS, weights).fit(X, y)
    ridge = KernelRidge(alpha=model.alpha_, kernel=model.kernel_).fit(X, y - y.mean())
    np.testing.assert_allclose(model.predict(Z), ridge.predict(Z) + y.mean(), atol=1e-8)
    assert model.score(Z, wave(Z)) > 0.97
    assert model.shares_.min() >= 0 and model.shares_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("weights", EVERY)
def test_classification(weights):
    model = MultipleKernelClassifier(KERNELS, weights, C=10.0, probability=True).fit(X, band(X))
    assert model.score(Z, band(Z)) > 0.9
    probability = model.predict_proba(Z)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    if weights in RIDGE:
        chosen = model.classes_[probability.argmax(axis=1)]
        np.testing.assert_array_equal(model.predict(Z), chosen)
    two = MultipleKernelClassifier(KERNELS, weights, C=10.0).fit(X, X[:, 1] ** 2 > 1)
    assert two.score(Z, Z[:, 1] ** 2 > 1) > 0.9
    np.testing.assert_array_equal(two.predict(Z), two.decision_function(Z) > 0)


def test_a_machine_is_svc_with_the_learned_kernel():
    model = MultipleKernelClassifier(KERNELS, "simple", C=3.0).fit(X, band(X))
    machine = SVC(C=3.0, kernel=model.kernel_).fit(X, band(X))
    np.testing.assert_allclose(model.decision_function(Z), machine.decision_function(Z), atol=1e-9)
    assert not hasattr(model, "predict_proba")
    model.set_params(weights="evidence").fit(X, band(X))
    assert not hasattr(model, "machine_") and hasattr(model, "predict_proba")


def test_terms_without_a_weight_are_not_in_the_kernel():
    model = MultipleKernelRegressor(KERNELS).fit(X, y)
    assert len(model.kernel_.terms) == np.count_nonzero(model.weights_) < 4
    np.testing.assert_allclose(model.weights_[[0, 2]] > 0, True)


@pytest.mark.parametrize("weights", EVERY)
def test_units_and_order_of_kernels_do_not_matter(weights):
    labels = X[:, 1] + 0.3 * X[:, 0] ** 2 > 0.4
    kind, target = (
        (MultipleKernelRegressor, y) if weights in RIDGE else (MultipleKernelClassifier, labels)
    )
    model = kind(KERNELS, weights).fit(X, target)
    others = [10.0 * KERNELS[2], KERNELS[0], 1e-3 * KERNELS[3], KERNELS[1]]
    other = kind(others, weights).fit(X, target)
    np.testing.assert_allclose(other.shares_, model.shares_[[2, 0, 3, 1]], atol=2e-3)
    np.testing.assert_allclose(
        other.weights_ * [10.0, 1.0, 1e-3, 1.0], model.weights_[[2, 0, 3, 1]], atol=2e-3
    )


def test_groups_share_a_weight():
    model = MultipleKernelRegressor(KERNELS, groups=["a", "b", "a", "b"]).fit(X, y)
    assert model.shares_[0] == model.shares_[2] and model.shares_[1] == model.shares_[3]
    single = MultipleKernelRegressor([KERNELS[0] + KERNELS[2], KERNELS[1] + KERNELS[3]]).fit(X, y)
    np.testing.assert_allclose(model.predict(Z), single.predict(Z), atol=1e-6)
    with pytest.raises(errors.ParameterError, match="a label for each of the 4 kernels"):
        MultipleKernelRegressor(KERNELS, groups=[1, 2]).fit(X, y)


@pytest.mark.parametrize("weights", RIDGE)
def test_sparse_weights_cost_no_more_than_noise(weights):
    full = MultipleKernelRegressor(KERNELS, weights).fit(X, y)
    few = MultipleKernelRegressor(KERNELS, weights, sparse=True).fit(X, y)
    assert np.count_nonzero(few.weights_) <= np.count_nonzero(full.weights_)
    assert set(np.flatnonzero(few.weights_)) >= {0, 2}
    assert few.loo_error_[0] <= 1.2 * full.loo_error_[0]
    if weights == "average":
        assert np.flatnonzero(few.weights_).tolist() == [0, 2]
        assert "dropped" in few.report_.notes[0]


def test_targets_share_weights_or_have_their_own():
    Y = np.column_stack([np.sin(2 * X[:, 0]), 1e4 * X[:, 2], np.full(len(X), 5.0)])
    own = MultipleKernelRegressor(KERNELS, alpha=1e-3, per_target=True).fit(X, Y)
    assert own.weights_.shape == (3, 4) and len(own.kernel_) == 3
    assert own.shares_[0].argmax() == 0 and own.shares_[1].argmax() == 2
    for t in range(3):
        alone = MultipleKernelRegressor(KERNELS, alpha=1e-3).fit(X, Y[:, t])
        np.testing.assert_allclose(own.predict(Z)[:, t], alone.predict(Z), rtol=1e-6, atol=1e-6)
    shared = MultipleKernelRegressor(KERNELS, alpha=1e-3).fit(X, Y)
    assert shared.weights_.shape == (4,) and shared.predict(Z).shape == (300, 3)
    assert min(shared.shares_[0], shared.shares_[2]) > 0.1
    other = MultipleKernelRegressor(KERNELS, alpha=1e-3).fit(X, Y / [1.0, 1e4, 1.0])
    np.testing.assert_allclose(other.shares_, shared.shares_, atol=1e-3)


def test_errors_left_out_are_those_of_refitting():
    model = MultipleKernelRegressor(KERNELS, "loo").fit(X, y)
    squares = []
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        ridge = KernelRidge(alpha=model.alpha_, kernel=model.kernel_)
        ridge.fit(X[rest], y[rest] - y.mean())
        squares.append((y[i] - y.mean() - ridge.predict(X[[i]])[0]) ** 2)
    assert model.loo_error_[0] == pytest.approx(np.mean(squares), rel=1e-6)
    assert model.report_.loss == pytest.approx(np.mean(squares), rel=1e-6)


def test_a_weighted_sample_counts_as_much_in_ridge_regression():
    weight = rng.uniform(0.5, 2.0, len(X))
    weight[:5] = 0.0
    model = MultipleKernelRegressor(KERNELS, alpha=0.1).fit(X, y, sample_weight=weight)
    mean = np.average(y, weights=weight)
    ridge = KernelRidge(alpha=0.1, kernel=model.kernel_).fit(X, y - mean, sample_weight=weight)
    np.testing.assert_allclose(model.predict(Z), ridge.predict(Z) + mean, atol=1e-8)


@pytest.mark.parametrize("weights", RIDGE)
def test_nothing_is_worse_than_the_average_by_more_than_noise(weights):
    """Where alignment sees one kernel only, though two are needed."""
    model = MultipleKernelRegressor(KERNELS, weights, alpha=0.1).fit(X, y)
    average = MultipleKernelRegressor(KERNELS, "average", alpha=0.1).fit(X, y)
    truth = wave(Z)
    error = np.mean((model.predict(Z) - truth) ** 2)
    assert error <= 1.1 * np.mean((average.predict(Z) - truth) ** 2)


def test_kinds_of_samples_on_one_table():
    n = 60
    codes = rng.choice(["ab", "ba"], n)
    table = pd.DataFrame(
        {
            "size": rng.standard_normal(n),
            "color": rng.choice(["red", "blue"], n),
            "text": [code * 4 for code in codes],
        }
    )
    kernels = [RBF().on(["size"]), Overlap().on(["color"]), Spectrum(2).on("text")]
    target = 2.0 * (codes == "ab") + table["size"]
    model = MultipleKernelRegressor(kernels).fit(table, target)
    assert model.shares_[2] > 0 and model.score(table, target) > 0.9
    labels = MultipleKernelClassifier(kernels, "easy").fit(table, codes)
    assert labels.shares_.argmax() == 2 and labels.score(table, codes) == 1.0


def test_matrices_beyond_the_budget_are_computed_again():
    stored = MultipleKernelRegressor(KERNELS, "loo").fit(X, y)
    with config_context(memory_budget=9 * len(X) ** 2):
        again = MultipleKernelRegressor(KERNELS, "loo").fit(X, y)
    assert "triangles" in stored.report_.plan and "recomputed" in again.report_.plan
    np.testing.assert_allclose(again.predict(Z), stored.predict(Z), atol=1e-6)
    with config_context(memory_budget=1000), pytest.raises(errors.MemoryBudgetError):
        MultipleKernelRegressor(KERNELS).fit(X, y)


def test_matrices_are_held_in_single_precision_where_that_is_enough():
    stored = MultipleKernelRegressor(KERNELS, "loo").fit(X, y)
    with config_context(memory_budget=24 * len(X) ** 2):
        single = MultipleKernelRegressor(KERNELS, "loo").fit(X, y)
        thin = MultipleKernelRegressor(KERNELS, "alignment", sparse=True).fit(X, y)
        exactly = X[:, 0] ** 2
        precise = MultipleKernelRegressor([RBF(3.0), RBF(9.0)] * 2, "loo", alpha=1e-11)
        precise.fit(X[:, :1], exactly)
    assert "single precision" in single.report_.plan and not single.report_.notes
    np.testing.assert_allclose(single.predict(Z), stored.predict(Z), atol=1e-5)
    assert np.flatnonzero(thin.weights_).tolist() == [0, 2]
    assert "matrices were computed again for every step" in precise.report_.notes[-1]
    np.testing.assert_allclose(precise.predict(X[:, :1]), exactly, atol=1e-4)


def test_the_report_has_a_row_for_each_kernel():
    report = MultipleKernelRegressor(KERNELS, "average").fit(X, y).report_
    assert [row[0] for row in report.terms] == [repr(kernel) for kernel in KERNELS]
    lines = str(report).splitlines()
    assert "loss without" in str(report) and any("RBF().on([2])" in line for line in lines)
    losses = [row[3] for row in report.terms]
    assert min(losses[0], losses[2]) > 2 * report.loss > losses[1]
    assert report.to_dict()["terms"] == report.terms


def test_folds_of_loo():
    model = MultipleKernelRegressor(KERNELS, "loo", cv=5).fit(X, y)
    assert model.score(Z, wave(Z)) > 0.97
    with pytest.raises(errors.ParameterError, match="every sample once"):
        MultipleKernelRegressor(KERNELS, "loo", cv=[([0, 1], [2, 3])]).fit(X, y)


def test_constant_targets():
    model = MultipleKernelRegressor(KERNELS).fit(X, np.full(len(X), 3.0))
    np.testing.assert_array_equal(model.predict(Z), 3.0)


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        (RBF(), "must be a list of kernels"),
        ([], "must be a list of kernels"),
        ([RBF(), 3.0], r"kernels\[1\]"),
        ([RBF(), 0.0 * Linear()], r"kernels\[1\] .* not positive"),
    ],
)
def test_bad_kernels(kernels, message):
    with pytest.raises(errors.ParameterError, match=message):
        MultipleKernelRegressor(kernels).fit(X, y)
