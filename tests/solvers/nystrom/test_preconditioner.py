"""What the preconditioner of problems on centers takes, and matrices that are nearly singular."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_equal

from mercer import RBF
from mercer.solvers.nystrom.preconditioner import SampleHessian, Whitening


def peak_matrices(m, call):
    """The most memory that a call takes, in matrices of m × m single-precision numbers."""
    tracemalloc.start()
    try:
        kept = call()
        return tracemalloc.get_traced_memory()[1] / (4.0 * m * m), kept
    finally:
        tracemalloc.stop()


def test_the_preconditioner_takes_few_matrices_beside_that_of_the_centers(rng):
    m = 600
    X = rng.standard_normal((m, 5))
    inner = RBF(2.0)(X)
    before = inner.copy()
    peak, whitening = peak_matrices(m, lambda: Whitening(inner, np.dtype(np.float32)))
    assert peak < 3.2  # a factor in double precision, and its copy in single precision
    assert_equal(inner, before)
    rows = [(inner[:8].astype(np.float32), np.ones(8))]
    peak, _ = peak_matrices(m, lambda: SampleHessian(whitening, rows, False).inverse(0.5))
    assert peak < 1.4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_that_is_singular_by_rounding_is_factored_with_more_jitter(rng, dtype):
    m = 300
    X = np.repeat(rng.standard_normal((m // 3, 4)), 3, axis=0)
    K = RBF(2.0)(X) - 1e-6 * np.eye(m)
    whitening = Whitening(K, np.dtype(dtype))
    assert whitening.jitter > 1e-6
    assert_equal(np.triu(whitening.L, 1), 0.0)
    product = whitening.L @ whitening.L.T
    assert_allclose(product, K + whitening.jitter * np.eye(m), atol=2e-6)
