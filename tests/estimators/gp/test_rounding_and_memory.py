"""Evidence that rounding errors rule, jitter, and the memory of sparse Gaussian processes."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer import RBF, GaussianProcessRegressor, config_context, errors


@pytest.fixture
def smooth(rng):
    X = rng.uniform(-3, 3, (40, 1))
    return X, np.sin(X[:, 0])


@pytest.mark.parametrize("method", ["exact", "sparse"])
def test_an_evidence_of_rounding_errors_has_not_converged(smooth, method):
    X, y = smooth
    model = GaussianProcessRegressor(1.0 * RBF(), method=method, alpha=1e-14)
    with pytest.warns(ConvergenceWarning, match="rounding errors"):
        model.fit(X, y)
    assert model.report_.converged is False
    assert any("alpha" in note or "noise" in note for note in model.report_.notes)


def test_with_noise_it_converges_without_a_word(smooth):
    model = GaussianProcessRegressor(1.0 * RBF(), alpha=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert model.fit(*smooth).report_.converged is True


def test_given_hyperparameters_are_not_said_to_converge(smooth):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GaussianProcessRegressor(1.0 * RBF(), optimizer=None).fit(*smooth)
    assert model.report_.converged is None


def test_the_jitter_of_inducing_points_is_reported(smooth):
    X, y = smooth
    kernel = 4.0 * RBF()
    model = GaussianProcessRegressor(kernel, alpha=0.1, method="sparse", optimizer=None).fit(X, y)
    assert model.report_.jitter == pytest.approx(4e-10)


@pytest.mark.parametrize("method", ["sparse", "iterative"])
def test_memory_stays_within_the_budget(rng, method):
    X = rng.uniform(-3, 3, (2500, 2))
    y = np.sin(X[:, 0])
    model = GaussianProcessRegressor(RBF(), alpha=0.1, method=method, optimizer=None)
    model.set_params(n_inducing=150).fit(X[:200], y[:200])  # compiled before memory is measured
    with config_context(memory_budget="3 MB"):
        tracemalloc.start()
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 3e6 + 8 * X.nbytes
    assert model.score(X[:50], y[:50]) > 0.99


def test_too_many_inducing_points_for_the_budget(rng):
    X = rng.uniform(-3, 3, (600, 2))
    model = GaussianProcessRegressor(RBF(), alpha=0.1, method="sparse", n_inducing=500)
    with (
        config_context(memory_budget="5 MB"),
        pytest.raises(errors.MemoryBudgetError, match="lower n_inducing"),
    ):
        model.fit(X, X[:, 0])
    assert mercer.get_config().memory_budget > 5e6
