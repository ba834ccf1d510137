"""Results that would not fit into memory, or into a float, are refused."""

from __future__ import annotations

import contextlib
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from bad_input.common import points, refuses

import mercer
from mercer import (
    ANOVA,
    RBF,
    AllSubsets,
    Brownian,
    Exponential,
    ExponentialDot,
    Jaccard,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    PowerSeries,
    RationalQuadratic,
    Spline,
)
from mercer.errors import KernelOverflowError, MemoryBudgetError, MercerError

# ---- Memory ----


@pytest.mark.parametrize(
    ("call", "size"),
    [
        (lambda X: RBF()(X), "2000 x 2000, 32 MB"),
        (lambda X: RBF()(X.astype(np.float32)), "2000 x 2000, 16 MB"),
        (lambda X: RBF()(X, X[:1500]), "2000 x 1500, 24 MB"),
        (lambda X: RBF()(sp.csr_matrix(X)), "2000 x 2000, 32 MB"),
        (lambda X: (RBF() + Linear())(X), "2000 x 2000, 32 MB"),
        (lambda X: RBF().gram(X).dense(), "2000 x 2000, 32 MB"),
        (lambda X: RBF().gram(X).rows(np.arange(100)), "100 x 2000, 1.6 MB"),
        (lambda X: RBF().gram(X)[:], "2000 x 2000, 32 MB"),
        (lambda X: Jaccard()([{i} for i in range(2000)]), "2000 x 2000, 32 MB"),
    ],
    ids=[
        "dense",
        "float32",
        "two sides",
        "sparse",
        "sum",
        "gram.dense",
        "gram.rows",
        "gram[]",
        "sets",
    ],
)
def test_beyond_the_memory_budget(call, size):
    X = np.linspace(0.0, 1.0, 2000)[:, None]
    with mercer.config_context(memory_budget="1 MB"):
        text = refuses(
            MemoryBudgetError,
            lambda: call(X),
            f"the dense Gram matrix = '{size}'",
            "exceeds the memory budget of 1 MB",
        )
    remedy = text.partition(";")[2]
    assert "k.gram(X)" in remedy and "memory_budget" in remedy


def test_what_exceeds_the_budget_is_not_allocated():
    X = np.linspace(0.0, 1.0, 20_000)[:, None]
    RBF()(X[:10])
    with mercer.config_context(memory_budget="10 MB"):
        tracemalloc.start()
        try:
            refuses(MemoryBudgetError, lambda: RBF()(X), "3.2 GB")
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 10e6


def test_the_lazy_matrix_works_under_the_same_budget():
    X = np.linspace(0.0, 30.0, 2000)[:, None]
    v = np.cos(np.arange(2000.0))
    with mercer.config_context(memory_budget="1 MB"):
        lazy = RBF().gram(X)
        product = lazy @ v
        assert "exceeds the budget of 1 MB" in lazy.plan
        assert lazy.rows([5, 7]).shape == (2, 2000)
        assert lazy.diag().tolist() == [1.0] * 2000
    np.testing.assert_allclose(product, np.exp(-0.5 * (X - X.T) ** 2) @ v, rtol=1e-9, atol=1e-9)


def test_the_budget_is_exact():
    X = points(100, 1)
    with mercer.config_context(memory_budget=80_000):
        assert RBF()(X).nbytes == 80_000
    with mercer.config_context(memory_budget=79_999):
        refuses(MemoryBudgetError, lambda: RBF()(X), "80 kB")


# ---- Overflow ----

OVERFLOWING = [
    (Polynomial(degree=200), 1e5),
    (Polynomial(degree=200) + RBF(), 1e5),
    (ExponentialDot(), 1e5),
    (Linear().exp(), 1e5),
    (Linear() ** 100, 1e5),
    (Linear(), 1e200),
    (Linear() * Linear(), 1e100),
    (Spline(), 1e160),
    (Brownian(), 1e160),
    (AllSubsets(), 1e160),
    (PowerSeries(kernel=Linear(), coefficients=[0.0] * 100 + [1.0]), 1e5),
]
overflowing = pytest.mark.parametrize(("kernel", "large"), OVERFLOWING, ids=lambda v: repr(v)[:40])


def large_row(count, row, large):
    """Zeros, but for one row."""
    X = np.zeros((count, 2))
    X[row] = large
    return X


@overflowing
@pytest.mark.parametrize(("count", "row"), [(6, 3), (300, 20), (600, 300)])
def test_overflow_names_the_rows(kernel, large, count, row):
    X = large_row(count, row, large)
    Y = large_row(4, 1, large)
    refuses(
        KernelOverflowError,
        lambda: kernel(X),
        f"k(x[{row}], y[{row}]) = inf is not a finite number",
        "rescale the data",
    )
    refuses(
        KernelOverflowError, lambda: kernel(X, Y), f"k(x[{row}], y[1]) = inf is not a finite number"
    )
    refuses(
        KernelOverflowError,
        lambda: kernel.gram(X) @ np.ones(count),
        f"k(x[{row}], y[{row}]) = inf is not a finite number",
    )
    refuses(
        KernelOverflowError,
        lambda: kernel.gram(X, Y) @ np.ones(4),
        f"k(x[{row}], y[1]) = inf is not a finite number",
    )


@overflowing
@pytest.mark.parametrize("row", [3, 20])
def test_overflow_on_the_diagonal_names_the_row(kernel, large, row):
    X = large_row(30, row, large)
    refuses(
        KernelOverflowError,
        lambda: kernel.diag(X),
        f"k(x[{row}], ",
        " = inf is not a finite number",
        "rescale the data",
    )


@overflowing
def test_overflow_on_the_lazy_diagonal_names_the_row(kernel, large):
    X = large_row(6, 3, large)
    refuses(
        KernelOverflowError,
        lambda: kernel.gram(X).diag(),
        "k(x[3], ",
        " = inf is not a finite number",
        "rescale the data",
    )


@overflowing
def test_rows_of_a_lazy_matrix_keep_their_numbers_in_errors(kernel, large):
    X = large_row(30, 20, large)
    refuses(
        KernelOverflowError,
        lambda: kernel.gram(X).rows([4, 20]),
        "k(x[20], y[20]) = inf is not a finite number",
    )
    refuses(
        KernelOverflowError,
        lambda: kernel.gram(X)[20, 20],
        "k(x[20], y[20]) = inf is not a finite number",
    )


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "csr"])
def test_overflow_of_fitted_kernels_and_norms(form):
    X = form(large_row(6, 3, 1e5))
    kernel = Polynomial(degree=200)
    refuses(KernelOverflowError, lambda: kernel.center().fit(X), "x[3]")
    refuses(KernelOverflowError, lambda: kernel.normalize()(X), "x[3]")
    refuses(KernelOverflowError, lambda: mercer.feature_norm(kernel, X), "x[3]")
    refuses(KernelOverflowError, lambda: mercer.combination_norm(kernel, X, np.ones(6)), "x[3]")


@pytest.mark.parametrize(
    "call",
    [
        lambda k, X: k(X),
        lambda k, X: k(X, X[:3]),
        lambda k, X: k.diag(X),
        lambda k, X: k.gram(X).diag(),
    ],
    ids=["call", "two sides", "diag", "gram.diag"],
)
@pytest.mark.parametrize("count", [6, 600])
def test_overflow_of_single_precision(call, count):
    """10^60 is a float64 but not a float32."""
    X = large_row(count, 2, 1e5).astype(np.float32)
    kernel = Polynomial(degree=6)
    assert np.isfinite(kernel(X.astype(float))).all()
    refuses(KernelOverflowError, lambda: call(kernel, X), "x[2]")


def test_overflow_leaves_no_trace():
    X = large_row(600, 300, 1e5)
    refuses(KernelOverflowError, lambda: Polynomial(degree=200)(X))
    assert Polynomial(degree=2)(X)[300, 300] == (2e10 + 1.0) ** 2


def right_or_refused(call, right):
    """A right value or an error of ours; a wrong number is the one thing that must not come out."""
    with np.errstate(all="ignore"):
        try:
            K = call()
        except MercerError:
            return
    np.testing.assert_allclose(K, right, rtol=0, atol=1e-200)


@pytest.mark.parametrize(
    "family", [RBF, Exponential, Laplacian, Matern, RationalQuadratic], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("columns", [2, 60])
@pytest.mark.parametrize("large", [1e150, 1e200, 1e300])
def test_distances_beyond_all_numbers(family, columns, large):
    X = np.array([[1.0], [2.0], [3.0]]) * np.full(columns, large)
    right_or_refused(lambda: family()(X), np.eye(3))


@pytest.mark.parametrize("family", [RBF, Exponential, Laplacian, Matern], ids=lambda f: f.__name__)
@pytest.mark.parametrize("scale", [1e-150, 1e-160, 1e-200, 1e-310, [1e-200, 1e-200]], ids=str)
def test_length_scales_next_to_zero(family, scale):
    X = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    right_or_refused(lambda: family(length_scale=scale)(X), np.eye(3))


@pytest.mark.parametrize("scale", [1e-160, 1e-200, 1e-310])
def test_periodic_length_scales_next_to_zero(scale):
    right_or_refused(
        lambda: Periodic(period=4.0, length_scale=scale)([[0.0], [1.0], [2.0]]), np.eye(3)
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: Polynomial(degree=2**63)([[0.0], [1.0]]),
        lambda: Polynomial(degree=10**25)([[0.0], [1.0]]),
        lambda: (RBF() ** 1e300)([[0.0], [1.0]]),
        lambda: ANOVA(degree=10**12)([[0.0], [1.0]]),
        lambda: Polynomial(degree=2000).features(np.ones((2, 1))),
    ],
    ids=["2^63", "10^25", "1e300", "ANOVA", "features"],
)
def test_enormous_degrees_are_computed_or_refused(call):
    with contextlib.suppress(MercerError):
        assert np.isfinite(call()).all()
