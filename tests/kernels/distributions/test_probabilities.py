"""Kernels on probability rows: values, accuracy where rows are close, sparse rows, bad input, and
use in learners.
"""

from __future__ import annotations

import naive
import numpy as np
import pandas as pd
import polars as pl
import pytest
from mpmath import mp, mpf
from scipy.sparse import csr_matrix
from scipy.spatial.distance import jensenshannon
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer
from mercer import Bhattacharyya, Hellinger, JensenShannon, ProbabilityProduct, errors
from mercer._compiled import distributions as compiled

ALL = [JensenShannon(gamma=0.7), Hellinger(gamma=1.3), Bhattacharyya(), ProbabilityProduct(rho=0.8)]


def rows(rng, n, d, sparsity=0.0):
    X = rng.dirichlet(np.full(d, 0.5), n)
    X[rng.random(X.shape) < sparsity] = 0.0
    X[X.sum(axis=1) == 0, 0] = 1.0
    return X / X.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("d", [1, 2, 7, 33, 60, 300])
@pytest.mark.parametrize("kernel", ALL, ids=lambda k: type(k).__name__)
def test_equals_the_oracle_at_every_width(kernel, d, rng):
    X = rows(rng, 5, d, 0.3)
    exact = naive.gram(kernel, X).astype(float)
    np.testing.assert_allclose(kernel(X), exact, rtol=0, atol=5e-15)
    many = rows(rng, 400, d)  # several tiles
    K = kernel(many)
    assert np.array_equal(K, K.T) and np.array_equal(K.diagonal(), kernel.diag(many))
    np.testing.assert_allclose(
        K[300, 17], float(naive.value(kernel, many[300], many[17])), rtol=1e-13
    )


def test_jensen_shannon_is_scipys_squared(rng):
    X = rows(rng, 20, 9, 0.4)
    theirs = np.array([[jensenshannon(x, y) ** 2 for y in X] for x in X])
    np.testing.assert_allclose(-np.log(JensenShannon()(X)), theirs, atol=1e-14)


def test_jensen_shannon_of_rows_that_share_nothing_is_log_2():
    assert JensenShannon(gamma=2.0)(np.eye(3))[0, 1] == pytest.approx(0.25, rel=1e-15)


def divergence(p, q):
    out = np.empty((1, 1))
    compiled.jensen_shannon_tile(np.array([p]), np.array([q])[0][:, None].copy(), out)
    return float(out[0, 0])


def test_the_divergence_is_never_negative_and_keeps_its_digits(rng):
    """H((p+q)/2) − (H(p) + H(q))/2 as it stands loses all digits of rows that differ by 1e-9."""
    X = rows(rng, 300, 5, 0.2)
    for x in X:
        assert divergence(x, x) == 0.0
    for exponent in (0, -1, -3, -6, -9, -12):
        for x in X[:20]:
            y = x * (1 + 10.0**exponent * rng.uniform(-1, 1, 5))
            with mp.workdps(60):
                p, q = [mpf(v) for v in x], [mpf(v) for v in y]
                terms = [
                    (a * mp.log(a) + b * mp.log(b)) / 2 - (a + b) / 2 * mp.log((a + b) / 2)
                    for a, b in zip(p, q, strict=True)
                    if a
                ]
                exact = float(mp.fsum(terms))
            found = divergence(x, y)
            assert found >= 0 and found == pytest.approx(exact, rel=2e-15, abs=0)


def test_the_divergence_at_the_ends_of_the_numbers():
    for p, q in [
        (0.0, 0.0),
        (0.0, 1.0),
        (1.0, 5e-324),
        (5e-324, 5e-324),
        (1e-300, 3e-301),
        (1.0, 1 / 3),
        (1.0, np.nextafter(1 / 3, 0)),
    ]:
        assert 0.0 <= divergence([p], [q]) <= np.log(2) / 2 * max(p, q) * (1 + 1e-15)


def test_the_logarithm(rng):
    x = np.concatenate(
        [
            10.0 ** rng.uniform(-300, 300, 500),
            rng.uniform(0.5, 2.0, 500),
            [1.0, 2.0**-1022, 0.5, 2.0],
        ]
    )
    ours = np.array([compiled.log(v) for v in x])
    np.testing.assert_array_max_ulp(ours, np.log(x), maxulp=1)


def test_hellinger_is_the_definition(rng):
    X = rows(rng, 15, 6, 0.3)
    affinity = np.sqrt(X) @ np.sqrt(X).T
    np.testing.assert_allclose(Hellinger(gamma=3.0)(X), np.exp(-3.0 * (1 - affinity)), rtol=1e-14)
    np.testing.assert_allclose(Bhattacharyya()(X), affinity, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(ProbabilityProduct(rho=0.5)(X), affinity, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(ProbabilityProduct()(X), X @ X.T, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("kernel", ALL, ids=lambda k: type(k).__name__)
def test_certificates_survive_all_shares_of_a_few_parts(kernel):
    assert kernel.certificate().psd
    assert kernel.certificate().status == (
        "strict" if isinstance(kernel, (JensenShannon, Hellinger)) else "psd"
    )
    for d in (1, 2, 3, 4, 8):
        for points in kernel.domain.lattices(d, np.random.default_rng(1)):
            assert np.linalg.eigvalsh(kernel(points)).min() >= -1e-13 * len(points)


def test_a_strict_kernel_tells_neighbors_apart():
    p = np.array([[0.5, 0.5], [0.5 + 2**-20, 0.5 - 2**-20], [0.0, 1.0]])
    for kernel in (JensenShannon(gamma=50.0), Hellinger(gamma=50.0)):
        assert np.linalg.eigvalsh(kernel(p)).min() > 0
    assert "infinitely divisible" in kernel.certificate().facts and (kernel**0.3).certificate().psd


def test_gradients_where_entries_are_zero(rng):
    X = np.vstack([rows(rng, 6, 4, 0.5), np.eye(4)])
    W = rng.standard_normal((10, 10))
    for kernel in (JensenShannon(gamma=0.7), Hellinger(gamma=1.3), ProbabilityProduct(rho=0.8)):
        (name,) = kernel.continuous_params()
        slope = kernel.gradient(X, W)[name]
        terms = [
            [W[i, j] * float(naive.derivative(kernel, name, None, X[i], X[j])) for j in range(10)]
            for i in range(10)
        ]
        assert slope == pytest.approx(np.sum(terms), abs=1e-12 * np.abs(terms).sum())


# ---- forms of input ----


@pytest.mark.parametrize("kernel", ALL[1:], ids=lambda k: type(k).__name__)
def test_sparse_rows_stay_sparse(kernel, rng):
    X = rows(rng, 30, 80, 0.9)
    K = kernel(csr_matrix(X))
    np.testing.assert_allclose(K, kernel(X), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(kernel(csr_matrix(X), X[:4]), K[:, :4], atol=1e-14)
    if kernel.feature_dim(80) == 80:
        phi = kernel.features(csr_matrix(X))
        assert hasattr(phi, "tocsr") and phi.nnz == np.count_nonzero(X)
        np.testing.assert_allclose((phi @ phi.T).toarray(), K, atol=1e-14)
    W = rng.standard_normal((30, 30))
    for name, slope in kernel.gradient(csr_matrix(X), W).items():
        assert slope == pytest.approx(kernel.gradient(X, W)[name], rel=1e-10)


def test_sparse_rows_are_refused_where_every_column_is_looked_at(rng):
    with pytest.raises(errors.InputTypeError, match=r"JensenShannon; give X.toarray"):
        JensenShannon()(csr_matrix(rows(rng, 4, 3)))


def test_frames_lists_and_single_precision(rng):
    X = rows(rng, 12, 5)
    for kernel in ALL:
        K = kernel(X)
        for given in (pd.DataFrame(X), pl.DataFrame(X), X.tolist()):
            np.testing.assert_array_equal(kernel(given), K)
        single = X.astype(np.float32)
        single /= single.sum(axis=1, keepdims=True)
        assert kernel(single).dtype == np.float32
        np.testing.assert_allclose(kernel(single), K, rtol=1e-5)
        kernel(pd.DataFrame(single))


def test_two_kernels_of_one_table(rng):
    X = rows(rng, 10, 4)
    both = Hellinger() * Bhattacharyya() + 0.5 * mercer.RBF() + 1.0
    np.testing.assert_allclose(
        both(X), Hellinger()(X) * Bhattacharyya()(X) + 0.5 * mercer.RBF()(X) + 1.0, rtol=1e-14
    )


# ---- bad input ----


@pytest.mark.parametrize("kernel", ALL, ids=lambda k: type(k).__name__)
def test_bad_rows_are_named(kernel):
    good = np.array([[0.5, 0.5], [0.25, 0.75]])
    negative = np.array([[0.5, 0.5], [-0.25, 1.25]])
    with pytest.raises(
        errors.DomainError, match=r"X\[1, 0\] = -0.25 must be >= 0.*divide by the row sums"
    ):
        kernel(negative)
    with pytest.raises(errors.DomainError, match=r"X\[1, 0\] = -0.25 must be >= 0"):
        kernel(csr_matrix(negative))
    with pytest.raises(
        errors.DomainError, match=r"sum of row 1 of X = 4.0 must be 1.*divide by the row sums"
    ):
        kernel([[0.5, 0.5], [1.0, 3.0]])
    with pytest.raises(errors.DomainError, match=r"sum of row 1 of Y = 4.0 must be 1"):
        kernel(good, [[0.5, 0.5], [1.0, 3.0]])
    with pytest.raises(errors.DomainError, match=r"sum of row 0 of X = 0.0 .*drop the row"):
        kernel([[0.0, 0.0], [0.5, 0.5]])
    with pytest.raises(errors.NotFiniteError, match=r"X\[0, 1\] = nan"):
        kernel([[0.5, np.nan]])
    with pytest.raises(errors.WidthError):
        kernel(good, [[0.2, 0.3, 0.5]])
    with pytest.raises(errors.InputTypeError):
        kernel([["a", "b"]])
    with pytest.raises(errors.EmptyInputError):
        kernel(np.empty((0, 2)))
    kernel([[0.5, 0.5 + 9e-9]])
    with pytest.raises(errors.DomainError):
        kernel([[0.5, 0.5 + 3e-8]])


@pytest.mark.parametrize("bad", [0, -1.0, np.inf, np.nan, "1", None, True])
def test_bad_parameters(bad):
    for make in (
        lambda v: JensenShannon(gamma=v),
        lambda v: Hellinger(gamma=v),
        lambda v: ProbabilityProduct(rho=v),
    ):
        with pytest.raises(errors.ParameterError, match="must be positive"):
            make(bad)


# ---- learners ----


def texts(rng, n=60):
    """Word shares of two kinds of short texts."""
    y = np.arange(n) % 2
    mean = np.where(y[:, None] == 1, [0.4, 0.3, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.3, 0.4])
    counts = np.stack([rng.multinomial(30, m) for m in mean])
    return counts / counts.sum(axis=1, keepdims=True), y


@pytest.mark.parametrize("kernel", ALL, ids=lambda k: type(k).__name__)
def test_in_learners(kernel, rng):
    X, y = texts(rng)
    assert cross_val_score(mercer.SVC(kernel=kernel), X, y, cv=5).mean() > 0.85
    assert cross_val_score(mercer.SVC(kernel=kernel), pd.DataFrame(X), y, cv=3).mean() > 0.85
    Z = mercer.KernelPCA(2, kernel=kernel).fit_transform(X)
    assert abs(np.corrcoef(Z[:, 0], y)[0, 1]) > 0.7


def test_grids_and_expressions(rng):
    X, y = texts(rng)
    search = GridSearchCV(
        mercer.SVC(kernel=JensenShannon()), {"kernel__gamma": [0.1, 1.0, 10.0]}, cv=3
    ).fit(X, y)
    assert search.best_params_["kernel__gamma"] in (0.1, 1.0, 10.0) and search.best_score_ > 0.85
    assert mercer.SVC(kernel="Hellinger(gamma=2.0) + Bhattacharyya()").fit(X, y).score(X, y) > 0.85


@pytest.mark.parametrize("kernel", ALL, ids=lambda k: type(k).__name__)
def test_one_sample_layouts_and_dtypes(kernel, rng):
    X = rows(rng, 12, 4, 0.3)
    K = kernel(X)
    kept = X.copy()
    for given in (
        np.asfortranarray(X),
        np.repeat(X, 2, axis=0)[::2],
        X.astype(object),
        X[::-1][::-1],
    ):
        assert np.array_equal(kernel(given), K)
    assert np.array_equal(X, kept)
    np.testing.assert_allclose(kernel(X[:1]), K[:1, :1], rtol=1e-14)
    corners = np.eye(4)
    for dtype in (bool, np.int8, np.uint64, np.float16):
        assert np.array_equal(kernel(corners.astype(dtype)), kernel(corners))
    assert np.array_equal(kernel(np.ones((3, 1))), np.ones((3, 3)))
