"""Feature-space geometry against explicit features and against the lecture's formulas."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import (
    RBF,
    Linear,
    NegativeDistance,
    Polynomial,
    Sigmoid,
    centroid_distance,
    combination_norm,
    errors,
    feature_distance,
    feature_norm,
)


def test_against_explicit_features(rng):
    X, Y = rng.standard_normal((20, 3)), rng.standard_normal((6, 3))
    k = Polynomial(degree=2)
    phi, psi = k.features(X), k.features(Y)
    alpha = rng.standard_normal(20)
    np.testing.assert_allclose(feature_norm(k, X), np.linalg.norm(phi, axis=1))
    np.testing.assert_allclose(
        feature_distance(k, X, Y), np.linalg.norm(phi[:, None] - psi[None], axis=2), atol=1e-7
    )
    np.testing.assert_allclose(combination_norm(k, X, alpha), np.linalg.norm(alpha @ phi))
    np.testing.assert_allclose(
        centroid_distance(k, Y, X), np.linalg.norm(psi - phi.mean(axis=0), axis=1), rtol=1e-9
    )


def test_conditionally_positive_kernels_have_distances_only(rng):
    X = rng.standard_normal((12, 3))
    k = NegativeDistance(power=2.0)  # d² = 2 ‖x−y‖²
    straight = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.testing.assert_allclose(feature_distance(k, X), np.sqrt(2) * straight, atol=1e-7)
    np.testing.assert_allclose(
        centroid_distance(k, X, X),
        np.sqrt(2) * np.linalg.norm(X - X.mean(axis=0), axis=1),
        rtol=1e-9,
    )
    alpha = rng.standard_normal(12)
    alpha -= alpha.mean()
    np.testing.assert_allclose(
        combination_norm(k, X, alpha), np.sqrt(2) * np.linalg.norm(alpha @ X), rtol=1e-9
    )
    with pytest.raises(errors.DefinitenessError, match="sum to 0"):
        combination_norm(k, X, np.ones(12))
    with pytest.raises(errors.DefinitenessError, match="origin"):
        feature_norm(k, X)


def test_distance_to_itself_is_zero(rng):
    X = rng.standard_normal((30, 4))
    D = feature_distance(RBF(), X)
    assert (D.diagonal() == 0).all() and np.array_equal(D, D.T)


def test_what_is_no_kernel_has_no_geometry():
    with pytest.raises(errors.DefinitenessError):
        feature_norm(Sigmoid(offset=-1.0), [[0.0]])
    with pytest.raises(errors.DefinitenessError):
        combination_norm(Sigmoid(), [[0.1], [2.0]], [-2.0, 0.4])
    with pytest.raises(errors.ShapeError):
        combination_norm(Linear(), [[1.0]], [1.0, 2.0])
