"""Every form of a Gram matrix, and every view of one, against the array it stands for."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import RBF, Linear, NegativeDistance, config_context
from mercer.domains.base import Batch
from mercer.gram.build import gram_matrix
from mercer.gram.lowrank import LowRank
from mercer.gram.matrix import Centered, Shifted, Weighted
from mercer.gram.plan import (
    COPY,
    FACTOR,
    FLOAT64,
    PRODUCTS,
    WHOLE,
    Plan,
    fits,
    plan_dual,
    plan_matrix,
)
from mercer.gram.stored import Stored
from mercer.gram.streamed import Streamed

N = 40
PLAN = Plan("streamed", FLOAT64, 8 * N * N, "of a test")
FORMS = ("stored", "streamed", "low rank")


def matrix(form: str):
    """A matrix of this form, and the same as an array."""
    X = np.random.default_rng(0).standard_normal((N, 3))
    kernel = Linear() if form == "low rank" else RBF()
    if form == "low rank":
        return LowRank(X, PLAN), X @ X.T
    samples = kernel.prepare(Batch(X))
    if form == "stored":
        return Stored(kernel(X), PLAN), kernel(X)
    return Streamed(kernel, samples, samples, PLAN), kernel(X)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("columns", [1, 3, 9])
def test_products(form, columns):
    K, expected = matrix(form)
    V = np.random.default_rng(1).standard_normal((N, columns))
    np.testing.assert_allclose(K @ V, expected @ V, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_rows_columns_diagonal_and_dense(form):
    K, expected = matrix(form)
    some = np.array([3, 0, 17])
    assert K.shape == (N, N) and len(K) == N
    np.testing.assert_allclose(K.dense(), expected, atol=1e-12)
    np.testing.assert_allclose(K.diagonal(), expected.diagonal(), atol=1e-12)
    np.testing.assert_allclose(K.row(5), expected[5], atol=1e-12)
    assert K.rows(some).shape == (3, N) and K.columns(some).shape == (N, 3)
    np.testing.assert_allclose(K.rows(some).dense(), expected[some], atol=1e-12)
    np.testing.assert_allclose(K.columns(some) @ np.ones((3, 1)), expected[:, some].sum(1)[:, None])
    np.testing.assert_allclose(K.rows(some) @ np.ones((N, 1)), expected[some].sum(1)[:, None])


def views(K, expected):
    """Views of a matrix, with their arrays from the definition."""
    rng = np.random.default_rng(2)
    m = rng.random(N)
    m /= m.sum()
    P = np.eye(N) - np.outer(np.ones(N), m)
    d = rng.random(N)
    yield Centered(K, m), P @ expected @ P.T
    yield Weighted(K, d), d[:, None] * expected * d
    yield Shifted(K, d), expected + np.diag(d)
    yield Weighted(Centered(K, m), d), d[:, None] * (P @ expected @ P.T) * d


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", range(4), ids=["centered", "weighted", "shifted", "both"])
def test_views_are_what_they_say(form, number):
    K, expected = matrix(form)
    view, array = list(views(K, expected))[number]
    V = np.random.default_rng(3).standard_normal((N, 2))
    np.testing.assert_allclose(view @ V, array @ V, atol=1e-12)
    np.testing.assert_allclose(view.diagonal(), array.diagonal(), atol=1e-12)
    np.testing.assert_allclose(view.row(7), array[7], atol=1e-12)
    np.testing.assert_allclose(view.dense(), array, atol=1e-12)  # last: it may overwrite K


def test_a_centered_conditionally_positive_matrix_is_positive():
    X = np.random.default_rng(4).standard_normal((N, 2))
    centered = Centered(Stored(NegativeDistance()(X), PLAN), np.full(N, 1 / N))
    assert np.linalg.eigvalsh(centered.dense()).min() > -1e-12


@pytest.mark.parametrize(
    ("need", "share"), [(PRODUCTS, 0.5), (FACTOR, 0.5), (COPY, 0.25), (WHOLE, 1.0)]
)
def test_the_plan_follows_the_budget(need, share):
    size = 8 * 1000 * 1000
    with config_context(memory_budget=int(size / share)):
        assert plan_matrix(1000, need).form == "stored" and fits(1000, 1000, need)
    with config_context(memory_budget=int(size / share) - 8):
        plan = plan_matrix(1000, need)
        assert plan.form == "streamed" and "exceeds" in plan.reason and not fits(1000, 1000, need)
        assert plan_matrix(1000, need, given=True).stored
        assert plan_matrix(1000, need, required=True).stored


def test_the_plan_of_a_support_vector_machine():
    with config_context(memory_budget="1 GB"):
        options = {"given": False, "precise": False, "small": True}
        assert str(plan_dual(3000, **options)) == "dense Gram matrix, float32, 36 MB"
        assert plan_dual(3000, **{**options, "precise": True}).dtype == np.float64
        assert plan_dual(3000, **{**options, "small": False}).form == "rows"
    with config_context(memory_budget="20 MB"):
        assert plan_dual(3000, **options).form == "rows"


def test_a_plan_makes_its_matrix():
    X = np.random.default_rng(5).standard_normal((30, 2))
    samples = RBF().prepare(Batch(X))
    for budget, form in (("1 GB", Stored), (1000, Streamed)):
        with config_context(memory_budget=budget):
            K = gram_matrix(RBF(), samples, plan_matrix(30, PRODUCTS))
        assert isinstance(K, form)
        np.testing.assert_allclose(K @ np.ones((30, 1)), RBF()(X).sum(axis=1)[:, None])
