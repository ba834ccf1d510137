"""Rows of counts: features that many samples have are dense columns, all others are sparse."""

from collections import Counter

import numpy as np
import pytest

from mercer import Spectrum, WeisfeilerLehman
from mercer.domains.base import Batch

COMMON = "abababa"  # in all strings; what follows is different in each


def strings(count, seed=0):
    rng = np.random.default_rng(seed)
    return [COMMON + "".join(map(chr, rng.integers(500, 20000, 12))) for _ in range(count)]


def by_hand(X, Y, length):
    def counts(x):
        return Counter(x[i : i + length] for i in range(len(x) - length + 1))

    tables = [counts(y) for y in Y]
    return np.array(
        [[sum(n * t.get(w, 0) for w, n in counts(x).items()) for t in tables] for x in X]
    )


def test_frequent_features_are_dense():
    X, Y = strings(60), [*strings(5, seed=1), COMMON, "", "zzzz"]
    kernel = Spectrum(2)
    samples = kernel.prepare(Batch(X))
    assert samples.counts.shape == (60, 2) and samples.rest is not None  # "ab" and "ba"
    assert np.array_equal(kernel(X), by_hand(X, X, 2))
    assert np.array_equal(kernel(X, Y), by_hand(X, Y, 2))
    assert np.array_equal(kernel(Y, X), by_hand(Y, X, 2))
    assert np.array_equal(kernel.diag(Y), by_hand(Y, Y, 2).diagonal())
    rows = samples.take(np.array([3, 3, 0]))
    assert np.array_equal(rows.matrix().toarray(), samples.matrix().toarray()[[3, 3, 0]])


def test_features_give_the_kernel():
    X = strings(60)
    F = Spectrum(2).features(X)
    assert F.has_sorted_indices
    assert np.array_equal((F @ F.T).toarray(), by_hand(X, X, 2))


def test_sums_beyond_single_precision_are_exact():
    X = [COMMON * (800 + i) + chr(300 + i) + chr(4000 + i) for i in range(40)]
    assert np.array_equal(Spectrum(2)(X), by_hand(X, X, 2))


@pytest.mark.parametrize("weights", [1.0, [1.0, 2.0, 0.5]])
def test_graphs_with_frequent_colors(weights):
    rng = np.random.default_rng(0)
    edges = [(u, u + 1) for u in range(7)]
    graphs = [(edges, [0, 0, 1, *rng.integers(2, 500, 5).tolist()]) for _ in range(50)]
    kernel = WeisfeilerLehman(2, weights)
    F = kernel.features(graphs)
    np.testing.assert_allclose((F @ F.T).toarray(), kernel(graphs))
    np.testing.assert_allclose(kernel(graphs[:10], graphs[10:]), kernel(graphs)[:10, 10:])
