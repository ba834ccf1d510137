"""Ridge regression in single precision, against the solution by Cholesky."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import Laplacian, config_context
from mercer.execution.blas import serial_blas
from mercer.solvers.ridge.single import single_precision_ridge
from mercer.solvers.ridge.triangle import Triangle


def problem(n: int = 700) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 4))
    Y = np.column_stack([np.sin(X[:, 0]) + 0.1 * rng.normal(size=n), X[:, 1] * X[:, 2]])
    return Laplacian(4.0)(X), Y, rng.uniform(0.2, 3.0, n)


@pytest.mark.parametrize("penalty", [1e-2, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_solution_is_that_of_the_linear_system(penalty, weighted):
    K, Y, weight = problem()
    added = penalty / weight if weighted else np.full(len(K), penalty)
    exact = K @ np.linalg.solve(K + np.diag(added), Y)
    given = weight if weighted else None
    solution = single_precision_ridge(Triangle.copy(K), Y, penalty, given, tol=1e-5)
    assert solution.converged
    np.testing.assert_allclose(K @ solution.x, exact, atol=2e-4)
    assert single_precision_ridge(Triangle.copy(K), Y, penalty, given).iterations < 20


def test_bits_do_not_depend_on_threads():
    K, Y, _ = problem()
    K = Triangle.copy(K)

    def solve(threads: int) -> np.ndarray:
        with config_context(threads=threads), serial_blas():
            return single_precision_ridge(K, Y, 0.1).x

    np.testing.assert_array_equal(solve(1), solve(2))


def test_duplicate_rows_leave_the_preconditioner_regular():
    K = Triangle.copy(np.ones((600, 600)))
    solution = single_precision_ridge(K, np.ones((600, 1)), 0.5)
    np.testing.assert_allclose(solution.x, 1.0 / 600.5, rtol=1e-3)
