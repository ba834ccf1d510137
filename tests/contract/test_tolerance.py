"""A tolerance that no floating point number reaches ends the fit, and the fit says so."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning

from mercer import (
    RVC,
    RVR,
    SVC,
    SVDD,
    SVR,
    KernelICA,
    KernelLogisticRegression,
    KernelQuantileRegressor,
    LinearSVC,
    LinearSVR,
    NegativeDistance,
    OneClassSVM,
)

NEVER = 1e-300
CLASSIFIERS = [
    LinearSVC(),
    LinearSVC(loss="hinge"),
    LinearSVC(penalty="l1", dual=False),
    RVC(),
    SVC(centers=10),
    SVC(centers="all"),
    KernelLogisticRegression(),
    KernelLogisticRegression(centers=10),
]
REGRESSORS = [
    LinearSVR(loss="squared_epsilon_insensitive"),
    RVR(),
    SVR(centers=10),
    KernelQuantileRegressor(centers=10),
    OneClassSVM(centers=10),
    KernelICA(),
]


def fitted(model, tol):
    """A fitted copy, and its warnings of convergence."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    t = X[:, 0] + 0.3 * rng.standard_normal(80)
    y = t
    if is_classifier(model):
        y = t > 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = type(model)(**{**model.get_params(), "tol": tol}).fit(X, y)
    return model, [w for w in caught if issubclass(w.category, ConvergenceWarning)]


@pytest.mark.parametrize("model", CLASSIFIERS + REGRESSORS, ids=repr)
def test_a_tolerance_out_of_reach_is_told(model):
    usual, caught = fitted(model, model.tol)
    assert usual.report_.converged and not caught
    model, caught = fitted(model, NEVER)
    assert not model.report_.converged and len(caught) == 1
    assert "tol" in str(caught[0].message)


@pytest.mark.parametrize("kernel", ["linear", "rbf", NegativeDistance()], ids=repr)
@pytest.mark.parametrize("n", [5, 60, 200])
def test_a_ball_that_has_converged_has_no_gap(kernel, n):
    X = np.random.default_rng(n).standard_normal((n, 3))
    for nu in (0.1, 0.5, 0.9):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = SVDD(kernel=kernel, nu=nu, tol=NEVER).fit(X)
        assert model.report_.converged == (model.report_.facts["gap"] <= NEVER)
        assert model.report_.converged == (not caught)


@pytest.mark.parametrize("tol", [1e-12, 1e-9, 1e-6])
def test_small_tolerances_within_reach_are_reached(tol):
    for model in (LinearSVC(), RVR(), SVC(), SVDD()):
        model, caught = fitted(model, tol)
        assert model.report_.converged and not caught
