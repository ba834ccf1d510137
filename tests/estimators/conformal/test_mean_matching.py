"""Kernel mean matching on samples."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import (
    RBF,
    DistanceCosine,
    Linear,
    NegativeDistance,
    Spectrum,
    TfIdf,
    config_context,
    kernel_mean_matching,
)
from mercer.errors import DefinitenessError, EmptyInputError, MemoryBudgetError, ParameterError


def test_a_kernel_that_is_none_in_the_dimension_of_the_samples():
    X = 5.0 * np.random.default_rng(0).standard_normal((60, 2))
    with pytest.raises(DefinitenessError, match="mean matching needs a psd kernel"):
        kernel_mean_matching(DistanceCosine(), X, X + 1.0)


def test_means_match_in_feature_space():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((300, 2)), 0.5 * rng.standard_normal((200, 2)) + 0.7
    kernel = RBF(1.0)

    def discrepancy(weights):
        b = weights / len(X)
        cross = kernel(X, Y).mean(axis=1)
        return b @ kernel(X) @ b - 2 * b @ cross + kernel(Y).mean()

    weights = kernel_mean_matching(kernel, X, Y)
    assert discrepancy(weights) < 0.01 * discrepancy(np.ones(300))
    assert np.average(X, axis=0, weights=weights) == pytest.approx(Y.mean(axis=0), abs=0.15)
    bounded = kernel_mean_matching(kernel, X, Y, bound=3.0, slack=0.05)
    assert bounded.max() <= 3.0 and abs(bounded.mean() - 1.0) <= 0.05
    assert discrepancy(weights) <= discrepancy(bounded)


def test_a_linear_kernel_matches_means_alone():
    X = np.linspace(-1.0, 1.0, 21)[:, None]
    weights = kernel_mean_matching(Linear(), X, [[0.3]], slack=0.01)
    assert weights @ X[:, 0] / 21 == pytest.approx(0.3, abs=0.01)


def test_strings_and_kernels_that_learn():
    words = ["aaaa", "abab", "bbbb", "abba"]
    weights = kernel_mean_matching(Spectrum(2), words, ["aaaa", "aaab"], bound=4.0)
    assert weights.argmax() == 0
    kernel = TfIdf()
    assert len(kernel_mean_matching(kernel, ["a b", "b c", "c d"], ["a b"])) == 3
    text = kernel_mean_matching("RBF(2.0)", [[0.0], [1.0]], [[1.0]])
    np.testing.assert_array_equal(text, kernel_mean_matching(RBF(2.0), [[0.0], [1.0]], [[1.0]]))
    assert kernel_mean_matching(RBF(), [[0.0]], [[1.0]]).shape == (1,)


def test_refusals():
    X = np.zeros((5, 1))
    with pytest.raises(ParameterError, match="kernel = 3 is not a kernel"):
        kernel_mean_matching(3, X, X)
    with pytest.raises(EmptyInputError, match="Y = 'no samples' is empty"):
        kernel_mean_matching(RBF(), X, X[:0])
    with pytest.raises(ParameterError, match="bound"):
        kernel_mean_matching(RBF(), X, X, bound=0.0)
    with pytest.raises(ParameterError, match=r"bound = 0\.2 is too low"):
        kernel_mean_matching(RBF(), X, X, bound=0.2, slack=0.1)
    with pytest.raises(ParameterError, match="slack = 0 must be positive"):
        kernel_mean_matching(RBF(), X, X, slack=0)
    with pytest.raises(DefinitenessError, match="is cpd, and mean matching needs a psd kernel"):
        kernel_mean_matching(NegativeDistance(), X, X)
    big = np.random.default_rng(0).standard_normal((300, 1))
    with config_context(memory_budget=100_000), pytest.raises(MemoryBudgetError):
        kernel_mean_matching(RBF(), big, big)
