"""Conjugate gradients against a direct solution."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.linalg.cg import LowRankInverse, Ridge, conjugate_gradients
from mercer.linalg.matrices import Diagonal, Identity


def system(n=60, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, n))
    return A @ A.T / n + 0.1 * np.eye(n), rng.standard_normal((n, 3))


@pytest.mark.parametrize("measure", ["residual", "energy"])
@pytest.mark.parametrize("inverse", ["none", "diagonal", "low rank"])
def test_the_solution(measure, inverse):
    A, B = system()
    values, vectors = np.linalg.eigh(A)
    preconditioners = {
        "none": None,
        "diagonal": Diagonal(1.0 / A.diagonal()),
        "low rank": LowRankInverse(vectors[:, -10:] * np.sqrt(values[-10:]), 0.1),
    }
    solution = conjugate_gradients(A, B, preconditioners[inverse], measure=measure, tol=1e-12)
    assert solution.converged and solution.residual < 1e-8
    np.testing.assert_allclose(solution.x, np.linalg.solve(A, B), atol=1e-7)


def test_columns_do_not_depend_on_each_other():
    A, B = system()
    together = conjugate_gradients(A, B, measure="energy").x
    other = np.column_stack([B[:, 0], 1e6 * B[:, 1], B[:, 2]])
    np.testing.assert_array_equal(
        conjugate_gradients(A, other, measure="energy").x[:, 0], together[:, 0]
    )


def test_too_few_steps_are_said():
    A, B = system()
    solution = conjugate_gradients(A, B, limit=3)
    assert not solution.converged and solution.iterations == 3 and solution.residual > 1e-10


def test_nothing_is_solved_at_once():
    A, _ = system()
    solution = conjugate_gradients(A, np.zeros((60, 2)), measure="energy")
    assert solution.converged and solution.iterations == 0 and not solution.x.any()


def test_a_direction_of_no_curvature_ends_the_iteration():
    solution = conjugate_gradients(-np.eye(4), np.ones((4, 1)), measure="energy", limit=50)
    assert not solution.converged and np.isfinite(solution.x).all()


def test_parts():
    A, B = system()
    np.testing.assert_allclose(Ridge(A, 2.0) @ B, A @ B + 2.0 * B)
    L = np.random.default_rng(1).standard_normal((60, 5))
    exact = np.linalg.solve(L @ L.T + 0.3 * np.eye(60), B)
    np.testing.assert_allclose(LowRankInverse(L, 0.3) @ B, exact, atol=1e-10)
    np.testing.assert_allclose(LowRankInverse(np.empty((60, 0)), 0.3) @ B, B / 0.3)
    assert Identity() @ B is B
