"""The program of kernel mean matching against a generic solver, and its optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from mercer import RBF
from mercer.solvers.mean_matching import match_means


def problem(n, width=1.0, seed=0):
    rng = np.random.default_rng(seed)
    X, Z = rng.standard_normal((n, 2)), 0.7 * rng.standard_normal((n + 5, 2)) + 0.8
    kernel = RBF(width)
    return kernel(X), n / len(Z) * kernel(X, Z).sum(axis=1)


def objective(beta, K, kappa):
    return 0.5 * beta @ K @ beta - kappa @ beta


@pytest.mark.parametrize(
    ("n", "bound", "slack"), [(10, 1000.0, 0.7), (12, 2.0, 0.1), (15, 1.2, 0.5)]
)
def test_a_generic_solver_finds_the_same(n, bound, slack):
    K, kappa = problem(n)
    low, high = n * (1 - slack), n * (1 + slack)
    ours = match_means(K, kappa, bound, low, high)
    theirs = minimize(
        objective,
        np.ones(n),
        args=(K, kappa),
        jac=lambda beta, K, kappa: K @ beta - kappa,
        bounds=[(0, bound)] * n,
        constraints=[
            {"type": "ineq", "fun": lambda beta: high - beta.sum()},
            {"type": "ineq", "fun": lambda beta: beta.sum() - low},
        ],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert ours.converged
    assert objective(ours.weights, K, kappa) == pytest.approx(theirs.fun, rel=1e-8)
    np.testing.assert_allclose(ours.weights, theirs.x, atol=1e-4)


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(1, 40),
    width=st.floats(0.2, 5.0),
    bound=st.floats(1.05, 100.0),
    slack=st.floats(0.01, 0.9),
    seed=st.integers(0, 99),
)
def test_no_weight_can_be_moved_for_the_better(n, width, bound, slack, seed):
    K, kappa = problem(n, width, seed)
    low, high = n * (1 - slack), n * (1 + slack)
    solution = match_means(K, kappa, bound, low, high)
    beta = solution.weights
    assert solution.converged
    assert (beta >= 0).all() and (beta <= bound).all() and low <= beta.sum() <= high
    # the program is convex: no point is better by more than the gradient promises
    gradient = K @ beta - kappa
    order = np.argsort(gradient)
    least = np.inf
    for total in (low, high, *np.clip(np.arange(n + 1) * bound, low, high)):
        corner = np.zeros(n)
        corner[order] = np.clip(total - np.arange(n) * bound, 0.0, bound)
        least = min(least, gradient @ (corner - beta))
    assert least >= -1e-6 * (1.0 + abs(kappa @ beta))
