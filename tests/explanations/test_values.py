"""Exact values equal their definition over all coalitions, and have Shapley's properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.shapley import game, interaction, shapley

from mercer import (
    RBF,
    KernelRidge,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    RationalQuadratic,
    _compiled,
    config_context,
    explain,
)
from mercer.explanations.values import gauss_legendre

RNG = np.random.default_rng(0)


def fitted(kernel, d, n=40):
    X = RNG.standard_normal((n, d))
    return KernelRidge(0.1, kernel=kernel).fit(X, np.sin(X[:, 0]) + X[:, -1] ** 2), X


@pytest.mark.parametrize("d", [1, 2, 3, 7, 12])
def test_all_coalitions(d):
    model, X = fitted(RBF(np.sqrt(d)), d)
    found = explain(model, X[:1], background=X[3:6])
    expected = shapley(model.predict, X[:1], X[3:6])
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-10)


@given(
    d=st.integers(1, 6),
    n_background=st.integers(1, 4),
    n_samples=st.integers(1, 40),
    outputs=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_products_of_any_factors(d, n_background, n_samples, outputs, seed):
    """Factors may be negative, or 0."""
    rng = np.random.default_rng(seed)
    width = -(-n_samples // _compiled.shapley.LANES) * _compiled.shapley.LANES
    a = rng.integers(-2, 3, (d, width)).astype(float)
    c = rng.integers(-2, 3, (n_background, d, width)).astype(float)
    coefficients = np.zeros((width, outputs))
    coefficients[:n_samples] = rng.standard_normal((n_samples, outputs))
    found, pairs = np.zeros((d, outputs)), np.zeros((d, d, outputs))
    _compiled.shapley.product_values(a, c, coefficients, *gauss_legendre(d - 1), found)
    fewer = gauss_legendre(max(d - 2, 0))
    _compiled.shapley.product_interactions(a, c, coefficients, *fewer, pairs)
    values, both = 0.0, np.zeros((d, d, outputs))
    for row in c:

        def product(columns, row=row):
            known = columns == 1.0
            return np.array([np.where(one[:, None], a, row).prod(axis=0) for one in known])

        values = values + shapley(lambda Z: product(Z) @ coefficients, np.ones((1, d)),
                                  np.zeros((1, d)))[0]  # fmt: skip
        v = game(lambda Z: product(Z) @ coefficients, np.ones(d), np.zeros((1, d)))
        for i in range(d):
            for j in range(i + 1, d):
                both[i, j] += interaction(v, i, j)
    np.testing.assert_allclose(found, values, atol=1e-9)
    np.testing.assert_allclose(pairs, both, atol=1e-9)


@pytest.mark.parametrize("kernel", [RBF(2.0), Laplacian(3.0), Linear() + RBF(), Polynomial(2)])
def test_interactions(kernel):
    model, X = fitted(kernel, 4)
    found = explain(model, X[:2], background=X[3:6], interactions=True)
    for row in range(2):
        v = game(model.predict, X[row], X[3:6])
        for i in range(4):
            for j in range(4):
                if i != j:
                    half = interaction(v, i, j) / 2
                    assert abs(found.interactions[row, i, j] - half) < 1e-10
    np.testing.assert_allclose(found.interactions.sum(axis=2), found.values, atol=1e-12)


def test_linear_kernels_have_their_closed_form():
    X = RNG.standard_normal((30, 3))
    model = KernelRidge(0.1, kernel=Linear()).fit(X, X @ [1.0, -2.0, 0.0])
    weights = model.X_fit_.T @ model.dual_coef_
    found = explain(model, X[:4], background=X[5:])
    np.testing.assert_allclose(found.values, (X[:4] - X[5:].mean(axis=0)) * weights, atol=1e-12)


def test_unused_columns_have_no_value():
    model, X = fitted(RBF().on([0]) * Laplacian().on([2]), 4)
    found = explain(model, X[:3], background=X[3:9], interactions=True)
    assert np.all(found.values[:, [1, 3]] == 0)
    assert np.all(found.interactions[:, 1] == 0)


def test_equal_columns_have_equal_values():
    X = RNG.standard_normal((30, 3))
    X[:, 2] = X[:, 0]
    model = KernelRidge(0.1, kernel=RBF()).fit(X, X[:, 0] + X[:, 1])
    found = explain(model, X[:3], background=X[3:9])
    np.testing.assert_allclose(found.values[:, 0], found.values[:, 2], rtol=1e-12)


MIXTURES = [Matern(nu=0.5), Matern(), Matern(nu=20.0), RationalQuadratic(alpha=0.6)]


@pytest.mark.parametrize("kernel", [*MIXTURES, RationalQuadratic(alpha=50.0)])
def test_mixtures_keep_their_bound(kernel):
    model, X = fitted(kernel, 4)
    found = explain(model, X[:2], background=X[3:8])
    gap = np.abs(found.values - shapley(model.predict, X[:2], X[3:8])).max()
    assert found.method == "quadrature" and gap <= found.error <= 1e-7
    assert gap <= 1e-9  # as small as that of exact values for all purposes


def test_groups_are_one_player():
    model, X = fitted(RBF(), 5)
    groups = {"pair": [1, 3]}

    def of_players(Z):
        return model.predict(np.column_stack([Z[:, 0], Z[:, 1], Z[:, 2], Z[:, 1], Z[:, 3]]))

    # rows whose grouped columns are equal, so that one number stands for both
    rows, others = X[:2, [0, 1, 2, 4]], X[3:6, [0, 1, 2, 4]]

    def both(Z):
        return np.column_stack([Z[:, 0], Z[:, 1], Z[:, 2], Z[:, 1], Z[:, 3]])

    found = explain(model, both(rows), background=both(others), groups=groups)
    assert found.feature_names == ["x0", "pair", "x2", "x4"]
    np.testing.assert_allclose(found.values, shapley(of_players, rows, others), atol=1e-10)


def test_bits_do_not_depend_on_threads_or_blocks(monkeypatch):
    model, X = fitted(RBF(2.0), 6, n=100)
    with config_context(threads=1):
        alone = explain(model, X[:20], background=X[:30]).values
    with config_context(threads=3):
        assert np.array_equal(explain(model, X[:20], background=X[:30]).values, alone)
    monkeypatch.setattr("mercer.explanations.values._ROOM", 64)
    monkeypatch.setattr("mercer.explanations.values._ROWS", 7)
    in_blocks = explain(model, X[:20], background=X[:30]).values
    np.testing.assert_allclose(in_blocks, alone, rtol=1e-12, atol=1e-13)


def test_far_rows():
    """Factors underflow where rows are far from all training samples."""
    model, X = fitted(RBF(0.01), 3)
    found = explain(model, X[:2] + 1e6, background=X[3:5] - 1e6)
    assert np.all(found.values == 0)


def test_quadrature_is_exact_for_the_degree():
    for degree in range(20):
        nodes, weights = gauss_legendre(degree)
        assert len(nodes) == degree // 2 + 1
        assert abs(weights @ nodes**degree - 1 / (degree + 1)) < 1e-14
