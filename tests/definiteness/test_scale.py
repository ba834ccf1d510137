"""Matrices are judged at their own scale."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import mercer
from mercer import RBF, GeneralLinear, Linear, NegativeDistance, Precomputed, check_gram, repair
from mercer.domains.base import Batch

SIZES = (3, 12, 60)
INDEFINITE = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])  # smallest −0.8


def gram(n, rng):
    return RBF()(rng.standard_normal((n, 3)))


def test_a_small_negative_entry_beside_a_large_one():
    report = check_gram(np.diag([1e16, -10.0]))
    assert not report.psd and not report.diagonal_nonnegative
    assert report.min_eigenvalue == -10.0
    np.testing.assert_array_equal(np.abs(report.worst), [0.0, 1.0])
    with pytest.raises(mercer.errors.DefinitenessError, match="-10"):
        GeneralLinear([[1e16, 0.0], [0.0, -10.0]])
    assert GeneralLinear([[1e16, 0.0], [0.0, 10.0]]).certificate().psd
    assert Precomputed(np.diag([1e16, -10.0])).certificate().status != "psd"
    assert check_gram(np.diag([1e16, 10.0])).strict
    assert not check_gram(np.diag([1e16, -10.0, -10.0])).cpd


def test_a_zero_diagonal_with_a_row():
    for off in (1.0, 1e-9, 1e-300):
        report = check_gram([[0.0, off], [off, 1.0]])
        assert not report.psd, off
    assert check_gram(np.zeros((3, 3))).psd
    assert check_gram([[0.0, 0.0], [0.0, 1.0]]).psd


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("factor", [1e-300, 1e-12, 1.0, 1e12, 1e300])
def test_the_unit_does_not_matter(n, factor, rng):
    K = gram(n, rng)
    assert check_gram(factor * K).psd
    assert not check_gram(factor * (K - 1.5 * np.linalg.eigvalsh(K)[-1] * np.eye(n))).psd
    assert check_gram(factor * NegativeDistance()(rng.standard_normal((n, 2)))).cpd


@pytest.mark.parametrize("smallest", [1e-300, 1e-320])
def test_directions_of_the_smallest_numbers(smallest):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = check_gram(np.diag([smallest, -smallest]))
    assert not report.psd
    assert np.linalg.norm(report.worst) == pytest.approx(1.0)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("decades", [2, 6])
def test_rows_of_any_scale(n, decades, rng):
    s = 10.0 ** rng.uniform(-decades, decades, n)
    K = gram(n, rng)
    assert check_gram(s[:, None] * K * s).psd
    assert check_gram(s[:, None] * np.ones((n, n)) * s).psd
    phi = s[:, None] * rng.standard_normal((n, 2))
    assert check_gram(phi @ phi.T).psd
    s[:3] = 10.0**-decades * np.array([1.0, 2.0, 3.0])
    s[-1] = 10.0**decades
    K[:3, :3] = INDEFINITE
    K[:3, 3:] *= 0.1
    K[3:, :3] *= 0.1
    if n > 3:
        assert not check_gram(s[:, None] * K * s).psd


def test_small_blocks_beside_large_ones(rng):
    K = np.zeros((8, 8))
    K[:5, :5] = 1e12 * gram(5, rng)
    K[5:, 5:] = 1e-12 * INDEFINITE
    report = check_gram(K)
    assert not report.psd and report.min_eigenvalue < 0
    assert report.worst @ K @ report.worst < 0
    K[5:, 5:] = 1e-12 * gram(3, rng)
    assert check_gram(K).psd


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("shift", [0.0, 10.0, 1e4])
def test_what_is_left_of_a_subtraction_is_zero(n, shift, rng):
    """Rows at the center, and low ranks: all that is left is rounding."""
    x = rng.standard_normal((n, 2))
    x[0] = x[1:].mean(axis=0)
    K = Linear()(x) + shift
    centered = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    if shift <= 10:
        assert check_gram(centered).psd
    exact = centered.copy()
    exact[0], exact[:, 0] = 0.0, 0.0
    assert check_gram(Linear()(x)).psd
    assert check_gram(K).psd
    P = np.eye(n) - 1.0 / n
    assert check_gram(P @ Linear()(x) @ P).psd


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("decades", [0, 3])
@pytest.mark.parametrize("how", ["clip", "flip", "shift"])
def test_repaired_matrices(n, decades, how, rng):
    s = 10.0 ** rng.uniform(-decades, decades, n)
    A = rng.standard_normal((n, n))
    K = s[:, None] * (A + A.T) * s
    assert not check_gram(K).psd
    assert check_gram(repair(K, how=how).matrix).psd


@pytest.mark.parametrize("n", SIZES)
def test_small_violations_are_seen(n, rng):
    values = np.linspace(1.0, 2.0, n)
    values[0] = -1e-6
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    K = (Q * values) @ Q.T
    assert not check_gram(K + K.T).psd
    values[0] = 1e-17
    K = (Q * values) @ Q.T
    report = check_gram(K + K.T)
    assert report.psd and not report.strict


def test_conditionally_positive_at_any_scale(rng):
    X = rng.standard_normal((20, 2))
    K = NegativeDistance(power=1.0)(X)
    for factor in (1e-12, 1.0, 1e12):
        assert check_gram(factor * K).cpd and not check_gram(-factor * K).cpd
    far = NegativeDistance(power=2.0)(X + 1e3)
    assert check_gram(far).cpd
    assert check_gram([[-3.0]]).cpd


def test_kernels_that_center(rng):
    X = rng.standard_normal((30, 2)) + 50.0
    kernel = Linear().center().fit(X)
    error = kernel.rounding_error(kernel.prepare(Batch(X)))
    assert 0 < error < 1e-10
    assert check_gram(kernel(X), rounding=error).psd
    assert not check_gram(kernel(X) - 1e-6 * np.eye(30), rounding=error).psd
