"""Systems without some of their samples, against systems that are solved without them."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import RBF, NegativeDistance
from mercer.solvers.ridge.removal import removal


def solved(K, noise, Z, bias):
    """Coefficients and biases of (K + D) a + b = z, Σ a = 0 with a bias."""
    n = len(K)
    if not bias:
        return np.linalg.solve(K + np.diag(noise), Z), np.zeros(Z.shape[1])
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n] = K + np.diag(noise)
    whole[n, :n] = whole[:n, n] = 1.0
    solution = np.linalg.solve(whole, np.vstack([Z, np.zeros(Z.shape[1])]))
    return solution[:n], solution[n]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_models_without_groups(bias, grouped):
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((14, 2)), rng.standard_normal((5, 2))
    Z, noise = rng.standard_normal((14, 2)), rng.uniform(0.1, 2.0, 14)
    kernel = NegativeDistance() if bias else RBF()  # with a bias cpd kernels are enough
    K, cross = kernel(X), kernel(new, X)
    groups = np.arange(14) % 4 if grouped else np.arange(14)
    maps = removal(K.copy(), noise, Z, bias)
    errors = maps.errors(groups if grouped else None)
    dual, b = solved(K, noise, Z, bias)
    np.testing.assert_allclose(maps.dual, dual, atol=1e-9)
    np.testing.assert_allclose(maps.offset @ Z, b, atol=1e-9)
    lever = cross @ maps.projector + maps.offset
    for group in np.unique(groups):
        out, kept = np.flatnonzero(groups == group), np.flatnonzero(groups != group)
        a, b_kept = solved(K[np.ix_(kept, kept)], noise[kept], Z[kept], bias)
        expected = Z[out] - (K[np.ix_(out, kept)] @ a + b_kept)
        np.testing.assert_allclose(errors[out], expected, atol=1e-9)
        value = cross @ dual + b - lever[:, out] @ errors[out]
        np.testing.assert_allclose(value, cross[:, kept] @ a + b_kept, atol=1e-9)


def test_a_singular_matrix_has_no_maps():
    K = np.ones((3, 3))
    assert removal(K, -1.0, np.ones((3, 1))) is None
