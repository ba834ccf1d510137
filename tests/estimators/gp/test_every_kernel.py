"""The parameters of every kernel that a Gaussian process may have can be learned, from wherever a
start is drawn.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import mercer
from mercer import (
    GaussianProcessRegressor,
    GeneralLinear,
    NegativeDistance,
    Polynomial,
    Subsequence,
    White,
    errors,
)
from mercer.kernels import catalogue
from mercer.testing import sample_for


def _learnable() -> list[tuple[str, int]]:
    found = []
    for name, kind in catalogue().items():
        for number, kernel in enumerate(kind.examples()):
            if kernel.continuous_params() and kernel.certificate(3).psd:
                found.append((name, number))
    return found


@pytest.mark.parametrize(("name", "number"), _learnable())
def test_every_kernel_is_learned(name, number):
    kernel = catalogue()[name].examples()[number]
    X = sample_for(kernel, 12, 3, np.random.default_rng(0))
    y = np.random.default_rng(1).standard_normal(12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = GaussianProcessRegressor(kernel + 0.1 * White(), optimizer=None).fit(X, y)
        made = GaussianProcessRegressor(
            kernel + 0.1 * White(), n_restarts_optimizer=2, random_state=0
        ).fit(X, y)
    assert made.log_marginal_likelihood_value_ >= given.log_marginal_likelihood_value_ - 1e-9
    assert np.isfinite(made.predict(X)).all()


WORDS = ["kernel", "kernels", "colonel", "matrix", "metrics", "kernel trick"]


def test_the_limits_of_a_parameter_are_bounds():
    y = np.arange(6.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.MercerError)
        warnings.simplefilter("ignore")
        model = GaussianProcessRegressor(
            Subsequence(length=2) + 0.1 * White(), n_restarts_optimizer=5, random_state=0
        ).fit(WORDS, y)
    assert 0 < model.kernel_.k1.decay <= 1
    with pytest.raises(
        errors.ParameterError,
        match=r"bounds\['decay'\] = \(0.1, 2.0\) must be in \]0, 1\], as decay is",
    ):
        GaussianProcessRegressor(Subsequence(length=2), bounds={"decay": (0.1, 2.0)}).fit(WORDS, y)
    X = np.linspace(-1, 1, 30)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an end that nobody can widen is not warned of
        model = GaussianProcessRegressor(
            1.0 * NegativeDistance(power=1.5).center(), alpha=1e-2, fixed=["factor"]
        ).fit(X, 3.0 * X[:, 0])
    assert model.kernel_.get_params()["kernel__kernel__power"] == pytest.approx(2.0)


def test_what_cannot_be_learned_is_told():
    X = np.random.default_rng(0).standard_normal((20, 2))
    kernel = (
        GeneralLinear(A=[[1.0, 0.5], [0.5, 1.0]])
        + 1.0 * Polynomial(degree=2, offset=0.0)
        + 0.1 * White()
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in (GaussianProcessRegressor(kernel), mercer.GaussianProcessClassifier(kernel)):
            model.fit(X, X[:, 0] > 0)
            assert "not learned k1__A (a matrix), k2__kernel__offset (not positive)" in str(
                model.report_
            )
        assert "not learned" not in str(
            GaussianProcessRegressor(kernel, fixed=["k1__A", "k2__kernel__offset"])
            .fit(X, X[:, 0])
            .report_
        )


def test_training_samples_are_our_own():
    words, y = list(WORDS), np.arange(6.0)
    model = GaussianProcessRegressor(Subsequence(length=2), alpha=0.1, optimizer=None).fit(words, y)
    before = model.predict(WORDS)
    words[:] = [""] * 6
    np.testing.assert_array_equal(model.predict(WORDS), before)
    assert model.X_train_ == WORDS
