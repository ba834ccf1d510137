"""The Matérn kernel where SciPy's Bessel functions have no values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mercer import Matern


@pytest.mark.parametrize("nu", [0.3, 0.5, 0.8, 1.5, 2.5, 7.0, 99.0, 300.0, math.inf])
def test_far_samples_have_nothing_in_common(nu):
    far = 10.0 ** np.array([3, 6, 9, 12, 50, 150])
    kernel = Matern(nu=nu)
    np.testing.assert_array_equal(kernel([[0.0]], far[:, None]), 0.0)
    np.testing.assert_array_equal(kernel.profile(far**2), 0.0)
    np.testing.assert_array_equal(kernel.slope(far**2), 0.0)


@pytest.mark.parametrize("nu", [0.5, 1.3, 1.5, 2.5, np.inf])
def test_squared_distances_that_overflow_give_zero(nu):
    far = np.array([[1e200, 0.0], [0.0, 0.0], [0.0, -1e200]])
    assert np.array_equal(Matern(nu=nu)(far), np.eye(3))
    assert np.array_equal(Matern(nu=nu)(far, far[1:]), np.eye(3)[:, 1:])
    slopes = Matern(nu=nu).slope(np.array([np.inf]))
    assert slopes == 0.0
