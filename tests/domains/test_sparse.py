"""CSR input where an inner product or a Euclidean distance is enough."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import (
    RBF,
    Chi2,
    Cosine,
    Exponential,
    ExponentialDot,
    GeneralLinear,
    InverseMultiquadric,
    Linear,
    Matern,
    NegativeDistance,
    Polynomial,
    Sigmoid,
    errors,
)

KERNELS = [
    Linear(),
    Polynomial(degree=2),
    ExponentialDot(alpha=0.1),
    Sigmoid(),
    Cosine(),
    RBF(length_scale=2.0),
    Matern(nu=2.5),
    Exponential(),
    InverseMultiquadric(),
    NegativeDistance(),
    RBF() * Linear() + 0.5,
    Polynomial(degree=2).normalize(),
]


def sparse_rows(n: int, d: int, seed: int = 0) -> sp.csr_matrix:
    x = sp.random(n, d, density=0.2, random_state=np.random.default_rng(seed), format="lil")
    x[3] = 0
    return x.tocsr()


@pytest.mark.parametrize("n", [10, 300])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_equals_dense(kernel, n):
    X, Y = sparse_rows(n, 40), sparse_rows(7, 40, seed=1)
    np.testing.assert_allclose(kernel(X), kernel(X.toarray()), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(
        kernel(X, Y), kernel(X.toarray(), Y.toarray()), rtol=1e-12, atol=1e-13
    )
    assert np.array_equal(kernel(X), kernel(X).T)
    assert np.array_equal(kernel.diag(X), kernel(X).diagonal())


def test_weights_per_column():
    X = sparse_rows(300, 12)
    scale = np.linspace(0.5, 2.0, 12)
    np.testing.assert_allclose(
        RBF(length_scale=scale)(X), RBF(length_scale=scale)(X.toarray()), rtol=1e-12
    )


def test_mixed_storage():
    X, Y = sparse_rows(20, 6), sparse_rows(5, 6, seed=1)
    expected = RBF()(X.toarray(), Y.toarray())
    np.testing.assert_allclose(RBF()(X, Y.toarray()), expected, rtol=1e-13)
    np.testing.assert_allclose(RBF()(X.toarray(), Y), expected, rtol=1e-13)


def test_equal_rows_have_distance_zero_whatever_their_size():
    X = sp.csr_matrix(1e8 * sparse_rows(10, 30).toarray())
    X = sp.vstack([X, X]).tocsr()
    K = RBF()(X)
    assert (K[np.arange(10), np.arange(10) + 10] == 1.0).all()


def test_other_formats_and_unsorted_indices():
    X = sparse_rows(30, 8)
    for other in (X.tocoo(), X.tocsc(), X.tolil(), sp.csr_array(X), sp.vstack([X]).tobsr()):
        np.testing.assert_allclose(RBF()(other), RBF()(X), rtol=1e-14)
    shuffled = X.copy()
    for i in range(30):
        part = slice(X.indptr[i], X.indptr[i + 1])
        shuffled.indices[part] = X.indices[part][::-1]
        shuffled.data[part] = X.data[part][::-1]
    shuffled.has_sorted_indices = False
    shuffled.has_canonical_format = False
    np.testing.assert_allclose(RBF()(shuffled), RBF()(X), rtol=1e-13)


def test_kernels_that_look_at_every_coordinate_say_so():
    with pytest.raises(errors.InputTypeError, match="toarray"):
        Chi2()(abs(sparse_rows(5, 4)))


def test_general_linear_on_sparse_rows():
    A = np.diag([1.0, 2.0, 3.0]) + 0.1
    X = sparse_rows(20, 3)
    np.testing.assert_allclose(
        GeneralLinear(A)(X), X.toarray() @ A @ X.toarray().T, rtol=1e-12, atol=1e-14
    )


def test_features_stay_sparse():
    X = sparse_rows(20, 50)
    phi = (Linear() + 2.0 * Cosine()).features(X)
    assert sp.issparse(phi)
    np.testing.assert_allclose((phi @ phi.T).toarray(), (Linear() + 2.0 * Cosine())(X), atol=1e-12)
