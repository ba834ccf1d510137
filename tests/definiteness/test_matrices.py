"""check_gram and repair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import mercer
from mercer import RBF, NegativeDistance, Sigmoid, check_gram, repair
from mercer.errors import InputTypeError


def test_leading_minors_do_not_suffice():
    report = check_gram([[0.0, 0.0], [0.0, -1.0]])
    assert report.psd is False and not report.diagonal_nonnegative and report.min_eigenvalue == -1.0
    np.testing.assert_allclose(np.abs(report.worst), [0.0, 1.0])
    assert "NO" in str(report)


def test_a_gram_matrix(rng):
    K = RBF()(rng.standard_normal((30, 2)))
    report = check_gram(K)
    assert report.psd is True and report.symmetric and report.cauchy_schwarz and report.cpd
    B = report.square_root()
    np.testing.assert_allclose(B @ B.T, K, atol=1e-12)
    np.testing.assert_allclose(B, B.T, atol=1e-12)


def test_the_tolerance_follows_the_dtype(rng):
    phi = rng.standard_normal((50, 3)).astype(np.float32)
    K = phi @ phi.T
    assert check_gram(K).psd
    assert not check_gram(K.astype(np.float64) - 1e-3 * np.eye(50)).psd


def test_conditionally_positive(rng):
    K = NegativeDistance()(rng.standard_normal((20, 2)))
    report = check_gram(K)
    assert not report.psd and report.cpd
    assert not check_gram(-K).cpd


def test_asymmetric():
    report = check_gram([[1.0, 0.5], [0.4, 1.0]])
    assert not report.symmetric and not report.psd


@pytest.mark.parametrize("how", ["clip", "flip", "shift"])
def test_repair(how, rng):
    X = rng.standard_normal((25, 3))
    K = Sigmoid()(X)
    low = np.linalg.eigvalsh(K)[0]
    assert low < -1e-3
    made = repair(K, how=how)
    assert check_gram(made.matrix).psd and made.min_eigenvalue == pytest.approx(low)
    values, vectors = np.linalg.eigh(K)
    new = Sigmoid()(rng.standard_normal((4, 3)), X)
    if how == "clip":
        keep = vectors[:, values > 0]
        np.testing.assert_allclose(made.rows(new), new @ keep @ keep.T, atol=1e-12)
        np.testing.assert_allclose(made.rows(K), made.matrix, atol=1e-12)
    elif how == "flip":
        np.testing.assert_allclose(
            made.rows(new), new @ (vectors * np.sign(values)) @ vectors.T, atol=1e-12
        )
        np.testing.assert_allclose(made.rows(K), made.matrix, atol=1e-12)
    else:
        np.testing.assert_allclose(made.matrix, K + abs(low) * np.eye(25), atol=1e-12)
        assert np.array_equal(made.rows(new), new)


def test_repair_leaves_a_kernel_alone(rng):
    K = RBF()(rng.standard_normal((10, 2)))
    for how in ("clip", "flip", "shift"):
        np.testing.assert_allclose(repair(K, how=how).matrix, K, atol=1e-12)


def test_refusals():
    with pytest.raises(mercer.errors.ParameterError, match="clip"):
        repair(np.eye(2), how="hope")
    with pytest.raises(mercer.errors.ParameterError, match="symmetric"):
        repair([[1.0, 2.0], [0.0, 1.0]])
    with pytest.raises(mercer.errors.ShapeError):
        repair(np.eye(3)).rows(np.ones((2, 2)))
    with pytest.raises(mercer.errors.DefinitenessError, match="repair"):
        check_gram([[0.0, 1.0], [1.0, 0.0]]).square_root()


@pytest.mark.parametrize("what", [check_gram, repair])
@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.coo_array], ids=["csr", "coo"])
def test_sparse_matrices_are_refused_with_the_remedy(what, layout):
    with pytest.raises(InputTypeError, match=r"must be a dense matrix; give K\.toarray\(\)"):
        what(layout(np.eye(3)))
