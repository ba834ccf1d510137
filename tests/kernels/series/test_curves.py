"""Inner products of curves on grids of their own."""

import numpy as np
import pytest
from scipy import integrate

from mercer import CurveProduct
from mercer.errors import DomainError


def curve(count, seed, low=0.0, high=1.0):
    rng = np.random.default_rng(seed)
    times = np.sort(np.append(rng.uniform(low, high, count - 2), [low, high]))
    return times, rng.standard_normal(count)


def test_further_points_on_a_curve_change_nothing():
    a, b = curve(6, 0), curve(9, 1)
    times = np.union1d(a[0], np.linspace(0, 1, 13))
    finer = times, np.interp(times, *a)
    k = CurveProduct(value=0.7, slope=0.3)
    np.testing.assert_allclose(k([finer, b]), k([a, b]), rtol=1e-12)


def test_curves_are_zero_outside_of_their_times():
    early, late, all_of_it = ([0, 1], [1, 1]), ([2, 3], [1, 1]), ([0, 3], [2, 2])
    K = CurveProduct()([early, late, all_of_it])
    assert K.tolist() == [[1.0, 0.0, 2.0], [0.0, 1.0, 2.0], [2.0, 2.0, 12.0]]


def test_integrals_equal_those_of_a_fine_grid():
    a, b = curve(7, 2, -1.0, 2.0), curve(5, 3, 0.0, 3.0)
    t = np.linspace(0.0, 2.0, 200_001)
    f, g = np.interp(t, *a), np.interp(t, *b)
    assert CurveProduct()([a], [b])[0, 0] == pytest.approx(integrate.trapezoid(f * g, t), rel=1e-6)


def test_the_gaussian_kernel_of_curves():
    curves = [curve(5, seed) for seed in range(4)]
    K = CurveProduct()(curves)
    squares = K.diagonal()[:, None] + K.diagonal() - 2 * K
    gaussian = (CurveProduct() / 4.0).exp().normalize()
    np.testing.assert_allclose(gaussian(curves), np.exp(-squares / 8.0), rtol=1e-12)


def test_times_must_increase():
    with pytest.raises(DomainError, match=r"times of X\[1\].*do not increase at point 2"):
        CurveProduct()([curve(4, 0), ([0.0, 1.0, 0.5], [1.0, 2.0, 3.0])])
