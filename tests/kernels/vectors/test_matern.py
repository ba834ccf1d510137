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
