"""Intervals and sets of automatic models, and their coverage on held-out folds in reports."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import mercer
from mercer import AutoClassifier, AutoRegressor, ConformalClassifier, ConformalRegressor
from mercer.automatic import assess
from mercer.automatic.studies.coverage import measure_coverage, of_all_folds
from mercer.errors import ParameterError


def numbers(n=160, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 3))
    return X, np.sin(2 * X[:, 0]) + 0.3 * rng.standard_normal(n)


def test_intervals_say_that_nothing_is_proven():
    X, y = numbers()
    model = AutoRegressor(time="fast").fit(X[:100], y[:100])
    result = model.predict_interval(X[100:], 0.8)
    low, high = result
    assert (low < high).all() and 0.6 < result.covered(y[100:]) <= 1.0
    assert result.bound is None and "No guarantee: kernels and penalties" in result.guarantee
    assert "intervals asked to hold 90 % of new targets hold" in str(model.report_)
    with pytest.raises(ParameterError, match=r"ConformalRegressor\(AutoRegressor\(\.\.\.\)\)"):
        AutoRegressor(learner="ridge").fit(X, y).predict_interval(X)
    with pytest.raises(ParameterError, match="strictly between 0 and 1"):
        model.predict_interval(X, 1.0)


def test_sets_of_labels(tmp_path):
    X, y = load_iris(return_X_y=True)
    names = np.array(["x", "y", "z"])[y]
    model = AutoClassifier(time="fast").fit(X[::2], names[::2])
    sets = model.predict_set(X[1::2], 0.9)
    assert sets.covered(names[1::2]) > 0.8 and sets.bound is None
    assert sets.classes.tolist() == ["x", "y", "z"]
    assert "sets asked to hold 90 % of new labels hold" in str(model.report_)
    mercer.save(model, tmp_path / "model")
    again = mercer.load(tmp_path / "model").predict_set(X[1::2], 0.9)
    np.testing.assert_array_equal(again.members, sets.members)
    with pytest.raises(ParameterError, match="it needs at least 999"):
        model.predict_set(X, 0.999)
    with pytest.raises(ParameterError, match="sets = 'svc' are known where kernels are learned"):
        AutoClassifier(learner="svc").fit(X, y).predict_set(X)


def test_another_learner_forgets_what_was_left_out():
    X, y = numbers(60)
    model = AutoRegressor(time="fast").fit(X, y)
    model.set_params(learner="ridge").fit(X, y)
    assert not hasattr(model, "loo_errors_")


def test_coverage_is_measured_on_held_out_folds():
    X, y = numbers(100)
    result = assess(AutoRegressor(time="fast"), X, y, cv=4, repeats=2)
    found = result.coverage
    assert found is not None and len(found.inside) == 100 and found.what == "intervals"
    assert 0.7 < found.share <= 1.0 and found.error < 0.05
    assert "intervals asked to hold 90 % hold" in str(found)
    X, labels = load_iris(return_X_y=True)
    sets = assess(AutoClassifier(time="fast"), X, labels, cv=3, repeats=1).coverage
    assert sets is not None and "labels on average, empty ones included" in str(sets)
    plain = assess(mercer.SVR(), *numbers(60), cv=3, repeats=1)
    assert plain.coverage is None
    ridge = AutoRegressor(learner="ridge").fit(*numbers(60))
    assert measure_coverage(ridge, *numbers(20)) is None
    assert of_all_folds([found, None]) is None


def test_automatic_models_inside_conformal_ones_have_a_guarantee():
    X, y = numbers()
    model = ConformalRegressor(AutoRegressor(time="fast")).fit(X[:100], y[:100])
    result = model.predict_interval(X[100:])
    assert result.bound == 0.9 and result.covered(y[100:]) > 0.75
    assert assess(model, X, y, cv=3, repeats=1).coverage is not None
    X, labels = load_iris(return_X_y=True)
    sets = ConformalClassifier(AutoClassifier(time="fast")).fit(X, labels).predict_set(X)
    assert sets.bound == 0.9
