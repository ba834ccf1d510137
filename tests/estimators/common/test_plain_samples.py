"""New samples that are plain arrays skip scikit-learn's checks, and nothing wrong does."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from mercer import (
    RBF,
    SVC,
    SVR,
    GaussianProcessRegressor,
    KernelLogisticRegression,
    KernelPCA,
    KernelRidge,
)
from mercer.errors import NotFiniteError
from mercer.estimators.common import numbers

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 3))
y = X[:, 0] > 0
LEARNERS = [
    SVC(),
    SVR(),
    KernelRidge(),
    GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None),
    KernelLogisticRegression(),
    KernelPCA(kernel="rbf"),
]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)


def fitted(learner, samples=X):
    """The learner's answers for new samples, after a fit."""
    learner = learner.fit(samples, y.astype(float))
    return learner.transform if hasattr(learner, "transform") else learner.predict


def refuse(*_, **__):
    raise AssertionError("was checked by scikit-learn")


@every_learner
def test_plain_arrays_need_no_other_checks(learner, monkeypatch):
    answer = fitted(learner)
    checked = answer(X[:2].tolist())
    monkeypatch.setattr(numbers, "validate_data", refuse)
    np.testing.assert_array_equal(answer(X[:2]), checked)
    with pytest.raises(AssertionError, match="was checked by scikit-learn"):
        answer(X[:2].tolist())


@every_learner
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_named(learner, value):
    new = X[:4].copy()
    new[2, 1] = value
    with pytest.raises(NotFiniteError, match=r"X\[2, 1\]"):
        fitted(learner)(new)


@every_learner
@pytest.mark.parametrize(
    ("new", "words"),
    [
        (X[:4, :2], "2 features"),
        (np.zeros((2, 4)), "4 features"),
        (X[0], "Expected 2D array"),
        (X[:0], "0 sample"),
        (X[:, :0], "0 feature"),
    ],
)
def test_other_shapes_are_refused(learner, new, words):
    with pytest.raises(ValueError, match=words):
        fitted(learner)(new)


@every_learner
def test_an_array_after_a_data_frame_lacks_its_names(learner):
    answer = fitted(learner, pd.DataFrame(X, columns=list("abc")))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        answer(X)


@every_learner
def test_numbers_whose_sums_overflow_are_finite(learner):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = fitted(learner)(np.full((2, 3), 1.5e308))
    assert np.isfinite(values).all()


@every_learner
def test_other_ways_to_store_numbers_give_the_same(learner):
    answer = fitted(learner)
    new = np.rint(4 * X[:6])
    same = [np.asfortranarray(new), new.astype(int), new.astype(">f8"), new.tolist()]
    for other in [*same, np.repeat(new, 2, axis=0)[::2]]:
        np.testing.assert_allclose(answer(other), answer(new), rtol=1e-12)


def test_an_unfitted_learner_says_so():
    for learner in (SVC(), SVR(), KernelRidge(), KernelLogisticRegression()):
        with pytest.raises(NotFittedError):
            learner.predict(X)
    with pytest.raises(NotFittedError):
        KernelPCA().transform(X)
