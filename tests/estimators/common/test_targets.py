"""Targets that learners cannot take, such as those whose variance overflows, and long labels."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import mercer
from mercer import RBF, Linear, errors

X = np.random.default_rng(0).standard_normal((30, 3))
Y = X[:, 0]
LEARNERS = {
    "RVR": lambda y: mercer.RVR().fit(X, y),
    "GaussianProcessRegressor": lambda y: mercer.GaussianProcessRegressor().fit(X, y),
    "normalize_y": lambda y: mercer.GaussianProcessRegressor(normalize_y=True).fit(X, y),
    "KernelRidgeCV": lambda y: mercer.KernelRidgeCV().fit(X, y),
    "MKL": lambda y: mercer.MultipleKernelRegressor(kernels=[RBF(), Linear()]).fit(X, y),
    "KernelSearch": lambda y: mercer.KernelSearch(bases=[RBF()], depth=1).fit(X, y),
    "KernelQuantileRegressor": lambda y: mercer.KernelQuantileRegressor().fit(X, y),
    "learn_kernel": lambda y: mercer.learn_kernel(RBF([1.0, 1.0, 1.0]), X, y),
    "learn_metric": lambda y: mercer.learn_metric(RBF(), X, y),
    "AutoRegressor": lambda y: mercer.AutoRegressor().fit(X, y),
    "AutoRegressor, one kernel": lambda y: mercer.AutoRegressor(kernel=RBF()).fit(X, y),
}


@pytest.mark.parametrize("fit", LEARNERS.values(), ids=LEARNERS)
def test_a_variance_that_overflows_is_refused(fit):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(errors.ParameterError, match=r"y = .* has no finite variance .*scale y"):
            fit(1e300 * Y)


@pytest.mark.parametrize("size", [1e100, 1e-100])
def test_far_smaller_ones_are_not(size):
    model = mercer.KernelRidgeCV().fit(X, Y)
    scaled = mercer.KernelRidgeCV().fit(X, size * Y)
    assert np.allclose(scaled.predict(X) / size, model.predict(X))


def test_an_automatic_regressor_of_one_value_predicts_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = mercer.AutoRegressor().fit(X, np.full(30, 7.0))
    assert np.allclose(model.predict(X), 7.0)


@pytest.mark.parametrize("learner", [mercer.SVC, mercer.KernelRidgeClassifier])
def test_long_labels_take_no_place_of_their_length_for_every_sample(learner):
    labels = ["a" * 5000 if i % 2 else "b" for i in range(20)]
    rows = np.arange(20.0)[:, None] % 2
    model = learner(kernel="rbf").fit(rows, labels)
    assert model.classes_.dtype == object
    assert model.predict(rows).tolist() == labels


@pytest.mark.parametrize("shift", [0.0, -3.0, 2.0**40])
def test_whole_numbers_in_floats_are_classes(shift):
    rng = np.random.default_rng(0)
    X, numbers = rng.standard_normal((60, 2)), rng.integers(0, 3, 60)
    model = mercer.SVC().fit(X, numbers + shift)
    assert model.classes_.dtype == np.float64
    np.testing.assert_array_equal(model.classes_, np.arange(3) + shift)
    same = mercer.SVC().fit(X, numbers)
    np.testing.assert_array_equal(model.predict(X), same.predict(X) + shift)
    np.testing.assert_array_equal(model.dual_coef_, same.dual_coef_)


@pytest.mark.parametrize("bad", [0.5, np.nan, np.inf])
def test_other_floats_are_no_classes(bad):
    X, y = np.arange(8.0)[:, None], np.repeat([0.0, 1.0], 4)
    y[3] = bad
    with pytest.raises(ValueError, match=r"(?i)unknown label type|nan|infinity"):
        mercer.SVC().fit(X, y)
