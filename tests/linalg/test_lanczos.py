"""Block Lanczos against dense eigenvalues."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.linalg.lanczos import block_size, leading


def symmetric(values, seed=0):
    """A matrix with these eigenvalues, and its eigenvectors."""
    n = len(values)
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]
    return (Q * values) @ Q.T, Q


def solve(A, count, **options):
    start = np.random.default_rng(1).standard_normal((len(A), min(len(A), block_size(count))))
    return leading(A, start, count, **options)


@pytest.mark.parametrize(
    "values",
    [
        1.0 / np.arange(1, 301) ** 2,  # a kernel's
        np.linspace(1.0, 0.9, 300),  # slow
        np.repeat([5.0, 3.0, 1.0, 0.1], [1, 4, 15, 280]),  # multiples
        np.concatenate([[4.0, 3.0, 2.0, 1.0, 0.5], np.zeros(295)]),  # rank 5
        np.concatenate([np.linspace(-3, 0, 150), np.linspace(0, 2, 150)]),  # indefinite
        np.exp(-np.arange(300) / 5.0) * 1e-100,  # tiny
    ],
    ids=["decay", "slow", "multiples", "rank", "indefinite", "tiny"],
)
def test_the_largest_are_found(values):
    A, _ = symmetric(values)
    found = solve(A, 5)
    top = np.sort(values)[::-1][:5]
    size = np.abs(values).max()
    np.testing.assert_allclose(found.values, top, atol=1e-12 * size)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(5), atol=1e-10)
    assert np.linalg.norm(A @ found.vectors - found.vectors * found.values) <= 1e-8 * size
    assert found.converged and found.residual <= 1e-8


def test_negative_eigenvalues_are_seen():
    A, _ = symmetric(np.concatenate([[-2.0], np.linspace(0, 1, 299)]))
    assert solve(A, 3).lowest < -1.9


def test_few_passes_say_so():
    A, _ = symmetric(np.linspace(1.0, 0.9, 300))
    found = solve(A, 5, passes=2)
    assert found.iterations == 2 and not found.converged and found.residual > 1e-6


def test_a_listener_stops_it():
    A, _ = symmetric(np.linspace(1.0, 0.9, 300))
    heard = []
    found = solve(A, 5, callback=lambda step, residual: heard.append((step, residual)) or step == 3)
    assert found.iterations == 3 and len(heard) == 3


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 1000))
def test_small_and_singular_matrices(n, rank, seed):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((n, min(rank, n)))
    A = B @ B.T
    count = min(3, n)
    found = solve(A, count)
    expected = np.linalg.eigvalsh(A)[::-1][: len(found.values)]
    np.testing.assert_allclose(found.values, expected, atol=1e-9 * max(expected[0], 1e-300))
    assert not np.isnan(found.vectors).any()
