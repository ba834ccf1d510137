"""Values against 60-digit arithmetic, in units in the last place of the true value for the stored
floats.
"""

from __future__ import annotations

import math

import mpmath
import naive
import numpy as np
import pytest

from mercer import (
    ANOVA,
    RBF,
    AllSubsets,
    Brownian,
    Chi2,
    Exponential,
    ExponentialDot,
    GeneralLinear,
    HistogramIntersection,
    InverseMultiquadric,
    Laplacian,
    Linear,
    LogDistance,
    Matern,
    Multiquadric,
    NegativeDistance,
    Periodic,
    Polynomial,
    RationalQuadratic,
    Spline,
)

OFFSETS = (0.0, 1e3, 1e6, 1e8)
RADIAL = [
    RBF(),
    RBF(length_scale=0.3),
    RBF(length_scale=7.0),
    Exponential(length_scale=0.7),
    Laplacian(length_scale=1.3),
    Matern(nu=0.5),
    Matern(nu=1.5, length_scale=0.6),
    Matern(nu=2.5, length_scale=2.0),
    RationalQuadratic(alpha=0.8, length_scale=0.9),
    RationalQuadratic(alpha=50.0),
    InverseMultiquadric(c=0.4),
    Multiquadric(c=1.7),
    NegativeDistance(power=1.0),
    NegativeDistance(power=0.6),
    NegativeDistance(power=2.0),
    LogDistance(power=1.5),
]


def worst_excess(kernel, X, K, times=1.0):
    """The largest error over its allowance 4 (1 + |log k|) ulp."""
    worst = 0.0
    for i in range(len(X)):
        for j in range(len(X)):
            true = naive.value(kernel, X[i], X[j], same=i == j)
            unit = float(np.spacing(abs(float(true))))
            logarithm = 0.0 if true == 0 else abs(float(mpmath.log(abs(true))))
            error = float(abs(mpmath.mpf(float(K[i, j])) - true))
            worst = max(worst, error / (unit * 4 * (1 + logarithm) * times))
    return worst


def rows(d: int, offset: float, seed: int = 0) -> np.ndarray:
    """Spread points, close pairs, an equal pair."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((8, d))
    x[5] = x[0] + 1e-4 * rng.standard_normal(d)
    x[6] = x[1]
    x[7] = 4 * x[7]
    return x + offset


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("d", [1, 3, 20, 100])
@pytest.mark.parametrize("kernel", RADIAL, ids=repr)
def test_radial(kernel, d, offset):
    X = rows(d, offset)
    K = kernel(X)
    assert worst_excess(kernel, X, K) <= 1.0
    assert K[1, 6] == K[1, 1] == K[6, 6]


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("d", [3, 100])
def test_one_length_scale_per_column(d, offset):
    X = rows(d, offset)
    scales = np.linspace(0.5, 3.0, d)
    for kernel in (
        RBF(length_scale=scales),
        Matern(nu=1.5, length_scale=scales),
        Laplacian(length_scale=scales),
    ):
        assert worst_excess(kernel, X, kernel(X)) <= 1.0


@pytest.mark.parametrize("d", [1, 20, 49, 200, 500])
@pytest.mark.parametrize("kernel", [RBF, Exponential, Matern, RationalQuadratic, Laplacian])
def test_the_stated_bound_for_many_columns(kernel, d):
    """Sums of d terms: 4 (1 + |log k|) √(1 + d/8) ulp, the bound that the README states."""
    rng = np.random.default_rng(d)
    X = rows(d, 0.0, seed=d)
    for scales in (0.7, np.linspace(0.5, 3.0, d), np.exp(2 * rng.standard_normal(d))):
        k = kernel(length_scale=scales * math.sqrt(d))
        assert worst_excess(k, X, k(X), times=math.sqrt(1 + d / 8)) <= 1.0


@pytest.mark.parametrize("nu", [0.3, 0.8, 2.0, 3.5, 20.0])
def test_matern_has_thirteen_digits(nu):
    X = rows(2, 0.0) / 3
    kernel = Matern(nu=nu)
    exact = np.array([[float(naive.value(kernel, x, y)) for y in X] for x in X])
    np.testing.assert_allclose(kernel(X), exact, rtol=1e-13)


@pytest.mark.parametrize("nu", [0.1, 0.49, 0.8, 6.3, 35.5, 50.0])
def test_matern_near_and_far(nu):
    """Relative errors of at most 2e-13, as the documentation says."""
    X, kernel = np.geomspace(1e-6, 60.0, 60)[:, None], Matern(nu=nu)
    origin = np.zeros((1, 1))
    exact = [naive.value(kernel, x, origin[0]) for x in X]
    errors = [abs(mpmath.mpf(k) / e - 1) for k, e in zip(kernel(X, origin)[:, 0].tolist(), exact)]
    assert max(e for e, value in zip(errors, exact) if value > 1e-290) < 2e-13


@pytest.mark.parametrize("nu", [0.3, 0.8, 2.0, 3.5])
def test_matern_of_general_order(nu):
    X = rows(2, 0.0) / 3
    kernel = Matern(nu=nu)
    assert worst_excess(kernel, X, kernel(X), times=64) <= 1.0


@pytest.mark.parametrize("d", [1, 3, 6])
@pytest.mark.parametrize(
    "kernel", [Chi2(gamma=0.7), HistogramIntersection(), Brownian(), Spline()], ids=repr
)
def test_histograms(kernel, d):
    for offset in OFFSETS:
        X = np.abs(rows(d, 0.0)) + offset
        K = kernel(X)
        assert worst_excess(kernel, X, K) <= 1.0
        assert K[1, 6] == K[1, 1]
    zeros = np.abs(rows(d, 0.0))
    zeros[2:4] = 0.0
    assert worst_excess(kernel, zeros, kernel(zeros)) <= 1.0


def test_periodic_far_apart():
    X = np.array([[0.0], [0.3], [1000.3], [123456.75], [-98765.4321]])
    kernel = Periodic(period=0.7, length_scale=1.1)
    assert worst_excess(kernel, X, kernel(X), times=2) <= 1.0


@pytest.mark.parametrize("d", [1, 3, 20, 100])
def test_signed_sums(d):
    X = rows(d, 0.0)
    kernels = [
        Linear(),
        Polynomial(degree=1, scale=0.5),
        Polynomial(degree=2, offset=0.3),
        Polynomial(degree=3),
    ]
    if d <= 3:
        kernels += [ANOVA(degree=min(2, d)), AllSubsets(), GeneralLinear(A=np.eye(d) + 0.5)]
    for kernel in kernels:
        K = kernel(X)
        for i in range(len(X)):
            for j in range(len(X)):
                unit = float(np.spacing(float(naive.condition(kernel, X[i], X[j]))))
                assert (
                    abs(float(mpmath.mpf(float(K[i, j])) - naive.value(kernel, X[i], X[j])))
                    <= 4 * unit
                ), (kernel, i, j)
        if not isinstance(kernel, GeneralLinear):
            assert K[1, 6] == K[1, 1] == K[6, 6]


def test_where_an_inner_product_would_have_lost_everything():
    """At offset 1e8 a distance from inner products has no correct digit."""
    from sklearn.metrics.pairwise import rbf_kernel

    X = rows(5, 1e8)
    exact = np.array([[float(naive.value(RBF(), x, y)) for y in X] for x in X])
    assert np.abs(RBF()(X) - exact).max() < 1e-15
    assert np.abs(rbf_kernel(X, gamma=0.5) - exact).max() > 1e-2


@pytest.mark.parametrize("d", [49, 64, 200, 500])
@pytest.mark.parametrize("shape", ["spread", "clusters", "line"])
def test_wide_distances_recompute_what_cancels(d, shape):
    """Beyond the direct path BLAS is used; entries that cancel are computed again."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, d))
    if shape == "clusters":
        X = 100 * rng.standard_normal((5, d))[rng.integers(0, 5, 300)] + 0.01 * X
    elif shape == "line":
        X = np.linspace(0, 1, 300)[:, None] * X[:1] + 1e4
    X[17] = X[250]
    kernel = RBF(length_scale=math.sqrt(d) * (0.01 if shape == "clusters" else 1.0))
    K = kernel(X)
    assert K[17, 250] == 1.0
    rows_ = [0, 17, 100, 250, 299]
    sub = K[np.ix_(rows_, rows_)]
    assert worst_excess(kernel, X[rows_], sub) <= 1.0


def test_values_that_underflow_are_rounded_not_dropped():
    X = np.array([[0.0], [math.sqrt(2 * 740.0)], [math.sqrt(2 * 760.0)]])
    K = RBF()(X)
    assert K[0, 1] == pytest.approx(math.exp(-740.0), rel=1e-2) and K[0, 1] > 0
    assert K[0, 2] == 0.0


def test_large_exponentials():
    X = np.array([[1.0], [26.6]])
    assert ExponentialDot()(X)[1, 1] == pytest.approx(math.exp(26.6**2), rel=1e-13)
