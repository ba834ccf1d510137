"""Descent within bounds: against SciPy, on functions that mislead, and where
values are not finite.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from mercer.solvers.gp.descent import MAX_STEP, bfgs

WIDE = np.array([[-100.0, 100.0]] * 4)


def rosenbrock(x):
    return optimize.rosen(x), optimize.rosen_der(x)


def test_a_curved_valley():
    found = bfgs(rosenbrock, np.array([-1.2, 1.0]), WIDE[:2])
    assert found.converged
    np.testing.assert_allclose(found.x, 1.0, atol=1e-4)


@given(st.integers(0, 10_000))
def test_a_parabola_in_a_box_ends_where_scipy_ends(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 7))
    root = rng.standard_normal((d, d))
    A, b = root @ root.T + 0.1 * np.eye(d), 5 * rng.standard_normal(d)
    low = rng.uniform(-2, 0, d)
    bounds = np.column_stack([low, low + rng.uniform(0, 3, d)])

    def parabola(x):
        return 0.5 * x @ A @ x - b @ x, A @ x - b

    found = bfgs(parabola, rng.uniform(bounds[:, 0], bounds[:, 1]), bounds)
    exact = optimize.minimize(
        parabola,
        bounds.mean(axis=1),
        jac=True,
        bounds=bounds,
        options={"ftol": 1e-15, "gtol": 1e-10},
    )
    assert found.converged
    assert (found.x >= bounds[:, 0]).all() and (found.x <= bounds[:, 1]).all()
    assert found.value <= exact.fun + 1e-7 * max(1.0, abs(exact.fun))


def test_steps_stay_short():
    """A slope of a million, and a plateau behind the minimum that a long step would reach."""
    seen = []

    def hollow(x):
        seen.append(x[0])
        dent = np.exp(-((x[0] - 3.0) ** 2))
        return -1e6 * dent, np.array([2e6 * (x[0] - 3.0) * dent])

    found = bfgs(hollow, np.array([0.0]), np.array([[-50.0, 50.0]]))
    np.testing.assert_allclose(found.x, 3.0, atol=1e-5)
    assert np.abs(np.diff(seen)).max() <= MAX_STEP


def test_the_start_is_brought_within_the_bounds():
    found = bfgs(rosenbrock, np.full(4, 9.0), np.array([[-2.0, 0.5]] * 4))
    assert found.converged and (found.x <= 0.5).all() and found.x[0] == 0.5


def test_infinite_values_are_walked_around():
    def fenced(x):
        return (
            (np.inf, np.zeros(1))
            if x[0] < 0.3
            else (x[0] - np.log(x[0]) + x[0] ** 2, np.array([1 - 1 / x[0] + 2 * x[0]]))
        )

    found = bfgs(fenced, np.array([5.0]), np.array([[-10.0, 10.0]]))
    assert found.converged
    np.testing.assert_allclose(found.x, 0.5, atol=1e-5)


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_no_way_leads_from_a_start_without_value(bad):
    found = bfgs(lambda x: (bad, np.zeros(2)), np.zeros(2), WIDE[:2])
    assert not found.converged and "start" in found.reason


def test_a_slope_that_lies_is_found_out():
    found = bfgs(lambda x: (float(x @ x), -2 * x), np.ones(2), WIDE[:2])
    assert not found.converged and "leads down" in found.reason


def test_too_few_steps_are_told():
    found = bfgs(rosenbrock, np.array([-1.2, 1.0]), WIDE[:2], max_iter=3)
    assert not found.converged and found.reason == "3 steps were not enough"


def test_a_flat_start_and_no_parameters():
    assert bfgs(lambda x: (1.0, np.zeros(2)), np.ones(2), WIDE[:2]).converged
    assert bfgs(lambda x: (1.0, np.zeros(0)), np.ones(0), WIDE[:0]).value == 1.0
