"""Odd and bad input of Gaussian processes: an answer, or an error that names the remedy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import RBF, GaussianProcessClassifier, GaussianProcessRegressor, RadialKernel, errors
from mercer.kernels import Precomputed

X = np.random.default_rng(0).standard_normal((20, 2))
y = np.sin(X[:, 0])


class Flat(RadialKernel, abstract=True):
    """A kernel without derivatives."""

    def profile(self, s2):
        return np.exp(-s2)


def test_duplicates_without_noise_are_learned_with_jitter_that_is_told():
    with pytest.warns(UserWarning, match="had to be added to the diagonal"):
        model = GaussianProcessRegressor(1.0 * RBF(), alpha=0.0, bounds=(1e-2, 10.0)).fit(
            np.repeat(X, 2, axis=0), np.repeat(y, 2)
        )
    assert model.report_.jitter > 0 and model.report_.evaluations > 3
    np.testing.assert_allclose(model.predict(X), y, atol=1e-3)


def test_a_start_without_finite_likelihood_is_left_out():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GaussianProcessRegressor(
            1.0 * RBF(), alpha=1e-10, n_restarts_optimizer=3, random_state=0
        ).fit(X, y)
    assert np.isfinite(model.log_marginal_likelihood_value_)
    with pytest.raises(ValueError, match="no finite variance"):
        GaussianProcessRegressor(RBF(), alpha=0.1).fit(X, 1e200 * y)


def test_a_kernel_without_derivatives():
    with (
        pytest.warns(errors.DefinitenessWarning),
        pytest.raises(errors.NotDifferentiableError, match="optimizer=None"),
    ):
        GaussianProcessRegressor(Flat(), alpha=0.1).fit(X, y)
    for options in ({"optimizer": None}, {"fixed": ["length_scale"]}):
        with pytest.warns(errors.DefinitenessWarning) as told:
            model = GaussianProcessRegressor(Flat(), alpha=0.1, **options).fit(X, y)
        assert len(told) == 1
        same = GaussianProcessRegressor(
            RBF(length_scale=np.sqrt(0.5)), alpha=0.1, optimizer=None
        ).fit(X, y)
        np.testing.assert_allclose(model.predict(X), same.predict(X))


def test_a_function_of_two_collections():
    with pytest.warns(errors.DefinitenessWarning):
        model = GaussianProcessRegressor(lambda a, b: rbf_kernel(a, b, gamma=0.5), alpha=0.1).fit(
            X, y
        )
    same = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None).fit(X, y)
    for ours, theirs in zip(
        model.predict(X, return_std=True), same.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_allclose(ours, theirs)


def test_a_matrix_by_positions():
    K = RBF()(X)
    model = GaussianProcessRegressor(Precomputed(K), alpha=0.1).fit(np.arange(15), y[:15])
    same = GaussianProcessRegressor(RBF(), alpha=0.1, optimizer=None).fit(X[:15], y[:15])
    for ours, theirs in zip(
        model.predict(np.arange(15, 20), return_std=True),
        same.predict(X[15:], return_std=True),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs)
    for model in (
        GaussianProcessRegressor("precomputed"),
        GaussianProcessClassifier("precomputed"),
    ):
        with pytest.raises(errors.ParameterError, match="Precomputed"):
            model.fit(K, y > 0)


def test_one_sample_and_constant_targets():
    mean, std = (
        GaussianProcessRegressor(alpha=0.1, optimizer=None)
        .fit(X[:1], [2.0])
        .predict(X[:1], return_std=True)
    )
    assert mean[0] == pytest.approx(2 / 1.1) and std[0] == pytest.approx(np.sqrt(1 - 1 / 1.1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flat = GaussianProcessRegressor(1.0 * RBF(), alpha=1e-4, normalize_y=True).fit(
            X, np.full(20, 7.0)
        )
    np.testing.assert_allclose(flat.predict(X + 1), 7.0)


def test_parameters_at_their_bounds_are_named():
    with pytest.warns(UserWarning, match=r"length_scale is at its bound; widen bounds="):
        GaussianProcessRegressor(RBF(), alpha=0.01, bounds={"length_scale": (1e-3, 0.1)}).fit(X, y)


@pytest.mark.parametrize("model", [GaussianProcessRegressor, GaussianProcessClassifier])
def test_a_given_kernel_that_is_constant_on_the_samples(model, rng):
    X, y = rng.standard_normal((20, 2)), np.arange(20) % 2
    with pytest.raises(errors.ParameterError, match="constant on these samples"):
        model(RBF(1e12), optimizer=None).fit(X, y)


@pytest.mark.parametrize("status", ["psd", "unknown"])
@pytest.mark.parametrize("optimizer", ["lbfgs", None])
def test_a_kernel_that_is_none_may_be_refuted(status, optimizer):
    """The certificate of a function of one's own repeats what its author has stated."""
    X = np.random.default_rng(0).uniform(0.0, 24.0, (40, 1))

    @mercer.kernel(status=status, compile="python")
    def around_the_clock(x, y, scale=6.0):
        gap = abs(x[0] - y[0])
        return np.exp(-0.5 * (min(gap, 24.0 - gap) / scale) ** 2)

    options = {} if optimizer else {"optimizer": None}
    models = [
        mercer.GaussianProcessRegressor(around_the_clock, **options),
        mercer.GaussianProcessClassifier(100.0 * around_the_clock, **options),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in models:
            with pytest.raises(ValueError, match=r"kernel\.refute\(X\) looks for a reason"):
                model.fit(X, np.sin(X[:, 0]) > 0)
