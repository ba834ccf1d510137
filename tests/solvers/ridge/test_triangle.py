"""The triangle of a symmetric matrix, against the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import RBF, Laplacian
from mercer.domains.base import Batch
from mercer.solvers.ridge.triangle import Triangle


@pytest.fixture
def K() -> np.ndarray:
    A = np.random.default_rng(0).standard_normal((700, 20))
    return (A @ A.T).astype(np.float32)


def test_products_are_those_of_the_whole_matrix(K):
    V = np.random.default_rng(1).standard_normal((700, 3)).astype(np.float32)
    exact = K.astype(float) @ V
    np.testing.assert_allclose(Triangle.copy(K) @ V, exact, atol=1e-5 * np.abs(exact).max())


def test_rows_and_diagonal_are_those_of_the_whole_matrix(K):
    places = np.array([699, 0, 255, 256, 511, 512, 3])
    np.testing.assert_array_equal(Triangle.copy(K).rows(places), K[places])
    np.testing.assert_array_equal(Triangle.copy(K).diagonal(), K.diagonal())


@pytest.mark.parametrize("width", [3, 50])  # differences, and inner products by BLAS
@pytest.mark.parametrize("kernel", [Laplacian(4.0), RBF(3.0)])
def test_strips_and_products_have_the_values_of_the_kernel(kernel, width):
    X = np.random.default_rng(2).standard_normal((530, width))
    samples = kernel.prepare(Batch(X))
    triangle = Triangle.of(kernel.single_tiles(samples), samples)
    np.testing.assert_allclose(triangle.rows(np.arange(530)), kernel(X), atol=2e-6)
    A = np.random.default_rng(3).standard_normal((530, 2))
    products = kernel.single_tiles(samples).times(samples, A)
    np.testing.assert_allclose(products, kernel(X) @ A, atol=1e-4)
