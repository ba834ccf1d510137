"""Gaussian rows in single precision against the exact ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import RBF, Linear, config_context
from mercer._compiled import single_precision
from mercer.domains.base import Batch
from mercer.kernels.vectors.single_precision import DenseRows, SparseRows


@pytest.mark.parametrize("n", [1, 7, 300, 700])
@pytest.mark.parametrize("d", [1, 3, 20, 48])
@pytest.mark.parametrize("per_column", [False, True])
def test_dense_rows(n, d, per_column, rng):
    X = rng.standard_normal((n, d)) + 1e6
    k = RBF(length_scale=rng.uniform(1, 3, d) if per_column else 1.5)
    rows = k.single_precision(k.prepare(Batch(X)))
    assert isinstance(rows, DenseRows)
    whole = np.full((n, n + 3), 7.0, dtype=np.float32)
    rows.matrix(whole)
    np.testing.assert_allclose(whole[:, :n], k(X), atol=3e-7)
    assert (whole[:, n:] == 7).all()
    np.testing.assert_array_equal(whole[:, :n], whole[:, :n].T)
    some = rng.permutation(n)[: n // 2 + 1]
    part = np.empty((len(some), n), dtype=np.float32)
    rows.rows(some, part)
    np.testing.assert_array_equal(part, whole[some][:, :n])
    np.testing.assert_array_equal(rows.block(some, some), whole[np.ix_(some, some)])
    one = np.zeros((n, n), dtype=np.float32)
    single_precision.gaussian_row(rows.z, rows.panels, n - 1, one)
    np.testing.assert_array_equal(one[-1], whole[-1, :n])


def test_sparse_rows(rng):
    X = sp.random(500, 90, density=0.1, random_state=0).toarray()
    X[3] = 0
    X = sp.csr_array(X)
    k = RBF(length_scale=2.0)
    rows = k.single_precision(k.prepare(Batch(X)))
    assert isinstance(rows, SparseRows)
    whole = np.empty((500, 500), dtype=np.float32)
    rows.matrix(whole)
    np.testing.assert_allclose(whole, k(X), atol=5e-7)
    some = np.array([3, 499, 0])
    np.testing.assert_array_equal(rows.block(some, some), whole[np.ix_(some, some)])


def test_bits_do_not_depend_on_threads(rng):
    X, k = rng.standard_normal((700, 9)), RBF()
    made = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            out = np.empty((700, 700), dtype=np.float32)
            k.single_precision(k.prepare(Batch(X))).matrix(out)
            made.append(out)
    assert all(np.array_equal(made[0], m) for m in made)


def test_there_is_no_quick_way_for_wide_rows_and_other_kernels(rng):
    assert RBF().single_precision(RBF().prepare(Batch(rng.standard_normal((5, 200))))) is None
    assert Linear().single_precision(Linear().prepare(Batch(rng.standard_normal((5, 2))))) is None
    with config_context(memory_budget=10**6):
        assert RBF().single_precision(RBF().prepare(Batch(sp.csr_array((1000, 1000))))) is None


def test_exponentials_far_away_are_nearly_nothing():
    rows = DenseRows(np.array([[0.0], [1e3], [1e18]], dtype=np.float32))
    out = np.empty((3, 3), dtype=np.float32)
    rows.matrix(out)
    np.testing.assert_allclose(out, np.eye(3), atol=1e-30)
