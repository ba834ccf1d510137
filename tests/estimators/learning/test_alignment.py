"""The centered alignment of two Gram matrices."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import RBF, Constant, Linear, alignment
from mercer.errors import NotFiniteError, ShapeError


def by_definition(K1, K2) -> float:
    n = len(K1)
    H = np.eye(n) - np.full((n, n), 1 / n)
    one, two = H @ K1 @ H, H @ K2 @ H
    return np.trace(one @ two) / np.sqrt(np.trace(one @ one) * np.trace(two @ two))


def test_equals_its_definition(rng):
    X, y = rng.standard_normal((20, 3)), rng.standard_normal(20)
    K, target = RBF()(X), y[:, None] * y
    assert alignment(K, target) == pytest.approx(by_definition(K, target), rel=1e-12)
    assert alignment(RBF().gram(X), Linear().gram(X)) == pytest.approx(
        by_definition(K, X @ X.T), rel=1e-12
    )


def test_factors_and_constants_do_not_matter(rng):
    X = rng.standard_normal((20, 3))
    K, other = RBF()(X), Linear()(X)
    exact = alignment(K, other)
    assert alignment(3.0 * K + 5.0, 1e-3 * other - 1.0) == pytest.approx(exact, rel=1e-10)
    assert alignment(K, K) == pytest.approx(1.0)
    assert alignment(other, K) == pytest.approx(exact)
    assert alignment(1e200 * K, 1e-200 * other) == pytest.approx(exact, rel=1e-10)


def test_a_constant_matrix_is_aligned_with_nothing(rng):
    X = rng.standard_normal((20, 3))
    assert alignment(Constant(3.0)(X), RBF()(X)) == 0.0
    assert alignment(np.zeros((20, 20)), RBF()(X)) == 0.0


@pytest.mark.parametrize(
    ("K", "error", "words"),
    [
        (np.ones((3, 2)), ShapeError, "square"),
        (np.ones(3), ShapeError, "square"),
        (np.ones((3, 3)), ShapeError, "shape of K1"),
        (np.full((4, 4), np.nan), NotFiniteError, "finite"),
        ("RBF()", ShapeError, "matrix"),
        (RBF(), ShapeError, "matrix"),
    ],
)
def test_what_is_no_matrix_is_refused(K, error, words):
    with pytest.raises(error, match=words):
        alignment(np.eye(4), K)
