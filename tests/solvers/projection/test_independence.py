"""The kernel generalized variance against its definition, and its gradient against differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mercer.solvers.projection import independence
from mercer.solvers.projection.independence import Contrast, best_angle, descend, turned

ONES = np.ones(120)  # weights of samples


def naive(S, width, kappa):
    """−½ log of det(𝒦)/det(𝒟), by dense n x n matrices: K_iK_j, and K_i² + nκK_i on the diagonal,
    in the range of the K_i.
    """
    n = S.shape[1]
    H = np.eye(n) - 1.0 / n
    bases = []
    for s in S:
        K = H @ np.exp(-0.5 * (s[:, None] - s) ** 2 / width**2) @ H
        values, V = np.linalg.eigh((K + K.T) / 2)
        keep = values > 1e-9
        # directions of unit length in the metric K² + nκK
        bases.append(
            V[:, keep] * (values[keep] / np.sqrt(values[keep] ** 2 + n * kappa * values[keep]))
        )
    R = np.hstack(bases).T @ np.hstack(bases)
    edges = np.cumsum([0, *(b.shape[1] for b in bases)])
    for a, b in itertools.pairwise(edges):
        R[a:b, a:b] = np.eye(b - a)
    return -0.5 * np.linalg.slogdet(R)[1]


@pytest.fixture
def sources():
    rng = np.random.default_rng(0)
    S = np.vstack(
        [rng.uniform(-1.7, 1.7, 120), rng.laplace(size=120), rng.exponential(size=120) - 1]
    )
    return np.array([[1.0, 0.4, 0.1], [0.0, 1.0, 0.3], [0.2, 0.0, 1.0]]) @ S


@pytest.mark.parametrize(("width", "kappa"), [(1.0, 0.02), (0.5, 0.002)])
def test_the_value_is_the_definition(sources, width, kappa, monkeypatch):
    monkeypatch.setattr(independence, "_ROUGH", 1e-10)
    assert Contrast(width, kappa, 120, ONES).value(sources) == pytest.approx(
        naive(sources, width, kappa), rel=1e-6
    )


def test_rough_factors_change_it_little(sources):
    assert Contrast(1.0, 0.02, 60, ONES).value(sources) == pytest.approx(
        naive(sources, 1.0, 0.02), rel=2e-2
    )


def test_the_gradient_is_that_of_differences(sources, monkeypatch):
    monkeypatch.setattr(independence, "_ROUGH", 1e-10)
    contrast = Contrast(1.0, 0.02, 120, ONES)
    _, slope = contrast.gradient(sources)
    for i, j in ((0, 3), (1, 77), (2, 100)):
        step = np.zeros_like(sources)
        step[i, j] = 1e-5
        difference = (contrast.value(sources + step) - contrast.value(sources - step)) / 2e-5
        assert slope[i, j] == pytest.approx(difference, rel=1e-4, abs=1e-8)


def test_a_pair_turns_back():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1.7, 1.7, (2, 1000))
    contrast = Contrast(1.0, 0.02, 60, ONES)
    for angle in (0.3, -0.5, 0.7):
        mixed = turned(a, b, angle)
        found = best_angle(contrast, mixed[0], mixed[1], 1e-6)
        assert abs(found + angle) < 0.05


def test_descent_lowers_the_contrast_and_stays_a_rotation(sources):
    values, V = np.linalg.eigh(np.cov(sources))
    white = (V / np.sqrt(values)).T @ (sources - sources.mean(axis=1, keepdims=True))
    contrast = Contrast(1.0, 0.02, 60, ONES)
    rotation = descend(contrast, white.copy(), np.eye(3), 1e-6, 200, None)
    assert rotation.converged and rotation.value < contrast.value(white)
    np.testing.assert_allclose(rotation.W @ rotation.W.T, np.eye(3), atol=1e-10)


def test_equal_numbers_have_rank_one():
    assert Contrast(1.0, 0.02, 60, np.ones(50)).value(
        np.vstack([np.zeros(50), np.arange(50.0)])
    ) == pytest.approx(0.0, abs=1e-12)
