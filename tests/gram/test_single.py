"""Tiles in single precision against the exact ones, for every kernel that has them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import (
    RBF,
    Constant,
    Exponential,
    Laplacian,
    Linear,
    Matern,
    Overlap,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
    WeightedOverlap,
    White,
    config_context,
)
from mercer.domains.base import Batch
from mercer.errors import KernelOverflowError
from mercer.gram.single import EPS

SMOOTH = [
    RBF(length_scale=2.0),
    Matern(nu=1.5, length_scale=2.0),
    Matern(nu=2.5, length_scale=2.0),
    Matern(nu=np.inf, length_scale=3.0),
    RationalQuadratic(length_scale=2.0, alpha=0.7),
    RationalQuadratic(length_scale=2.0, alpha=3.0),
]
DOTS = [Linear(), Polynomial(degree=3, scale=0.1), Polynomial(degree=6, scale=0.05), Sigmoid(0.1)]
ROUGH = [Laplacian(length_scale=5.0), Exponential(length_scale=2.0), Matern(nu=0.5)]
COMBINED = [
    0.5 * RBF(length_scale=2.0) + Linear() * Laplacian(length_scale=4.0) + 1.0,
    RBF().on([0]) * Matern(nu=2.5).on([1, 2]) + 0.25 * Polynomial(degree=2),
]


def both(kernel, X, Y):
    """The values in double and in single precision, and the tiles."""
    left = Batch(Y)
    centers = kernel.prepare(left)
    samples = kernel.prepare(Batch(X, like=left))
    tiles = kernel.single_tiles(centers)
    return kernel(X, Y), tiles.matrix(samples), tiles


@pytest.mark.parametrize("kernel", SMOOTH + DOTS + ROUGH + COMBINED, ids=repr)
@pytest.mark.parametrize(("n", "m", "d"), [(1, 1, 3), (300, 530, 7), (131, 70, 60)])
def test_values_agree_within_the_stated_error(kernel, n, m, d, rng):
    X, Y = rng.standard_normal((n, d)), rng.standard_normal((m, d))
    X[0] = Y[0]
    exact, values, tiles = both(kernel, X, Y)
    assert values.dtype == np.float32
    assert tiles.count == m
    assert np.abs(values - exact).max() <= 3.0 * tiles.error
    assert tiles.error <= 100 * EPS * max(tiles.largest, 1.0) * np.sqrt(d)


@pytest.mark.parametrize("kernel", SMOOTH + DOTS, ids=repr)
def test_sparse_rows(kernel, rng):
    X = sp.random_array((150, 90), density=0.1, random_state=rng, format="csr")
    exact, values, tiles = both(kernel, X, X[:40])
    assert np.abs(values - exact).max() <= 3.0 * tiles.error


@pytest.mark.parametrize("kernel", [RBF(length_scale=2.0), Linear()], ids=repr)
@pytest.mark.parametrize("d", [9, 60])
def test_sparse_rows_with_dense_centers_and_the_other_way_round(kernel, d, rng):
    X = rng.random((50, d)) * (rng.random((50, d)) < 0.3)
    forms = [kernel.prepare(Batch(form(X))) for form in (np.asarray, sp.csr_array)]
    for centers, samples in (forms, forms[::-1]):
        tiles = kernel.single_tiles(centers)
        np.testing.assert_allclose(tiles.matrix(samples), kernel(X), atol=3 * tiles.error)


def test_sparse_rows_of_a_function_with_a_corner_have_none():
    X = sp.random_array((20, 30), density=0.2, format="csr")
    for kernel in ROUGH:
        assert kernel.single_tiles(kernel.prepare(Batch(X))) is None


def test_per_column_scales_far_from_the_origin(rng):
    X = rng.standard_normal((200, 5)) + 1e6
    for kernel in (RBF(length_scale=[1.0, 2, 3, 4, 5]), Laplacian(length_scale=[1.0, 2, 3, 4, 5])):
        exact, values, _ = both(kernel, X, X[:50])
        np.testing.assert_allclose(values, exact, atol=1e-6)


def test_far_apart_clusters_are_told_in_the_error(rng):
    X = rng.standard_normal((200, 3))
    X[100:] += 1e6
    exact, values, tiles = both(RBF(), X, X)
    assert tiles.error > 1e-3
    assert np.abs(values - exact).max() <= 3.0 * tiles.error


@pytest.mark.parametrize("kernel", [*SMOOTH, *ROUGH], ids=repr)
@pytest.mark.parametrize("far", [1e8, 1e25, 1e100])
def test_rows_far_away_are_far_away(kernel, far, rng):
    Y = rng.standard_normal((40, 3))
    X = np.concatenate([Y[:5], [[far, 0.0, 0.0]]])
    exact, values, tiles = both(kernel, X, Y)
    np.testing.assert_allclose(values, exact, atol=max(3 * tiles.error, 1e-5))


def test_inner_products_beyond_single_precision_are_an_error(rng):
    Y = rng.standard_normal((40, 3))
    tiles = Linear().single_tiles(Linear().prepare(Batch(Y)))
    with pytest.raises(KernelOverflowError, match="single precision"):
        tiles.matrix(Linear().prepare(Batch(1e20 * Y)))


def test_categories(rng):
    X = rng.choice(list("abcd"), (200, 6)).astype(object)
    for kernel in (Overlap(), WeightedOverlap(gamma=3.0).fit(X), Overlap() * 2.0 + Constant(0.5)):
        exact, values, tiles = both(kernel, X, X[:30])
        assert np.abs(values - exact).max() <= 3.0 * tiles.error <= 1e-4


def test_kernels_and_numbers_without_single_precision(rng):
    X = rng.standard_normal((5, 2))
    for kernel in (White(), RBF() + White(), Matern(nu=0.8), RBF() ** 0.5):
        assert kernel.single_tiles(kernel.prepare(Batch(X))) is None
    for kernel in (RBF(), Linear(), Polynomial(degree=9)):
        assert kernel.single_tiles(kernel.prepare(Batch(X * 1e20))) is None


@pytest.mark.parametrize("d", [7, 60])
def test_bits_depend_neither_on_threads_nor_on_the_rows_of_a_strip(d, rng):
    X, kernel = rng.standard_normal((700, d)), Matern(nu=2.5)
    made = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            made.append(both(kernel, X, X[:100])[1])
    assert all(np.array_equal(made[0], one) for one in made)
