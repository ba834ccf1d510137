"""Products by SciPy's BLAS are products."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.linalg.products import product


@pytest.mark.parametrize("order_a", ["C", "F"])
@pytest.mark.parametrize("order_b", ["C", "F"])
def test_any_layout(order_a, order_b, rng):
    A, B = (
        np.array(rng.standard_normal(shape), order=order)
        for shape, order in (((7, 5), order_a), ((5, 3), order_b))
    )
    np.testing.assert_allclose(product(A, B), A @ B)
    np.testing.assert_allclose(product(A[::2, 1:4], B[1:4]), A[::2, 1:4] @ B[1:4])
    np.testing.assert_allclose(product(A, B[:, 0]), A @ B[:, 0])
    assert product(A, B).flags.c_contiguous


def test_nothing_times_nothing():
    assert product(np.zeros((4, 0)), np.zeros((0, 2))).tolist() == np.zeros((4, 2)).tolist()
    assert product(np.zeros((4, 3)), np.zeros((3, 0))).shape == (4, 0)
