"""Centers: uniform, by random pivots, by clusters."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import RBF, Linear, Spectrum
from mercer.domains.base import Batch
from mercer.errors import ParameterError
from mercer.solvers.nystrom.centers import HOW, choose_centers


def clustered(rng, n=1500):
    """Many rows near the origin, and few in each of forty clusters far away."""
    X = 0.1 * rng.standard_normal((n, 3))
    X[:80] += 10.0 * rng.standard_normal((40, 3)).repeat(2, axis=0)
    return rng.permutation(X)


def trace_error(kernel, X, centers):
    """k(x, x) − q(x, x) of every row."""
    C = X[centers]
    K = kernel(C) + 1e-12 * np.eye(len(C))
    k = kernel(X, C)
    return kernel.diag(X) - np.einsum("ij,ij->i", k, np.linalg.solve(K, k.T).T)


@pytest.mark.parametrize("how", HOW)
def test_positions_are_distinct_and_reproducible(how, rng):
    X = rng.standard_normal((300, 4))
    samples = RBF().prepare(Batch(X))
    centers = choose_centers(RBF(), samples, 40, how, 3)
    assert len(np.unique(centers)) == len(centers) == 40
    assert 0 <= centers.min() <= centers.max() < 300
    np.testing.assert_array_equal(centers, choose_centers(RBF(), samples, 40, how, 3))
    assert not np.array_equal(centers, choose_centers(RBF(), samples, 40, how, 4))


@pytest.mark.parametrize("how", HOW)
def test_more_than_there_are(how, rng):
    samples = RBF().prepare(Batch(rng.standard_normal((30, 2))))
    assert sorted(choose_centers(RBF(), samples, 50, how, 0)) == list(range(30))


def test_uniform_is_the_draw_of_scikit_learn(rng):
    samples = RBF().prepare(Batch(rng.standard_normal((50, 2))))
    drawn = np.random.RandomState(5).permutation(50)[:7]
    np.testing.assert_array_equal(choose_centers(RBF(), samples, 7, "uniform", 5), drawn)


def test_random_pivots_leave_less_than_a_uniform_draw(rng):
    X, kernel = clustered(rng), RBF()
    samples = kernel.prepare(Batch(X))
    pivots = trace_error(kernel, X, choose_centers(kernel, samples, 80, "rpcholesky", 0))
    uniform = trace_error(kernel, X, choose_centers(kernel, samples, 80, "uniform", 0))
    assert pivots.mean() < 0.3 * uniform.mean()
    assert pivots.max() < uniform.max()


def test_random_pivots_stop_where_nothing_is_left(rng):
    X = rng.standard_normal((200, 3))
    centers = choose_centers(Linear(), Linear().prepare(Batch(X)), 20, "rpcholesky", 0)
    assert len(centers) == 3


def test_pivots_have_the_distribution_of_one_at_a_time():
    # of two equal pairs and one row apart, the pairs are almost never both chosen
    X = np.array([[0.0], [1e-4], [5.0], [5.0001], [9.0]])
    samples = RBF().prepare(Batch(X))
    for seed in range(20):
        centers = choose_centers(RBF(), samples, 3, "rpcholesky", seed)
        assert len(set(np.round(X[centers, 0]))) == 3


def test_other_samples_than_numbers():
    words = ["".join(np.random.default_rng(i).choice(list("abcd"), 6)) for i in range(60)]
    kernel = Spectrum(2)
    samples = kernel.prepare(Batch(words))
    assert len(choose_centers(kernel, samples, 8, "rpcholesky", 0)) == 8
    with pytest.raises(ParameterError, match="rows of numbers"):
        choose_centers(kernel, samples, 8, "kmeans", 0)
    with pytest.raises(ParameterError, match="must be one of"):
        choose_centers(kernel, samples, 8, "leverage", 0)
