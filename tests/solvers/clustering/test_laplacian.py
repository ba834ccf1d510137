"""The smoothest functions on a graph, against dense eigenvalues."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mercer.solvers.clustering.laplacian import smoothest, smoothest_sparse


def ring(n, reach=3):
    """Everyone linked to the next few, around a circle."""
    A = sum(sparse.eye_array(n, k=k) + sparse.eye_array(n, k=k - n) for k in range(1, reach + 1))
    return sparse.csr_array(A + A.T)


def dense(W, count):
    W = W.toarray()
    root = 1.0 / np.sqrt(W.sum(axis=1))
    return np.linalg.eigvalsh(np.eye(len(W)) - root[:, None] * W * root)[:count]


@pytest.mark.parametrize("sizes", [[400], [350, 500], [310, 40, 320]], ids=str)
def test_every_way_is_the_dense_one(sizes):
    rng = np.random.RandomState(0)
    W = sparse.csr_array(sparse.block_diag([ring(n) for n in sizes]))
    degree = np.asarray(W.sum(axis=1)).ravel()
    by_factor = smoothest_sparse(W, degree, 5, rng, 1e-10)
    by_products = smoothest(W, degree, 5, rng.standard_normal((len(degree), 11)), 1e-10)
    expected = dense(W, 5)
    for found in (by_factor, by_products):
        np.testing.assert_allclose(found.values, expected, atol=1e-9)
        root = 1.0 / np.sqrt(degree)[:, None]
        image = found.vectors - root * (W @ (root * found.vectors))
        np.testing.assert_allclose(image, found.vectors * found.values, atol=1e-8)
        assert found.parts == len(sizes)


def test_vertices_without_links_are_parts():
    W = sparse.csr_array(sparse.block_diag([ring(40), np.zeros((2, 2))]))
    degree = np.asarray(W.sum(axis=1)).ravel()
    rng = np.random.RandomState(0)
    for found in (
        smoothest_sparse(W, degree, 4, rng, 1e-10),
        smoothest(W, degree, 4, rng.standard_normal((42, 10)), 1e-10),
    ):
        assert found.parts == 3
        np.testing.assert_allclose(found.values[:3], 0.0, atol=1e-12)
        assert found.values[3] > 1e-3
