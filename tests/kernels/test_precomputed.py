"""Kernels that are given by their matrix."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import KernelRidge, MultipleKernelRegressor, Precomputed
from mercer.kernels import precomputed


@pytest.fixture
def checks(monkeypatch):
    """The matrices whose eigenvalues are computed."""
    found, check = [], precomputed.check_gram

    def counted(K):
        found.append(K)
        return check(K)

    monkeypatch.setattr(precomputed, "check_gram", counted)
    return found


def test_eigenvalues_are_computed_once_for_all_fits_and_copies(rng, checks):
    A = rng.standard_normal((20, 20))
    kernel = Precomputed(matrix=A @ A.T)
    at, y = np.arange(20), rng.standard_normal(20)
    KernelRidge(kernel=kernel).fit(at, y)
    KernelRidge(kernel=kernel.copy()).fit(at, y)
    assert len(checks) == 1
    others = [Precomputed(matrix=A @ A.T + k * np.eye(20)) for k in range(3)]
    MultipleKernelRegressor(others).fit(at, y)
    assert len(checks) == 3


def test_a_matrix_that_is_changed_is_checked_again(rng, checks):
    kernel = Precomputed(matrix=np.eye(7))
    assert kernel.certificate().status == "strict"
    kernel.matrix = np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0])
    assert kernel.certificate().status == "indefinite"
    assert len(checks) == 2
