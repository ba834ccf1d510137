"""Kernels of directions do not depend on the units of the data."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from mercer import ArcCosine, Cosine

SCALES = [1e-300, 1e-200, 1e-160, 1e-150, 1e150, 1e200, 1e300]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("columns", [3, 70])
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix], ids=["dense", "sparse"])
def test_cosines_of_extreme_rows(scale, columns, form):
    X = np.random.default_rng(0).standard_normal((20, columns))
    X[3] = 0.0
    right = Cosine()(X)
    np.testing.assert_allclose(Cosine()(form(scale * X)), right, atol=1e-14)
    mixed = X * np.where(np.arange(20) % 2, scale, 1.0)[:, None]
    np.testing.assert_allclose(Cosine()(form(mixed)), right, atol=1e-14)
    np.testing.assert_allclose(Cosine()(form(mixed), form(X)), right, atol=1e-14)
    assert (Cosine().diag(form(mixed)) == right.diagonal().round()).all()
    F = Cosine().features(form(mixed))
    F = F.toarray() if hasattr(F, "toarray") else F
    np.testing.assert_allclose(F @ F.T, right, atol=1e-14)


@pytest.mark.parametrize("scale", SCALES)
def test_angles_of_extreme_rows(scale):
    X = np.random.default_rng(0).standard_normal((20, 3))
    np.testing.assert_allclose(ArcCosine(0)(scale * X), ArcCosine(0)(X), rtol=1e-14)
    one = np.random.default_rng(1).standard_normal((4, 3))
    by_one = ArcCosine(1)(scale * X, one)
    np.testing.assert_allclose(by_one, scale * ArcCosine(1)(X, one), rtol=1e-13)


def test_ordinary_rows_keep_their_bits():
    """Powers of two change no digits."""
    X = 1e3 * np.random.default_rng(0).standard_normal((20, 3))
    for order in (0, 1, 2):
        scaled = ArcCosine(order)(2.0**20 * X)
        assert (scaled == 2.0 ** (40 * order) * ArcCosine(order)(X)).all()
