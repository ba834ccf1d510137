"""Pivoted, incomplete Cholesky factors against the matrix they approximate."""

from __future__ import annotations

import numpy as np

from mercer import RBF
from mercer.gram.plan import FLOAT64, Plan
from mercer.gram.stored import Stored
from mercer.linalg.cholesky import landmarks, pivoted_cholesky


def stored(K):
    return Stored(K, Plan("stored", FLOAT64, K.nbytes, "of a test"))


def test_a_full_factor_is_exact():
    X = np.random.default_rng(0).standard_normal((25, 8))
    K = RBF()(X)
    L = pivoted_cholesky(stored(K), 25, tol=0.0)
    np.testing.assert_allclose(L @ L.T, K, atol=1e-10)


def test_the_factor_is_exact_at_the_pivots_and_below_elsewhere():
    X = np.random.default_rng(1).standard_normal((80, 2))
    K = RBF()(X)
    pivots, L = landmarks(stored(K), 12)
    assert len(set(pivots.tolist())) == 12 and L.shape == (80, 12)
    rest = K - L @ L.T
    np.testing.assert_allclose(rest[pivots], 0.0, atol=1e-8)
    assert np.linalg.eigvalsh(rest).min() > -1e-10


def test_it_ends_at_the_rank_of_the_matrix():
    F = np.random.default_rng(2).standard_normal((30, 4))
    pivots, L = landmarks(stored(F @ F.T), 20)
    assert len(pivots) == 4
    np.testing.assert_allclose(L @ L.T, F @ F.T, atol=1e-8)


def test_of_zero_nothing_is_taken():
    pivots, L = landmarks(stored(np.zeros((5, 5))), 3)
    assert len(pivots) == 0 and L.shape == (5, 0)
