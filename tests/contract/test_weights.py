"""What weights of samples mean: a row of weight 0 is absent, and equal weights change nothing.

That a weight of 2 is the same row twice is tested among the promises of every estimator.
"""

from __future__ import annotations

import numpy as np
import pytest
from contract.cases import every_estimator, make, samples, takes_weights, target, value

from mercer.errors import MercerError


@every_estimator("sample_weight")
def test_every_estimator_takes_weights(name):
    assert takes_weights(make(name))


@every_estimator("sample_weight", "absence")
def test_a_row_of_weight_0_is_absent(name):
    X, y, Z = samples(name), target(name), samples(name, 20, 1)
    weight = np.ones(len(X))
    weight[3::7] = 0.0
    kept = np.flatnonzero(weight)
    weighted = make(name).fit(X, y, sample_weight=weight)
    without = make(name).fit(X[kept], None if y is None else y[kept])
    np.testing.assert_allclose(value(weighted, Z), value(without, Z), rtol=1e-9, atol=1e-9)


@every_estimator("sample_weight")
def test_weights_of_1_change_nothing(name):
    X, y, Z = samples(name), target(name), samples(name, 20, 1)
    weighted = make(name).fit(X, y, sample_weight=np.ones(len(X)))
    plain = make(name).fit(X, y)
    np.testing.assert_allclose(value(weighted, Z), value(plain, Z), rtol=1e-9, atol=1e-9)


@every_estimator("sample_weight")
@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf])
def test_a_weight_that_is_none_is_named(name, wrong):
    X, y = samples(name), target(name)
    weight = np.ones(len(X))
    weight[5] = wrong
    with pytest.raises((MercerError, ValueError), match="sample_weight"):
        make(name).fit(X, y, sample_weight=weight)
    with pytest.raises((MercerError, ValueError), match="sample_weight"):
        make(name).fit(X, y, sample_weight=np.ones(len(X) - 1))


@every_estimator("sample_weight")
@pytest.mark.parametrize(
    ("both", "then"), [("fit_transform", "transform"), ("fit_predict", "predict")]
)
def test_what_fits_and_answers_at_once_takes_weights(name, both, then):
    model = make(name)
    if not hasattr(model, both) or not hasattr(model, then):
        pytest.skip(f"no {both}")
    X, y = samples(name), target(name)
    weight = 1.0 + np.arange(len(X)) % 3
    at_once = getattr(make(name), both)(X, y, sample_weight=weight)
    expected = getattr(model.fit(X, y, sample_weight=weight), then)(X)
    np.testing.assert_allclose(at_once, expected, rtol=1e-7, atol=1e-7)
